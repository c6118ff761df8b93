; Integers and reals: after seven steps r is 3.5.
; solved-by: bmc, hull, imc, kind, lawi, pdkind, scout, spacer, split-tpa, tpa, trl
(set-logic HORN)
(declare-fun p (Int Real) Bool)
(assert (forall ((n Int) (r Real)) (=> (and (= n 0) (= r 0.0)) (p n r))))
(assert (forall ((n Int) (r Real)) (=> (p n r) (p (+ n 1) (+ r 0.5)))))
(assert (forall ((n Int) (r Real)) (=> (and (p n r) (and (> r 3.2) (< n 8))) false)))
(check-sat)
