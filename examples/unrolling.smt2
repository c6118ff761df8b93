; A loop, unrolled step by step: how far must one look to find the bad state?
;
;     x, y := 0, 0;  loop { if y < 3 { y := y + 1 } else { x := x + y; y := 0 } }
;
; The bad states are those with x >= 6. The definition of a step is read once; each step asserts an
; application of it and is kept, while the question is pushed, asked and popped.
(set-logic QF_LIA)
(define-fun start ((x Int) (y Int)) Bool (and (= x 0) (= y 0)))
(define-fun step ((x Int) (y Int) (u Int) (v Int)) Bool
  (ite (< y 3)
    (and (= u x) (= v (+ y 1)))
    (and (= u (+ x y)) (= v 0))))
(define-fun bad ((x Int) (y Int)) Bool (>= x 6))

(declare-const x0 Int) (declare-const y0 Int)
(declare-const x1 Int) (declare-const y1 Int)
(declare-const x2 Int) (declare-const y2 Int)
(declare-const x3 Int) (declare-const y3 Int)
(declare-const x4 Int) (declare-const y4 Int)
(declare-const x5 Int) (declare-const y5 Int)
(declare-const x6 Int) (declare-const y6 Int)
(declare-const x7 Int) (declare-const y7 Int)
(declare-const x8 Int) (declare-const y8 Int)

(assert (start x0 y0))
(assert (step x0 y0 x1 y1))
(assert (step x1 y1 x2 y2))
(assert (step x2 y2 x3 y3))
(assert (step x3 y3 x4 y4))
(echo "after four steps:")
(push 1)
(assert (bad x4 y4))
(set-info :status unsat)
(check-sat)
(pop 1)

(assert (step x4 y4 x5 y5))
(assert (step x5 y5 x6 y6))
(assert (step x6 y6 x7 y7))
(assert (step x7 y7 x8 y8))
(echo "after eight steps:")
(push 1)
(assert (bad x8 y8))
(set-info :status sat)
(check-sat)
(get-value (x4 y4 x8 y8))
(pop 1)
