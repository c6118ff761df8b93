; Bindings are parallel and may hide.
(set-logic QF_LIA)
(declare-const x Int)
(declare-const y Int)
(assert (let ((x y) (y x)) (and (= x 1) (= y 2))))
(assert (let ((z (+ x y))) (let ((z (* 2 z))) (= z 6))))
(check-sat)
(get-value (x y (let ((x 10)) (+ x y))))
