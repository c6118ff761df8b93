; Euclid by subtraction: both numbers stay positive.
; solved-by: hull, imc, kind, lawi, pdkind, spacer, split-tpa, tpa, trl
(set-logic HORN)
(declare-fun gcd (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (> x 0) (> y 0)) (gcd x y))))
(assert (forall ((x Int) (y Int)) (=> (and (gcd x y) (> x y)) (gcd (- x y) y))))
(assert (forall ((x Int) (y Int)) (=> (and (gcd x y) (< x y)) (gcd x (- y x)))))
(assert (forall ((x Int) (y Int)) (=> (and (gcd x y) (<= x 0)) false)))
(check-sat)
