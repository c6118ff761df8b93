; A lock that is taken only when it is free is held at most once.
; solved-by: hull, imc, kind, lawi, pdkind, spacer, split-tpa, tpa, trl
(set-logic HORN)
(declare-fun lock (Bool Bool Int) Bool)
(assert (forall ((held Bool) (busy Bool) (n Int)) (=> (and (not held) (not busy) (= n 0)) (lock held busy n))))
(assert (forall ((held Bool) (busy Bool) (n Int)) (=> (and (lock held busy n) (or (not held) (> n 0)) (not busy)) (lock true true (+ n 1)))))
(assert (forall ((held Bool) (busy Bool) (n Int)) (=> (and (lock held busy n) busy (= held (> n 0))) (lock (> n 1) false (- n 1)))))
(assert (forall ((held Bool) (busy Bool) (n Int)) (=> (and (lock held busy n) (> n 1)) false)))
(check-sat)
