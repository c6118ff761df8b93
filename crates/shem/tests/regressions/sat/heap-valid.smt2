; What was valid stays valid.
; solved-by: strategy
(set-logic HORN)
(declare-heap Heap Addr Object none ((Object 0) (node 0))
  (((O_Int (int Int)) (O_Addr (addr Addr)) (O_node (getnode node)) (none)) ((node (data Int) (next Addr)))))
(declare-fun p (Heap Addr) Bool)
(assert (forall ((h Heap) (a Addr)) (=> (= (AllocResHeap h a) (alloc emptyHeap none)) (p h a))))
(assert (forall ((h Heap) (a Addr) (o Object)) (=> (p h a) (p (newHeap (alloc h o)) a))))
(assert (forall ((h Heap) (a Addr) (b Addr) (o Object)) (=> (p h a) (p (write h b o) a))))
(assert (forall ((h Heap) (a Addr)) (=> (p h a) (valid h a))))
(check-sat)
