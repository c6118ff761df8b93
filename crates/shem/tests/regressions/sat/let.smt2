; Terms with let, nested, and shadowing a variable.
; solved-by: hull, imc, kind, lawi, pdkind, spacer, split-tpa, tpa, trl
(set-logic HORN)
(declare-fun p (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 1) (= y 2)) (p x y))))
(assert (forall ((x Int) (y Int))
  (=> (let ((s (+ x y))) (let ((y (- s x)) (t s)) (and (p x y) (< t 100)))) (let ((z (+ x 1))) (p z (+ z 1))))))
(assert (forall ((x Int) (y Int)) (=> (and (p x y) (not (= (- y x) 1))) false)))
(check-sat)
