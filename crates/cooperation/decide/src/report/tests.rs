//! Reports that are written and read back, and reports that were damaged on the way.

use std::sync::Arc;

use shem_base::{Budget, Rat, Rng, Statistics, StopToken};
use shem_chc::{ClauseId, Definition, Derivation, Model, Script, StepId, System};
use shem_check::{Validity, check_derivation, check_model};
use shem_engine::Progress;
use shem_exchange::{
    Formula, FormulaLimits, MAX_LINE_BYTES, PREFIX, SentWitness, read_derivation, read_model, read_repeating,
    write_derivation, write_model,
};
use shem_term::{Sort, Store, Value};

use super::{Line, ReportReader, ReportWriter, Signal, Subject};
use crate::answer::Status;
use crate::evidence::Findings;

const TEXT: &str = "(declare-fun |a p| (Int Real Bool) Bool)
    (declare-fun q () Bool)
    (assert (forall ((x Int) (y Real) (b Bool)) (=> (and (= x 3) (= y (/ 1 2)) b) (|a p| x y b))))
    (assert (forall ((x Int) (y Real) (b Bool)) (=> (and (|a p| x y b) (> x 5)) q)))
    (assert (=> q false))";

fn system(store: &mut Store) -> System {
    Script::read(store, TEXT, &StopToken::new()).expect("a system").system.as_ref().clone()
}

fn subject() -> Subject {
    Subject::new(TEXT.as_bytes(), 1)
}

/// All that a text says.
fn signals(text: &[u8]) -> Vec<Signal> {
    let mut reports = ReportReader::new(text, subject());
    let mut signals = Vec::new();
    while let Some(signal) = reports.next_signal() {
        let last = matches!(signal, Signal::Verdict(..) | Signal::Unknown(_) | Signal::Failure(_));
        signals.push(signal);
        if last {
            break;
        }
    }
    signals
}

/// A report with a right model.
fn safe_report(store: &mut Store, system: &System) -> Vec<u8> {
    let (x, y) = (store.variable("u", Sort::Int), store.variable("v", Sort::Real));
    let b = store.variable("w", Sort::Bool);
    let five = store.int(5);
    let half = store.real(Rat::new(1, 2));
    let (small, exact) = (store.le(x, five), store.eq(y, half));
    let body = store.and(&[small, exact, b]);
    let definitions = vec![
        Definition { parameters: [x, y, b].into(), body },
        Definition { parameters: [].into(), body: shem_term::Term::FALSE },
    ];
    let mut statistics = Statistics::new();
    statistics.add("a.count", 7);
    statistics.set("a.measure", 2.0);
    let model = sent_model(store, system, &Model { definitions });
    report(&[
        Line::Progress { depth: 3, lemmas: 4 },
        Line::Claim(Status::Sat),
        Line::verdict(Status::Sat, "spacer", &statistics, Ok(model)),
    ])
}

fn sent_model(store: &mut Store, system: &System, model: &Model) -> SentWitness {
    SentWitness::Model(write_model(store, system, model, FormulaLimits::NONE).expect("over its arguments"))
}

/// A report with these lines.
fn report(lines: &[Line]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut report = ReportWriter::begin(&mut bytes, subject()).expect("memory");
    lines.iter().for_each(|line| report.write(line).expect("memory"));
    bytes
}

fn unsafe_report() -> Vec<u8> {
    let mut derivation: Derivation<ClauseId> = Derivation::new();
    let values = [Value::Num(3.into()), Value::Num(Rat::new(-1, 2)), Value::Bool(true)];
    let first = derivation.push(ClauseId::new(0), &[], values);
    let second = derivation.push(ClauseId::new(1), &[first], []);
    derivation.push(ClauseId::new(2), &[second], []);
    let witness = Ok(SentWitness::Derivation(write_derivation(&Store::new(), &derivation)));
    let verdict = Line::verdict(Status::Unsat, "bmc", &Statistics::new(), witness);
    report(&[Line::Claim(Status::Unsat), verdict])
}

#[test]
fn a_model_is_read_back() {
    let mut store = Store::new();
    let system = system(&mut store);
    let text = safe_report(&mut store, &system);
    let found = signals(&text);
    let [Signal::Progress(Progress { depth: 3, lemmas: 4 }), Signal::Claim(Status::Sat), verdict] =
        &found[..]
    else {
        panic!("{found:?}")
    };
    let Signal::Verdict(Status::Sat, evidence, statistics) = verdict else { panic!("{verdict:?}") };
    let Findings { witness: Ok(SentWitness::Model(definitions)), certificate: None } = evidence else {
        panic!("{evidence:?}");
    };
    assert_eq!(statistics.count("a.count"), 7);
    assert_eq!(statistics.get("a.measure"), Some(2.0.into()));
    let model = read_model(&mut store, &system, definitions).expect("a model");
    assert_eq!(check_model(&mut store, &system, &model, &mut Budget::unlimited()), Validity::Valid);
    let formula = |text| Formula::new(text, FormulaLimits::NONE).expect("a formula");
    for (name, text) in [("a p", "x3"), ("q", "x0"), ("r", "true"), ("q", "(+ 1 2)")] {
        let wrong = vec![(name.into(), formula(text))];
        assert!(read_model(&mut store, &system, &wrong).is_err(), "{name}: {text}");
    }
}

/// A name may have any characters but the ones that end it.
#[test]
fn a_name_with_line_breaks_is_read_back() {
    let text = "(declare-fun |a\nb| (Int) Bool) (assert (forall ((x Int)) (=> (= x 0) (|a\nb| x))))";
    let mut store = Store::new();
    let system = Script::read(&mut store, text, &StopToken::new()).expect("a system").system;
    let x = store.variable("x", Sort::Int);
    let zero = store.int(0);
    let body = store.ge(x, zero);
    let model = Model { definitions: vec![Definition { parameters: [x].into(), body }] };
    let model = sent_model(&mut store, &system, &model);
    let found = signals(&report(&[Line::verdict(Status::Sat, "", &Statistics::new(), Ok(model))]));
    let [Signal::Verdict(_, Findings { witness, .. }, _)] = &found[..] else {
        panic!("{found:?}");
    };
    let Ok(SentWitness::Model(definitions)) = witness else { panic!("{witness:?}") };
    let model = read_model(&mut store, &system, definitions).expect("a model");
    assert_eq!(check_model(&mut store, &system, &model, &mut Budget::unlimited()), Validity::Valid);
}

#[test]
fn a_derivation_is_read_back() {
    let mut store = Store::new();
    let system = system(&mut store);
    let found = signals(&unsafe_report());
    let [Signal::Claim(Status::Unsat), Signal::Verdict(_, evidence, _)] = &found[..] else {
        panic!("{found:?}");
    };
    let Ok(SentWitness::Derivation(steps)) = &evidence.witness else { panic!("{evidence:?}") };
    assert_eq!(&*steps[0].2[1], "-1/2");
    let derivation = read_derivation(&store, &system, steps).expect("a derivation");
    assert_eq!(derivation.len(), 3);
    assert_eq!(derivation.step(StepId::new(0)).values[1], Value::Num(Rat::new(-1, 2)));
    // The first step is no instance of its clause.
    let validity = check_derivation(&mut store, &system, &derivation, &mut Budget::unlimited());
    assert!(matches!(validity, Validity::Invalid(_)));
}

#[test]
fn what_is_not_understood_is_a_failure() {
    let good = String::from_utf8(unsafe_report()).expect("text");
    let claim = "{\"claim\":\"unsat\"}\n";
    for (from, to, words) in [
        ("\"version\":4", "\"version\":9", "its report is of version 9, not 4"),
        ("\"check\":1", "\"check\":2", "its report is about another text or check"),
        ("{\"report\"", "{\"claim\":\"sat\"}\n{\"report\"", "a line of its report is in the wrong place"),
        (claim, "{\"claim\":\"perhaps\"}\n", "its report is malformed: unknown variant `perhaps`"),
        (claim, &claim.repeat(2), "a line of its report is in the wrong place"),
        (claim, "{\"claim\":\"sat\"}\n", "its verdict is not what it claimed"),
        (claim, "cry\n", "its report is malformed: expected value"),
        (claim, "\n", "its report is malformed: EOF"),
        (claim, &format!("{}\n", "[".repeat(50_000)), "its report is malformed"),
        ("\"engine\":", "\"rank\":1,\"engine\":", "its report is malformed: unknown field `rank`"),
        ("{\"derivation\":[", "{\"model\":[", "its report is malformed"),
        ("\"status\":\"unsat\"", "\"status\":\"sat\"", "its verdict is not what it claimed"),
        ("[1,[0],[]]", "[1,[1],[]]", "its witness cannot be read: 1 is no earlier step"),
        ("\"-1/2\"", "\"1/0\"", "its witness cannot be read: 1/0 is no value"),
    ] {
        let text = good.replacen(from, to, 1);
        assert_ne!(text, good, "{from}");
        match signals(text.as_bytes()).last() {
            Some(Signal::Failure(found)) => assert!(found.contains(words), "{to:.80}: {found}"),
            other => panic!("{to:.80}: {other:?}"),
        }
    }
    let model = Line::verdict(Status::Unsat, "", &Statistics::new(), Ok(SentWitness::Model(Vec::new())));
    let found = signals(&report(&[model]));
    assert_eq!(found, [Signal::Failure("its witness does not fit its verdict".to_owned())]);
    // Messages of the exchange are passed on unread, unless they are too long.
    let note = |length: usize| format!("{PREFIX}{}", "x".repeat(length - PREFIX.len()));
    let with_note = |note: String| signals(good.replacen(claim, &format!("{note}\n{claim}"), 1).as_bytes());
    assert_eq!(with_note(note(MAX_LINE_BYTES))[0], Signal::Note(note(MAX_LINE_BYTES)));
    let expected = Signal::Failure("its report is too large".to_owned());
    assert_eq!(with_note(note(MAX_LINE_BYTES + 1)), [expected]);
    // Only the line with the witness may be long.
    let words = "x".repeat(MAX_LINE_BYTES);
    let expected = Signal::Failure("its report is too large".to_owned());
    assert_eq!(signals(&report(&[Line::Unknown(words.clone())])), [expected]);
    let verdict = Line::verdict(Status::Sat, &words, &Statistics::new(), Err(words.clone()));
    assert!(matches!(&signals(&report(&[verdict]))[..], [Signal::Verdict(..)]));
    // A certificate stands behind a claim that there is a model, once.
    let certificate = || Line::Certificate("model\n".into());
    let lines = [
        Line::Claim(Status::Sat),
        certificate(),
        Line::verdict(Status::Sat, "", &Statistics::new(), Err("time".to_owned())),
    ];
    let found = signals(&report(&lines));
    let [Signal::Claim(_), Signal::Certificate(text), Signal::Verdict(_, evidence, _)] = &found[..] else {
        panic!("{found:?}");
    };
    let expected = Findings { witness: Err("time".to_owned()), certificate: Some(Arc::clone(text)) };
    assert_eq!(*evidence, expected);
    let misplaced = Signal::Failure("a line of its report is in the wrong place".to_owned());
    for lines in [
        vec![certificate()],
        vec![Line::Claim(Status::Unsat), certificate()],
        vec![Line::Claim(Status::Sat), certificate(), certificate()],
    ] {
        assert_eq!(signals(&report(&lines)).last(), Some(&misplaced));
    }
    // A report that is cut off has no end.
    for end in 0..good.len() - 1 {
        let found = signals(&good.as_bytes()[..end]);
        assert!(!matches!(found.last(), Some(Signal::Verdict(..))), "cut at {end}");
    }
}

/// Damaged reports are read without harm, and whatever is accepted is judged to be right.
#[test]
fn damage_is_harmless() {
    let mut store = Store::new();
    let system = system(&mut store);
    let originals = [safe_report(&mut store, &system), unsafe_report()];
    let opening = report(&[]).len();
    let mut rng = Rng::new(17);
    let (mut verdicts, mut rejected) = (0, 0);
    for round in 0..10_000 {
        let mut bytes = originals[round % 2].clone();
        for _ in 0..=rng.below(3) {
            // The opening is left alone most of the time, since nothing behind a wrong one is read.
            let start = if rng.below(20) == 0 { 0 } else { opening };
            let at = start + rng.below((bytes.len() - start) as u64) as usize;
            match rng.below(4) {
                0 => bytes[at] = rng.below(256) as u8,
                1 => bytes[at] = b"0123456789 -/:()\nxtf"[rng.below(20) as usize],
                2 => drop(bytes.remove(at)),
                _ => {
                    let end = (at + rng.below(30) as usize).min(bytes.len());
                    let piece = bytes[at..end].to_vec();
                    bytes.splice(at..at, piece);
                }
            }
        }
        let Some(Signal::Verdict(status, evidence, _)) = signals(&bytes).pop() else {
            continue;
        };
        verdicts += 1;
        let validity = match &evidence.witness {
            Ok(SentWitness::Model(definitions)) => match read_model(&mut store, &system, definitions) {
                Ok(model) => check_model(&mut store, &system, &model, &mut Budget::unlimited()),
                Err(_) => continue,
            },
            Ok(SentWitness::Derivation(steps)) => match read_derivation(&store, &system, steps) {
                Ok(derivation) => {
                    check_derivation(&mut store, &system, &derivation, &mut Budget::unlimited())
                }
                Err(_) => continue,
            },
            Ok(SentWitness::Inductive(..)) => panic!("a certificate is no witness"),
            Ok(SentWitness::Repeating(nodes)) => match read_repeating(&mut store, &system, nodes) {
                Ok(derivation) => {
                    check_derivation(&mut store, &system, &derivation, &mut Budget::unlimited())
                }
                Err(_) => continue,
            },
            Err(_) => continue,
        };
        rejected += usize::from(matches!(validity, Validity::Invalid(_)));
        // The system is safe.
        assert!(status == Status::Sat || validity != Validity::Valid, "{}", String::from_utf8_lossy(&bytes));
    }
    assert!(verdicts > 100 && rejected > 100, "{verdicts} {rejected}");
}
