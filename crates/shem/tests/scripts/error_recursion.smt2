; A recursive definition is read; its use is an error.
(define-fun-rec f ((x Int)) Int (f x))
(check-sat)
(assert (> (f 1)
           0))
