//! The solver on random formulas over a few small values, shrunk if they fail: its answer is that of trying all of
//! them, and its model satisfies the formula as it was written.

use proptest::prelude::*;
use shem_base::Budget;
use shem_smt::{Answer, Solver};
use shem_term::{Store, Value};
use shem_test_support::expression::{NUMBERS, Point, Variables, formula};
use shem_test_support::shrink::config;

/// The values of a number.
const VALUES: [i64; 3] = [-1, 0, 2];

fn points() -> Vec<Point> {
    let mut points = Vec::new();
    for code in 0..VALUES.len().pow(NUMBERS as u32) * 4 {
        let digit = |place: u32| VALUES[code / 4 / VALUES.len().pow(place) % VALUES.len()];
        points
            .push(Point { numbers: [digit(0), digit(1), digit(2)], truths: [code & 1 == 1, code & 2 == 2] });
    }
    points
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn answers_are_those_of_trying_all_values(formula in formula(3)) {
        let mut store = Store::new();
        let variables = Variables::new(&mut store);
        let mut solver = Solver::new(Default::default());
        let term = formula.term(&mut store, &variables);
        solver.assert(&mut store, term);
        for &variable in &variables.numbers {
            let values = VALUES.map(|value| {
                let value = store.int(value);
                store.eq(variable, value)
            });
            let some = store.or(&values);
            solver.assert(&mut store, some);
        }
        let expected = points().iter().any(|at| formula.holds(at));
        let answer = solver.check(&mut store, &mut Budget::unlimited());
        prop_assert_eq!(answer.is_sat(), expected, "{}", answer);
        prop_assert_eq!(answer.is_unsat(), !expected, "{}", answer);
        if let Answer::Sat(mut solution) = answer {
            let model = solution.model();
            let value = |variable| model.value_or_default(&store, store.as_var(variable).expect("a variable"));
            let number = |variable| match value(variable) {
                Value::Num(number) => VALUES.into_iter().find(|&v| number == v.into()).expect("one of the values"),
                _ => unreachable!("a number"),
            };
            let truth = |variable| value(variable) == Value::Bool(true);
            let at = Point { numbers: variables.numbers.map(number), truths: variables.truths.map(truth) };
            prop_assert!(formula.holds(&at), "{:?}", at);
        }
    }
}
