(set-option :print-success maybe)
