; The same two counters differ in between.
; solved-by: spacer, bmc, kind, scout
(set-logic HORN)
(declare-datatypes ((State 0)) (((state (first Int) (busy Bool) (second Int)))))
(declare-fun Run (State) Bool)
(assert (Run (state 0 false 0)))
(assert (forall ((s State)) (=> (and (Run s) (not (busy s))) (Run (state (+ (first s) 1) true (second s))))))
(assert (forall ((s State)) (=> (and (Run s) (busy s)) (Run (state (first s) false (+ (second s) 1))))))
(assert (forall ((s State)) (=> (and (Run s) (= (second s) 2) (distinct (first s) (second s))) false)))
(check-sat)
