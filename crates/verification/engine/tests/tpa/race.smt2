; The second loop of figure 1 of the paper on split-TPA: x starts ahead of z and is overtaken. Safe.
(set-logic HORN)
(declare-fun loop (Int Int Int Int) Bool)
(assert (forall ((x Int) (z Int)) (=> (> x z) (loop x z 0 0))))
(assert (forall ((x Int) (z Int) (v Int) (w Int))
  (=> (and (loop x z v w) (< v 1000))
      (loop (+ x 1) (+ z 2) (ite (< x z) (+ v 1) v) (ite (< x z) w (+ w 1))))))
(assert (forall ((x Int) (z Int) (v Int) (w Int)) (=> (and (loop x z v w) (>= v 1000) (<= w 0)) false)))
(check-sat)
