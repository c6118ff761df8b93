(declare-const x Int)
(declare-const y Int)
(assert (= (+ 1 (* 2 x (- y 1))) 4))
