; options: --print-witness
; A loop puts numbers in front of a list, larger ones each time. That the first number is never 3 is wrong.
; solved-by: bmc, imc, kind, lawi, pdkind, spacer
(set-info :status unsat)
(set-logic HORN)
(declare-datatypes ((List 0)) (((nil) (cons (head Int) (tail List)))))
(declare-fun build (Int List) Bool)
(assert (forall ((n Int)) (=> (= n 0) (build n nil))))
(assert (forall ((n Int) (l List)) (=> (build n l) (build (+ n 1) (cons n l)))))
(assert (forall ((n Int) (l List)) (=> (and (build n l) ((_ is cons) l) (= (head l) 3)) false)))
(check-sat)
