;
; nothing at all
