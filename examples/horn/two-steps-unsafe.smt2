; The system of Example 1 in the tool paper of Golem (CAV 2023): one clause with two predicates in its body.
; solved-by: preprocessing
(set-info :status unsat)
(set-logic HORN)
(declare-fun L1 (Int) Bool)
(declare-fun T (Int Int) Bool)
(declare-fun L2 (Int) Bool)
(assert (forall ((x Int)) (=> (> x 0) (L1 x))))
(assert (forall ((x Int) (y Int)) (=> (= y (+ x 1)) (T x y))))
(assert (forall ((x Int) (y Int) (z Int)) (=> (and (L1 x) (T x y) (= y z)) (L2 z))))
(assert (forall ((x Int)) (=> (and (L2 x) (<= x 2)) false)))
(check-sat)
