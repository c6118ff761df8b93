; Quotients by terms are read, too.
(declare-const x Real)
(declare-const y Real)
(assert (= (/ 1 (+ x 1)) 4))
(assert (= x y))
(assert (distinct (/ 1 (+ y 1)) 4))
(set-info :status unsat)
(check-sat)
