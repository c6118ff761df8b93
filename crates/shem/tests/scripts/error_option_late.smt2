(assert true)
(set-option :global-declarations true)
