; shem --print-witness
; No predicates at all.
(set-logic HORN)
(assert (forall ((x Int)) (=> (> x 0) (>= x 1))))
(check-sat)
(assert (forall ((x Int)) (> x 0)))
(check-sat)
