; Commands of optimisation are refused.
(declare-const x Int)
(minimize x)
