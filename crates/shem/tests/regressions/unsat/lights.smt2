; The light is yellow after five changes.
; solved-by: spacer, bmc, kind, scout
(set-logic HORN)
(declare-datatypes ((Light 0)) (((red) (green) (yellow))))
(declare-fun Shown (Light Int) Bool)
(assert (Shown red 0))
(assert (forall ((n Int)) (=> (Shown red n) (Shown green (+ n 1)))))
(assert (forall ((n Int)) (=> (Shown green n) (Shown yellow (+ n 1)))))
(assert (forall ((n Int)) (=> (Shown yellow n) (Shown red (+ n 1)))))
(assert (forall ((l Light) (n Int)) (=> (and (Shown l n) (> n 3) ((_ is yellow) l)) false)))
(check-sat)
