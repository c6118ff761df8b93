; No predicates: the only clause holds of all numbers.
; solved-by: preprocessing
(set-logic HORN)
(assert (forall ((x Int)) (=> (> x 0) (>= x 1))))
(check-sat)
