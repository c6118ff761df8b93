; What was never allocated reads as the default object, which is no node.
; solved-by: bmc, spacer
(set-logic HORN)
(declare-heap Heap Addr Object none ((Object 0) (node 0))
  (((O_Int (int Int)) (O_Addr (addr Addr)) (O_node (getnode node)) (none)) ((node (data Int) (next Addr)))))
(declare-fun p (Heap Addr Int) Bool)
(assert (p emptyHeap nullAddr 0))
(assert (forall ((h Heap) (a Addr) (n Int))
  (=> (and (p h a n) (< n 2)) (p (newHeap (alloc h (O_node (node n a)))) nullAddr (+ n 1)))))
(assert (forall ((h Heap) (a Addr) (n Int)) (=> (and (p h a n) (= n 2)) ((_ is O_node) (read h nullAddr)))))
(check-sat)
