; A stack and the number of its elements: only the size of the stack says why they fit.
; solved-by: strategy
(set-logic HORN)
(declare-datatypes ((Stack 0)) (((empty) (push (top Int) (below Stack)))))
(declare-fun Run (Stack Int) Bool)
(assert (Run empty 0))
(assert (forall ((s Stack) (n Int) (x Int)) (=> (Run s n) (Run (push x s) (+ n 1)))))
(assert (forall ((s Stack) (n Int) (x Int)) (=> (Run (push x s) n) (Run s (- n 1)))))
(assert (forall ((s Stack) (n Int)) (=> (and (Run s n) (= s empty) (distinct n 0)) false)))
(check-sat)
