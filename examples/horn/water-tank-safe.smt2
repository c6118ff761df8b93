; options: -e pdkind
; A tank is filled while the valve is open and drained while it is closed; its level stays below 11.
; solved-by: hull, imc, kind, lawi, pdkind, spacer, split-tpa, tpa, trl
(set-info :status sat)
(set-logic HORN)
(declare-fun tank (Real Bool) Bool)
(assert (forall ((level Real)) (=> (and (<= 0.0 level) (<= level 5.0)) (tank level true))))
(assert (forall ((level Real) (open Bool) (flow Real))
  (=> (and (tank level open) (< 0.0 flow) (<= flow 0.5))
      (tank (ite open (+ level flow) (- level flow))
            (ite (>= level 10.0) false (ite (<= level 1.0) true open))))))
(assert (forall ((level Real) (open Bool)) (=> (and (tank level open) (> level 11.0)) false)))
(check-sat)
