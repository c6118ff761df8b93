(declare-const x Int)
(push 1)
(declare-fun x () Bool)
