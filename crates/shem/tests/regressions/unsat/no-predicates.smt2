; No predicates: a clause that fails for some number.
; solved-by: preprocessing
(set-logic HORN)
(assert (forall ((x Int)) (=> (> x 0) (>= x 2))))
(check-sat)
