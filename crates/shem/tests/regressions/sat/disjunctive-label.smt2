; One clause with three ways to go; the sum of the two numbers is kept.
; solved-by: hull, imc, lawi, pdkind, spacer
(set-logic HORN)
(declare-fun p (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 10) (= y 0)) (p x y))))
(assert (forall ((x Int) (y Int) (u Int) (v Int)) (=> (and (p x y) (or (and (> x 0) (= u (- x 1)) (= v (+ y 1))) (and (> y 0) (= u (+ x 1)) (= v (- y 1))) (and (= u y) (= v x)))) (p u v))))
(assert (forall ((x Int) (y Int)) (=> (and (p x y) (> x 10)) false)))
(check-sat)
