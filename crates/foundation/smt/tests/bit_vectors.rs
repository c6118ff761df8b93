//! Bit-vectors in the solver: beside evaluation at all values of small widths, and with functions, arrays and integers.

use shem_base::{BitVec, Budget, Rng};
use shem_justify::{Assertion, Premises, check_refutation};
use shem_smt::{Answer, BitOptions, Solver, SolverOptions, Status};
use shem_term::smtlib::{Lexer, Reader};
use shem_term::{Sort, Store, Term, Value};
use shem_test_support::bits::{BitTerm, BitTerms, RELATIONS, WORDS, meaning};

/// A reader that knows variables of these widths, named `x0`, `x1`, ….
fn reader(store: &mut Store, widths: &[u32]) -> Reader {
    let mut reader = Reader::new();
    reader.set_bit_vectors(true);
    for (at, &width) in widths.iter().enumerate() {
        let variable = store.variable(&format!("x{at}"), Sort::bit_vec(width).expect("a width"));
        reader.name_term(&format!("x{at}"), variable);
    }
    reader
}

fn read(store: &mut Store, reader: &mut Reader, text: &str) -> Term {
    let mut lexer = Lexer::new(text).expect("a text");
    reader.read_term(&mut lexer, store).unwrap_or_else(|error| panic!("{}", error.message))
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

/// A solver of some formulas, of which some are asserted in scopes and one is assumed, finds a model exactly if there is
/// one, and its models are models.
#[test]
fn answers_are_right_at_all_values() {
    let mut rng = Rng::new(5);
    let mut satisfiable = 0;
    for round in 0..400 {
        let widths = [[1, 1, 2], [2, 2, 3], [3, 3, 1], [4, 4, 1]][round % 4];
        let mut store = Store::new();
        let mut reader = reader(&mut store, &widths);
        let mut solver: Solver = Solver::new(SolverOptions::default());
        let mut held: Vec<BitTerm> = Vec::new();
        let mut scopes: Vec<usize> = Vec::new();
        let mut formulas = Vec::new();
        for _ in 0..6 {
            let depth = 1 + rng.index(3);
            let mut terms = BitTerms { rng: &mut rng, variables: widths.to_vec(), widest: 6 };
            let [written, assumed] = [terms.formula(depth), terms.formula(depth)];
            match rng.index(3) {
                0 => {
                    solver.push();
                    scopes.push(held.len());
                }
                1 if !scopes.is_empty() => {
                    solver.pop();
                    held.truncate(scopes.pop().expect("a scope is open"));
                    formulas.truncate(held.len());
                }
                _ => {}
            }
            let formula = read(&mut store, &mut reader, &written.to_string());
            solver.assert(&mut store, formula);
            held.push(written);
            formulas.push(formula);
            let assumption = read(&mut store, &mut reader, &assumed.to_string());
            let holds =
                |values: &Vec<u128>| held.iter().chain([&assumed]).all(|written| written.value(values) == 1);
            let expected = assignments(&widths).iter().any(holds);
            match solver.check_assuming(&mut store, &[assumption], &mut Budget::unlimited()) {
                Answer::Sat(mut solution) => {
                    let model = solution.model();
                    for &formula in formulas.iter().chain([&assumption]) {
                        let value = store.evaluate(formula, &model.completed(&store));
                        assert_eq!(value, Some(Value::Bool(true)), "{}", store.display(formula));
                    }
                    let texts: Vec<String> = held.iter().map(BitTerm::to_string).collect();
                    assert!(expected, "{texts:?} {assumed}");
                    satisfiable += 1;
                }
                Answer::Unsat(refutation) => {
                    let texts: Vec<String> = held.iter().map(BitTerm::to_string).collect();
                    assert!(!expected, "{texts:?} {assumed}");
                    if let Some(proof) = refutation.proof() {
                        let proof = proof.expect("a proof");
                        let assertions: Vec<Assertion> =
                            formulas.iter().map(|&formula| formula.into()).collect();
                        let assumptions = [assumption];
                        let premises = Premises {
                            assertions: &assertions,
                            assumptions: &assumptions,
                            ..Premises::default()
                        };
                        let judged = check_refutation(&mut store, &proof, refutation.solver(), premises);
                        assert_eq!(judged, Ok(()), "{texts:?} {assumed}");
                    }
                }
                Answer::Unknown(reason) => panic!("{reason}"),
            }
        }
    }
    assert!((200..2200).contains(&satisfiable), "{satisfiable}");
}

/// Circuits of all operations on two words, at all values of widths 1 to 4.
#[test]
fn circuits_are_right_at_all_values() {
    for width in 1..=4_u32 {
        for (name, is_relation) in
            WORDS.iter().map(|name| (name, false)).chain(RELATIONS.iter().map(|name| (name, true)))
        {
            let mut store = Store::new();
            let mut reader = reader(&mut store, &[width; 3]);
            let mut solver: Solver = Solver::new(SolverOptions::default());
            let text = match is_relation {
                true => format!("(= (= x2 (_ bv1 {width})) ({name} x0 x1))"),
                false => format!("(= x2 ({name} x0 x1))"),
            };
            let formula = read(&mut store, &mut reader, &text);
            solver.assert(&mut store, formula);
            for (a, b) in (0..1_u128 << width).flat_map(|a| (0..1_u128 << width).map(move |b| (a, b))) {
                let value = meaning(name, &[], &[(a, width), (b, width)]) & ((1 << width) - 1);
                let place = |at: &str, value: u128| format!("(= {at} (_ bv{value} {width}))");
                let mut assumptions = [place("x0", a), place("x1", b), place("x2", value)]
                    .map(|text| read(&mut store, &mut reader, &text));
                if is_relation && value == 0 {
                    assumptions[2] = !read(&mut store, &mut reader, &place("x2", 1));
                }
                let budget = &mut Budget::unlimited();
                let found = solver.check_assuming(&mut store, &assumptions, budget).status();
                assert_eq!(found, Status::Sat, "{name} {a} {b} of {width} bits");
                assumptions[2] = !assumptions[2];
                let found = solver.check_assuming(&mut store, &assumptions, budget).status();
                assert_eq!(found, Status::Unsat, "{name} {a} {b} of {width} bits");
            }
        }
    }
}

/// Too many gates are refused.
#[test]
fn large_circuits_are_refused() {
    let mut store = Store::new();
    let options = SolverOptions { bits: BitOptions { gates: 100_000 }, ..SolverOptions::default() };
    let mut solver: Solver = Solver::new(options);
    let sort = Sort::bit_vec(4_096).expect("a width");
    let (x, y) = (store.variable("x", sort), store.variable("y", sort));
    let product = store.bv_mul(&[x, y]);
    let one = store.bit_vector(&BitVec::new(4_096, 1));
    let formula = store.eq(product, one);
    solver.push();
    solver.assert(&mut store, formula);
    assert!(matches!(solver.check(&mut store, &mut Budget::unlimited()).status(), Status::Unknown(_)));
    solver.push();
    assert!(matches!(solver.check(&mut store, &mut Budget::unlimited()).status(), Status::Unknown(_)));
    solver.pop();
    solver.pop();
    let formula = store.eq(x, y);
    solver.assert(&mut store, formula);
    assert_eq!(solver.check(&mut store, &mut Budget::unlimited()).status(), Status::Sat);
}
