; Integers and reals: half a unit of r for each step of n.
; solved-by: hull, imc, kind, lawi, pdkind, spacer, split-tpa, tpa, trl
(set-logic HORN)
(declare-fun p (Int Real) Bool)
(assert (forall ((n Int) (r Real)) (=> (and (= n 0) (= r 0.0)) (p n r))))
(assert (forall ((n Int) (r Real)) (=> (p n r) (p (+ n 1) (+ r 0.5)))))
(assert (forall ((n Int) (r Real)) (=> (and (p n r) (not (= (* 2.0 r) (to_real n)))) false)))
(check-sat)
