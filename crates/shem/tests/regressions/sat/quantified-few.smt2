; Few values: the premise is the conjunction of its instances, no matter how many clauses the guard makes of it.
; solved-by: bmc, spacer
(set-logic HORN)
(declare-datatypes ((Light 0)) (((red) (green) (off))))
(declare-fun p (Light Int) Bool)
(declare-fun q (Int) Bool)
(assert (forall ((n Int)) (=> (> n 3) (p red n))))
(assert (forall ((n Int)) (=> (> n 4) (p green n))))
(assert (forall ((n Int)) (=> (forall ((l Light)) (=> (not (= l off)) (p l n))) (q n))))
(assert (forall ((n Int)) (=> (and (q n) (< n 5)) false)))
(check-sat)
