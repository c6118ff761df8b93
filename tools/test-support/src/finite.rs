//! Random transition systems with finitely many states, and oracles that visit all of them.

use std::collections::BTreeSet;

use shem_base::Rng;
use shem_chc::TransitionSystem;
use shem_term::{Sort, Store, Symbol, Term, Value};

use crate::oracle::point;

/// A state: two numbers and a truth value.
type State = (i64, i64, bool);

const SIZE: i64 = 4;

/// A command: where a guard holds, the numbers change.
#[derive(Debug)]
struct Rule {
    /// `a x + b y >= c`.
    guard: (i64, i64, i64),
    /// If given, the truth value has to be this.
    flag: Option<bool>,
    step: (i64, i64),
    /// Whether the truth value becomes its opposite.
    flips: bool,
}

/// A random system of commands over two numbers below 4 and a truth value.
#[derive(Debug)]
pub struct Finite {
    initial: Vec<State>,
    bad: (i64, i64, i64, Option<bool>),
    rules: Vec<Rule>,
}

impl Finite {
    /// A random one.
    pub fn random(rng: &mut Rng) -> Finite {
        let state = |rng: &mut Rng| (rng.range(0..=SIZE - 1), rng.range(0..=SIZE - 1), rng.bool());
        let flag = |rng: &mut Rng| rng.chance(40).then(|| rng.bool());
        let rule = |rng: &mut Rng| Rule {
            guard: (rng.range(-1..=1), rng.range(-1..=1), rng.range(-2..=3)),
            flag: flag(rng),
            step: (rng.range(-1..=1), rng.range(-1..=1)),
            flips: rng.chance(30),
        };
        Finite {
            initial: (0..1 + rng.below(2)).map(|_| state(rng)).collect(),
            bad: (rng.range(-1..=2), rng.range(-1..=2), rng.range(1..=6), flag(rng)),
            rules: (0..1 + rng.below(3)).map(|_| rule(rng)).collect(),
        }
    }

    fn successors(&self, (x, y, b): State) -> Vec<State> {
        let mut found = Vec::new();
        for rule in &self.rules {
            let (p, q, c) = rule.guard;
            let next = (x + rule.step.0, y + rule.step.1, b != rule.flips);
            let inside = [next.0, next.1].iter().all(|v| (0..SIZE).contains(v));
            if p * x + q * y >= c && rule.flag.is_none_or(|f| f == b) && inside {
                found.push(next);
            }
        }
        found
    }

    fn is_bad(&self, (x, y, b): State) -> bool {
        let (p, q, c, flag) = self.bad;
        p * x + q * y >= c && flag.is_none_or(|f| f == b)
    }

    /// The length of the shortest path to a bad state.
    pub fn distance(&self) -> Option<usize> {
        let mut layer: BTreeSet<State> = self.initial.iter().copied().collect();
        let mut seen = layer.clone();
        let mut steps = 0;
        while !layer.is_empty() {
            if layer.iter().any(|&s| self.is_bad(s)) {
                return Some(steps);
            }
            let next: BTreeSet<State> = layer.iter().flat_map(|&s| self.successors(s)).collect();
            layer = next.into_iter().filter(|&s| seen.insert(s)).collect();
            steps += 1;
        }
        None
    }

    /// The system as formulas.
    pub fn system(&self, store: &mut Store) -> TransitionSystem {
        let mut variables = |suffix: &str| -> Vec<Term> {
            [("x", Sort::Int), ("y", Sort::Int), ("b", Sort::Bool)]
                .map(|(name, sort)| store.variable(&format!("{name}{suffix}"), sort))
                .to_vec()
        };
        let (state, next) = (variables(""), variables("'"));
        let linear = |store: &mut Store, (p, q, c): (i64, i64, i64)| {
            let sum = [(p.into(), state[0]), (q.into(), state[1])];
            let sum = store.linear(&sum, &(-c).into(), Sort::Int);
            let zero = store.int(0);
            store.ge(sum, zero)
        };
        let flag = |value: Option<bool>| value.map_or(Term::TRUE, |v| state[2].xor(!v));
        let mut initial = Vec::new();
        for &(x, y, b) in &self.initial {
            let (x, y) = (store.int(x), store.int(y));
            let equations = [store.eq(state[0], x), store.eq(state[1], y), state[2].xor(!b)];
            initial.push(store.and(&equations));
        }
        let mut transition = Vec::new();
        for rule in &self.rules {
            let mut parts = vec![linear(store, rule.guard), flag(rule.flag)];
            for (at, step) in [(0, rule.step.0), (1, rule.step.1)] {
                let sum = store.linear(&[(1.into(), state[at])], &step.into(), Sort::Int);
                parts.push(store.eq(next[at], sum));
                let (low, high) = (store.int(0), store.int(SIZE - 1));
                parts.push(store.ge(next[at], low));
                parts.push(store.le(next[at], high));
            }
            parts.push(store.iff(next[2], state[2].xor(rule.flips)));
            transition.push(store.and(&parts));
        }
        let (p, q, c, f) = self.bad;
        let bad = linear(store, (p, q, c));
        let bad = store.and2(bad, flag(f));
        let (initial, transition) = (store.or(&initial), store.or(&transition));
        TransitionSystem { state, next, initial, transition, bad }
    }
}

/// A random system over `count` integers from 0 to `most`, with an auxiliary in the transition.
pub fn random_system(store: &mut Store, rng: &mut Rng, count: usize, most: i64) -> TransitionSystem {
    let state: Vec<Term> = (0..count).map(|i| store.variable(&format!("x{i}"), Sort::Int)).collect();
    let next: Vec<Term> = (0..count).map(|i| store.variable(&format!("y{i}"), Sort::Int)).collect();
    let flag = store.variable("flag", Sort::Bool);
    let mut branches = Vec::new();
    for branch in 0..2 {
        let mut parts = vec![flag.xor(branch == 0)];
        let guarded = state[rng.below(count as u64) as usize];
        let bound = store.int(rng.below(most as u64 + 1) as i64);
        parts.push(if rng.below(2) == 0 { store.le(guarded, bound) } else { store.ge(guarded, bound) });
        for &y in &next {
            let from = state[rng.below(count as u64) as usize];
            let shift = rng.below(5) as i64 - 2;
            let sum = store.linear(&[(1.into(), from)], &shift.into(), Sort::Int);
            parts.push(store.eq(y, sum));
        }
        branches.push(store.and(&parts));
    }
    let mut parts = vec![store.or(&branches)];
    let (zero, top) = (store.int(0), store.int(most));
    for &variable in &next {
        parts.push(store.ge(variable, zero));
        parts.push(store.le(variable, top));
    }
    let transition = store.and(&parts);
    let start: Vec<Value> =
        (0..count).map(|_| Value::Num((rng.below(most as u64 + 1) as i64).into())).collect();
    let initial = point(store, &state, &start);
    let parity = store.linear(&[(1.into(), state[0]), (1.into(), state[count - 1])], &0.into(), Sort::Int);
    let threshold = store.int(most + rng.below(most as u64) as i64);
    let bad = if rng.below(3) == 0 {
        let goal: Vec<Value> =
            (0..count).map(|_| Value::Num((rng.below(most as u64 + 1) as i64).into())).collect();
        point(store, &state, &goal)
    } else {
        store.ge(parity, threshold)
    };
    TransitionSystem { state, next, initial, transition, bad }
}

/// Whether no bad state of such a system is reached, by visiting all states.
pub fn is_safe(store: &Store, system: &TransitionSystem, most: i64) -> bool {
    let count = system.state.len();
    let all: Vec<Vec<i64>> = (0..(most + 1).pow(count as u32))
        .map(|mut code| {
            (0..count)
                .map(|_| {
                    let digit = code % (most + 1);
                    code /= most + 1;
                    digit
                })
                .collect()
        })
        .collect();
    let flag = store.free_variables(&[system.transition]);
    let flag = flag.into_iter().find(|&v| store.sort(v) == Sort::Bool);
    let holds = |formula: Term, here: &[i64], there: &[i64], choice: bool| {
        let value = |symbol: Symbol| {
            let place = |list: &[Term]| list.iter().position(|&v| store.as_var(v) == Some(symbol));
            if flag.and_then(|f| store.as_var(f)) == Some(symbol) {
                return Some(Value::Bool(choice));
            }
            let number = place(&system.state).map(|i| here[i]).or(place(&system.next).map(|i| there[i]));
            number.map(|n| Value::Num(n.into()))
        };
        store.evaluate(formula, &value) == Some(Value::Bool(true))
    };
    let mut seen: BTreeSet<Vec<i64>> =
        all.iter().filter(|s| holds(system.initial, s, s, false)).cloned().collect();
    let mut work: Vec<Vec<i64>> = seen.iter().cloned().collect();
    while let Some(here) = work.pop() {
        if holds(system.bad, &here, &here, false) {
            return false;
        }
        for there in &all {
            let step = [false, true].iter().any(|&choice| holds(system.transition, &here, there, choice));
            if step && seen.insert(there.clone()) {
                work.push(there.clone());
            }
        }
    }
    true
}
