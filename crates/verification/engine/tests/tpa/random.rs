//! Random finite systems, whose answer is found by visiting all states, under all settings.

use std::collections::BTreeSet;

use shem_base::{Budget, Rng};
use shem_chc::TransitionSystem;
use shem_engine::tpa::{CandidateOrder, Direction, GroundOrder, Refinement, StepOrder, Tpa, TpaSettings};
use shem_smt::interpolate::{InterpolationSystem, TheoryRule};
use shem_term::{Sort, Store, Term};

use crate::judge::{Found, run};

/// A state: two numbers and a truth value.
type State = (i64, i64, bool);

const SIZE: i64 = 4;

/// A command: where a guard holds, the numbers change.
struct Rule {
    /// `a x + b y >= c`.
    guard: (i64, i64, i64),
    /// If given, the truth value has to be this.
    flag: Option<bool>,
    step: (i64, i64),
    /// Whether the truth value becomes its opposite.
    flips: bool,
}

struct Finite {
    initial: Vec<State>,
    bad: (i64, i64, i64, Option<bool>),
    rules: Vec<Rule>,
}

impl Finite {
    fn random(rng: &mut Rng) -> Finite {
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
    fn distance(&self) -> Option<usize> {
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

    fn system(&self, store: &mut Store) -> TransitionSystem {
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

fn settings(rng: &mut Rng) -> TpaSettings {
    let refinement = |rng: &mut Rng| Refinement {
        rule: *rng.pick(&[
            TheoryRule::Farkas,
            TheoryRule::DualFarkas,
            TheoryRule::Decomposed,
            TheoryRule::DualDecomposed,
        ]),
        system: *rng.pick(&InterpolationSystem::ALL),
        with_farkas: rng.chance(30),
    };
    TpaSettings {
        base: 2 + rng.index(3),
        direction: *rng.pick(&[Direction::Forward, Direction::Backward]),
        step_order: *rng.pick(&[StepOrder::LessFirst, StepOrder::EqualFirst]),
        candidate_order: *rng.pick(&[CandidateOrder::LessFirst, CandidateOrder::EqualFirst]),
        ground_order: *rng.pick(&[GroundOrder::LeftFirst, GroundOrder::RightFirst]),
        use_qe: rng.chance(20),
        refinement: refinement(rng),
        less_refinement: refinement(rng),
        force_ts: false,
    }
}

#[test]
fn answers_agree_with_a_visit_of_all_states() {
    let mut rng = Rng::new(17);
    let (mut safe, mut invariants, mut unsafes, mut unknown) = (0, 0, 0, 0);
    let rounds = 150;
    for round in 0..rounds {
        let finite = Finite::random(&mut rng);
        let distance = finite.distance();
        let chosen = if round % 3 == 0 { TpaSettings::default() } else { settings(&mut rng) };
        for engine in [Tpa::new(chosen.clone()), Tpa::split(chosen.clone())] {
            let mut store = Store::new();
            let system = finite.system(&mut store);
            let budget = Budget { conflicts: 20_000, ..Budget::unlimited() };
            match run(engine, &mut store, &system, budget).0 {
                Found::Safe { invariant } => {
                    assert_eq!(distance, None, "round {round}, {chosen:?}");
                    safe += 1;
                    invariants += usize::from(invariant);
                }
                Found::Unsafe { steps } => {
                    let least = distance.unwrap_or_else(|| panic!("round {round} is safe, {chosen:?}"));
                    assert!(steps >= least, "round {round}: no path is shorter than {least}");
                    unsafes += 1;
                }
                Found::Unknown(_) => unknown += 1,
            }
        }
    }
    assert!(safe > rounds / 2 && unsafes > rounds / 4, "{safe} safe, {unsafes} unsafe");
    assert!(unknown * 20 < 2 * rounds, "{unknown} unknown of {}", 2 * rounds);
    assert!(invariants * 10 > 9 * safe, "{invariants} invariants of {safe}");
}
