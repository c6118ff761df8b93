; Values are printed beside the terms as they were written.
(set-logic ALL)
(declare-const x Int)
(declare-const |a b| Real)
(declare-const p Bool)
(declare-const unused Bool)
(define-fun half ((n Int)) Real (/ n 2))
(assert (and (= x (- 5)) (= |a b| (half x)) (not p)))
(check-sat)
(get-value (x (- x) |a b| p (=> p
  false) (half 1) (div x 2) (mod x 2) (abs x) (to_int |a b|) (is_int |a b|) 7 2.50))
(get-model)
