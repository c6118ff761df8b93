; A shift register with linear feedback, of which the first bit is an input now and then, is never empty.
; solved-by: ic3
(set-logic HORN)
(declare-fun register ((_ BitVec 8) Bool) Bool)
(assert (register #x01 false))
(assert (forall ((x (_ BitVec 8)) (b Bool) (c Bool))
    (=> (and (register x b) (not b))
        (register (bvxor (bvlshr x #x01) (ite (= ((_ extract 0 0) x) #b1) #xb8 #x00)) c))))
(assert (forall ((x (_ BitVec 8)) (c Bool)) (=> (register x true) (register (bvor x (ite c #x80 #x01)) false))))
(assert (forall ((b Bool)) (=> (register #x00 b) false)))
(check-sat)
