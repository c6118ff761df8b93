(assert false)
(check-sat)
(get-proof)
