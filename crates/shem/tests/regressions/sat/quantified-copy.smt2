; An array is copied from the last index to the first one; the loop invariant speaks of all indices.
; solved-by: strategy
(set-logic HORN)
(declare-fun copied (Int Int Int Int Int) Bool)
(assert (forall ((n Int) (a (Array Int Int)) (b (Array Int Int)) (q Int)) (copied n n q (select a q) (select b q))))
(assert (forall ((i Int) (n Int) (a (Array Int Int)) (b (Array Int Int)) (c (Array Int Int)) (q Int))
  (=> (and (forall ((r Int)) (copied i n r (select a r) (select b r))) (> i 0)
           (= c (store b (- i 1) (select a (- i 1)))))
      (copied (- i 1) n q (select a q) (select c q)))))
(assert (forall ((i Int) (n Int) (a (Array Int Int)) (b (Array Int Int)) (j Int))
  (=> (and (forall ((r Int)) (copied i n r (select a r) (select b r))) (<= i 0) (<= 0 j) (< j n)
           (not (= (select a j) (select b j)))) false)))
(check-sat)
