; Two counters in a record go up together, in fields that other fields stand between.
; solved-by: spacer, kind, pdkind
(set-logic HORN)
(declare-datatypes ((State 0)) (((state (first Int) (busy Bool) (second Int)))))
(declare-fun Run (State) Bool)
(assert (Run (state 0 false 0)))
(assert (forall ((s State)) (=> (and (Run s) (not (busy s))) (Run (state (+ (first s) 1) true (second s))))))
(assert (forall ((s State)) (=> (and (Run s) (busy s)) (Run (state (first s) false (+ (second s) 1))))))
(assert (forall ((s State)) (=> (and (Run s) (not (busy s)) (distinct (first s) (second s))) false)))
(check-sat)
