; An address from nowhere need not be valid.
; solved-by: bmc, spacer
(set-logic HORN)
(declare-heap Heap Addr Object none ((Object 0) (node 0))
  (((O_Int (int Int)) (O_Addr (addr Addr)) (O_node (getnode node)) (none)) ((node (data Int) (next Addr)))))
(declare-fun p (Heap Addr) Bool)
(assert (forall ((h Heap) (a Addr) (b Addr) (n Int)) (=> (= (AllocResHeap h b) (alloc emptyHeap (O_node (node n a)))) (p h b))))
(assert (forall ((h Heap) (a Addr)) (=> (p h a) (p (newHeap (alloc h none)) a))))
(assert (forall ((h Heap) (a Addr)) (=> (and (p h a) (not (= (next (getnode (read h a))) nullAddr))) (valid h (next (getnode (read h a)))))))
(check-sat)
