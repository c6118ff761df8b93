; No number is both even and odd. Nothing bounds x, so that branching alone would never end; the equalities
; are eliminated over the integers instead.
(set-logic QF_LIA)
(set-option :produce-unsat-cores true)
(declare-const x Int)
(declare-const y Int)
(declare-const z Int)
(assert (! (= x (* 2 y)) :named even))
(assert (! (= x (+ (* 2 z) 1)) :named odd))
(assert (! (> x 100) :named large))
(set-info :status unsat)
(check-sat)
(get-unsat-core)
