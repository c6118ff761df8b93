; The 91 function of McCarthy, nested calls: up to 100 the result is 91.
; solved-by: spacer
(set-logic HORN)
(declare-fun mc (Int Int) Bool)
(assert (forall ((n Int) (r Int)) (=> (and (> n 100) (= r (- n 10))) (mc n r))))
(assert (forall ((n Int) (a Int) (r Int)) (=> (and (<= n 100) (mc (+ n 11) a) (mc a r)) (mc n r))))
(assert (forall ((n Int) (r Int)) (=> (and (mc n r) (<= n 100) (not (= r 91))) false)))
(check-sat)
