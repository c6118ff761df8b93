; solved-by: spacer
; Rotating a list by two is not the identity: the lists 1, 2, 3 and 3, 1, 2 differ.
(set-logic HORN)
(declare-datatypes ((List 0)) (((nil) (cons (head Int) (tail List)))))
(declare-fun append (List List List) Bool)
(declare-fun rotate (Int List List) Bool)
(assert (forall ((y List)) (append nil y y)))
(assert (forall ((a Int) (x List) (y List) (z List)) (=> (append x y z) (append (cons a x) y (cons a z)))))
(assert (forall ((x List)) (rotate 0 x x)))
(assert (forall ((n Int) (a Int) (x List) (y List) (z List))
  (=> (and (append x (cons a nil) y) (rotate n y z)) (rotate (+ n 1) (cons a x) z))))
(assert (forall ((x List) (z List)) (=> (and (rotate 2 (cons 1 (cons 2 x)) z) (not (= z (cons 1 (cons 2 x))))) false)))
(check-sat)
