; Of two queries, one is about a predicate without facts; the other one can be derived.
; solved-by: bmc, hull, imc, kind, lawi, pdkind, scout, spacer, split-tpa, tpa, trl
(set-logic HORN)
(declare-fun lost (Int) Bool)
(declare-fun found (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 3)) (found x y))))
(assert (forall ((x Int) (y Int)) (=> (and (found x y) (< x y)) (found (+ x 1) (+ y (ite (= x 4) (- 1) 0))))))
(assert (forall ((x Int)) (=> (lost x) (lost (+ x 1)))))
(assert (forall ((x Int)) (=> (and (lost x) (> x 5)) false)))
(assert (forall ((x Int) (y Int)) (=> (and (found x y) (= x 3)) false)))
(check-sat)
