; A query with one predicate twice: two of its numbers add up to 16.
; solved-by: spacer
(set-logic HORN)
(declare-fun p (Int) Bool)
(assert (forall ((x Int)) (=> (= x 1) (p x))))
(assert (forall ((x Int)) (=> (and (p x) (< x 30)) (p (+ x 3)))))
(assert (forall ((x Int) (y Int)) (=> (and (p x) (p y) (= (+ x y) 17) (< x y) (> x 5)) false)))
(check-sat)
