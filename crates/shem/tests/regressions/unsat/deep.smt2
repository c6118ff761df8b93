; A counterexample of 300 steps in two phases.
; solved-by: bmc, hull, lawi, pdkind, scout, split-tpa, tpa
(set-logic HORN)
(declare-fun p (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 150)) (p x y))))
(assert (forall ((x Int) (y Int)) (=> (and (p x y) (< x 300)) (p (+ x 1) (ite (>= x 150) (+ y 1) y)))))
(assert (forall ((x Int) (y Int)) (=> (and (p x y) (>= x 300) (= y 300)) false)))
(check-sat)
