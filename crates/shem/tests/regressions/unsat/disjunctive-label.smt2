; One clause with three ways to go: 11 from 1 takes a doubling and other steps.
; solved-by: bmc, imc, kind, lawi, pdkind, scout, spacer, split-tpa, tpa, trl
(set-logic HORN)
(declare-fun p (Int) Bool)
(assert (forall ((x Int)) (=> (= x 1) (p x))))
(assert (forall ((x Int) (u Int)) (=> (and (p x) (or (= u (+ x x)) (= u (+ x 3)) (and (> x 5) (= u (- x 4))))) (p u))))
(assert (forall ((x Int)) (=> (and (p x) (= x 11)) false)))
(check-sat)
