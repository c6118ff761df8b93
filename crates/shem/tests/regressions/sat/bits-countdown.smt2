; A counter that stops at zero: no path is longer than its first value.
; solved-by: bit-bmc, ic3
(set-logic HORN)
(declare-fun count ((_ BitVec 6) (_ BitVec 6)) Bool)
(assert (forall ((n (_ BitVec 6))) (=> (bvule n #b000111) (count n n))))
(assert (forall ((n (_ BitVec 6)) (k (_ BitVec 6)))
  (=> (and (count n k) (not (= k #b000000))) (count n (bvsub k #b000001)))))
(assert (forall ((n (_ BitVec 6)) (k (_ BitVec 6))) (=> (and (count n k) (bvult n k)) false)))
(check-sat)
