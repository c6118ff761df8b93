; Rules and a query without facts have a model.
; solved-by: preprocessing
(set-logic HORN)
(declare-fun p (Int) Bool)
(declare-fun q (Int) Bool)
(assert (forall ((x Int)) (=> (p x) (q x))))
(assert (forall ((x Int)) (=> (q x) (p (+ x 1)))))
(assert (forall ((x Int)) (=> (p x) false)))
(check-sat)
