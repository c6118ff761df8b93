; A binary search over integers: the middle is an index of the array.
; solved-by: preprocessing
(set-info :status sat)
(set-logic HORN)
(declare-fun Search (Int Int) Bool)
(assert (forall ((n Int)) (=> (>= n 0) (Search 0 n))))
(assert (forall ((low Int) (high Int) (middle Int))
  (=> (and (Search low high) (< low high) (= middle (div (+ low high) 2))) (Search (+ middle 1) high))))
(assert (forall ((low Int) (high Int) (middle Int))
  (=> (and (Search low high) (< low high) (= middle (div (+ low high) 2))) (Search low middle))))
(assert (forall ((low Int) (high Int) (middle Int))
  (=> (and (Search low high) (< low high) (= middle (div (+ low high) 2)) (< middle 0)) false)))
(check-sat)
