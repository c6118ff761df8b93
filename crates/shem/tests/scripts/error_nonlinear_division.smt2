(declare-const x Real)
(assert (= (/ 1 (+ x 1)) 4))
