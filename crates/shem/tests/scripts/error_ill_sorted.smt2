(declare-const x Int)
(declare-const p Bool)
(check-sat)
(assert (or p (+ x 1)))
