(declare-const x Int)
(declare-const b (_ BitVec 0))
