; shem -e bmc
; A body with several predicates that preprocessing cannot remove: bmc says that it is not for this.
(set-logic HORN)
(declare-fun p (Int) Bool)
(assert (p 1))
(assert (forall ((x Int) (y Int)) (=> (and (p x) (p y)) (p (+ x y 1)))))
(assert (forall ((x Int)) (=> (p x) (< x 50))))
(check-sat)
(get-model)
