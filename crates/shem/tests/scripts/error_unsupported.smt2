(declare-sort U 0)
