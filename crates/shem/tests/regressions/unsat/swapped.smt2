; Three swaps of neighbours bring the first element to the end.
; solved-by: spacer, bmc, kind, lawi
(set-logic HORN)
(declare-fun Run ((Array Int Int) Int) Bool)
(assert (forall ((a (Array Int Int))) (=> (= (select a 0) 5) (Run a 0))))
(assert (forall ((a (Array Int Int)) (i Int))
  (=> (and (Run a i) (< i 3)) (Run (store (store a i (select a (+ i 1))) (+ i 1) (select a i)) (+ i 1)))))
(assert (forall ((a (Array Int Int)) (i Int)) (=> (and (Run a i) (= i 3) (= (select a 3) 5)) false)))
(check-sat)
