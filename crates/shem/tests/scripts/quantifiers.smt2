; Quantified formulas and predicates are read; what they mean is not known.
(set-logic LIA)
(declare-fun P (Int) Bool)
(declare-const x Int)
(assert (forall ((n Int)) (=> (> n 0) (P n))))
(check-sat)
(get-info :reason-unknown)
(assert (and (> x 0) (< x 0)))
(check-sat)
