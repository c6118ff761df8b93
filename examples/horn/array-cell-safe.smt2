; options: --print-witness
; A loop counts in the first cell of an array and in a variable; the cell never has more than the variable.
; solved-by: hull, imc, kind, lawi, pdkind, spacer, split-tpa, tpa, trl
(set-info :status sat)
(set-logic HORN)
(declare-fun loop (Int (Array Int Int)) Bool)
(assert (forall ((i Int) (a (Array Int Int))) (=> (= i 0) (loop i (store a 0 0)))))
(assert (forall ((i Int) (a (Array Int Int)))
  (=> (loop i a) (loop (+ i 1) (store a 0 (+ (select a 0) 1))))))
(assert (forall ((i Int) (a (Array Int Int))) (=> (and (loop i a) (> (select a 0) i)) false)))
(check-sat)
