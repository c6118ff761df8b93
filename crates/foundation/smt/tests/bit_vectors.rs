//! Bit-vectors in the solver: beside evaluation at all values of small widths, and with functions, arrays and integers.

use shem_base::{BitVec, Budget, Rng};
use shem_justify::{Assertion, Premises, check_refutation};
use shem_smt::interpolate::{InterpolationSystem, ItpOptions};
use shem_smt::project::{Projector, eliminate, eliminate_quantifiers};
use shem_smt::{Answer, BitOptions, Solver, SolverOptions, Status};
use shem_term::smtlib::{Lexer, Reader};
use shem_term::{Sort, Store, Symbol, Term, Value};
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

/// A solver that makes circuits of products and quotients at once, or where their values matter.
fn solver(is_abstract: bool) -> Solver {
    let bits = BitOptions { abstract_from: is_abstract.then_some(1), ..BitOptions::default() };
    Solver::new(SolverOptions { bits, ..SolverOptions::default() })
}

/// A solver of some formulas, of which some are asserted in scopes and one is assumed, finds a model exactly if there is
/// one, and its models are models.
#[test]
fn answers_are_right_at_all_values() {
    let mut rng = Rng::new(5);
    let (mut satisfiable, mut abstracted) = (0, 0);
    for round in 0..800 {
        let widths = [[1, 1, 2], [2, 2, 3], [3, 3, 1], [4, 4, 1]][round % 4];
        let mut store = Store::new();
        let mut reader = reader(&mut store, &widths);
        let mut solver = solver(round / 4 % 2 == 1);
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
            abstracted += usize::from(solver.has_abstractions());
        }
    }
    assert!((400..4400).contains(&satisfiable), "{satisfiable}");
    assert!(abstracted > 200, "{abstracted}");
}

/// Circuits of all operations on two words, at all values of widths 1 to 4, made at once and where values matter.
#[test]
fn circuits_are_right_at_all_values() {
    for (width, is_abstract) in (1..=4_u32).flat_map(|width| [(width, false), (width, true)]) {
        for (name, is_relation) in
            WORDS.iter().map(|name| (name, false)).chain(RELATIONS.iter().map(|name| (name, true)))
        {
            let mut store = Store::new();
            let mut reader = reader(&mut store, &[width; 3]);
            let mut solver = solver(is_abstract);
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

/// Circuits of the operations on one word, at all values of widths 1 to 4.
#[test]
fn circuits_of_one_word_are_right_at_all_values() {
    for width in 1..=4_u32 {
        let mut operations: Vec<(&str, Vec<u32>, u32)> =
            vec![("bvnot", vec![], width), ("bvneg", vec![], width)];
        for by in 0..=4 {
            operations.push(("rotate_left", vec![by], width));
            operations.push(("rotate_right", vec![by], width));
            operations.push(("zero_extend", vec![by], width + by));
            operations.push(("sign_extend", vec![by], width + by));
            operations.push(("repeat", vec![by + 1], width * (by + 1)));
            operations
                .extend((0..width.saturating_sub(by)).map(|low| ("extract", vec![low + by, low], by + 1)));
        }
        for (name, indices, result) in operations {
            let mut store = Store::new();
            let mut reader = reader(&mut store, &[width, result]);
            let shown: Vec<String> = indices.iter().map(u32::to_string).collect();
            let head = match shown.is_empty() {
                true => name.to_owned(),
                false => format!("(_ {name} {})", shown.join(" ")),
            };
            let formula = read(&mut store, &mut reader, &format!("(= x1 ({head} x0))"));
            let mut solver: Solver = Solver::new(SolverOptions::default());
            solver.assert(&mut store, formula);
            for a in 0..1_u128 << width {
                let value = meaning(name, &indices, &[(a, width)]) & ((1 << result) - 1);
                let first = read(&mut store, &mut reader, &format!("(= x0 (_ bv{a} {width}))"));
                let second = read(&mut store, &mut reader, &format!("(= x1 (_ bv{value} {result}))"));
                let budget = &mut Budget::unlimited();
                let found = solver.check_assuming(&mut store, &[first, second], budget).status();
                assert_eq!(found, Status::Sat, "{head} {a} of {width} bits");
                let found = solver.check_assuming(&mut store, &[first, !second], budget).status();
                assert_eq!(found, Status::Unsat, "{head} {a} of {width} bits");
            }
        }
    }
}

/// The variables of a reader at some places.
fn variables(store: &mut Store, reader: &mut Reader, places: &[usize]) -> Vec<Term> {
    places.iter().map(|at| read(store, reader, &format!("x{at}"))).collect()
}

/// Whether the formula holds if the three variables have these values, by evaluation.
fn holds(store: &Store, formula: Term, variables: &[Term], widths: &[u32], values: &[u128]) -> bool {
    let assignment = |symbol: Symbol| {
        let at = variables.iter().position(|&variable| store.as_var(variable) == Some(symbol))?;
        Some(Value::Bits(BitVec::new(widths[at], values[at] as u64)))
    };
    store.evaluate(formula, &assignment).and_then(|value| value.as_bool()).expect("a truth value")
}

/// A comparison or an equation in which a multiple of `x0` is a summand, or any formula.
fn literal(rng: &mut Rng, widths: &[u32], depth: usize) -> String {
    let width = widths[0];
    let mut terms = BitTerms { rng, variables: widths.to_vec(), widest: 5 };
    if terms.rng.chance(30) {
        return terms.formula(depth).to_string();
    }
    let part = |terms: &mut BitTerms<'_>| match terms.rng.chance(50) {
        true => "x1".to_owned(),
        false => terms.term(width, 0).to_string(),
    };
    let [mut left, mut right] = [part(&mut terms), part(&mut terms)];
    let factor = [1, 1, 1, 3, 7, 2][terms.rng.index(6)] % (1_u32 << width);
    left = match terms.rng.index(4) {
        0 => "x0".to_owned(),
        1 => "(bvneg x0)".to_owned(),
        _ => format!("(bvadd {left} (bvmul x0 (_ bv{factor} {width})))"),
    };
    if terms.rng.bool() {
        std::mem::swap(&mut left, &mut right);
    }
    let relation = ["=", "distinct", "bvule", "bvult", "bvsle", "bvslt"][terms.rng.index(6)];
    format!("({relation} {left} {right})")
}

/// Projections imply that there are values for what was projected away, and eliminations are exact, at all values.
#[test]
fn eliminations_are_right_at_all_values() {
    let mut rng = Rng::new(11);
    let mut exact = 0;
    for round in 0..600 {
        let widths = [[1, 1, 2], [2, 2, 2], [3, 3, 1], [3, 3, 2], [4, 4, 1]][round % 5];
        let mut store = Store::new();
        let mut reader = reader(&mut store, &widths);
        let count = 1 + rng.index(3);
        let texts: Vec<String> = (0..count).map(|_| literal(&mut rng, &widths, 1)).collect();
        let members: Vec<Term> = texts.iter().map(|text| read(&mut store, &mut reader, text)).collect();
        let formula = if rng.chance(70) { store.and(&members) } else { store.or(&members) };
        let all = variables(&mut store, &mut reader, &[0, 1, 2]);
        let gone = if rng.chance(80) { vec![all[0]] } else { vec![all[0], all[2]] };
        let rest: Vec<Vec<u128>> = assignments(&widths);
        let possible = |store: &Store, values: &[u128], universal: bool| {
            let seconds = if gone.len() == 2 { 0..1_u128 << widths[2] } else { values[2]..values[2] + 1 };
            let mut found = false;
            for third in seconds {
                for first in 0..1_u128 << widths[0] {
                    found |= holds(store, formula, &all, &widths, &[first, values[1], third]) != universal;
                }
            }
            found != universal
        };
        let budget = &mut Budget::unlimited();
        let result = eliminate(&mut store, &gone, formula, budget).expect("finitely many values");
        assert!(store.free_variables(&[result]).iter().all(|variable| !gone.contains(variable)), "{texts:?}");
        let universal = store.forall(&gone, formula);
        let always = eliminate_quantifiers(&mut store, universal, budget).expect("finitely many values");
        for values in rest.iter().filter(|values| values[0] == 0) {
            let expected = possible(&store, values, false);
            assert_eq!(holds(&store, result, &all, &widths, values), expected, "{texts:?} {values:?}");
            let expected = possible(&store, values, true);
            assert_eq!(holds(&store, always, &all, &widths, values), expected, "{texts:?} {values:?}");
        }
        let mut solver: Solver = Solver::new(SolverOptions::default());
        solver.assert(&mut store, formula);
        let Answer::Sat(mut solution) = solver.check(&mut store, budget) else { continue };
        let model = solution.model();
        let projection =
            Projector::new().projection(&mut store, &[formula], &model, &gone).expect("a projection");
        let cube = store.and(&projection.cube);
        let value = store.evaluate(cube, &model.completed(&store));
        assert_eq!(value, Some(Value::Bool(true)), "{texts:?}");
        exact += usize::from(projection.exact);
        for values in rest.iter().filter(|values| values[0] == 0) {
            let expected = possible(&store, values, false);
            let found = holds(&store, cube, &all, &widths, values);
            assert!(!found || expected, "{texts:?} {values:?}: {}", store.display(cube));
            assert!(!projection.exact || found == expected, "{texts:?} {values:?}: not exact");
        }
    }
    assert!(exact > 100, "{exact}");
}

/// Interpolants of all systems are implied by one side and contradict the other one at all values.
#[test]
fn interpolants_are_right_at_all_values() {
    let mut rng = Rng::new(17);
    let mut refuted = 0;
    for round in 0..1500 {
        let widths = [[1, 2, 1], [2, 2, 2], [3, 2, 3], [2, 4, 2]][round % 4];
        let mut store = Store::new();
        let mut reader = reader(&mut store, &widths);
        let all = variables(&mut store, &mut reader, &[0, 1, 2]);
        let mut second = Reader::new();
        second.set_bit_vectors(true);
        second.name_term("x0", all[1]);
        second.name_term("x1", all[2]);
        let mut sides = [Vec::new(), Vec::new()];
        for at in 0..2 + rng.index(5) {
            // The side A knows the first two variables, B the last two.
            let side = at % 2;
            let depth = 1 + rng.index(3);
            let own = [widths[side], widths[side + 1]];
            let mut terms = BitTerms { rng: &mut rng, variables: own.to_vec(), widest: 5 };
            let text = terms.formula(depth).to_string();
            let reader = if side == 0 { &mut reader } else { &mut second };
            sides[side].push(read(&mut store, reader, &text));
        }
        let [a, b] = [0, 1].map(|side| store.and(&sides[side]));
        let mut solver = solver(round / 4 % 4 == 3);
        let number = solver.assert(&mut store, a);
        solver.assert(&mut store, b);
        let budget = &mut Budget::unlimited();
        let Answer::Unsat(mut refutation) = solver.check(&mut store, budget) else { continue };
        refuted += 1;
        for system in InterpolationSystem::ALL {
            let options = ItpOptions { system, simplify: round % 2 == 0, ..ItpOptions::default() };
            let found =
                refutation.interpolant(&mut store, &[number], &options, budget).expect("an interpolant");
            assert!(store.free_variables(&[found]).iter().all(|&variable| variable == all[1]));
            for values in assignments(&widths) {
                let middle = holds(&store, found, &all, &widths, &values);
                assert!(middle || !holds(&store, a, &all, &widths, &values), "{}", store.display(found));
                assert!(!middle || !holds(&store, b, &all, &widths, &values), "{}", store.display(found));
            }
        }
    }
    assert!(refuted > 100, "{refuted}");
}

/// Products and quotients that are too wide for circuits are decided where little of them matters.
#[test]
fn wide_operations_are_abstract() {
    let width = 2_048;
    for (text, expected) in [
        ("(and (= ((_ extract 0 0) x0) #b0) (= ((_ extract 0 0) (bvmul x0 x1)) #b1))", Status::Unsat),
        ("(and (distinct x1 (_ bv0 2048)) (bvule x1 (bvurem x0 x1)))", Status::Unsat),
        ("(and (bvult x0 x1) (distinct (bvudiv x0 x1) (_ bv0 2048)))", Status::Unsat),
        ("(and (= x1 (_ bv64 2048)) (distinct (bvmul x0 x1) (bvshl x0 (_ bv6 2048))))", Status::Unsat),
        ("(and (= x1 (_ bv3 2048)) (bvult (_ bv5 2048) x0) (bvult x0 (bvmul x0 x1)))", Status::Sat),
    ] {
        let mut store = Store::new();
        let mut reader = reader(&mut store, &[width; 2]);
        let formula = read(&mut store, &mut reader, text);
        let bits = BitOptions { abstract_from: Some(32), gates: 200_000 };
        let mut solver: Solver = Solver::new(SolverOptions { bits, ..SolverOptions::default() });
        solver.assert(&mut store, formula);
        match solver.check(&mut store, &mut Budget::unlimited()) {
            Answer::Sat(mut solution) => {
                let model = solution.model();
                let value = store.evaluate(formula, &model.completed(&store));
                assert_eq!((value, expected), (Some(Value::Bool(true)), Status::Sat), "{text}");
            }
            answer => assert_eq!(answer.status(), expected, "{text}"),
        }
    }
}

/// Too many gates are refused.
#[test]
fn large_circuits_are_refused() {
    let mut store = Store::new();
    let options = SolverOptions {
        bits: BitOptions { gates: 100_000, ..BitOptions::default() },
        ..SolverOptions::default()
    };
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
