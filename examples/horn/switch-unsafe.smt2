; Booleans, nullary predicates, several queries and quoted names.
; solved-by: bmc, hull, imc, kind, lawi, pdkind, scout, spacer, split-tpa, tpa, trl
(set-info :status unsat)
(set-logic HORN)
(declare-fun |the state| (Bool Int) Bool)
(declare-fun reached () Bool)
(declare-fun never () Bool)
(assert (|the state| false 0))
(assert (forall ((b Bool) (n Int)) (=> (|the state| b n) (|the state| (not b) (ite b (- n 5) (+ n 1))))))
(assert (forall ((b Bool) (n Int)) (=> (and (|the state| b n) (< n (- 7))) reached)))
(assert (=> never false))
(assert (not reached))
(check-sat)
