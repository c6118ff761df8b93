(declare-sort U 0)
(declare-fun f (U Int) U)
(declare-const u U)
(assert (= u (f u)))
