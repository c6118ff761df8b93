//! The solver from the outside: answers, models, cores, scopes, templates, groups and traces.

use std::sync::{Arc, Mutex};

use shem_base::{Budget, Int, Lit, Rat, Rng, UnknownReason};
use shem_justify::{Assertion, Premises, check_refutation};
use shem_smt::{Answer, QueryObserver, Recorder, Solver, SolverOptions, Status, Template};
use shem_term::{Sort, Store, Term, Value};

fn solver() -> Solver {
    Solver::new(SolverOptions::default())
}

#[track_caller]
fn check(solver: &mut Solver, store: &mut Store, expected: Status) {
    assert_eq!(solver.check(store, &mut Budget::unlimited()).status(), expected);
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
    check(&mut solver, &mut store, Status::Sat);
    solver.push();
    solver.assert(&mut store, odd);
    check(&mut solver, &mut store, Status::Unsat);
    solver.pop();
    check(&mut solver, &mut store, Status::Sat);
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
    let model = solver.check(&mut store, &mut Budget::unlimited()).into_model().unwrap();
    assert_eq!(store.evaluate(all, &model), Some(Value::Bool(true)));
    let not_31 = {
        let n = store.int(31);
        !store.eq(x, n)
    };
    solver.push();
    solver.assert(&mut store, not_31);
    solver.assert(&mut store, p);
    check(&mut solver, &mut store, Status::Unsat);
    solver.pop();
    check(&mut solver, &mut store, Status::Sat);
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
                Answer::Sat(mut solution) => {
                    let model = solution.model();
                    let value = store.evaluate(all, &model.completed(&store));
                    assert_eq!(value, Some(Value::Bool(true)), "seed {seed}");
                }
                Answer::Unsat(refutation) => {
                    assert!(!has_small_model(&store, all, &ints, &bools, 3), "seed {seed}: a model exists");
                    // There is no clause to prove if an assumption contradicts another one outright.
                    if let Some(proof) = refutation.proof() {
                        let proof = proof.expect("a derivation");
                        let assertions: Vec<Assertion> = active.iter().map(|&f| f.into()).collect();
                        let premises = Premises {
                            assertions: &assertions,
                            assumptions: &assumptions,
                            ..Premises::default()
                        };
                        let judgement = check_refutation(&mut store, &proof, refutation.solver(), premises);
                        assert_eq!(judgement, Ok(()), "seed {seed}");
                    }
                    let mut core: Vec<Term> =
                        refutation.used_assertions().iter().map(|&n| active[n as usize]).collect();
                    core.extend(refutation.failed_assumptions());
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
        assert_eq!(a.status(), b.status(), "seed {seed}");
        if let Answer::Sat(mut solution) = b {
            let model = solution.model();
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
            let mut all = base.clone();
            all.extend(chosen.iter().map(|g| g.1));
            match solver.check_with(&mut store, &handles, &assumed, &mut Budget::unlimited()) {
                Answer::Sat(mut solution) => {
                    all.extend_from_slice(&assumed);
                    let (all, model) = (store.and(&all), solution.model());
                    let value = store.evaluate(all, &model.completed(&store));
                    assert_eq!(value, Some(Value::Bool(true)), "seed {seed}");
                }
                Answer::Unsat(refutation) => {
                    assert!(refutation.assumptions().eq(assumed.iter().copied()), "seed {seed}");
                    all.extend(refutation.failed_assumptions());
                    let all = store.and(&all);
                    assert!(!has_small_model(&store, all, &ints, &bools, 3), "seed {seed}");
                }
                Answer::Unknown(reason) => panic!("seed {seed}: {reason}"),
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
    solver.observe(Recorder::new(Box::new(out.clone())));
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

/// Counts scopes and keeps the answers; all other events are ignored.
#[derive(Clone, Default)]
struct Answers(Arc<Mutex<(usize, Vec<String>)>>);

impl QueryObserver for Answers {
    fn push(&mut self) {
        self.0.lock().unwrap().0 += 1;
    }

    fn check(&mut self, store: &mut Store, guards: &[Lit], assumptions: &[Term], status: Status) {
        let shown: Vec<String> = assumptions.iter().map(|&term| store.display(term).to_string()).collect();
        let text = format!("{} guards, assuming [{}]: {status}", guards.len(), shown.join(", "));
        self.0.lock().unwrap().1.push(text);
    }
}

#[test]
fn observers_are_told_of_what_they_ask_for() {
    let mut store = Store::new();
    let p = store.variable("p", Sort::Bool);
    let mut solver = solver();
    // What happened before is not told.
    solver.push();
    let (first, second) = (Answers::default(), Answers::default());
    solver.observe(first.clone());
    solver.push();
    let group = solver.new_group();
    solver.assert_in_group(&mut store, group, !p);
    solver.check_with(&mut store, &[group], &[p], &mut Budget::unlimited());
    solver.check_assuming(&mut store, &[p], &mut Budget::unlimited());
    // A new observer takes the place of the old one.
    solver.observe(second.clone());
    solver.check(&mut store, &mut Budget::unlimited());
    let expected = ["1 guards, assuming [p]: unsat".to_owned(), "0 guards, assuming [p]: sat".to_owned()];
    assert_eq!(*first.0.lock().unwrap(), (1, expected.to_vec()));
    assert_eq!(*second.0.lock().unwrap(), (0, vec!["0 guards, assuming []: sat".to_owned()]));
}

/// What one answer says does not depend on what was asked before, and asking twice gives the same.
#[test]
fn answers_know_what_may_be_asked() {
    let mut store = Store::new();
    let x = store.variable("x", Sort::Int);
    let (zero, five) = (store.int(0), store.int(5));
    let (low, high, five_or_more) = (store.lt(x, zero), store.gt(x, zero), store.ge(x, five));
    let mut solver = solver();
    let budget = &mut Budget::unlimited();
    let variable = solver.variable(&mut store, x);
    solver.assert(&mut store, high);
    solver.assert(&mut store, five_or_more);
    let Answer::Unsat(refutation) = solver.check_assuming(&mut store, &[high, low], budget) else {
        panic!("x is positive and negative");
    };
    assert_eq!(refutation.assumptions().len(), 2);
    assert!(refutation.failed_assumptions().contains(&low));
    assert_eq!(refutation.used_assertions(), refutation.used_assertions());
    let proof = refutation.proof().expect("no assumption negates another one").expect("a derivation");
    let assertions = [high, five_or_more].map(Assertion::from);
    let premises = Premises { assertions: &assertions, assumptions: &[high, low], ..Premises::default() };
    assert_eq!(check_refutation(&mut store, &proof, refutation.solver(), premises), Ok(()));
    assert_eq!(refutation.solver().assertion_count(), 2);
    let Answer::Sat(mut solution) = solver.check(&mut store, budget) else { panic!("5 is such a number") };
    let value = solution.value(variable);
    assert_eq!(solution.model().get(store.as_var(x).unwrap()), Some(&value));
    assert!(value.as_num().is_some_and(|value| *value >= Rat::from(5)));
    assert_eq!(solution.solver().assertion_count(), 2);
    // An assumption and its negation need no derivation.
    let p = store.variable("p", Sort::Bool);
    let Answer::Unsat(refutation) = solver.check_assuming(&mut store, &[p, high, !p], budget) else {
        panic!("two assumptions contradict each other");
    };
    assert_eq!(refutation.failed_assumptions(), [p, !p]);
    assert_eq!(refutation.used_assertions(), []);
    assert!(refutation.conclusion().is_none() && refutation.proof().is_none());
    // What is not decided has no model, although the check before had one.
    let y = store.variable("y", Sort::Int);
    let larger = store.lt(x, y);
    let somewhere = !store.forall(&[y], !larger);
    solver.assert(&mut store, somewhere);
    let answer = solver.check(&mut store, budget);
    let Status::Unknown(UnknownReason::Incomplete(_)) = answer.status() else { panic!("{answer}") };
    assert_eq!((answer.is_sat(), answer.is_unsat(), answer.to_string().as_str()), (false, false, "unknown"));
    let status = answer.status();
    assert_eq!(answer.into_model(), Err(status));
}

/// Seeds change the search and not its answers; the same one gives the same search, and 0 the one without a seed.
#[test]
fn seeds_change_the_search() {
    let run = |seed: Option<u64>, holes: i64| {
        let mut store = Store::new();
        let mut solver = solver();
        seed.into_iter().for_each(|seed| solver.set_seed(seed));
        let pigeons: Vec<Term> = (0..5).map(|i| store.variable(&format!("x{i}"), Sort::Int)).collect();
        let (low, high) = (store.int(1), store.int(holes));
        for (i, &x) in pigeons.iter().enumerate() {
            for formula in [store.ge(x, low), store.le(x, high)] {
                solver.assert(&mut store, formula);
            }
            for &y in &pigeons[..i] {
                let apart = !store.eq(x, y);
                solver.assert(&mut store, apart);
            }
        }
        check(&mut solver, &mut store, if holes < 5 { Status::Unsat } else { Status::Sat });
        solver.statistics().to_string()
    };
    let found: Vec<String> = (0..4).map(|seed| run(Some(seed), 4)).collect();
    assert_eq!(found[0], run(None, 4));
    for seed in 1..4 {
        assert_eq!(found[seed], run(Some(seed as u64), 4));
        assert!(found[..seed].iter().all(|other| *other != found[seed]), "seed {seed}: {}", found[seed]);
        run(Some(seed as u64), 5);
    }
}
