; A list on a heap of records: the third cell points back to the first, where the mark is.
; solved-by: spacer, bmc, kind
(set-logic HORN)
(declare-datatypes ((Cell 0)) (((free) (cell (mark Int) (next Int)))))
(declare-fun Grow ((Array Int Cell) Int) Bool)
(declare-fun Walk ((Array Int Cell) Int Int) Bool)
(assert (Grow ((as const (Array Int Cell)) free) 0))
(assert (forall ((h (Array Int Cell)) (n Int))
  (=> (and (Grow h n) (< n 3)) (Grow (store h n (cell n (ite (= n 2) 0 (+ n 1)))) (+ n 1)))))
(assert (forall ((h (Array Int Cell)) (n Int)) (=> (and (Grow h n) (= n 3)) (Walk h 0 0))))
(assert (forall ((h (Array Int Cell)) (i Int) (k Int))
  (=> (and (Walk h i k) ((_ is cell) (select h i))) (Walk h (next (select h i)) (+ k 1)))))
(assert (forall ((h (Array Int Cell)) (i Int) (k Int)) (=> (and (Walk h i k) (= i 0) (> k 2)) false)))
(check-sat)
