(assert (= #b0101 #b0101))
