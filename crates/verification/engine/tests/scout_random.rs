//! Random programs: runs with jumps against running step by step, and forged derivations against the judge.
//!
//! `SHEM_SCOUT_SYSTEMS=20000 cargo test --release -p shem-engine --test all scout_random::` looks at more of them.

#![allow(clippy::print_stdout, reason = "the figures of a long run")]

use std::fmt;

use shem_base::{Budget, Int, Rat, Rng, Statistics, StopToken};
use shem_chc::{ClauseId, Course, Derivation, Node, Progression, Run, Script, StepId, System, normalise};
use shem_check::{Validity, check_derivation};
use shem_engine::{Context, Engine, NoEvents, Outcome, Scout, ScoutSettings};
use shem_term::{Store, Value};
use shem_transform::Pipeline;

/// An expression of a random program; variables have numbers.
enum Expression {
    Linear(Vec<(Int, usize)>, Int),
    Quotient(Box<Expression>, i64),
    Remainder(Box<Expression>, i64),
    If(Box<Condition>, Box<Expression>, Box<Expression>),
}

enum Condition {
    AtMost(Expression, Int),
    Is(Expression, Int),
    And(Box<Condition>, Box<Condition>),
    Not(Box<Condition>),
}

impl Expression {
    fn value(&self, state: &[Int]) -> Int {
        match self {
            Expression::Linear(terms, constant) => {
                terms.iter().fold(constant.clone(), |sum, (factor, at)| sum + &(factor * &state[*at]))
            }
            Expression::Quotient(inner, by) => inner.value(state).div_rem_euclid(&Int::from(*by)).0,
            Expression::Remainder(inner, by) => inner.value(state).div_rem_euclid(&Int::from(*by)).1,
            Expression::If(condition, yes, no) => {
                if condition.holds(state) {
                    yes.value(state)
                } else {
                    no.value(state)
                }
            }
        }
    }
}

impl Condition {
    fn holds(&self, state: &[Int]) -> bool {
        match self {
            Condition::AtMost(expression, bound) => expression.value(state) <= *bound,
            Condition::Is(expression, value) => expression.value(state) == *value,
            Condition::And(a, b) => a.holds(state) && b.holds(state),
            Condition::Not(inner) => !inner.holds(state),
        }
    }
}

/// A number in SMT-LIB.
struct Text<'a>(&'a Int);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_negative() { write!(f, "(- {})", self.0.abs()) } else { write!(f, "{}", self.0) }
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expression::Linear(terms, constant) => {
                write!(f, "(+ {} 0", Text(constant))?;
                for (factor, at) in terms {
                    write!(f, " (* {} x{at})", Text(factor))?;
                }
                write!(f, ")")
            }
            Expression::Quotient(inner, by) => write!(f, "(div {inner} {by})"),
            Expression::Remainder(inner, by) => write!(f, "(mod {inner} {by})"),
            Expression::If(condition, yes, no) => write!(f, "(ite {condition} {yes} {no})"),
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Condition::AtMost(expression, bound) => write!(f, "(<= {expression} {})", Text(bound)),
            Condition::Is(expression, value) => write!(f, "(= {expression} {})", Text(value)),
            Condition::And(a, b) => write!(f, "(and {a} {b})"),
            Condition::Not(inner) => write!(f, "(not {inner})"),
        }
    }
}

/// A program: where it starts, what a step does, and the states from which falsehood follows.
struct Program {
    start: Vec<Int>,
    /// The steps, each of which is taken where its condition holds; the first one that does.
    steps: Vec<(Condition, Vec<Expression>)>,
    bad: Condition,
}

fn number(rng: &mut Rng) -> Int {
    match rng.index(12) {
        0 => Int::from(rng.range(-2000..=2000)),
        // Beyond 64 bits, alone or after a few steps.
        1 => Int::from(i64::MAX / 3) * &Int::from(rng.range(-9..=9)),
        _ => Int::from(rng.range(-6..=6)),
    }
}

fn bound(rng: &mut Rng) -> Int {
    Int::from(if rng.chance(50) { rng.range(-30..=30) } else { rng.range(-3000..=3000) })
}

fn expression(rng: &mut Rng, width: usize, depth: usize) -> Expression {
    match rng.index(8) {
        0 if depth > 0 => Expression::Quotient(Box::new(expression(rng, width, 0)), rng.range(2..=7)),
        1 if depth > 0 => Expression::Remainder(Box::new(expression(rng, width, 0)), rng.range(2..=9)),
        2 | 3 if depth > 0 => Expression::If(
            Box::new(condition(rng, width, depth - 1)),
            Box::new(expression(rng, width, depth - 1)),
            Box::new(expression(rng, width, depth - 1)),
        ),
        _ => {
            let terms = (0..1 + rng.index(2)).map(|_| {
                let factor = if rng.chance(85) { rng.range(-1..=1) } else { rng.range(-3..=3) };
                (Int::from(factor), rng.index(width))
            });
            Expression::Linear(terms.collect(), number(rng))
        }
    }
}

fn condition(rng: &mut Rng, width: usize, depth: usize) -> Condition {
    match rng.index(6) {
        0 if depth > 0 => Condition::And(
            Box::new(condition(rng, width, depth - 1)),
            Box::new(condition(rng, width, depth - 1)),
        ),
        1 if depth > 0 => Condition::Not(Box::new(condition(rng, width, depth - 1))),
        2 => {
            let modulus = rng.range(2..=7);
            let rest = Expression::Remainder(Box::new(expression(rng, width, 0)), modulus);
            Condition::Is(rest, Int::from(rng.range(0..=modulus - 1)))
        }
        3 => Condition::Is(expression(rng, width, 0), bound(rng)),
        _ => Condition::AtMost(expression(rng, width, 0), bound(rng)),
    }
}

/// What a variable becomes: mostly itself with a constant more, as in programs.
fn update(rng: &mut Rng, width: usize, own: usize) -> Expression {
    let more = |rng: &mut Rng, amount: i64| {
        let mut terms = vec![(Int::ONE, own)];
        if rng.chance(15) {
            terms.push((Int::from(rng.range(-2..=2)), rng.index(width)));
        }
        Expression::Linear(terms, Int::from(amount))
    };
    match rng.index(8) {
        0..=3 => {
            let amount = rng.range(-3..=3);
            more(rng, amount)
        }
        4 | 5 => {
            let (a, b) = (rng.range(-3..=3), rng.range(-3..=3));
            let test = condition(rng, width, 1);
            Expression::If(Box::new(test), Box::new(more(rng, a)), Box::new(more(rng, b)))
        }
        6 => Expression::Linear(vec![(Int::ONE, own)], number(rng)),
        _ => expression(rng, width, 2),
    }
}

/// A random program, with the number of steps after which it first is in a bad state.
fn program(rng: &mut Rng) -> Option<(Program, Vec<Vec<Int>>)> {
    let width = 1 + rng.index(3);
    let start: Vec<Int> = (0..width).map(|_| number(rng)).collect();
    let count = 1 + rng.index(2);
    let steps: Vec<(Condition, Vec<Expression>)> = (0..count)
        .map(|at| {
            let always = Condition::AtMost(Expression::Linear(vec![], Int::ZERO), Int::ZERO);
            let test = if at + 1 == count { always } else { condition(rng, width, 1) };
            (test, (0..width).map(|own| update(rng, width, own)).collect())
        })
        .collect();
    let mut states = vec![start.clone()];
    let length = 1 + rng.index(2500);
    while states.len() <= length {
        let state = &states[states.len() - 1];
        let (_, step) = steps.iter().find(|(test, _)| test.holds(state))?;
        let next: Vec<Int> = step.iter().map(|expression| expression.value(state)).collect();
        // Numbers that double in each step become too long.
        if next.iter().any(|value| value.bits() > 400) {
            break;
        }
        states.push(next);
    }
    let last = &states[states.len() - 1];
    let own = rng.index(width);
    let is = |at: usize| Condition::Is(Expression::Linear(vec![(Int::ONE, at)], Int::ZERO), last[at].clone());
    let bad = match rng.index(4) {
        0 => is(own),
        1 => Condition::And(Box::new(is(own)), Box::new(is(rng.index(width)))),
        2 => Condition::And(Box::new(is(own)), Box::new(condition(rng, width, 1))),
        _ => condition(rng, width, 1),
    };
    let program = Program { start, steps, bad };
    let found = states.iter().position(|state| program.bad.holds(state))?;
    states.truncate(found + 1);
    Some((program, states))
}

fn text(program: &Program) -> String {
    let width = program.start.len();
    let list = |name: &str| (0..width).map(|i| format!(" {name}{i}")).collect::<String>();
    let bound = |name: &str| (0..width).map(|i| format!("({name}{i} Int)")).collect::<String>();
    let mut text = format!("(set-logic HORN)(declare-fun p ({}) Bool)\n", "Int ".repeat(width));
    let start: String = program.start.iter().map(|value| format!(" {}", Text(value))).collect();
    text += &format!("(assert (p{start}))\n");
    for (at, (_, step)) in program.steps.iter().enumerate() {
        let mut guards = String::new();
        for (before, (test, _)) in program.steps[..=at].iter().enumerate() {
            guards += &if before == at { format!(" {test}") } else { format!(" (not {test})") };
        }
        let next: String = step.iter().enumerate().map(|(i, e)| format!(" (= y{i} {e})")).collect();
        text += &format!(
            "(assert (forall ({}{}) (=> (and (p{}){guards}{next}) (p{}))))\n",
            bound("x"),
            bound("y"),
            list("x"),
            list("y")
        );
    }
    let bad = &program.bad;
    text + &format!("(assert (forall ({}) (=> (and (p{}) {bad}) false)))(check-sat)", bound("x"), list("x"))
}

fn judge(store: &mut Store, system: &System, derivation: &Derivation<ClauseId>) -> Validity {
    check_derivation(store, system, derivation, &mut Budget::unlimited())
}

/// The facts of a derivation are the states of the program, one after another.
fn compare(store: &Store, derivation: &Derivation<ClauseId>, states: &[Vec<Int>], at: &str) {
    assert_eq!(derivation.step_count(), states.len() as u64 + 1, "{at}: the first bad state");
    let done: Result<(), ()> = derivation.visit_steps(store, |step| {
        if let Some(state) = states.get(step.number as usize) {
            let expected: Vec<Value> = state.iter().map(|value| Value::Num(Rat::from(value))).collect();
            assert_eq!(step.values, expected, "{at}: step {}", step.number);
        }
        Ok(())
    });
    done.expect("no step fails");
}

#[derive(Default)]
struct Counts {
    systems: usize,
    jumps: usize,
    streams: usize,
    big: usize,
    undecided: usize,
    forged: usize,
    rejected: usize,
}

/// Runs the program of a seed with jumps, judges the derivation, and forges it.
fn examine(seed: u64, counts: &mut Counts) {
    let mut rng = Rng::new(seed);
    let Some((program, states)) = program(&mut rng) else { return };
    let at = format!("seed {seed}\n{}", text(&program));
    let mut store = Store::new();
    let script = Script::read(&mut store, &text(&program), &StopToken::new()).expect(&at);
    let system = script.system;
    let plain = normalise(&mut store, &system);
    let mut budget = Budget::unlimited();
    let prepared = Pipeline::standard().run(&mut store, plain.clone(), &mut Statistics::new(), &mut budget);
    counts.systems += 1;
    for (passes, streamed) in [(false, false), (true, false), (false, true), (true, true)] {
        if passes && prepared.decision(&mut store, &budget).is_some() {
            continue;
        }
        let graph = if passes { &prepared.graph } else { &plain };
        let (mut events, statistics) = (NoEvents, Statistics::new());
        let mut context =
            Context { budget: budget.clone(), seed, witness: true, events: &mut events, statistics };
        // Without jumps, after some steps none is kept.
        let few = ScoutSettings { steps: 1 + rng.index(100), jumps: 0, ..ScoutSettings::default() };
        let settings = if streamed { few } else { ScoutSettings::default() };
        let derivation = match Scout::new(settings).solve(&mut store, graph, &mut context) {
            Outcome::Unsafe(witness) => witness.get(&mut store, &mut budget).expect(&at),
            // After the passes a choice between steps may be there that was none.
            Outcome::Unknown(_) if passes || streamed => continue,
            other => panic!("{at}\n{other:?}"),
        };
        match derivation.nodes().any(|node| matches!(node, Node::Run(..))) {
            true => counts.streams += 1,
            false => counts.jumps += usize::from(derivation.has_repetitions()),
        }
        let derivation = if passes {
            prepared.derivation(&mut store, derivation, &mut budget).expect(&at)
        } else {
            derivation
        };
        let derivation = derivation.map_rules(shem_chc::EdgeId::clause);
        match judge(&mut store, &system, &derivation) {
            Validity::Valid => {}
            Validity::Unknown(_) => counts.undecided += 1,
            Validity::Invalid(defect) => panic!("{at}\n{defect}"),
        }
        if !passes {
            compare(&store, &derivation, &states, &at);
        }
        if derivation.has_repetitions() {
            for _ in 0..4 {
                let forged = forge(&mut store, &derivation, &mut rng, system.clauses.len());
                counts.forged += 1;
                if judge(&mut store, &system, &forged) != Validity::Valid {
                    counts.rejected += 1;
                    continue;
                }
                let plain = forged.expanded(&store, 100_000).expect("a short derivation");
                assert_eq!(judge(&mut store, &system, &plain), Validity::Valid, "{at}\n{forged:?}");
            }
        }
    }
    counts.big += usize::from(states.iter().flatten().any(|value| value.to_i64().is_none()));
}

/// The derivation with a mistake in one of its repetitions or runs.
fn forge(
    store: &mut Store,
    derivation: &Derivation<ClauseId>,
    rng: &mut Rng,
    clauses: usize,
) -> Derivation<ClauseId> {
    let count = derivation.nodes().filter(|node| !matches!(node, Node::Step(..))).count();
    let chosen = rng.index(count);
    let mut result = Derivation::new();
    let mut steps: Vec<StepId> = Vec::new();
    let mut seen = 0;
    for node in derivation.nodes() {
        match node {
            Node::Step(_, step) => {
                let premises: Vec<StepId> = step.premises.iter().map(|p| steps[p.index()]).collect();
                steps.push(result.push(step.rule, &premises, step.values.to_vec()));
            }
            Node::Run(_, step, run) => {
                let (mut run, mut values) = (run.clone(), step.values.to_vec());
                if seen == chosen {
                    mistake_in_run(store, &mut run, &mut values, rng, clauses);
                }
                seen += 1;
                steps.push(result.push_run(steps[step.premises[0].index()], run, values));
            }
            Node::Repetition(repetition) => {
                let mut word: Vec<(ClauseId, Vec<Course>)> =
                    (0..repetition.length()).map(|p| (repetition.rule(p), repetition.courses(p))).collect();
                let mut rounds = repetition.rounds();
                if seen == chosen {
                    mistake(&mut word, &mut rounds, rng, clauses);
                }
                seen += 1;
                let last = result.push_repetition(steps[repetition.premise().index()], rounds, &word);
                steps.extend(std::iter::repeat_n(last, repetition.length()));
            }
        }
    }
    result
}

fn mistake_in_run(
    store: &mut Store,
    run: &mut Run<ClauseId>,
    values: &mut [Value],
    rng: &mut Rng,
    clauses: usize,
) {
    let case = rng.index(run.cases.len());
    let argument = rng.index(values.len());
    let case = &mut run.cases[case];
    match rng.index(6) {
        0 => run.steps += 1 + rng.below(3),
        1 => run.steps = (run.steps - 1).max(1),
        2 => case.rule = ClauseId::new(rng.index(clauses)),
        3 => case.guard = !case.guard,
        4 => {
            let one = store.int(1);
            case.next[argument] = store.add(&[case.next[argument], one]);
        }
        _ => {
            if let Value::Num(number) = &mut values[argument] {
                *number += &Rat::ONE;
            }
        }
    }
}

fn mistake(word: &mut Vec<(ClauseId, Vec<Course>)>, rounds: &mut u64, rng: &mut Rng, clauses: usize) {
    let at = rng.index(word.len());
    match rng.index(6) {
        0 => *rounds += 1,
        1 => *rounds = (*rounds - 1).max(1),
        2 => *rounds += 1 + rng.below(50),
        3 => word[at].0 = ClauseId::new(rng.index(clauses)),
        4 if word.len() > 1 => {
            word.remove(at);
        }
        4 => {
            let copy = word[at].clone();
            word.push(copy);
        }
        _ => {
            let argument = rng.index(word[at].1.len());
            if let Course::Number(progression) = &word[at].1[argument] {
                let mut coefficients = progression.coefficients().to_vec();
                coefficients.resize(coefficients.len().max(2), Rat::ZERO);
                let which = rng.index(coefficients.len());
                coefficients[which] += &Rat::from(*rng.pick(&[-1, 1, 2]));
                word[at].1[argument] = Course::Number(Progression::new(coefficients));
            }
        }
    }
}

#[test]
fn jumps_agree_with_single_steps() {
    let systems: usize =
        std::env::var("SHEM_SCOUT_SYSTEMS").map_or(400, |text| text.parse().expect("a number"));
    let mut counts = Counts::default();
    let mut seed = 0;
    while counts.systems < systems {
        examine(seed, &mut counts);
        seed += 1;
    }
    let Counts { systems, jumps, streams, big, undecided, forged, rejected } = counts;
    println!(
        "{systems} systems, {jumps} runs with jumps, {streams} that were not kept, {big} with large numbers, {undecided} not judged, \
         {rejected} of {forged} forged derivations rejected"
    );
    assert!(streams * 4 > systems, "a one-sided test");
    assert!(jumps * 4 > systems && big * 50 > systems && forged > systems / 2, "a one-sided test");
    assert!(rejected * 2 > forged && undecided * 50 < systems, "a judge that says nothing");
}
