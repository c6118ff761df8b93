(declare-datatype
  D ())
