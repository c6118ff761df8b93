; A list of three nodes is left by its last link.
; solved-by: bmc, spacer
(set-logic HORN)
(declare-heap Heap Addr Object none ((Object 0) (node 0))
  (((O_Int (int Int)) (O_Addr (addr Addr)) (O_node (getnode node)) (none)) ((node (data Int) (next Addr)))))
(declare-fun p (Heap Addr Int) Bool)
(declare-fun walk (Heap Addr) Bool)
(assert (p emptyHeap nullAddr 0))
(assert (forall ((h Heap) (a Addr) (n Int) (g Heap) (b Addr))
  (=> (and (p h a n) (< n 3) (= (AllocResHeap g b) (alloc h (O_node (node n a))))) (p g b (+ n 1)))))
(assert (forall ((h Heap) (a Addr)) (=> (p h a 3) (walk h a))))
(assert (forall ((h Heap) (a Addr)) (=> (and (walk h a) (not (= a nullAddr))) (walk h (next (getnode (read h a)))))))
(assert (forall ((h Heap) (a Addr)) (=> (walk h a) (valid h a))))
(check-sat)
