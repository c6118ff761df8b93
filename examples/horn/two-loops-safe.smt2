; options: -e imc
; One loop moves all of x to y, another moves it back: the sum is kept.
; solved-by: bmc, hull, imc, kind, lawi, pdkind, spacer, split-tpa, tpa, trl
(set-info :status sat)
(set-logic HORN)
(declare-fun there (Int Int) Bool)
(declare-fun |and back| (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 10) (= y 0)) (there x y))))
(assert (forall ((x Int) (y Int)) (=> (and (there x y) (> x 0)) (there (- x 1) (+ y 1)))))
(assert (forall ((x Int) (y Int)) (=> (and (there x y) (<= x 0)) (|and back| x y))))
(assert (forall ((x Int) (y Int)) (=> (and (|and back| x y) (> y 0)) (|and back| (+ x 1) (- y 1)))))
(assert (forall ((x Int) (y Int)) (=> (and (|and back| x y) (> (+ x y) 10)) false)))
(check-sat)
(get-model)
