; Two and a numeral that is greater than one make at least four.
; solved-by: spacer
(set-logic HORN)
(declare-datatypes ((Nat 0)) (((zero) (succ (pred Nat)))))
(declare-fun plus (Nat Nat Nat) Bool)
(declare-fun less (Nat Nat) Bool)
(assert (forall ((y Nat)) (plus zero y y)))
(assert (forall ((x Nat) (y Nat) (z Nat)) (=> (plus x y z) (plus (succ x) y (succ z)))))
(assert (forall ((y Nat)) (less zero (succ y))))
(assert (forall ((x Nat) (y Nat)) (=> (less x y) (less (succ x) (succ y)))))
(assert (forall ((y Nat) (z Nat))
  (=> (and (plus (succ (succ zero)) y z) (less (succ zero) y) (less (succ (succ (succ zero))) z)) false)))
(check-sat)
