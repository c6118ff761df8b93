; Terms with let: s is the sum before the step.
; solved-by: bmc, hull, imc, kind, lawi, pdkind, scout, spacer, split-tpa, tpa, trl
(set-logic HORN)
(declare-fun p (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 1) (= y 1)) (p x y))))
(assert (forall ((x Int) (y Int)) (=> (p x y) (let ((s (+ x y))) (p y s)))))
(assert (forall ((x Int) (y Int)) (=> (and (p x y) (let ((d (- y x))) (= d 5))) false)))
(check-sat)
