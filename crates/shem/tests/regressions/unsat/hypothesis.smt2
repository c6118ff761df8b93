; A lemma that holds of no state says nothing of the edges that do not come from its own vertex.
; solved-by: bmc, hull, imc, kind, lawi, pdkind, scout, spacer, split-tpa, tpa, trl
(declare-fun p (Int Int Int) Bool) (declare-fun q (Int Int) Bool)
(assert (forall ((x Int) (y Int) (z Int)) (=> (and (= x 0) (= y 0)) (p x z y))))
(assert (forall ((x Int) (y Int) (z Int)) (=> (p x z y) (p (+ x 1) z (+ y 1)))))
(assert (forall ((x Int) (y Int) (z Int)) (=> (and (p x z y) (> x 3)) (q x y))))
(assert (forall ((x Int) (y Int)) (=> (q x y) (q (+ x 2) (+ y 2)))))
(assert (forall ((x Int) (y Int)) (=> (and (q x y) (> x 9) (= x y)) false)))
(check-sat)
