; A counter in Gray code reaches its last number after 15 steps.
; solved-by: bit-bmc, ic3
(set-logic HORN)
(declare-fun counter ((_ BitVec 4) (_ BitVec 4)) Bool)
(assert (counter #x0 #x0))
(assert (forall ((n (_ BitVec 4)) (g (_ BitVec 4)))
    (=> (counter n g)
        (counter (bvadd n #x1) (bvxor (bvadd n #x1) (bvlshr (bvadd n #x1) #x1))))))
(assert (forall ((n (_ BitVec 4)) (g (_ BitVec 4))) (=> (and (counter n g) (= g #x8)) false)))
(check-sat)
