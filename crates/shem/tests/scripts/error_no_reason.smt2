(check-sat)
(get-info :reason-unknown)
