; shem --print-witness --validate
; The format legacy: two premises, Real, Bool, nullary and quoted names, negative numbers.
(set-logic HORN)
(declare-fun p$1 (Real) Bool)
(declare-fun |a b| (Int Bool) Bool)
(declare-fun reach () Bool)
(assert (p$1 (- 0.5)))
(assert (p$1 0.5))
(assert (forall ((r Real) (s Real) (n Int))
  (=> (and (p$1 r) (p$1 s) (> r 0.0) (< s 0.0) (= n (- 3)) ) (|a b| n false))))
(assert (forall ((n Int) (b Bool)) (=> (and (|a b| n b) (not b)) reach)))
(assert (not reach))
(check-sat)
