; An assumption that is a quoted symbol is named in a group like any other.
(declare-const |v 6| Bool)
(declare-const x Int)
(assert (! (=> |v 6| (< x 0)) :named guarded))
(assert (! (> x 0) :named positive))
(check-sat-assuming (|v 6|))
(get-interpolants (and |v 6| guarded) positive)
(get-interpolants |v 6| (and guarded positive))
