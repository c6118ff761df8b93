; A truth value that is toggled with each element tells the parity of the length: not both for one list.
; solved-by: finite-models
(set-logic HORN)
(declare-datatypes ((List 0)) (((nil) (cons (head Int) (tail List)))))
(declare-fun long (Bool List) Bool)
(assert (long false nil))
(assert (forall ((b Bool) (n Int) (l List)) (=> (long b l) (long (not b) (cons n l)))))
(assert (forall ((l List)) (=> (and (long true l) (long false l)) false)))
(check-sat)
