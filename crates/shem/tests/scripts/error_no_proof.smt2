(set-option :produce-proofs true)
(check-sat)
(get-proof)
