(declare-const x (_ BitVec 8))
(assert (= x (_ bv256 8)))
