(declare-const x Int)
(assert (= x 12ab))
