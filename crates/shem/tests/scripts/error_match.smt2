(declare-datatype Colour ((red) (green)))
(declare-const c Colour)
(assert (match c ((red true))))
