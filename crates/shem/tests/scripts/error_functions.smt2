(declare-fun f (Int) Int)
