; Conditionals of numbers: the clock goes round.
; solved-by: hull, imc, kind, lawi, pdkind, spacer, split-tpa, tpa, trl
(set-logic HORN)
(declare-fun clock (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 0)) (clock x y))))
(assert (forall ((x Int) (y Int)) (=> (clock x y) (clock (ite (= x 11) 0 (+ x 1)) (ite (= x 11) (+ y 1) y)))))
(assert (forall ((x Int) (y Int)) (=> (and (clock x y) (or (> x 11) (< y 0))) false)))
(check-sat)
