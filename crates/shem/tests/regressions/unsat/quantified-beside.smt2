; The clauses without the one that has a universal premise are enough.
; solved-by: strategy
(set-logic HORN)
(declare-fun p (Int) Bool)
(declare-fun q (Int) Bool)
(assert (forall ((x Int)) (=> (>= x 0) (p x))))
(assert (forall ((n Int)) (=> (forall ((x Int)) (p (+ x n))) (q n))))
(assert (forall ((x Int)) (=> (and (p x) (> x 10)) (q x))))
(assert (forall ((n Int)) (=> (and (q n) (> n 20)) false)))
(check-sat)
