; solved-by: functions
; Appending lists is associative: the result of either way is a function of the three lists.
(set-logic HORN)
(declare-datatypes ((List 0)) (((nil) (cons (head Int) (tail List)))))
(declare-fun append (List List List) Bool)
(assert (forall ((y List)) (append nil y y)))
(assert (forall ((a Int) (x List) (y List) (z List)) (=> (append x y z) (append (cons a x) y (cons a z)))))
(assert (forall ((x List) (y List) (z List) (xy List) (yz List) (left List) (right List))
  (=> (and (append x y xy) (append xy z left) (append y z yz) (append x yz right) (not (= left right))) false)))
(check-sat)
