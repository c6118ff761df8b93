; Predicates without arguments decide whether a loop may start, and say that it has failed.
; solved-by: hull, imc, kind, lawi, pdkind, spacer, split-tpa, tpa, trl
(set-logic HORN)
(declare-fun ready () Bool)
(declare-fun never () Bool)
(declare-fun p (Int Int) Bool)
(assert ready)
(assert (forall ((x Int) (y Int)) (=> (and ready (= x 0) (= y 0)) (p x y))))
(assert (forall ((x Int) (y Int)) (=> (p x y) (p (+ x 1) (+ y 2)))))
(assert (forall ((x Int) (y Int)) (=> (and (p x y) (not (= y (* 2 x)))) never)))
(assert (not never))
(check-sat)
