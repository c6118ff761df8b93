(declare-const p Bool)
(assert (ite p p))
