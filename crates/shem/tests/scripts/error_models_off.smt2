(set-option :produce-models false)
(check-sat)
(get-model)
