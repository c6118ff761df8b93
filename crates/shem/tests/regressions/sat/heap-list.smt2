; A list is built: the last node has the number of nodes.
; solved-by: spacer
(set-logic HORN)
(declare-heap Heap Addr Object none ((Object 0) (node 0))
  (((O_Int (int Int)) (O_Addr (addr Addr)) (O_node (getnode node)) (none)) ((node (data Int) (next Addr)))))
(declare-fun p (Heap Addr Int) Bool)
(assert (forall ((h Heap) (a Addr)) (=> (= (AllocResHeap h a) (alloc emptyHeap (O_node (node 0 nullAddr)))) (p h a 0))))
(assert (forall ((h Heap) (a Addr) (n Int) (g Heap) (b Addr))
  (=> (and (p h a n) (= (AllocResHeap g b) (alloc h (O_node (node (+ 1 (data (getnode (read h a)))) a))))) (p g b (+ n 1)))))
(assert (forall ((h Heap) (a Addr) (n Int)) (=> (and (p h a n) (not (= (data (getnode (read h a))) n))) false)))
(check-sat)
