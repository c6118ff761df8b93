; 100 divided by 2 seven times is 0.
; solved-by: bmc, hull, imc, kind, lawi, pdkind, scout, spacer, split-tpa, tpa, trl
(set-logic HORN)
(declare-fun p (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 100) (= y 0)) (p x y))))
(assert (forall ((x Int) (y Int)) (=> (and (p x y) (> x 0)) (p (div x 2) (+ y 1)))))
(assert (forall ((x Int) (y Int)) (=> (and (p x y) (= x 0) (= y 7)) false)))
(check-sat)
