; Reals: halved towards 1, the distance gets below a tenth after four steps.
; solved-by: bmc, hull, imc, kind, lawi, pdkind, scout, spacer, split-tpa, tpa, trl
(set-logic HORN)
(declare-fun p (Real) Bool)
(assert (forall ((x Real)) (=> (= x 0.0) (p x))))
(assert (forall ((x Real) (y Real)) (=> (and (p x) (= (* 2.0 y) (+ x 1.0))) (p y))))
(assert (forall ((x Real)) (=> (and (p x) (> x 0.9)) false)))
(check-sat)
