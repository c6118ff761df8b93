; A name can be used like a definition, also inside its own command.
(set-logic QF_LIA)
(declare-const x Int)
(declare-const y Int)
(assert (=> (! (> x 0) :named pos) (= (! (+ x y) :named sum) 3)))
(assert (and pos (! (< sum 10) :named bound)))
(check-sat)
(get-value (pos sum bound))
