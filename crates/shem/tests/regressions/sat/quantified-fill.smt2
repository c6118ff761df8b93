; A predicate of all indices of an array that is filled, under a quantifier in the body.
; solved-by: strategy
(set-logic HORN)
(declare-fun inv (Int Int (Array Int Int) Int Int) Bool)
(assert (forall ((n Int) (a (Array Int Int)) (q Int)) (inv 0 n a q (select a q))))
(assert (forall ((i Int) (n Int) (a (Array Int Int)) (q Int))
  (=> (and (forall ((r Int)) (inv i n a r (select a r))) (< i n))
      (inv (+ i 1) n (store a i 7) q (select (store a i 7) q)))))
(assert (forall ((i Int) (n Int) (a (Array Int Int)) (j Int))
  (=> (and (forall ((r Int)) (inv i n a r (select a r))) (>= i n) (<= 0 j) (< j n)) (= (select a j) 7))))
(check-sat)
