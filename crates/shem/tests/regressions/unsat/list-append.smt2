; The result of appending two lists may be longer than three.
; solved-by: spacer
(set-logic HORN)
(declare-datatypes ((List 0)) (((nil) (cons (head Int) (tail List)))))
(declare-fun append (List List List) Bool)
(declare-fun length (List Int) Bool)
(assert (forall ((l List)) (append nil l l)))
(assert (forall ((x Int) (a List) (b List) (c List)) (=> (append a b c) (append (cons x a) b (cons x c)))))
(assert (length nil 0))
(assert (forall ((x Int) (l List) (n Int)) (=> (length l n) (length (cons x l) (+ n 1)))))
(assert (forall ((x Int) (y Int) (a List) (b List) (n Int))
  (=> (and (append (cons x nil) (cons y a) b) (length b n) (> n 3)) false)))
(check-sat)
