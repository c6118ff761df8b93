; shem -t 60
; Eldarica's _size beside a count of the program's own: the default strategy abstracts lists by their sizes.
(set-logic HORN)
(declare-datatype Words ((none) (word (letter Int) (rest Words))))
(declare-fun counted (Words Int) Bool)
(assert (counted none 1))
(assert (forall ((w Words) (a Int) (n Int)) (=> (counted w n) (counted (word a w) (+ n 1)))))
(assert (forall ((w Words) (n Int)) (=> (and (counted w n) (not (= (_size w) n))) false)))
(check-sat)
