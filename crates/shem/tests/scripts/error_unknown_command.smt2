(set-logic QF_LIA)
(check-satisfiability)
