; Two elements are on the stack, in this order.
; solved-by: spacer, bmc, kind
(set-logic HORN)
(declare-datatypes ((Stack 0)) (((empty) (push (top Int) (below Stack)))))
(declare-fun Run (Stack Int) Bool)
(assert (Run empty 0))
(assert (forall ((s Stack) (n Int)) (=> (Run s n) (Run (push n s) (+ n 1)))))
(assert (forall ((s Stack) (n Int) (x Int)) (=> (and (Run (push x s) n) (> n 2)) (Run s n))))
(assert (forall ((s Stack) (n Int))
  (=> (and (Run s n) (> n 3) ((_ is push) s) (= (top s) 0) ((_ is empty) (below s))) false)))
(check-sat)
