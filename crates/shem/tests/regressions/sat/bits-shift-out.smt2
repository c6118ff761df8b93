; A word is shifted until it is zero; bits that leave are counted.
; solved-by: bit-bmc, ic3
(set-logic HORN)
(declare-fun state ((_ BitVec 8) (_ BitVec 4)) Bool)
(assert (forall ((w (_ BitVec 8))) (=> (= (bvand w #x11) #x11) (state w #x0))))
(assert (forall ((w (_ BitVec 8)) (c (_ BitVec 4)))
  (=> (and (state w c) (not (= w #x00)))
      (state (bvlshr w #x01) (bvadd c ((_ zero_extend 3) ((_ extract 0 0) w)))))))
(assert (forall ((w (_ BitVec 8)) (c (_ BitVec 4))) (=> (and (state w c) (= w #x00) (bvult c #x2)) false)))
(check-sat)
