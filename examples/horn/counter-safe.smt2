; options: -e kind
; Counting up by 2 from 0 never reaches an odd number. The predicate Unused is declared and never used.
; solved-by: hull, imc, kind, lawi, pdkind, spacer, split-tpa, tpa, trl
(set-info :status sat)
(set-logic HORN)
(declare-fun Inv (Int) Bool)
(declare-fun Unused (Real Bool) Bool)
(assert (forall ((x Int)) (=> (= x 0) (Inv x))))
(assert (forall ((x Int) (y Int)) (=> (and (Inv x) (= y (+ x 2))) (Inv y))))
(assert (forall ((x Int)) (=> (and (Inv x) (= (mod x 2) 1)) false)))
(check-sat)
