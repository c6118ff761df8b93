; What check-sat-assuming-model says can be said with check-sat-assuming.
(declare-const x Int)
(check-sat-assuming-model (x) (1))
