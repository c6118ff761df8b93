; A light changes in turn; every third change it is red.
; solved-by: spacer, kind, pdkind
(set-logic HORN)
(declare-datatypes ((Light 0)) (((red) (green) (yellow))))
(declare-fun Shown (Light Int) Bool)
(assert (Shown red 0))
(assert (forall ((n Int)) (=> (Shown red n) (Shown green (+ n 1)))))
(assert (forall ((n Int)) (=> (Shown green n) (Shown yellow (+ n 1)))))
(assert (forall ((n Int)) (=> (Shown yellow n) (Shown red (+ n 1)))))
(assert (forall ((l Light) (n Int)) (=> (and (Shown l n) (= (mod n 3) 0) (distinct l red)) false)))
(check-sat)
