; The 91 function of McCarthy: 98 has the result 91, by calls within calls.
; solved-by: spacer
(set-logic HORN)
(declare-fun mc (Int Int) Bool)
(assert (forall ((n Int) (r Int)) (=> (and (> n 100) (= r (- n 10))) (mc n r))))
(assert (forall ((n Int) (a Int) (r Int)) (=> (and (<= n 100) (mc (+ n 11) a) (mc a r)) (mc n r))))
(assert (forall ((n Int) (r Int)) (=> (and (mc n r) (= n 98) (= r 91)) false)))
(check-sat)
