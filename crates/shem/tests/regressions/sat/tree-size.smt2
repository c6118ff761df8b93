; Two calls: a binary tree has more nodes than it is deep.
; solved-by: spacer
(set-logic HORN)
(declare-fun tree (Int Int) Bool)
(assert (forall ((d Int) (n Int)) (=> (and (= d 0) (= n 1)) (tree d n))))
(assert (forall ((d Int) (e Int) (n Int) (m Int)) (=> (and (tree d n) (tree e m) (<= e d)) (tree (+ d 1) (+ n m 1)))))
(assert (forall ((d Int) (n Int)) (=> (and (tree d n) (<= n d)) false)))
(check-sat)
