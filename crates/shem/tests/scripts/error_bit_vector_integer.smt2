(declare-const x (_ BitVec 8))
(assert (= (bvadd x 3) x))
