(declare-const x (_ BitVec 8))
