; Two numbers that are equal stay so when both are divided by 2.
; solved-by: hull, imc, kind, lawi, pdkind, spacer, split-tpa, tpa
(set-logic HORN)
(declare-fun p (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (>= x 0) (= y x)) (p x y))))
(assert (forall ((x Int) (y Int)) (=> (and (p x y) (> x 0)) (p (div x 2) (div y 2)))))
(assert (forall ((x Int) (y Int)) (=> (and (p x y) (> x y)) false)))
(check-sat)
