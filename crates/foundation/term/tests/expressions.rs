//! Canonical forms mean what was written: random expressions, shrunk if they fail, against their evaluation by
//! machine integers.

use proptest::prelude::*;
use shem_base::Rat;
use shem_term::smtlib::{Lexer, Reader};
use shem_term::{Store, Substitution, Symbol, Value};
use shem_test_support::expression::{Point, Variables, formula, number, point};
use shem_test_support::shrink::config;

/// The value of a variable at a point.
fn value(store: &Store, variables: &Variables, at: &Point, symbol: Symbol) -> Option<Value> {
    let place = |list: &[shem_term::Term]| list.iter().position(|&v| store.as_var(v) == Some(symbol));
    let number = place(&variables.numbers).map(|i| Value::Num(Rat::from(at.numbers[i])));
    number.or_else(|| place(&variables.truths).map(|i| Value::Bool(at.truths[i])))
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn formulas_keep_their_meaning(formula in formula(3), at in point()) {
        let mut store = Store::new();
        let variables = Variables::new(&mut store);
        let term = formula.term(&mut store, &variables);
        let found = store.evaluate(term, &|symbol| value(&store, &variables, &at, symbol));
        prop_assert_eq!(found, Some(Value::Bool(formula.holds(&at))));
    }

    #[test]
    fn numbers_keep_their_value(number in number(3), at in point()) {
        let mut store = Store::new();
        let variables = Variables::new(&mut store);
        let term = number.term(&mut store, &variables);
        let found = store.evaluate(term, &|symbol| value(&store, &variables, &at, symbol));
        prop_assert_eq!(found, Some(Value::Num(Rat::from(number.value(&at)))));
    }

    /// What is put in the place of variables is computed with on the spot.
    #[test]
    fn substitution_of_values_is_evaluation(formula in formula(3), at in point()) {
        let mut store = Store::new();
        let variables = Variables::new(&mut store);
        let term = formula.term(&mut store, &variables);
        let mut substitution = Substitution::new();
        for (&variable, &number) in variables.numbers.iter().zip(&at.numbers) {
            let number = store.int(number);
            substitution.insert(store.as_var(variable).expect("a variable"), number);
        }
        for (&variable, &truth) in variables.truths.iter().zip(&at.truths) {
            substitution.insert(store.as_var(variable).expect("a variable"), shem_term::Term::from_bool(truth));
        }
        prop_assert_eq!(store.substitute(term, &substitution), shem_term::Term::from_bool(formula.holds(&at)));
    }

    #[test]
    fn what_is_printed_is_read_back(formula in formula(3)) {
        let mut store = Store::new();
        let mut reader = Reader::new();
        let text = "(declare-const x0 Int) (declare-const x1 Int) (declare-const x2 Int)
            (declare-const p0 Bool) (declare-const p1 Bool)";
        let mut lexer = Lexer::new(text).expect("a short text");
        while reader.next_command(&mut lexer, &mut store).expect("a declaration").is_some() {}
        let terms: Vec<_> = reader.declarations().iter().map(|d| store.var(d.symbol)).collect();
        let variables = Variables { numbers: [terms[0], terms[1], terms[2]], truths: [terms[3], terms[4]] };
        let term = formula.term(&mut store, &variables);
        let printed = store.display(term).to_string();
        let read = reader.read_term(&mut Lexer::new(&printed).expect("a short text"), &mut store);
        prop_assert_eq!(read.expect("a term"), term, "{}", printed);
    }
}
