//! The solver from the outside: answers, models, cores, scopes, templates, groups and traces.

use std::sync::{Arc, Mutex};

use shem_base::{Budget, Int, Rat, Rng};
use shem_justify::{Assertion, Premises, check_refutation};
use shem_smt::{Answer, Recorder, Solver, SolverOptions, Template};
use shem_term::{Sort, Store, Term, Value};

fn solver() -> Solver {
    Solver::new(SolverOptions::default())
}

#[track_caller]
fn check(solver: &mut Solver, store: &mut Store, expected: Answer) {
    assert_eq!(solver.check(store, &mut Budget::unlimited()), expected);
}

#[test]
fn parity_is_refuted() {
    let mut store = Store::new();
    let [x, y, z] = ["x", "y", "z"].map(|n| store.variable(n, Sort::Int));
    let two_y = store.scale(&Rat::from(2), y);
    let two_z = store.linear(&[(Rat::from(2), z)], &Rat::ONE, Sort::Int);
    let even = store.eq(x, two_y);
    let odd = store.eq(x, two_z);
    let mut solver = solver();
    solver.assert(&mut store, even);
    check(&mut solver, &mut store, Answer::Sat);
    solver.push();
    solver.assert(&mut store, odd);
    check(&mut solver, &mut store, Answer::Unsat);
    solver.pop();
    check(&mut solver, &mut store, Answer::Sat);
}

#[test]
fn conditionals_quotients_and_rounding() {
    let mut store = Store::new();
    let x = store.variable("x", Sort::Int);
    let u = store.variable("u", Sort::Real);
    let p = store.variable("p", Sort::Bool);
    let ten = store.int(10);
    // x div 3 = 10, x mod 3 = (ite p 1 2), to_int(u) = x, u > x + 0.5
    let div = store.int_div(x, &Int::from(3));
    let a = store.eq(div, ten);
    let rem = store.int_mod(x, &Int::from(3));
    let (one, two) = (store.int(1), store.int(2));
    let cond = store.ite(p, one, two);
    let b = store.eq(rem, cond);
    let floor = store.to_int(u);
    let c = store.eq(floor, x);
    let xr = store.to_real(x);
    let half = store.real(Rat::new(1, 2));
    let xr_half = store.add(&[xr, half]);
    let d = store.gt(u, xr_half);
    let all = store.and(&[a, b, c, d]);
    let mut solver = solver();
    solver.assert(&mut store, all);
    check(&mut solver, &mut store, Answer::Sat);
    let model = solver.model();
    assert_eq!(store.evaluate(all, &model), Some(Value::Bool(true)));
    let not_31 = {
        let n = store.int(31);
        !store.eq(x, n)
    };
    solver.push();
    solver.assert(&mut store, not_31);
    solver.assert(&mut store, p);
    check(&mut solver, &mut store, Answer::Unsat);
    solver.pop();
    check(&mut solver, &mut store, Answer::Sat);
}

/// A random formula over a few variables, with all kinds of nodes.
fn random_formula(store: &mut Store, rng: &mut Rng, ints: &[Term], bools: &[Term], depth: usize) -> Term {
    if depth == 0 || rng.chance(15) {
        if rng.chance(25) {
            return bools[rng.index(bools.len())].xor(rng.bool());
        }
        let a = random_sum(store, rng, ints, bools, depth);
        let b = random_sum(store, rng, ints, bools, depth);
        return match rng.below(6) {
            0 => store.eq(a, b),
            1 => store.lt(a, b),
            2 if store.sort(a) == Sort::Int => store.divisible(&Int::from(rng.range(2..=4)), a),
            _ => store.le(a, b),
        };
    }
    let mut sub = |store: &mut Store| random_formula(store, rng, ints, bools, depth - 1);
    let (a, b, c) = (sub(store), sub(store), sub(store));
    match rng.below(6) {
        0 | 1 => store.and(&[a, b, c]),
        2 | 3 => store.or(&[a, b, c]),
        4 => store.iff(a, b),
        _ => store.ite(a, b, c),
    }
}

fn random_sum(store: &mut Store, rng: &mut Rng, nums: &[Term], bools: &[Term], depth: usize) -> Term {
    let sort = store.sort(nums[0]);
    let mut terms = Vec::new();
    for _ in 0..rng.range(1..=2) {
        terms.push((Rat::from(rng.range(-3..=3)), nums[rng.index(nums.len())]));
    }
    let sum = store.linear(&terms, &Rat::from(rng.range(-6..=6)), sort);
    match rng.below(8) {
        0 if depth > 0 => {
            let cond = random_formula(store, rng, nums, bools, depth - 1);
            let other = nums[rng.index(nums.len())];
            store.ite(cond, sum, other)
        }
        1 if sort == Sort::Int => store.int_div(sum, &Int::from(rng.range(2..=4))),
        2 if sort == Sort::Int => store.int_mod(sum, &Int::from(rng.range(2..=4))),
        _ => sum,
    }
}

/// Whether the formula has a model with all integers between -`bound` and `bound`.
fn has_small_model(store: &Store, formula: Term, ints: &[Term], bools: &[Term], bound: i64) -> bool {
    let width = (2 * bound + 1) as usize;
    let total = width.pow(ints.len() as u32) << bools.len();
    (0..total).any(|code| {
        let value = |symbol| {
            let mut rest = code;
            for &b in bools {
                if store.as_var(b) == Some(symbol) {
                    return Some(Value::Bool(rest & 1 == 1));
                }
                rest >>= 1;
            }
            for &x in ints {
                if store.as_var(x) == Some(symbol) {
                    return Some(Value::Num(Rat::from((rest % width) as i64 - bound)));
                }
                rest /= width;
            }
            None
        };
        store.evaluate(formula, &value) == Some(Value::Bool(true))
    })
}

#[test]
fn random_integer_formulas_agree_with_enumeration() {
    for seed in 0..400 {
        let mut rng = Rng::new(seed);
        let mut store = Store::new();
        let ints = ["x", "y"].map(|n| store.variable(n, Sort::Int));
        let bools = ["p", "q"].map(|n| store.variable(n, Sort::Bool));
        let mut solver = solver();
        let mut stack: Vec<Vec<Term>> = vec![Vec::new()];
        // All integers are bounded, so that enumeration decides.
        for x in ints {
            let (lo, hi) = (store.int(-3), store.int(3));
            let (a, b) = (store.ge(x, lo), store.le(x, hi));
            for t in [a, b] {
                solver.assert(&mut store, t);
                stack[0].push(t);
            }
        }
        for _ in 0..12 {
            match rng.below(4) {
                0 if stack.len() < 4 => {
                    solver.push();
                    stack.push(Vec::new());
                }
                1 if stack.len() > 1 => {
                    solver.pop();
                    stack.pop();
                }
                _ => {
                    let f = random_formula(&mut store, &mut rng, &ints, &bools, 2);
                    solver.assert(&mut store, f);
                    stack.last_mut().unwrap().push(f);
                }
            }
            let active: Vec<Term> = stack.iter().flatten().copied().collect();
            let assumptions: Vec<Term> =
                (0..rng.below(3)).map(|_| random_formula(&mut store, &mut rng, &ints, &bools, 1)).collect();
            let answer = solver.check_assuming(&mut store, &assumptions, &mut Budget::unlimited());
            let mut goal = active.clone();
            goal.extend_from_slice(&assumptions);
            let all = store.and(&goal);
            match answer {
                Answer::Sat => {
                    let model = solver.model();
                    let value = store.evaluate(all, &model.completed(&store));
                    assert_eq!(value, Some(Value::Bool(true)), "seed {seed}");
                }
                Answer::Unsat => {
                    assert!(!has_small_model(&store, all, &ints, &bools, 3), "seed {seed}: a model exists");
                    // There is no clause to prove if an assumption contradicts another one outright.
                    if let Some(proof) = solver.proof() {
                        let proof = proof.expect("a derivation");
                        let assertions: Vec<Assertion> = active.iter().map(|&f| f.into()).collect();
                        let premises = Premises {
                            assertions: &assertions,
                            assumptions: &assumptions,
                            ..Premises::default()
                        };
                        let judgement = check_refutation(&mut store, &proof, &solver, premises);
                        assert_eq!(judgement, Ok(()), "seed {seed}");
                    }
                    let mut core: Vec<Term> =
                        solver.used_assertions().iter().map(|&n| active[n as usize]).collect();
                    core.extend(solver.failed_assumptions());
                    let core = store.and(&core);
                    assert!(!has_small_model(&store, core, &ints, &bools, 3), "seed {seed}: not a core");
                }
                Answer::Unknown(reason) => panic!("seed {seed}: {reason}"),
            }
        }
    }
}

#[test]
fn templates_agree_with_assertions() {
    for seed in 0..200 {
        let mut rng = Rng::new(seed);
        let mut store = Store::new();
        let ints = ["x", "y"].map(|n| store.variable(n, Sort::Int));
        let bools = ["p", "q"].map(|n| store.variable(n, Sort::Bool));
        let formula = random_formula(&mut store, &mut rng, &ints, &bools, 3);
        let more = random_formula(&mut store, &mut rng, &ints, &bools, 3);
        let mut plain = solver();
        let mut instanced = solver();
        let formals = [ints[0], ints[1], bools[0], bools[1]];
        for f in [formula, more] {
            plain.assert(&mut store, f);
            let template = Template::new(&mut store, f, &formals);
            let actuals = formals.map(|t| instanced.variable(&mut store, t));
            instanced.instantiate(&mut store, &template, &actuals);
        }
        let a = plain.check(&mut store, &mut Budget::unlimited());
        let b = instanced.check(&mut store, &mut Budget::unlimited());
        assert_eq!(a, b, "seed {seed}");
        if b.is_sat() {
            let model = instanced.model();
            let all = store.and2(formula, more);
            assert_eq!(store.evaluate(all, &model.completed(&store)), Some(Value::Bool(true)), "seed {seed}");
        }
    }
}

#[test]
fn groups_hold_only_where_they_are_named() {
    for seed in 0..150 {
        let mut rng = Rng::new(seed);
        let mut store = Store::new();
        let ints = ["x", "y"].map(|n| store.variable(n, Sort::Int));
        let bools = ["p", "q"].map(|n| store.variable(n, Sort::Bool));
        let mut solver = solver();
        let mut base = Vec::new();
        for x in ints {
            let (lo, hi) = (store.int(-3), store.int(3));
            let (a, b) = (store.ge(x, lo), store.le(x, hi));
            for t in [a, b] {
                solver.assert(&mut store, t);
                base.push(t);
            }
        }
        let mut groups = Vec::new();
        for _ in 0..6 {
            let group = solver.new_group();
            let f = random_formula(&mut store, &mut rng, &ints, &bools, 2);
            solver.assert_in_group(&mut store, group, f);
            groups.push((group, f));
        }
        for _ in 0..14 {
            if rng.chance(30) {
                // A group is exchanged for another one.
                let place = rng.below(groups.len() as u64) as usize;
                let group = solver.new_group();
                let f = random_formula(&mut store, &mut rng, &ints, &bools, 2);
                solver.assert_in_group(&mut store, group, f);
                let (old, _) = std::mem::replace(&mut groups[place], (group, f));
                solver.drop_group(old);
            }
            let mut chosen: Vec<_> = groups.iter().filter(|_| rng.chance(40)).copied().collect();
            if rng.bool() {
                chosen.reverse();
            }
            let scoped = rng.chance(30);
            if scoped {
                solver.push();
                let f = random_formula(&mut store, &mut rng, &ints, &bools, 1);
                solver.assert(&mut store, f);
                base.push(f);
                if rng.bool() {
                    // A group that goes with the scope; the others stay on beyond it.
                    let group = solver.new_group();
                    let f = random_formula(&mut store, &mut rng, &ints, &bools, 2);
                    solver.assert_in_group(&mut store, group, f);
                    chosen.push((group, f));
                }
            }
            let handles: Vec<_> = chosen.iter().map(|g| g.0).collect();
            let assumed: Vec<_> =
                (0..rng.below(4)).map(|_| random_formula(&mut store, &mut rng, &ints, &bools, 1)).collect();
            let answer = solver.check_with(&mut store, &handles, &assumed, &mut Budget::unlimited());
            let mut all = base.clone();
            all.extend(chosen.iter().map(|g| g.1));
            all.extend(if answer.is_sat() { assumed } else { solver.failed_assumptions() });
            let all = store.and(&all);
            if answer.is_sat() {
                let model = solver.model();
                assert_eq!(
                    store.evaluate(all, &model.completed(&store)),
                    Some(Value::Bool(true)),
                    "seed {seed}"
                );
            } else {
                assert_eq!(answer, Answer::Unsat);
                assert!(!has_small_model(&store, all, &ints, &bools, 3), "seed {seed}");
            }
            if scoped {
                solver.pop();
                base.pop();
            }
            if rng.chance(30) {
                let (group, formula) = &mut groups[rng.below(6) as usize];
                let more = random_formula(&mut store, &mut rng, &ints, &bools, 1);
                solver.assert_in_group(&mut store, *group, more);
                *formula = store.and2(*formula, more);
            }
        }
    }
}

/// An output that the test can read while the solver holds it.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn queries_are_recorded() {
    let mut store = Store::new();
    let x = store.variable("x", Sort::Int);
    let same_name = store.variable("x", Sort::Int);
    let lt = store.lt(x, same_name);
    let mut solver = solver();
    let out = Shared::default();
    solver.record(Recorder::new(Box::new(out.clone())));
    solver.assert(&mut store, lt);
    solver.push();
    let group = solver.new_group();
    solver.assert_in_group(&mut store, group, !lt);
    let template = Template::new(&mut store, lt, &[x, same_name]);
    let a = solver.variable(&mut store, x);
    let b = solver.fresh(Sort::Int);
    solver.instantiate(&mut store, &template, &[b, a]);
    solver.check_with(&mut store, &[group], &[lt], &mut Budget::unlimited());
    solver.pop();
    solver.check(&mut store, &mut Budget::unlimited());
    let text = String::from_utf8(out.0.lock().unwrap().clone()).unwrap();
    let expected = "\
(set-option :global-declarations true)
(set-logic ALL)
(declare-fun x () Int)
(declare-fun x!1 () Int)
(assert (! (<= (+ x (- x!1)) (- 1)) :named assertion!2))
(push 1)
(declare-fun v!3 () Bool)
(assert (! (=> v!3 (>= (+ x (- x!1)) 0)) :named assertion!4))
(declare-fun v!5 () Int)
(define-fun template!6 ((p!0 Int) (p!1 Int)) Bool (<= (+ p!0 (- p!1)) (- 1)))
(assert (! (template!6 v!5 x) :named assertion!7))
(declare-fun assumption!8 () Bool)
(assert (=> assumption!8 (<= (+ x (- x!1)) (- 1))))
(set-info :status unsat)
(check-sat-assuming (v!3 assumption!8))
(pop 1)
(set-info :status sat)
(check-sat)
";
    assert_eq!(text, expected);
}
