; The names of newer files, with a sort of ranges; the default object is a term.
; solved-by: bmc, spacer
(set-logic HORN)
(declare-heap memory pointer Range Object (O_Int 0) ((Object 0)) (((O_Int (int Int)) (O_Range (range Range)))))
(declare-fun p (memory pointer) Bool)
(assert (forall ((h memory)) (=> (= h (as heap.empty memory))
  (p (heap.heapAddrPair_1 (heap.alloc h (O_Int 4))) (heap.alloc_second (heap.alloc h (O_Int 4)))))))
(assert (forall ((h memory) (a pointer)) (=> (p h a) (heap.valid h a))))
(assert (forall ((h memory) (a pointer))
  (=> (and (p h a) (not (= (heap.read (heap.write h a (O_Int 5)) a) (O_Int 5)))) false)))
(assert (forall ((h memory) (a pointer)) (=> (p h a) (= (int (heap.read h heap.null)) 0))))
(check-sat)
