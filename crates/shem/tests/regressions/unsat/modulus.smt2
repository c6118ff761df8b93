; Steps of 3 modulo 7 come to 5 after four steps.
; solved-by: bmc, hull, imc, kind, lawi, pdkind, scout, spacer, split-tpa, tpa, trl
(set-logic HORN)
(declare-fun p (Int) Bool)
(assert (forall ((x Int)) (=> (= x 0) (p x))))
(assert (forall ((x Int)) (=> (p x) (p (mod (+ x 3) 7)))))
(assert (forall ((x Int)) (=> (and (p x) (= x 5)) false)))
(check-sat)
