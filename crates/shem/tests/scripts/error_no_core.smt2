(set-option :produce-unsat-cores true)
(check-sat)
(get-unsat-core)
