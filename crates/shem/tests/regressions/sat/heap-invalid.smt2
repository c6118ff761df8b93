; Reading what is not valid gives the default object, and writing there changes nothing.
; solved-by: spacer
(set-logic HORN)
(declare-heap Heap Addr Object none ((Object 0) (node 0))
  (((O_Int (int Int)) (O_Addr (addr Addr)) (O_node (getnode node)) (none)) ((node (data Int) (next Addr)))))
(declare-fun p (Heap Int) Bool)
(assert (p emptyHeap 0))
(assert (forall ((h Heap) (n Int)) (=> (p h n) (p (newHeap (alloc h (O_Int n))) (+ n 1)))))
(assert (forall ((h Heap) (n Int) (a Addr)) (=> (and (p h n) (not (valid h a)) (not (= (read h a) none))) false)))
(assert (forall ((h Heap) (n Int) (a Addr)) (=> (and (p h n) (not (valid h a)) (not (= (write h a none) h))) false)))
(assert (forall ((h Heap) (n Int)) (=> (and (p h n) (valid h nullAddr)) false)))
(check-sat)
