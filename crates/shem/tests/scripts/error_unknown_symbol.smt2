(declare-const x Int)
(assert
  (and (> x 0)
       (> y 0)))
(check-sat)
