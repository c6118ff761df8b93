(assert false)
(check-sat)
(get-unsat-assumptions)
