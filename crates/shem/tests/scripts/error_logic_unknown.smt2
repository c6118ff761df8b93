(set-logic QF_EVERYTHING)
