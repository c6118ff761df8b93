; The quantifier has a guard that is no case for the instance that is needed: the constraint of the clause has it, too.
; solved-by: strategy
(set-logic HORN)
(declare-fun less (Int Int Int) Bool)
(assert (forall ((n Int) (q Int)) (less n q n)))
(assert (forall ((n Int) (m Int) (k Int))
  (=> (and (forall ((q Int)) (=> (and (<= 0 q) (< q n)) (less n q m))) (<= 0 k) (< k n) (not (= n m))) false)))
(check-sat)
