; A query with one predicate twice: the second number is a function of the first one.
; solved-by: spacer
(set-logic HORN)
(declare-fun p (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 0)) (p x y))))
(assert (forall ((x Int) (y Int)) (=> (p x y) (p (+ x 1) (+ y 2)))))
(assert (forall ((x Int) (y Int) (z Int)) (=> (and (p x y) (p x z) (> y z)) false)))
(check-sat)
