(declare-datatypes ((A 0) (B 0))
  (((a (b B)))
   ((b1 (x A)) (b2 (y B)))))
