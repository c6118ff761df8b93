; shem --print-witness
; Every predicate gets a definition, used or not; a model asked for twice is printed once.
(set-logic HORN)
(declare-fun |used once| (Int) Bool)
(declare-fun unused (Real Bool) Bool)
(declare-fun nullary () Bool)
(assert (forall ((x Int)) (=> (> x 3) (|used once| x))))
(assert (forall ((x Int)) (=> (|used once| x) (> x 2))))
(check-sat)
(get-model)
