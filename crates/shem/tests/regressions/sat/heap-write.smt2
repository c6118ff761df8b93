; What was written is read; the size stays, so the next address is the next one.
; solved-by: bmc, spacer
(set-logic HORN)
(declare-heap Heap Addr Object none ((Object 0) (node 0))
  (((O_Int (int Int)) (O_Addr (addr Addr)) (O_node (getnode node)) (none)) ((node (data Int) (next Addr)))))
(declare-fun p (Heap Addr) Bool)
(assert (forall ((h Heap) (a Addr)) (=> (= (AllocResHeap h a) (alloc emptyHeap (O_Int 1))) (p h a))))
(assert (forall ((h Heap) (a Addr))
  (=> (p h a) (= (newAddr (alloc (write h a (O_Int 2)) none)) (newAddr (alloc h (O_Int 3)))))))
(assert (forall ((h Heap) (a Addr)) (=> (and (p h a) (distinct (int (read (write h a (O_Int 2)) a)) 2)) false)))
(check-sat)
