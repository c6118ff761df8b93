; The square of three is greater than five: engines guess it, and the derivation gets the true products.
; solved-by: bmc, imc, kind, lawi, pdkind, scout, spacer, split-tpa, tpa
(set-logic HORN)
(declare-fun square (Int Int) Bool)
(assert (square 0 0))
(assert (forall ((x Int) (y Int) (z Int)) (=> (and (square x y) (= z (+ x 1))) (square z (* z z)))))
(assert (forall ((x Int) (y Int)) (=> (and (square x y) (= x 3) (> y 5)) false)))
(check-sat)
