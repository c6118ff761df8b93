(declare-const x (_ BitVec 8))
(assert (bvult x (bvadd x #x123)))
