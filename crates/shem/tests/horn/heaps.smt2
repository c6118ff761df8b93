; Heaps: a system in which one comes from nowhere, where a record may be no heap, and a quantifier.
(set-logic HORN)
(declare-heap Heap Addr Object (O_Int 0) ((Object 0)) (((O_Int (int Int)))))
(declare-fun P (Heap) Bool)
(assert (forall ((h Heap)) (P h)))
(assert (forall ((h Heap)) (=> (and (P h) (not (valid (newHeap (alloc h (O_Int 0))) (newAddr (alloc h (O_Int 0)))))) false)))
(check-sat)
(assert (forall ((h Heap)) (=> (forall ((g Heap)) (= g h)) (P h))))
