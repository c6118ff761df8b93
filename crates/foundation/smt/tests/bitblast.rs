//! Circuits of bit-vectors: beside evaluation at all values of small widths, and decided by the solver.

use shem_base::{BitVec, Budget, Rng};
use shem_smt::{BitBlaster, BlastError, Solver, SolverOptions, Status};
use shem_term::smtlib::{Lexer, Reader};
use shem_term::{Sort, Store, Symbol, Term, Value};
use shem_test_support::bits::{BitTerm, BitTerms};

struct Case {
    store: Store,
    variables: Vec<Term>,
    formula: Term,
}

fn read(widths: &[u32], written: &BitTerm) -> Case {
    let (mut store, mut reader) = (Store::new(), Reader::new());
    reader.set_bit_vectors(true);
    let mut variables = Vec::new();
    for (at, &width) in widths.iter().enumerate() {
        let variable = store.variable(&format!("x{at}"), Sort::bit_vec(width).expect("a width"));
        reader.name_term(&format!("x{at}"), variable);
        variables.push(variable);
    }
    let text = written.to_string();
    let mut lexer = Lexer::new(&text).expect("a text");
    let formula =
        reader.read_term(&mut lexer, &mut store).unwrap_or_else(|error| panic!("{}", error.message));
    Case { store, variables, formula }
}

/// All values of some variables.
fn assignments(widths: &[u32]) -> Vec<Vec<u128>> {
    widths.iter().fold(vec![Vec::new()], |found, &width| {
        let longer = found.iter().flat_map(|values: &Vec<u128>| {
            (0..1_u128 << width).map(move |value| values.iter().copied().chain([value]).collect())
        });
        longer.collect()
    })
}

/// A formula in bits has the truth value of the formula at all values, and the solver finds a model exactly if there is
/// one.
#[test]
fn circuits_are_right_at_all_values() {
    let mut rng = Rng::new(5);
    let mut satisfiable = 0;
    for round in 0..600 {
        let widths = [[1, 1, 2], [2, 2, 3], [3, 3, 1], [4, 4, 1]][round % 4];
        let depth = 1 + rng.index(3);
        let mut terms = BitTerms { rng: &mut rng, variables: widths.to_vec(), widest: 6 };
        let written = terms.formula(depth);
        let Case { mut store, variables, formula } = read(&widths, &written);
        let mut blaster = BitBlaster::new(1_000_000);
        let in_bits = blaster.blast(&mut store, formula).expect("no functions");
        let mut holds_somewhere = false;
        for values in assignments(&widths) {
            let expected = written.value(&values) == 1;
            holds_somewhere |= expected;
            let truth = |symbol: Symbol| {
                let at = |place: usize, bit: u32| Some(Value::Bool(values[place] >> bit & 1 == 1));
                variables.iter().enumerate().find_map(|(place, &variable)| {
                    let bits = blaster.bits(variable)?;
                    let bit = bits.iter().position(|&bit| store.as_var(bit) == Some(symbol))?;
                    at(place, bit as u32)
                })
            };
            let value = store.evaluate(in_bits, &truth);
            assert_eq!(value, Some(Value::Bool(expected)), "{written} at {values:?}");
        }
        satisfiable += usize::from(holds_somewhere);
        let mut solver: Solver = Solver::new(SolverOptions::default());
        solver.assert(&mut store, in_bits);
        let status = solver.check(&mut store, &mut Budget::unlimited()).status();
        assert_eq!(status, if holds_somewhere { Status::Sat } else { Status::Unsat }, "{written}");
    }
    assert!((100..600).contains(&satisfiable));
}

/// Too many gates are refused before they are made.
#[test]
fn large_circuits_are_refused() {
    let mut store = Store::new();
    let sort = Sort::bit_vec(4_096).expect("a width");
    let (x, y) = (store.variable("x", sort), store.variable("y", sort));
    let product = store.bv_mul(&[x, y]);
    let one = store.bit_vector(&BitVec::new(4_096, 1));
    let formula = store.eq(product, one);
    let before = store.len();
    assert_eq!(BitBlaster::new(1_000_000).blast(&mut store, formula), Err(BlastError::TooLarge));
    assert!(store.len() < before + 10_000);
    let function = store.declare("f", &[sort], sort);
    let image = store.apply(function, &[x]);
    let formula = store.eq(image, y);
    assert_eq!(BitBlaster::new(1_000_000).blast(&mut store, formula), Err(BlastError::Unsupported));
}
