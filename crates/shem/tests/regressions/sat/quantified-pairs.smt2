; Two bound variables: the elements of an array that is filled upwards are in order.
; solved-by: strategy
(set-logic HORN)
(declare-fun ordered (Int Int Int Int Int) Bool)
(assert (forall ((a (Array Int Int)) (q Int) (r Int)) (ordered 0 q r (select a q) (select a r))))
(assert (forall ((i Int) (a (Array Int Int)) (q Int) (r Int))
  (=> (forall ((s Int) (t Int)) (ordered i s t (select a s) (select a t)))
      (ordered (+ i 1) q r (select (store a i (* 3 i)) q) (select (store a i (* 3 i)) r)))))
(assert (forall ((i Int) (a (Array Int Int)) (j Int) (k Int))
  (=> (and (forall ((s Int) (t Int)) (ordered i s t (select a s) (select a t)))
           (<= 0 j) (< j k) (< k i) (> (select a j) (select a k))) false)))
(check-sat)
