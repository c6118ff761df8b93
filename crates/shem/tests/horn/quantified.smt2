; shem -e spacer --validate
; Quantifiers in bodies stay in the clauses as read, and the model is judged with them.
(set-logic HORN)
(declare-fun p (Int) Bool)
(declare-fun q (Int Bool) Bool)
(assert (forall ((x Int)) (=> (forall ((y Int)) (=> (> y x) (> y 10))) (p x))))
(assert (forall ((x Int)) (=> (and (p x) (forall ((y Int)) (exists ((z Int)) (and (< y z) (< z (+ y x)))))) (p (+ x 2)))))
(assert (forall ((x Int)) (=> (p x) (q x (exists ((y Int)) (= x (* 2 y)))))))
(assert (forall ((x Int) (b Bool)) (=> (and (q x b) (< x 10)) false)))
(check-sat)
