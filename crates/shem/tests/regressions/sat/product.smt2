; A product that does not matter.
; solved-by: preprocessing
(set-logic HORN)
(declare-fun p (Int Int) Bool)
(assert (p 0 1))
(assert (forall ((x Int) (y Int)) (=> (p x y) (p (+ x 1) (* x y)))))
(assert (forall ((x Int) (y Int)) (=> (and (p x y) (< x 0)) false)))
(check-sat)
