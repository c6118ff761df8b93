; Assertions are printed as they were written.
(set-option :produce-assertions true)
(set-logic QF_LIA)
(get-assertions)
(declare-const x Int)
(assert (> x  0)) ; two blanks
(push 1)
(assert (! (< x 5) :named few))
(get-assertions)
(pop 1)
(get-assertions)
