; A row of a table of tables is written at one place; the other row keeps what it has there.
; solved-by: preprocessing
(set-logic HORN)
(declare-fun Run ((Array Int (Array Int Int)) Int) Bool)
(assert (forall ((m (Array Int (Array Int Int)))) (=> (= (select (select m 1) 2) 4) (Run m 0))))
(assert (forall ((m (Array Int (Array Int Int))) (n Int))
  (=> (Run m n) (Run (store m 0 (store (select m 0) 2 n)) (+ n 1)))))
(assert (forall ((m (Array Int (Array Int Int))) (n Int))
  (=> (and (Run m n) (distinct (select (select m 1) 2) 4)) false)))
(check-sat)
