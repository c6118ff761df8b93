; shem -e spacer --print-witness
; The shortest derivation uses `by one` and `by five`; a longer one does without the latter, which is not in a minimal core.
; Names stand behind the steps that use the assertion.
(set-logic HORN)
(set-option :minimal-unsat-cores true)
(declare-fun p (Int) Bool)
(declare-fun q (Int) Bool)
(assert (! (p 0) :named start))
(assert (! (forall ((n Int)) (=> (p n) (p (+ n 1)))) :named |by one|))
(assert (! (forall ((n Int)) (=> (p n) (p (+ n 5)))) :named |by five|))
(assert (! (forall ((n Int)) (=> (q n) (p n))) :named unused))
(assert (! (forall ((n Int)) (=> (and (p n) (= n 6)) false)) :named bad))
(check-sat)
(get-unsat-core)
