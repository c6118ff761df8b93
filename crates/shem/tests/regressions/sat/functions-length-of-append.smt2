; solved-by: functions
; The length of two lists, one after the other, is the sum of their lengths. z3 has answered unsat (its issue 7611).
(set-logic HORN)
(declare-datatypes ((List 0)) (((nil) (cons (head Int) (tail List)))))
(declare-fun append (List List List) Bool)
(declare-fun length (List Int) Bool)
(assert (forall ((y List)) (append nil y y)))
(assert (forall ((a Int) (x List) (y List) (z List)) (=> (append x y z) (append (cons a x) y (cons a z)))))
(assert (length nil 0))
(assert (forall ((a Int) (x List) (n Int)) (=> (length x n) (length (cons a x) (+ n 1)))))
(assert (forall ((x List) (y List) (z List) (k Int) (m Int) (n Int))
  (=> (and (append x y z) (length x k) (length y m) (length z n) (not (= n (+ k m)))) false)))
(check-sat)
