; The fixed-point form: the query can be derived, so the clauses have no model. z3 prints sat for this file.
; solved-by: bmc, hull, imc, kind, lawi, pdkind, scout, spacer, split-tpa, tpa, trl
(set-info :status unsat)
(declare-rel step (Int))
(declare-rel bad ())
(declare-var x Int)
(rule (step 0))
(rule (=> (and (step x) (< x 3)) (step (+ x 1))))
(rule (=> (and (step x) (= x 3)) bad))
(query bad)
