; The number of Fibonacci with index 6 is 13.
; solved-by: spacer
(set-info :status unsat)
(set-logic HORN)
(declare-fun fib (Int Int) Bool)
(assert (fib 0 1))
(assert (fib 1 1))
(assert (forall ((n Int) (a Int) (b Int)) (=> (and (fib n a) (fib (+ n 1) b)) (fib (+ n 2) (+ a b)))))
(assert (forall ((n Int) (a Int)) (=> (and (fib n a) (= n 6)) (not (= a 13)))))
(check-sat)
