(declare-const x (_ BitVec 8))
(assert (= ((_ zero_extend 65536) x) x))
