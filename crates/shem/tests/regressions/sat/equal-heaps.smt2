; Two copies of a loop that walks over equal heaps: the heaps, the places and the sums stay equal.
; solved-by: spacer
(set-logic HORN)
(declare-fun Both ((Array Int Int) Int Int (Array Int Int) Int Int) Bool)
(assert (forall ((a (Array Int Int)) (b (Array Int Int)) (i Int) (j Int))
  (=> (and (= a b) (= i j)) (Both a i 0 b j 0))))
(assert (forall ((a (Array Int Int)) (b (Array Int Int)) (i Int) (j Int) (s Int) (t Int))
  (=> (and (Both a i s b j t) (not (= (select a i) 0)) (not (= (select b j) 0)))
      (Both (store a i (+ s 1)) (+ i 1) (+ s (select a i)) (store b j (+ t 1)) (+ 1 j) (+ (select b j) t)))))
(assert (forall ((a (Array Int Int)) (b (Array Int Int)) (i Int) (j Int) (s Int) (t Int))
  (=> (and (Both a i s b j t) (or (not (= s t)) (not (= (select a 7) (select b 7))))) false)))
(check-sat)
