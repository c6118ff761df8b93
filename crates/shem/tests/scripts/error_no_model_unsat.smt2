(assert false)
(check-sat)
(get-value (true))
