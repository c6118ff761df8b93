; A body with quantifiers: from 0 to 9 in steps of at most 2.
; solved-by: bmc, imc, kind, lawi, pdkind, spacer, split-tpa, tpa, trl
(set-logic HORN)
(declare-fun p (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 0)) (p x y))))
(assert (forall ((x Int) (y Int)) (=> (exists ((z Int)) (and (p z y) (> x z) (<= x (+ z 2)))) (p x (+ y 1)))))
(assert (forall ((x Int) (y Int)) (=> (and (p x y) (forall ((z Int)) (=> (>= z 9) (>= z x))) (>= x 9) (<= y 5)) false)))
(check-sat)
