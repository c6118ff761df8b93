; Facts and rules without a query have a model.
; solved-by: preprocessing
(set-logic HORN)
(declare-fun p (Int) Bool)
(declare-fun q (Int Bool) Bool)
(assert (forall ((x Int)) (=> (> x 3) (p x))))
(assert (forall ((x Int)) (=> (p x) (q x (> x 5)))))
(assert (forall ((x Int) (b Bool)) (=> (q x b) (p (+ x 1)))))
(check-sat)
