; The premise does not hold, since the predicate holds of natural numbers only.
; solved-by: strategy
(set-logic HORN)
(declare-fun p (Int) Bool)
(declare-fun q () Bool)
(assert (forall ((x Int)) (=> (>= x 0) (p x))))
(assert (=> (forall ((x Int)) (=> (not (p x)) false)) q))
(assert (forall ((y Int)) (=> (and q (= y (- 1)) (p y)) false)))
(check-sat)
