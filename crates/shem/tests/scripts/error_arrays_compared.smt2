; Arrays indexed by arrays are not those indexed by numbers.
(declare-const a (Array (Array Int Int) Int))
(declare-const b (Array Int Int))
(assert (= (select a b) 1))
(assert (= a (store a b 2)))
(assert (= a b))
