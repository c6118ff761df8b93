; The first loop of figure 1 of the paper on split-TPA: y counts in the second half only. Safe.
(set-logic HORN)
(declare-fun loop (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 5000)) (loop x y))))
(assert (forall ((x Int) (y Int))
  (=> (and (loop x y) (< x 10000)) (loop (+ x 1) (ite (>= x 5000) (+ y 1) y)))))
(assert (forall ((x Int) (y Int)) (=> (and (loop x y) (>= x 10000) (not (= y 10000))) false)))
(check-sat)
