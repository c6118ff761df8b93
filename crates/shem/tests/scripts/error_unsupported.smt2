(declare-sort-parameter X)
