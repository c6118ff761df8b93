(echo "before")
(assert)
(echo "after")
