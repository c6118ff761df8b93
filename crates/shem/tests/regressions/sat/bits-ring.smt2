; A token goes round in a ring of eight places; there are never two of them.
; solved-by: ic3
(set-logic HORN)
(declare-fun ring ((_ BitVec 8)) Bool)
(assert (ring #x01))
(assert (forall ((x (_ BitVec 8))) (=> (ring x) (ring ((_ rotate_left 1) x)))))
(assert (forall ((x (_ BitVec 8))) (=> (and (ring x) (distinct (bvand x (bvsub x #x01)) #x00)) false)))
(check-sat)
