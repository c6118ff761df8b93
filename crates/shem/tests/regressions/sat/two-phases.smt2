; First one number grows, then the other one: at the end they are equal.
; solved-by: bmc, hull, lawi, spacer, split-tpa, trl
(set-logic HORN)
(declare-fun p (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 50)) (p x y))))
(assert (forall ((x Int) (y Int)) (=> (and (p x y) (< x 100)) (p (+ x 1) (ite (>= x 50) (+ y 1) y)))))
(assert (forall ((x Int) (y Int)) (=> (and (p x y) (>= x 100) (not (= x y))) false)))
(check-sat)
