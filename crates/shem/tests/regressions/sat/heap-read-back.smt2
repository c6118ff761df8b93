; What was allocated is read, and its address is valid and not null.
; solved-by: bmc, spacer
(set-logic HORN)
(declare-heap Heap Addr Object none ((Object 0) (node 0))
  (((O_Int (int Int)) (O_Addr (addr Addr)) (O_node (getnode node)) (none)) ((node (data Int) (next Addr)))))
(declare-fun p (Heap Addr Int) Bool)
(assert (forall ((n Int) (h Heap) (a Addr) (r AllocResHeap))
  (=> (and (= r (alloc emptyHeap (O_Int n))) (= h (newHeap r)) (= a (newAddr r))) (p h a n))))
(assert (forall ((n Int) (h Heap) (a Addr))
  (=> (p h a n) (and (valid h a) (not (= a nullAddr)) (= (read h a) (O_Int n))))))
(check-sat)
