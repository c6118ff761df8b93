; The next number is given by an equation that has to be solved for it; nine steps lead to the bad one.
; solved-by: bit-bmc, ic3
(set-logic HORN)
(declare-fun number ((_ BitVec 8)) Bool)
(assert (number #x00))
(assert (forall ((x (_ BitVec 8)) (y (_ BitVec 8)))
    (=> (and (number x) (= (bvmul #x03 y) (bvadd x #x05))) (number y))))
(assert (forall ((x (_ BitVec 8))) (=> (and (number x) (= x #x07)) false)))
(check-sat)
