; A lock that may be held at first is held twice.
; solved-by: bmc, hull, imc, kind, lawi, pdkind, scout, spacer, split-tpa, tpa, trl
(set-logic HORN)
(declare-fun lock (Bool Bool Int) Bool)
(assert (forall ((held Bool) (busy Bool) (n Int)) (=> (and true (not busy) (= n 0)) (lock held busy n))))
(assert (forall ((held Bool) (busy Bool) (n Int)) (=> (and (lock held busy n) (or (not held) (> n 0)) (not busy)) (lock true true (+ n 1)))))
(assert (forall ((held Bool) (busy Bool) (n Int)) (=> (and (lock held busy n) busy (= held (> n 0))) (lock (> n 1) false (- n 1)))))
(assert (forall ((held Bool) (busy Bool) (n Int)) (=> (and (lock held busy n) held (= n 0)) false)))
(check-sat)
