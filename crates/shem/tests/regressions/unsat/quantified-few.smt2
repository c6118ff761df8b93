; Few values of an integer and of a Boolean under the quantifier: a derivation has a fact for each.
; solved-by: bmc, spacer
(set-logic HORN)
(declare-fun p (Int Int) Bool)
(declare-fun q (Int Bool) Bool)
(assert (forall ((x Int) (n Int)) (=> (and (>= x 0) (>= n 0)) (p n x))))
(assert (forall ((n Int) (b Bool)) (=> (forall ((x Int)) (=> (and (<= 0 x) (< x 3)) (p n x))) (q n b))))
(assert (forall ((n Int)) (=> (and (forall ((b Bool)) (q n b)) (< n 5)) false)))
(check-sat)
