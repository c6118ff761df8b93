//! Interpolants, judged by solvers of their own: what follows, what contradicts, which symbols occur.

mod judge;

use judge::{ALL_RULES, ALL_SYSTEMS, Judge};
use shem_base::{Budget, Int, Rat};
use shem_smt::interpolate::{InterpolationSystem, ItpError, ItpOptions, Partition, TheoryRule};
use shem_smt::{Answer, Solver, SolverOptions, Template};
use shem_term::{Sort, Store, Term};

fn options(system: InterpolationSystem, theory: TheoryRule) -> ItpOptions {
    ItpOptions { system, theory, ..ItpOptions::default() }
}

/// The sum of the multiples, compared to a bound from above.
fn at_most(store: &mut Store, terms: &[(i64, Term)], bound: i64) -> Term {
    let sort = store.sort(terms[0].1);
    let terms: Vec<(Rat, Term)> = terms.iter().map(|&(c, t)| (Rat::from(c), t)).collect();
    let sum = store.linear(&terms, &Rat::ZERO, sort);
    let bound = store.numeral(&Rat::from(bound), sort);
    store.le(sum, bound)
}

fn equal(store: &mut Store, terms: &[(i64, Term)], value: i64) -> Term {
    let sort = store.sort(terms[0].1);
    let terms: Vec<(Rat, Term)> = terms.iter().map(|&(c, t)| (Rat::from(c), t)).collect();
    let sum = store.linear(&terms, &Rat::ZERO, sort);
    let value = store.numeral(&Rat::from(value), sort);
    store.eq(sum, value)
}

/// Interpolates two lists of formulas with every algorithm and judges the results; returns that of McMillan
/// with the given rule.
fn interpolate_all(store: &mut Store, a: &[Term], b: &[Term], rule: TheoryRule) -> Term {
    let mut solver = Solver::new(SolverOptions::default());
    let numbers: Vec<u32> = a.iter().map(|&f| solver.assert(store, f)).collect();
    for &f in b {
        solver.assert(store, f);
    }
    let Answer::Unsat(mut refutation) = solver.check(store, &mut Budget::unlimited()) else {
        panic!("the formulas have a model");
    };
    let mut result = Term::TRUE;
    for system in ALL_SYSTEMS {
        for theory in ALL_RULES {
            let found =
                refutation.interpolant(store, &numbers, &options(system, theory), &mut Budget::unlimited());
            let found = found.unwrap();
            Judge::new(store).binary(a, b, found);
            if system == InterpolationSystem::McMillan && theory == rule {
                result = found;
            }
        }
    }
    result
}

fn reals<const N: usize>(store: &mut Store, prefix: &str) -> [Term; N] {
    std::array::from_fn(|i| store.variable(&format!("{prefix}{}", i + 1), Sort::Real))
}

/// Example 3.3 of the thesis: the decomposition has two elements.
#[test]
fn thesis_example_3_3() {
    let mut store = Store::new();
    let [x1, x2, x3] = reals(&mut store, "x");
    let a = [
        at_most(&mut store, &[(1, x1), (1, x2)], 0),
        at_most(&mut store, &[(1, x1), (1, x3)], 0),
        at_most(&mut store, &[(-1, x1)], 0),
    ];
    let b = [at_most(&mut store, &[(-1, x2), (-1, x3)], -1)];
    let found = interpolate_all(&mut store, &a, &b, TheoryRule::Decomposed);
    let (first, second) = (at_most(&mut store, &[(1, x2)], 0), at_most(&mut store, &[(1, x3)], 0));
    let expected = store.and2(first, second);
    Judge::new(&mut store).equivalent(found, expected);
    let farkas = interpolate_all(&mut store, &a, &b, TheoryRule::Farkas);
    let expected = at_most(&mut store, &[(1, x2), (1, x3)], 0);
    Judge::new(&mut store).equivalent(farkas, expected);
}

/// Examples 3.11 and 3.12: three elements, which depend on the order of the assertions.
#[test]
fn thesis_examples_3_11_and_3_12() {
    let expected: [([usize; 4], [[i64; 4]; 3]); 3] = [
        // The order of A; the coefficients of x2 to x5 of each conjunct.
        ([0, 1, 2, 3], [[1, 1, 0, 0], [0, 1, 2, 1], [1, 0, 0, 1]]),
        ([2, 1, 0, 3], [[0, 1, 1, 0], [2, 1, 0, 1], [0, 0, 1, 1]]),
        ([1, 0, 2, 3], [[1, 0, 1, 2], [0, 1, 1, 0], [1, 1, 0, 0]]),
    ];
    for (order, conjuncts) in expected {
        let mut store = Store::new();
        let [x1, x2, x3, x4, x5] = reals(&mut store, "x");
        let rows = [[(1, x1), (1, x2)], [(-1, x1), (1, x3)], [(1, x1), (1, x4)], [(-1, x1), (1, x5)]];
        let a = order.map(|i| at_most(&mut store, &rows[i], 0));
        let b = [at_most(&mut store, &[(-1, x2), (-1, x3), (-1, x4), (-1, x5)], -1)];
        let found = interpolate_all(&mut store, &a, &b, TheoryRule::Decomposed);
        let parts = conjuncts.map(|c| {
            let terms: Vec<(i64, Term)> =
                c.into_iter().zip([x2, x3, x4, x5]).filter(|(c, _)| *c != 0).collect();
            at_most(&mut store, &terms, 0)
        });
        let expected = store.and(&parts);
        Judge::new(&mut store).equivalent(found, expected);
    }
}

/// Equations without integer solutions: families of opensmt#285 and #638.
#[test]
fn parity_families() {
    let mut store = Store::new();
    let [x, y, z] = ["x", "y", "z"].map(|n| store.variable(n, Sort::Int));
    let even = equal(&mut store, &[(1, x), (-2, y)], 0);
    let odd = equal(&mut store, &[(1, x), (-2, z)], 1);
    let found = interpolate_all(&mut store, &[even], &[odd], TheoryRule::Farkas);
    let expected = store.divisible(&Int::from(2), x);
    Judge::new(&mut store).equivalent(found, expected);
    // The same with moduli 6 and 4, and an offset.
    let a = equal(&mut store, &[(1, x), (-6, y)], 1);
    let b = equal(&mut store, &[(1, x), (-4, z)], 2);
    interpolate_all(&mut store, &[a], &[b], TheoryRule::Farkas);
    // A chain of equations on one side.
    let [u, v] = ["u", "v"].map(|n| store.variable(n, Sort::Int));
    let first = equal(&mut store, &[(1, x), (-3, u)], 0);
    let second = equal(&mut store, &[(1, u), (-2, v)], 0);
    let third = equal(&mut store, &[(1, x), (-6, y)], 3);
    interpolate_all(&mut store, &[first, second], &[third], TheoryRule::Farkas);
    interpolate_all(&mut store, &[first], &[second, third], TheoryRule::Farkas);
    // Inequalities that leave only an odd value.
    let low = at_most(&mut store, &[(-1, x)], -1);
    let high = at_most(&mut store, &[(1, x), (-2, z)], 1);
    let tight = at_most(&mut store, &[(-1, x), (2, z)], -1);
    interpolate_all(&mut store, &[even, low], &[high, tight], TheoryRule::Farkas);
}

/// Remainders on both sides (opensmt#893), fractions in sums (opensmt#894), conditionals on both sides.
#[test]
fn auxiliaries_are_replaced() {
    let mut store = Store::new();
    let [x, y, z] = ["x", "y", "z"].map(|n| store.variable(n, Sort::Int));
    let p = store.variable("p", Sort::Bool);
    let rem = store.int_mod(x, &Int::from(3));
    let (zero, one, two) = (store.int(0), store.int(1), store.int(2));
    let a = store.eq(rem, y);
    let a2 = store.le(y, zero);
    let b = store.ge(rem, one);
    interpolate_all(&mut store, &[a, a2], &[b], TheoryRule::Farkas);
    let quotient = store.int_div(x, &Int::from(2));
    let a = store.ge(quotient, y);
    let a2 = store.ge(y, two);
    let b = store.le(x, two);
    interpolate_all(&mut store, &[a, a2], &[b], TheoryRule::Farkas);
    // 3y <= 2x - 1 and 2x <= 3z give 3y + 1 <= 3z.
    let a = at_most(&mut store, &[(3, y), (-2, x)], -1);
    let a2 = at_most(&mut store, &[(2, x), (-3, z)], 0);
    let b = at_most(&mut store, &[(1, z), (-1, y)], 0);
    interpolate_all(&mut store, &[a, a2], &[b], TheoryRule::Farkas);
    interpolate_all(&mut store, &[a], &[a2, b], TheoryRule::Farkas);
    let cond = store.ite(p, x, y);
    let other = store.ite(p, y, z);
    let sum = store.add(&[cond, other]);
    let a = store.le(sum, zero);
    let b = store.ge(cond, one);
    let b2 = store.ge(other, zero);
    interpolate_all(&mut store, &[a], &[b, b2], TheoryRule::Farkas);
}

/// Atoms with integer and real variables.
#[test]
fn integers_meet_reals() {
    let mut store = Store::new();
    let x = store.variable("x", Sort::Int);
    let [u, v] = ["u", "v"].map(|n| store.variable(n, Sort::Real));
    let xr = store.to_real(x);
    let half = store.real(Rat::new(1, 2));
    let zero = store.real(0);
    let (a, a2) = (store.le(u, xr), store.ge(u, half));
    let sum = store.add(&[xr, v]);
    let (b, b2) = (store.lt(sum, half), store.ge(v, zero));
    interpolate_all(&mut store, &[a, a2], &[b, b2], TheoryRule::Farkas);
    let whole = store.is_int(u);
    let one = store.real(1);
    let (low, high) = (store.gt(u, zero), store.lt(u, one));
    interpolate_all(&mut store, &[whole, low], &[high], TheoryRule::Farkas);
    interpolate_all(&mut store, &[low, high], &[whole], TheoryRule::Farkas);
}

/// Instances of a template, groups and assumptions, as a path.
#[test]
fn instances_groups_and_assumptions() {
    let mut store = Store::new();
    let [x, next, d] = ["x", "x'", "d"].map(|n| store.variable(n, Sort::Int));
    let up = store.variable("up", Sort::Bool);
    let (one, two) = (store.int(1), store.int(2));
    // x' = x + (ite up 2 d), with 1 <= d <= 2 local to a step.
    let amount = store.ite(up, two, d);
    let sum = store.add(&[x, amount]);
    let step = store.eq(next, sum);
    let (low, high) = (store.ge(d, one), store.le(d, two));
    let step = store.and(&[step, low, high]);
    let template = Template::new(&mut store, step, &[x, next]);
    for system in ALL_SYSTEMS {
        for theory in ALL_RULES {
            let mut solver = Solver::new(SolverOptions::default());
            let mut states = vec![solver.fresh(Sort::Int)];
            let mut partition = Partition::new(7);
            let first = solver.term(&mut store, states[0]);
            let start = store.ge(first, one);
            let number = solver.assert(&mut store, start);
            partition.assign(number, 0);
            for i in 0..5 {
                states.push(solver.fresh(Sort::Int));
                let number = solver.instantiate(&mut store, &template, &states[i..i + 2]);
                partition.assign(number, i + 1);
            }
            let last = solver.term(&mut store, states[5]);
            let bad = at_most(&mut store, &[(1, last)], 5);
            let group = solver.new_group();
            solver.assert_in_group(&mut store, group, bad);
            assert!(solver.check(&mut store, &mut Budget::unlimited()).is_sat());
            let options = options(system, theory);
            let mut groups: Vec<Vec<Term>> =
                (0..6).map(|i| vec![solver.assertion(&mut store, i).unwrap()]).collect();
            groups.push(vec![bad]);
            let budget = &mut Budget::unlimited();
            let answer = solver.check_with(&mut store, &[group], &[], budget);
            let Answer::Unsat(mut refutation) = answer else { panic!("{answer}") };
            let found = refutation.path_interpolants(&mut store, &partition, &options, budget);
            Judge::new(&mut store).path(&groups, &found.unwrap());
            // The same with the target as an assumption in a group of its own.
            let answer = solver.check_with(&mut store, &[], &[bad], budget);
            let Answer::Unsat(mut refutation) = answer else { panic!("{answer}") };
            let found = refutation.path_interpolants(&mut store, &partition, &options, budget);
            Judge::new(&mut store).path(&groups, &found.unwrap());
            let mut reversed = Partition::binary(&[]);
            reversed.assign_assumption(bad, 0);
            let found = refutation.path_interpolants(&mut store, &reversed, &options, budget);
            let rest = groups[..6].concat();
            Judge::new(&mut store).binary(&[bad], &rest, found.unwrap()[0]);
        }
    }
}

/// Symbols that stand only in definitions of gates, which in instances and groups have no formula, are
/// symbols of the assertion all the same.
#[test]
fn symbols_of_definitions() {
    let mut store = Store::new();
    let [p, q] = ["p", "q"].map(|n| store.variable(n, Sort::Bool));
    let x = store.variable("x", Sort::Int);
    let (zero, one) = (store.int(0), store.int(1));
    let (low, high) = (store.le(x, zero), store.ge(x, one));
    let cases = |store: &mut Store, cases: [[Term; 3]; 2]| {
        let cases = cases.map(|case| store.and(&case));
        store.or(&cases)
    };
    // One of p and q, and which of them says x's sign; both or none of them.
    let a = cases(&mut store, [[p, !q, low], [!p, q, high]]);
    let b = cases(&mut store, [[p, q, low], [!p, !q, high]]);
    let c = cases(&mut store, [[p, !q, high], [!p, q, low]]);
    for (a, b) in [(a, b), (a, c), (b, c)] {
        for ways in 0..4 {
            let mut solver = Solver::new(SolverOptions::default());
            let mut switched = Vec::new();
            for (place, formula) in [a, b].into_iter().enumerate() {
                if ways & (1 << place) == 0 {
                    let template = Template::new(&mut store, formula, &[p, q, x]);
                    let actuals = [p, q, x].map(|v| solver.variable(&mut store, v));
                    solver.instantiate(&mut store, &template, &actuals);
                } else {
                    switched.push(solver.new_group());
                    solver.assert_in_group(&mut store, switched[switched.len() - 1], formula);
                }
            }
            let answer = solver.check_with(&mut store, &switched, &[], &mut Budget::unlimited());
            let Answer::Unsat(mut refutation) = answer else { panic!("{answer}") };
            for system in ALL_SYSTEMS {
                for theory in ALL_RULES {
                    let options = options(system, theory);
                    let found = refutation.interpolant(&mut store, &[0], &options, &mut Budget::unlimited());
                    Judge::new(&mut store).binary(&[a], &[b], found.unwrap());
                }
            }
        }
    }
}

#[test]
fn contradictory_assumptions() {
    let mut store = Store::new();
    let p = store.variable("p", Sort::Bool);
    let mut solver = Solver::new(SolverOptions::default());
    let mut partition = Partition::new(2);
    partition.assign_assumption(p, 0);
    let (options, budget) = (ItpOptions::default(), &mut Budget::unlimited());
    for (assumptions, expected) in [([p, !p], p), ([p, Term::FALSE], Term::TRUE)] {
        let answer = solver.check_assuming(&mut store, &assumptions, budget);
        let Answer::Unsat(mut refutation) = answer else { panic!("{answer}") };
        let found = refutation.path_interpolants(&mut store, &partition, &options, budget);
        assert_eq!(found, Ok(vec![expected]));
    }
}

#[test]
fn mistakes_are_reported() {
    let mut store = Store::new();
    let p = store.variable("p", Sort::Bool);
    let mut solver = Solver::new(SolverOptions::default());
    solver.assert(&mut store, p);
    let budget = &mut Budget::unlimited();
    let default = ItpOptions::default();
    solver.assert(&mut store, !p);
    let answer = solver.check(&mut store, budget);
    let Answer::Unsat(mut refutation) = answer else { panic!("{answer}") };
    assert_eq!(refutation.interpolant(&mut store, &[7], &default, budget), Err(ItpError::NoSuchAssertion(7)));
    assert_eq!(refutation.interpolant(&mut store, &[0], &default, budget), Ok(p));
    let dual = options(InterpolationSystem::McMillan, TheoryRule::DualFarkas);
    let partition = Partition::new(3);
    let found = refutation.tree_interpolants(&mut store, &partition, &[2, 2], &dual, budget);
    assert_eq!(found, Err(ItpError::DualTree));
    let found = refutation.tree_interpolants(&mut store, &partition, &[2, 0], &default, budget);
    assert_eq!(found, Err(ItpError::NotATree));
}

/// An equation of A that B could write as well counts to A in the system by occurrence: what it is used for
/// gets into the interpolant, not the equation. McMillan's system by symbols gives the equations themselves.
#[test]
fn atoms_count_to_the_side_on_which_they_occur() {
    let mut store = Store::new();
    let [x, y] = reals::<2>(&mut store, "x");
    let starts = store.variable("starts", Sort::Bool);
    let equations = [equal(&mut store, &[(1, x)], 0), equal(&mut store, &[(1, y)], 0)];
    let both = store.and(&equations);
    let a = [store.implies(starts, both), starts];
    let b = [at_most(&mut store, &[(1, x), (1, y)], -1)];
    interpolate_all(&mut store, &a, &b, TheoryRule::Farkas);
    let mut solver = Solver::new(SolverOptions::default());
    let numbers = a.map(|f| solver.assert(&mut store, f));
    solver.assert(&mut store, b[0]);
    let answer = solver.check(&mut store, &mut Budget::unlimited());
    let Answer::Unsat(mut refutation) = answer else { panic!("{answer}") };
    let mut check = |system, theory, expected: &str| {
        let options = options(system, theory);
        let found = refutation.interpolant(&mut store, &numbers, &options, &mut Budget::unlimited()).unwrap();
        assert_eq!(store.display(found).to_string(), expected, "{system}, {theory}");
    };
    check(InterpolationSystem::McMillan, TheoryRule::Farkas, "(and (= x1 0.0) (= x2 0.0))");
    check(InterpolationSystem::Occurrence, TheoryRule::Farkas, "(>= (+ x1 x2) 0.0)");
    check(InterpolationSystem::Occurrence, TheoryRule::Decomposed, "(and (>= x2 0.0) (>= x1 0.0))");
}

/// A variable without a symbol gets one that stays with it, through scopes, in models and in traces.
#[test]
fn symbols_of_fresh_variables() {
    let mut store = Store::new();
    let mut solver = Solver::new(SolverOptions::default());
    let written = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    solver.observe(shem_smt::Recorder::new(Box::new(Output(written.clone()))));
    let number = solver.fresh(Sort::Int);
    let truth = solver.fresh(Sort::Bool);
    solver.push();
    let (x, p) = (solver.term(&mut store, number), solver.term(&mut store, truth));
    solver.pop();
    assert_eq!((solver.term(&mut store, number), solver.term(&mut store, truth)), (x, p));
    let seven = store.int(7);
    let formula = store.eq(x, seven);
    solver.assert(&mut store, formula);
    solver.assert(&mut store, p);
    let answer = solver.check(&mut store, &mut Budget::unlimited());
    let Answer::Sat(mut solution) = answer else { panic!("{answer}") };
    assert_eq!(solution.value(number), shem_term::Value::Num(Rat::from(7)));
    assert_eq!(solution.value(truth), shem_term::Value::Bool(true));
    let model = solution.model();
    assert_eq!(model.get(store.as_var(x).unwrap()), Some(&shem_term::Value::Num(Rat::from(7))));
    drop(solver);
    let trace = String::from_utf8(written.lock().unwrap().clone()).unwrap();
    assert_eq!(trace.matches("declare-fun").count(), 2, "{trace}");
    assert!(trace.contains("(= v!1 7)"), "{trace}");
}

/// An output that can be read while it is written to.
struct Output(std::sync::Arc<std::sync::Mutex<Vec<u8>>>);

impl std::io::Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
