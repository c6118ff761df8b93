; Conditionals of numbers: after a round and a half the clock shows 6 again.
; solved-by: bmc, hull, imc, kind, lawi, pdkind, scout, spacer, split-tpa, tpa, trl
(set-logic HORN)
(declare-fun clock (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 0)) (clock x y))))
(assert (forall ((x Int) (y Int)) (=> (clock x y) (clock (ite (= x 11) 0 (+ x 1)) (ite (= x 11) (+ y 1) y)))))
(assert (forall ((x Int) (y Int)) (=> (and (clock x y) (= x 6) (= y 1)) false)))
(check-sat)
