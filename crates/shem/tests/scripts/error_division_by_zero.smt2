(declare-const x Int)
(assert (= (mod x 0) 4))
