; Bits come into a register one by one, no three ones in a row; some word of six bits can come.
; solved-by: bit-bmc, ic3
(set-logic HORN)
(declare-fun register ((_ BitVec 6)) Bool)
(assert (register #b000000))
(assert (forall ((x (_ BitVec 6)) (y (_ BitVec 6)) (b (_ BitVec 1)))
    (=> (and (register x) (= y (concat ((_ extract 4 0) x) b)) (distinct ((_ extract 2 0) y) #b111)) (register y))))
(assert (forall ((x (_ BitVec 6))) (=> (and (register x) (= x #b101101)) false)))
(check-sat)
