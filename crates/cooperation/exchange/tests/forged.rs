//! Ten thousand forged and malformed messages: they cost time, never the answer.

use shem_base::{Budget, Rng, Statistics};
use shem_chc::{Fingerprint, TransitionSystem};
use shem_engine::pdkind::{Order, PdKind, Settings};
use shem_engine::{
    Claim, Context, Events, Lemma, Outcome, Port, Progress, Standing, TransitionEngine, TransitionVerdict,
};
use shem_exchange::{Hub, HubPort, Note, PREFIX, Share, VERSION, decode, encode};
use shem_smt::interpolate::{ItpOptions, TheoryRule};
use shem_term::{Sort, Store, Value};

/// Messages in all, and in one run.
const MESSAGES: usize = 10_000;
const PER_RUN: usize = 250;

struct Member(HubPort);

impl Events for Member {
    fn progress(&mut self, _: Progress) {}

    fn port(&mut self) -> Option<&mut dyn Port> {
        Some(&mut self.0)
    }
}

/// `x` counts from 0. In the safe system `y` is the number before, and bad is a negative one: whatever an engine is
/// told, it has to find one bound. In the other one `y` is the sum of the numbers, and bad is 21, which is reached
/// after seven steps.
fn system(store: &mut Store, safe: bool) -> TransitionSystem {
    let [x, y, next_x, next_y] = ["x", "y", "x'", "y'"].map(|name| store.variable(name, Sort::Int));
    let (zero, sum) = (store.int(0), store.int(21));
    let initial = [store.eq(x, zero), store.eq(y, zero)];
    let more = store.linear(&[(1.into(), x)], &1.into(), Sort::Int);
    let both = store.linear(&[(1.into(), x), (1.into(), y)], &0.into(), Sort::Int);
    let steps = [store.eq(next_x, more), store.eq(next_y, if safe { x } else { both })];
    TransitionSystem {
        state: vec![x, y],
        next: vec![next_x, next_y],
        initial: store.and(&initial),
        transition: store.and(&steps),
        bad: if safe { store.lt(y, zero) } else { store.eq(y, sum) },
    }
}

/// A formula that says anything.
fn formula(rng: &mut Rng) -> String {
    let variable = ["x0", "x1"][rng.index(2)];
    let number = rng.range(-3..=25);
    let number = if number < 0 { format!("(- {})", -number) } else { number.to_string() };
    match rng.index(8) {
        0 => "false".to_owned(),
        1 => "true".to_owned(),
        2 => format!("(not (= {variable} {number}))"),
        3 => format!("(or (<= x0 {number}) (>= (+ x0 (* (- 2) x1)) 3))"),
        4 => format!("(= {variable} {number})"),
        5 => format!("(< {variable} {number})"),
        _ => format!("(>= {variable} {number})"),
    }
}

/// The text of a message.
fn message(sender: u64, about: Fingerprint, content: &str) -> String {
    format!(r#"{PREFIX}{VERSION},"sender":{sender},"about":"{about}","content":{content}}}"#)
}

fn reach(level: i64, formula: &str) -> String {
    format!(r#"{{"reach":{{"level":{level},"formula":"{formula}"}}}}"#)
}

fn induction(level: i64, formula: &str, counterexample: &str, distance: i64) -> String {
    let states = format!(r#""counterexample":"{counterexample}","distance":{distance}"#);
    format!(r#"{{"induction":{{"level":{level},"formula":"{formula}",{states}}}}}"#)
}

/// A message that was never true, unless by accident.
fn forged(rng: &mut Rng, about: Fingerprint) -> String {
    let level = rng.range(0..=8);
    let (lemma, states) = (formula(rng), formula(rng));
    let content = match rng.index(5) {
        0 | 1 => reach(level, &lemma),
        2 => format!(r#"{{"power":{{"span":"less","level":{level},"formula":"(<= x0 y1)"}}}}"#),
        // Here the lemma does exclude its counterexample.
        3 => induction(level, &format!("(not {states})"), &states, rng.range(0..=9)),
        _ => induction(level, &lemma, &states, rng.range(0..=9)),
    };
    message(77, about, &content)
}

/// The message with some bytes changed.
fn mutilated(rng: &mut Rng, message: &str) -> Vec<u8> {
    let mut bytes = message.as_bytes().to_vec();
    for _ in 0..=rng.index(4) {
        if bytes.is_empty() {
            break;
        }
        let at = rng.index(bytes.len());
        match rng.index(3) {
            0 => bytes[at] = rng.index(256) as u8,
            1 => drop(bytes.remove(at)),
            _ => bytes.truncate(at.max(1)),
        }
    }
    bytes
}

fn solve(
    store: &mut Store,
    system: &TransitionSystem,
    notes: Vec<(Note, Standing)>,
    instance: usize,
) -> (TransitionVerdict, Statistics) {
    let hub = Hub::new(2, notes.len().max(1));
    let other = hub.endpoint(1);
    for (note, standing) in notes {
        other.send(note, standing);
    }
    let mut member = Member(HubPort::new(hub.endpoint(0), 0, Share::ALL));
    let mut context = Context {
        budget: Budget::unlimited(),
        seed: instance as u64,
        witness: true,
        events: &mut member,
        statistics: Statistics::new(),
    };
    // What the variations differ in most: the interpolation algorithm and the order of obligations.
    let settings = match instance {
        0 => Settings::default(),
        _ => {
            let interpolation =
                ItpOptions { theory: TheoryRule::Decomposed, ..Settings::default().interpolation };
            Settings { interpolation, order: Order::Scored, ..Settings::default() }
        }
    };
    let verdict = PdKind::new(settings).solve(store, system, &mut context);
    let mut statistics = context.statistics;
    statistics.add("received", member.0.counters().received);
    (verdict, statistics)
}

/// The verdict is right, and what stands behind it, too.
fn check(store: &mut Store, system: &TransitionSystem, verdict: TransitionVerdict, safe: bool) {
    let budget = &mut Budget::unlimited();
    match verdict {
        Outcome::Safe(proven) if safe => {
            let certificate = proven.certificate.expect("a certificate");
            assert_eq!(certificate.check(store, system, budget), Ok(()));
        }
        Outcome::Unsafe(witness) if !safe => {
            let path = witness.get(store, budget).expect("a path").into_states(store);
            let mut state = (0i64, 0i64);
            for values in &path {
                assert_eq!(*values, [Value::Num(state.0.into()), Value::Num(state.1.into())]);
                state = (state.0 + 1, state.1 + state.0);
            }
            assert_eq!(path.last().map(|values| values[1].clone()), Some(Value::Num(21.into())));
        }
        other => panic!("safe: {safe}, but {other:?}"),
    }
}

#[test]
fn forged_lemmas_and_counterexamples_never_change_the_answer() {
    let mut rng = Rng::new(8);
    let (mut sent, mut malformed, mut received, mut refuted, mut unconfirmed) = (0, 0, 0, 0, 0);
    for run in 0..MESSAGES / PER_RUN {
        let safe = run % 2 == 0;
        let mut store = Store::new();
        let system = system(&mut store, safe);
        let about = Fingerprint::of_transitions(&store, &system);
        let mut notes = Vec::with_capacity(PER_RUN);
        for _ in 0..PER_RUN {
            sent += 1;
            let message = forged(&mut rng, about);
            let bytes = if rng.chance(20) { mutilated(&mut rng, &message) } else { message.into_bytes() };
            match decode(&bytes) {
                Ok(note) => notes.push((note, Standing::Candidate)),
                Err(_) => malformed += 1,
            }
        }
        let (verdict, statistics) = solve(&mut store, &system, notes, run);
        check(&mut store, &system, verdict, safe);
        received += statistics.count("received");
        refuted += statistics.count("shared.refuted");
        unconfirmed += statistics.count("shared.unconfirmed");
    }
    assert_eq!(sent, MESSAGES);
    // The test tests something: messages were refused at every stage.
    assert!(
        malformed > 500 && received > 1_000 && refuted > 100 && unconfirmed > 100,
        "{malformed} {received} {refuted} {unconfirmed}"
    );
}

#[test]
fn an_unproved_counterexample_is_not_enough_for_unsat() {
    let mut store = Store::new();
    let system = system(&mut store, true);
    let about = Fingerprint::of_transitions(&store, &system);
    let read = |content: String| decode(message(3, about, &content).as_bytes()).expect("a message");
    for standing in [Standing::Candidate, Standing::Proven] {
        let lemma = read(induction(1, "(>= x0 0)", "(< x0 0)", 1));
        let (verdict, statistics) = solve(&mut store, &system, vec![(lemma, standing)], 0);
        check(&mut store, &system, verdict, true);
        assert_eq!(statistics.count("shared.taken"), 1, "{statistics}");
    }
    // It is true that x is not 5 within two steps, and no lie that x can be 5; but no bad state follows.
    let lie = read(induction(2, "(not (= x0 5))", "(= x0 5)", 3));
    let (verdict, statistics) = solve(&mut store, &system, vec![(lie, Standing::Proven)], 1);
    check(&mut store, &system, verdict, true);
    assert_eq!(statistics.count("shared.taken"), 1, "{statistics}");
    // The counterexample is not excluded, and the message is nonsense.
    let nonsense = read(induction(9, "(>= x0 0)", "(= x0 5)", 3));
    let (verdict, statistics) = solve(&mut store, &system, vec![(nonsense, Standing::Proven)], 0);
    check(&mut store, &system, verdict, true);
    assert_eq!((statistics.count("shared.taken"), statistics.count("shared.refuted")), (0, 1));
    // A lemma about another system is not even looked at.
    let foreign = read(reach(9, "false"));
    let mut other = Store::new();
    let unsafe_system = self::system(&mut other, false);
    let (verdict, statistics) = solve(&mut other, &unsafe_system, vec![(foreign, Standing::Proven)], 0);
    check(&mut other, &system, verdict, false);
    assert_eq!(statistics.count("received"), 0);
}

#[test]
fn what_an_engine_publishes_can_be_read() {
    let mut store = Store::new();
    let system = system(&mut store, true);
    let hub = Hub::new(2, 16);
    let mut port = HubPort::new(hub.endpoint(0), 4, Share::ALL);
    port.enter(&mut store, &system);
    let zero = store.int(0);
    let lemma = store.ge(system.state[0], zero);
    let claim = Claim::Induction { level: 3, counterexample: !lemma, distance: 2 };
    port.publish(&store, &Lemma { formula: lemma, claim });
    let (note, standing) = hub.endpoint(1).receive(1).pop().expect("a note");
    assert_eq!(standing, Standing::Proven);
    let text = encode(&note).expect("a short message");
    let about = Fingerprint::of_transitions(&store, &system);
    assert_eq!(text, message(4, about, &induction(3, "(>= x0 0)", "(<= x0 (- 1))", 2)));
}
