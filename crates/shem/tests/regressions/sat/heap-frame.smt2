; Writing to one address leaves another one what it is.
; solved-by: spacer
(set-logic HORN)
(declare-heap Heap Addr Object none ((Object 0) (node 0))
  (((O_Int (int Int)) (O_Addr (addr Addr)) (O_node (getnode node)) (none)) ((node (data Int) (next Addr)))))
(declare-fun p (Heap Addr Addr) Bool)
(assert (forall ((h Heap) (g Heap) (a Addr) (b Addr))
  (=> (and (= (AllocResHeap h a) (alloc emptyHeap (O_Int 1))) (= (AllocResHeap g b) (alloc h (O_Int 2)))) (p g a b))))
(assert (forall ((h Heap) (a Addr) (b Addr) (n Int)) (=> (p h a b) (p (write h b (O_Int n)) a b))))
(assert (forall ((h Heap) (a Addr) (b Addr)) (=> (and (p h a b) (not (= (read h a) (O_Int 1)))) false)))
(check-sat)
