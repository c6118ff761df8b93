; Reals: what is halved towards 1 from below never reaches it. No bound but the strict one is inductive.
; solved-by: hull, kind, pdkind, spacer, split-tpa, tpa
(set-logic HORN)
(declare-fun p (Real) Bool)
(assert (forall ((x Real)) (=> (= x 0.0) (p x))))
(assert (forall ((x Real) (y Real)) (=> (and (p x) (= (* 2.0 y) (+ x 1.0))) (p y))))
(assert (forall ((x Real)) (=> (and (p x) (>= x 1.0)) false)))
(check-sat)
