(check-sat)
(get-assignment)
