; Two predicates call each other in turn; y stays ahead of x.
; solved-by: bmc, hull, imc, kind, lawi, pdkind, spacer, split-tpa, tpa, trl
(set-logic HORN)
(declare-fun ping (Int Int) Bool)
(declare-fun pong (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 1)) (ping x y))))
(assert (forall ((x Int) (y Int)) (=> (and (ping x y) (< x 100)) (pong (+ x 1) (+ y 1)))))
(assert (forall ((x Int) (y Int)) (=> (and (pong x y) (< y 90)) (ping x y))))
(assert (forall ((x Int) (y Int)) (=> (and (ping x y) (and (<= y x) (< x 100))) false)))
(check-sat)
