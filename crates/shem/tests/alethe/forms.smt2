; Assertions in many forms, all needed for falsehood.
(set-logic HORN)
(set-info :status unsat)
(declare-fun P (Int Bool) Bool)
(declare-fun Q (Int) Bool)
(declare-fun S (Int) Bool)
(declare-fun T (Int) Bool)
(declare-fun R () Bool)
(declare-fun |a b| (Int Int) Bool)
(define-fun next ((a Int) (b Int)) Bool (and (= b (+ a 1)) (distinct a b 77)))
(define-fun some ((a Int)) Bool (exists ((b Int)) (and (|a b| a b) (> b 8))))
; A fact, a disjunction, Boolean arguments.
(assert (P 0 true))
(assert (forall ((x Int) (y Int) (b Bool)) (or (not (P x b)) (not (next x y)) (P y (not b)))))
; Quantifiers inside, the same name twice, an implication of many terms, a negative quotient.
(assert (forall ((x Int)) (=> (P x true) (= x 4)
  (forall ((y Int)) (=> (= y (div x (- 2))) (forall ((x Int)) (=> (= x (- y 1)) (Q (+ x 1)))))))))
; Equivalences.
(assert (forall ((x Int)) (= (Q x) (S x))))
(assert (forall ((x Int)) (xor (S x) (not (T x)))))
; A conjunction of clauses, remainders of negative numbers; comments ; (in the middle
(assert (! (and
  (forall ((x Int)) (=> (and (T x) (= (mod x 3) 1)) ; and at the end
    (|a b| (mod (+ x (div (- 7) 2) 4) 3) (abs (- x 7)))))
  (=> R false)) :named both))
; A defined function with a quantifier, let, ite.
(assert (forall ((x Int)) (let ((s (some x)) (x 3)) (let ((y (+ x x))) (=> (and s (= y 6)) (ite (> y 0) R (Q 9)))))))
(check-sat)
