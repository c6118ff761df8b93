(declare-const a (Array Int Int))
(assert (= 1 (select a true)))
