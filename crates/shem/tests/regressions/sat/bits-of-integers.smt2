; A cast to sixteen bits and back keeps small numbers; a signed shift keeps the sign.
; solved-by: hull, spacer
(set-logic HORN)
(declare-fun P (Int) Bool)
(assert (forall ((x Int)) (=> (and (<= (- 100) x) (<= x 100)) (P x))))
(assert (forall ((x Int) (y Int))
  (=> (and (P x) (= y (sbv_to_int (bvashr ((_ int_to_bv 16) x) #x0001)))) (P y))))
(assert (forall ((x Int)) (=> (and (P x) (not (= x (sbv_to_int ((_ int_to_bv 16) x))))) false)))
(check-sat)
