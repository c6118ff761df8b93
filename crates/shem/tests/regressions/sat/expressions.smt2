; Negations go in pairs: an expression of even size with one operator at the top is never odd. The operator at the top
; is not told by the size.
; solved-by: finite-models, strategy
(set-logic HORN)
(declare-datatypes ((Expr 0)) (((yes) (no) (negate (inner Expr)) (twice (same Expr)))))
(declare-fun even (Expr) Bool)
(declare-fun odd (Expr) Bool)
(assert (even yes))
(assert (forall ((e Expr)) (=> (even e) (odd (negate e)))))
(assert (forall ((e Expr)) (=> (odd e) (even (twice e)))))
(assert (forall ((e Expr)) (=> (and (even e) (odd e)) false)))
(check-sat)
