; Predicates without arguments: two conditions have to come together.
; solved-by: spacer
(set-logic HORN)
(declare-fun one () Bool)
(declare-fun two () Bool)
(declare-fun p (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 10)) (p x y))))
(assert (forall ((x Int) (y Int)) (=> (p x y) (p (+ x 1) (- y 2)))))
(assert (forall ((x Int) (y Int)) (=> (and (p x y) (= x 4)) one)))
(assert (forall ((x Int) (y Int)) (=> (and (p x y) (= y 2)) two)))
(assert (=> (and one two) false))
(check-sat)
