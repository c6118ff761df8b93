; A function that adds by recursion, and a call of it in another one: tripling, nonlinear.
; solved-by: spacer
(set-logic HORN)
(declare-fun add (Int Int Int) Bool)
(declare-fun triple (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (= x 0) (add x y y))))
(assert (forall ((x Int) (y Int) (z Int)) (=> (and (> x 0) (add (- x 1) y z)) (add x y (+ z 1)))))
(assert (forall ((n Int) (a Int) (b Int)) (=> (and (>= n 0) (add n n a) (add n a b)) (triple n b))))
(assert (forall ((x Int) (y Int)) (=> (and (triple x y) (< y (* 2 x))) false)))
(check-sat)
