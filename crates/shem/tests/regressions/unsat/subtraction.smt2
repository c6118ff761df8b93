; Euclid by subtraction: 21 and 35 have the divisor 7.
; solved-by: bmc, imc, kind, lawi, pdkind, scout, spacer, split-tpa, tpa, trl
(set-logic HORN)
(declare-fun gcd (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 21) (= y 35)) (gcd x y))))
(assert (forall ((x Int) (y Int)) (=> (and (gcd x y) (> x y)) (gcd (- x y) y))))
(assert (forall ((x Int) (y Int)) (=> (and (gcd x y) (< x y)) (gcd x (- y x)))))
(assert (forall ((x Int) (y Int)) (=> (and (gcd x y) (= x y) (= x 7)) false)))
(check-sat)
