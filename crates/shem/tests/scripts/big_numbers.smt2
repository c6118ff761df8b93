; Numbers beyond a machine word.
(set-logic QF_LIA)
(declare-const x Int)
(assert (= (* 3 x) 300000000000000000000000000000000000000000))
(check-sat)
(get-value (x (- x)))
(assert (< x 99999999999999999999999999999999999999999))
(check-sat)
