; Three phases, each once: what the second one writes the third one reads.
; solved-by: bit-bmc, ic3
(set-logic HORN)
(declare-fun at ((_ BitVec 2) (_ BitVec 5) Bool) Bool)
(assert (forall ((x (_ BitVec 5))) (at #b00 x false)))
(assert (forall ((x (_ BitVec 5)) (y (_ BitVec 5)) (b Bool)) (=> (and (at #b00 x b) (= y (bvor x #b00001))) (at #b01 y b))))
(assert (forall ((x (_ BitVec 5)) (b Bool)) (=> (at #b01 x b) (at #b10 x (= (bvand x #b00001) #b00001)))))
(assert (forall ((x (_ BitVec 5)) (b Bool)) (=> (and (at #b10 x b) (not b)) false)))
(check-sat)
