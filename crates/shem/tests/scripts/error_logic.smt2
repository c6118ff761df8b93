(set-logic QF_FP)
