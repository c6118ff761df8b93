(declare-const x Int)
(assert (! (< x 0) :named a))
(check-sat)
(get-interpolants (a))
