; The inner loop makes up to five steps for each step of the outer one: twelve are possible.
; solved-by: bmc, imc, kind, lawi, pdkind, scout, spacer, split-tpa, tpa, trl
(set-logic HORN)
(declare-fun outer (Int Int) Bool)
(declare-fun inner (Int Int Int) Bool)
(assert (forall ((i Int) (k Int)) (=> (and (= i 0) (= k 0)) (outer i k))))
(assert (forall ((i Int) (k Int)) (=> (outer i k) (inner (+ i 1) 0 k))))
(assert (forall ((i Int) (j Int) (k Int)) (=> (and (inner i j k) (< j 5)) (inner i (+ j 1) (+ k 1)))))
(assert (forall ((i Int) (j Int) (k Int)) (=> (inner i j k) (outer i k))))
(assert (forall ((i Int) (k Int)) (=> (and (outer i k) (= k 12)) false)))
(check-sat)
