; A disjunct is of an elimination.
(declare-const a Int)
(get-qe-disjunct (< a 3))
