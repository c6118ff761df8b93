; Predicates without a way to them are bad; another one counts.
; solved-by: hull, imc, kind, lawi, pdkind, spacer, split-tpa, tpa, trl
(set-logic HORN)
(declare-fun lost (Int) Bool)
(declare-fun worse (Int Int) Bool)
(declare-fun found (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 3)) (found x y))))
(assert (forall ((x Int) (y Int)) (=> (found x y) (found (+ x 1) (+ y 1)))))
(assert (forall ((x Int)) (=> (lost x) (lost (+ x 1)))))
(assert (forall ((x Int)) (=> (and (lost x) (> x 5)) false)))
(assert (forall ((x Int) (y Int)) (=> (and (lost x) (found x y)) (worse x y))))
(assert (forall ((x Int) (y Int)) (=> (worse x y) false)))
(assert (forall ((x Int) (y Int)) (=> (and (found x y) (<= y x)) false)))
(check-sat)
