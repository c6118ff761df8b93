(declare-datatype Pair ((pair (left Int) (right Int))))
(assert (= 1 (left
  (pair 1))))
