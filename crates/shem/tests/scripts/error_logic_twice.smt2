(set-logic QF_LIA)
(set-logic QF_LRA)
