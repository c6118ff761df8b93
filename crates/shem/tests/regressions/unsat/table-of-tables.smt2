; The row that is written has a number there that grows.
; solved-by: preprocessing
(set-logic HORN)
(declare-fun Run ((Array Int (Array Int Int)) Int) Bool)
(assert (forall ((m (Array Int (Array Int Int)))) (=> (= (select (select m 1) 2) 4) (Run m 0))))
(assert (forall ((m (Array Int (Array Int Int))) (n Int))
  (=> (Run m n) (Run (store m 0 (store (select m 0) 2 n)) (+ n 1)))))
(assert (forall ((m (Array Int (Array Int Int))) (n Int))
  (=> (and (Run m n) (> (select (select m 0) 2) (- (select (select m 1) 2) 2)) (= n 4)) false)))
(check-sat)
