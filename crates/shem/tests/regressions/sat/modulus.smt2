; The remainder by 3 is kept by steps of 3.
; solved-by: hull, imc, kind, lawi, pdkind, spacer, split-tpa, tpa, trl
(set-logic HORN)
(declare-fun p (Int) Bool)
(assert (forall ((x Int)) (=> (= x 1) (p x))))
(assert (forall ((x Int)) (=> (p x) (p (+ x 3)))))
(assert (forall ((x Int)) (=> (and (p x) (= (mod x 3) 2)) false)))
(check-sat)
