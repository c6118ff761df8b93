; An array is written at two places only, and what stands there goes up in step.
; solved-by: spacer, kind, imc
(set-logic HORN)
(declare-fun Run ((Array Int Int)) Bool)
(assert (forall ((a (Array Int Int))) (=> (= (select a 3) (select a 7)) (Run a))))
(assert (forall ((a (Array Int Int)))
  (=> (Run a) (Run (store (store a 3 (+ (select a 3) 2)) 7 (+ (select a 7) 2))))))
(assert (forall ((a (Array Int Int))) (=> (and (Run a) (> (select a 3) (select a 7))) false)))
(check-sat)
