; A vertex without states up to some height gets the lemma false, which is not inductive: an edge from another
; vertex leads into it.
; solved-by: hull, spacer
(set-logic HORN)
(declare-fun up (Int Int Int) Bool)
(declare-fun again (Int Int Int) Bool)
(assert (forall ((a Int) (b Int) (n Int)) (=> (and (= a 0) (= b 0) (> n 0)) (up a b n))))
(assert (forall ((a Int) (b Int) (n Int)) (=> (and (up a b n) (< b n)) (up (+ a 1) (+ b 1) n))))
(assert (forall ((a Int) (b Int) (n Int)) (=> (and (up a b n) (>= b n)) (again a 0 n))))
(assert (forall ((a Int) (b Int) (n Int)) (=> (and (again a b n) (< b n)) (again (+ a 1) (+ b 1) n))))
(assert (forall ((a Int) (b Int) (n Int)) (=> (and (again a b n) (>= b n) (< a (* 2 n))) false)))
(check-sat)
