; A body with two occurrences of one predicate: the numbers of Fibonacci are not smaller than their index less 1.
; solved-by: preprocessing
(set-info :status sat)
(set-logic HORN)
(declare-fun fib (Int Int) Bool)
(assert (fib 0 1))
(assert (fib 1 1))
(assert (forall ((n Int) (a Int) (b Int)) (=> (and (fib n a) (fib (+ n 1) b)) (fib (+ n 2) (+ a b)))))
(assert (forall ((n Int) (a Int)) (=> (fib n a) (and (>= a 1) (>= n 0)))))
(check-sat)
