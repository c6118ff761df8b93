; Bodies with quantifiers: y counts steps of at most 2.
; solved-by: hull, imc, lawi, pdkind, spacer, split-tpa, tpa, trl
(set-logic HORN)
(declare-fun p (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 0)) (p x y))))
(assert (forall ((x Int) (y Int)) (=> (exists ((z Int)) (and (p z y) (> x z) (<= x (+ z 2)))) (p x (+ y 1)))))
(assert (forall ((x Int) (y Int))
  (=> (and (p x y) (forall ((z Int)) (=> (> z (* 2 y)) (> z 3))) (> x (* 2 y))) false)))
(check-sat)
