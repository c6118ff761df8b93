; The sum of two numerals is not smaller than the first of them.
; solved-by: strategy
(set-logic HORN)
(declare-datatypes ((Nat 0)) (((zero) (succ (pred Nat)))))
(declare-fun plus (Nat Nat Nat) Bool)
(declare-fun less (Nat Nat) Bool)
(assert (forall ((y Nat)) (plus zero y y)))
(assert (forall ((x Nat) (y Nat) (z Nat)) (=> (plus x y z) (plus (succ x) y (succ z)))))
(assert (forall ((y Nat)) (less zero (succ y))))
(assert (forall ((x Nat) (y Nat)) (=> (less x y) (less (succ x) (succ y)))))
(assert (forall ((x Nat) (y Nat) (z Nat)) (=> (and (plus x y z) (less z x)) false)))
(check-sat)
