; A copy of an address is the same place.
; solved-by: bmc, spacer
(set-logic HORN)
(declare-heap Heap Addr Object none ((Object 0) (node 0))
  (((O_Int (int Int)) (O_Addr (addr Addr)) (O_node (getnode node)) (none)) ((node (data Int) (next Addr)))))
(declare-fun p (Heap Addr Addr) Bool)
(declare-fun q (Heap Addr) Bool)
(assert (forall ((h Heap) (a Addr) (b Addr)) (=> (and (= (AllocResHeap h a) (alloc emptyHeap (O_Int 1))) (= a b)) (p h a b))))
(assert (forall ((h Heap) (a Addr) (b Addr)) (=> (p h a b) (q (write h a (O_Int 7)) b))))
(assert (forall ((h Heap) (a Addr)) (=> (and (q h a) (not (= (int (read h a)) 7))) false)))
(check-sat)
