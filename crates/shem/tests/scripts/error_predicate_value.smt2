(declare-fun P (Int) Bool)
(check-sat)
(get-value ((P 1)))
