; A wrong status is worth a warning.
(set-logic QF_LIA)
(set-info :status unsat)
(check-sat)
(set-info :status unknown)
(check-sat)
