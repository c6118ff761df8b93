; Definitions with define-fun, of terms and of formulas.
; solved-by: bmc, hull, imc, kind, lawi, pdkind, spacer, split-tpa, tpa, trl
(set-logic HORN)
(declare-fun p (Int Int) Bool)
(define-fun next ((n Int)) Int (+ n 1))
(define-fun small ((n Int)) Bool (< n 60))
(assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 0)) (p x y))))
(assert (forall ((x Int) (y Int)) (=> (and (p x y) (small x)) (p (next x) (next (next y))))))
(assert (forall ((x Int) (y Int)) (=> (and (p x y) (< y x)) false)))
(check-sat)
