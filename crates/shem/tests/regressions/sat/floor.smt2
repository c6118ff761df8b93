; Integers and reals: the integral part of a sum of thirds is not beyond the sum.
; solved-by: bmc, hull, imc, kind, lawi, pdkind, spacer, split-tpa, tpa, trl
(set-logic HORN)
(declare-fun p (Int Real) Bool)
(assert (forall ((n Int) (r Real)) (=> (and (= n 0) (= r 0.0)) (p n r))))
(assert (forall ((n Int) (r Real)) (=> (and (p n r) (<= r 9.0)) (p (to_int (+ r (/ 1.0 3.0))) (+ r (/ 1.0 3.0))))))
(assert (forall ((n Int) (r Real)) (=> (and (p n r) (> (to_real n) r)) false)))
(check-sat)
