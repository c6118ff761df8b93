; A conjunction under the quantifier is two premises, one of them without a predicate.
; solved-by: strategy
(set-logic HORN)
(declare-fun even (Int) Bool)
(declare-fun r (Int) Bool)
(assert (forall ((x Int)) (even (* 2 x))))
(assert (forall ((n Int)) (=> (forall ((x Int)) (and (even (+ x x n)) (or (<= x n) (>= x n)))) (r n))))
(assert (forall ((n Int)) (=> (and (r n) (= (mod n 2) 1)) false)))
(check-sat)
