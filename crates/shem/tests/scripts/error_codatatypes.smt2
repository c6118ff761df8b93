; Codatatypes are no datatypes.
(declare-codatatypes ((Stream 0)) (((cons (head Int) (tail Stream)))))
