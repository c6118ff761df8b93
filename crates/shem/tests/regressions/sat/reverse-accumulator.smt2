; Reversing into an accumulator keeps the number of elements.
; solved-by: strategy
(set-logic HORN)
(declare-datatypes ((List 0)) (((nil) (cons (head Int) (tail List)))))
(declare-fun rev (List List List) Bool)
(declare-fun length (List Int) Bool)
(assert (forall ((a List)) (rev nil a a)))
(assert (forall ((x Int) (l List) (a List) (r List)) (=> (rev l (cons x a) r) (rev (cons x l) a r))))
(assert (length nil 0))
(assert (forall ((x Int) (l List) (n Int)) (=> (length l n) (length (cons x l) (+ n 1)))))
(assert (forall ((l List) (r List) (m Int) (n Int))
  (=> (and (rev l nil r) (length l m) (length r n) (not (= m n))) false)))
(check-sat)
