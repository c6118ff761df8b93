//! Reports that are written and read back, and reports that were damaged on the way.

use shem_base::{Budget, Rat, Rng, Statistics, StopToken};
use shem_chc::{ClauseId, Definition, Derivation, Model, Script, StepId, System};
use shem_check::{Validity, check_derivation, check_model};
use shem_exchange::{Formula, FormulaLimits, read_model};
use shem_term::{Sort, Store, Value};

use super::{Report, ReportWriter, Reports, Signal, Subject};
use crate::answer::Word;
use crate::evidence::{Remote, RemoteWitness};

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
    let mut reports = Reports::new(text, subject());
    let mut signals = Vec::new();
    while let Some(signal) = reports.next_signal() {
        let last = matches!(signal, Signal::End(_));
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
    let mut bytes = Vec::new();
    let mut report = ReportWriter::begin(&mut bytes, subject()).expect("memory");
    report.progress(3, 4).expect("memory");
    report.claim(Word::Sat).expect("memory");
    report.engine("spacer").expect("memory");
    let mut statistics = Statistics::new();
    statistics.add("a.count", 7);
    statistics.set("a.measure", 2.0);
    report.statistics(&statistics).expect("memory");
    report.model(store, system, &Model { definitions }).expect("memory");
    report.verdict(Word::Sat).expect("memory");
    bytes
}

fn unsafe_report() -> Vec<u8> {
    let mut derivation: Derivation<ClauseId> = Derivation::new();
    let values = [Value::Num(3.into()), Value::Num(Rat::new(-1, 2)), Value::Bool(true)];
    let first = derivation.push(ClauseId::new(0), &[], values);
    let second = derivation.push(ClauseId::new(1), &[first], []);
    derivation.push(ClauseId::new(2), &[second], []);
    let mut bytes = Vec::new();
    let mut report = ReportWriter::begin(&mut bytes, subject()).expect("memory");
    report.claim(Word::Unsat).expect("memory");
    report.derivation(&derivation).expect("memory");
    report.verdict(Word::Unsat).expect("memory");
    bytes
}

#[test]
fn a_model_is_read_back() {
    let mut store = Store::new();
    let system = system(&mut store);
    let text = safe_report(&mut store, &system);
    let [Signal::Progress(3, 4), Signal::Claim(Word::Sat), Signal::End(report)] = &signals(&text)[..] else {
        panic!("{}", String::from_utf8_lossy(&text));
    };
    let Report::Verdict { word: Word::Sat, evidence, engine, statistics } = report else {
        panic!("{report:?}");
    };
    let Remote { certified: false, witness: RemoteWitness::Model(definitions) } = evidence else {
        panic!("{evidence:?}");
    };
    assert_eq!((&**engine, statistics.count("a.count")), ("spacer", 7));
    assert_eq!(statistics.get("a.measure"), Some(2.0.into()));
    let model = read_model(&mut store, &system, definitions).expect("a model");
    assert_eq!(check_model(&mut store, &system, &model, &mut Budget::unlimited()), Validity::Valid);
    let formula = |text| Formula::new(text, FormulaLimits::NONE).expect("a formula");
    for (name, text) in [("a p", "x3"), ("q", "x0"), ("r", "true"), ("q", "(+ 1 2)")] {
        let wrong = [(name.into(), formula(text))];
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
    let mut bytes = Vec::new();
    let mut report = ReportWriter::begin(&mut bytes, subject()).expect("memory");
    report.model(&mut store, &system, &model).expect("memory");
    report.verdict(Word::Sat).expect("memory");
    let found = signals(&bytes);
    let [Signal::End(Report::Verdict { evidence: Remote { witness, .. }, .. })] = &found[..] else {
        panic!("{found:?}");
    };
    let RemoteWitness::Model(definitions) = witness else { panic!("{witness:?}") };
    let model = read_model(&mut store, &system, definitions).expect("a model");
    assert_eq!(check_model(&mut store, &system, &model, &mut Budget::unlimited()), Validity::Valid);
}

#[test]
fn a_derivation_is_read_back() {
    let mut store = Store::new();
    let system = system(&mut store);
    let found = signals(&unsafe_report());
    let [Signal::Claim(Word::Unsat), Signal::End(Report::Verdict { evidence, .. })] = &found[..] else {
        panic!("{found:?}");
    };
    let RemoteWitness::Derivation(derivation) = &evidence.witness else { panic!("{evidence:?}") };
    assert_eq!(derivation.len(), 3);
    assert_eq!(derivation.step(StepId::new(0)).values[1], Value::Num(Rat::new(-1, 2)));
    // The first step is no instance of its clause.
    let validity = check_derivation(&mut store, &system, derivation, &mut Budget::unlimited());
    assert!(matches!(validity, Validity::Invalid(_)));
}

#[test]
fn what_is_not_understood_is_a_failure() {
    let good = String::from_utf8(unsafe_report()).expect("text");
    for (from, to, words) in [
        ("shem-report 1", "shem-report 9", "its report says “shem-report 9”"),
        ("check 1", "check 2", "its report says “check 2”"),
        ("claim unsat", "claim perhaps", "its report says “claim perhaps”"),
        ("claim unsat", "claim unsat\nclaim unsat", "a second claim"),
        ("claim unsat", "claim sat", "its verdict is not what it claimed"),
        ("claim unsat", "cry", "its report says “cry”"),
        ("derivation 3", "derivation 999999999999999999999", "its report says “derivation 99999"),
        ("derivation 3", "derivation 99999999999", "byte 0: verdict unsat"),
        ("derivation 3", "model 3", "its model cannot be read: a predicate expected at byte 1"),
        ("(1 (0) ())", "(1 (1) ())", "an earlier step expected at byte 4: (1 (1) ())"),
        ("(- (/ 1.0 2.0))", "(/ 1 0)", "a step that cannot be read: a number other than zero"),
        ("verdict unsat", "missing it\nverdict unsat", "two pieces of evidence"),
        ("claim unsat", "certificate\nclaim unsat", "a certificate before its claim"),
        ("claim unsat", "claim unsat\ncertificate\ncertificate", "two certificates"),
        ("derivation 3", &format!("engine {}\nderivation 3", "x".repeat(200_000)), "is too long"),
    ] {
        let text = good.replacen(from, to, 1);
        assert_ne!(text, good, "{from}");
        match signals(text.as_bytes()).last() {
            Some(Signal::End(Report::Failure(found))) => assert!(found.contains(words), "{to}: {found}"),
            other => panic!("{to}: {other:?}"),
        }
    }
    // A certificate stands in for a witness that is not there.
    let (start, _) = good.split_once("derivation").expect("a derivation");
    for rest in ["certificate\nverdict unsat\n", "certificate\nmissing time\nverdict unsat\n"] {
        let found = signals(format!("{start}{rest}").as_bytes());
        let [Signal::Claim(_), Signal::Certified, Signal::End(Report::Verdict { evidence, .. })] = &found[..]
        else {
            panic!("{found:?}");
        };
        assert!(evidence.certified && matches!(evidence.witness, RemoteWitness::Missing(_)), "{evidence:?}");
    }
    // A report that is cut off has no end.
    for end in 0..good.len() - 1 {
        let found = signals(&good.as_bytes()[..end]);
        assert!(!matches!(found.last(), Some(Signal::End(Report::Verdict { .. }))), "cut at {end}");
    }
}

/// Damaged reports are read without harm, and whatever is accepted is judged to be right.
#[test]
fn damage_is_harmless() {
    let mut store = Store::new();
    let system = system(&mut store);
    let originals = [safe_report(&mut store, &system), unsafe_report()];
    let mut rng = Rng::new(17);
    let (mut verdicts, mut rejected) = (0, 0);
    for round in 0..10_000 {
        let mut bytes = originals[round % 2].clone();
        for _ in 0..=rng.below(3) {
            // The opening is left alone most of the time, since nothing behind a wrong one is read.
            let start = if rng.below(20) == 0 { 0 } else { 45 };
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
        let Some(Signal::End(Report::Verdict { word, evidence, .. })) = signals(&bytes).pop() else {
            continue;
        };
        verdicts += 1;
        let validity = match &evidence.witness {
            RemoteWitness::Model(definitions) => match read_model(&mut store, &system, definitions) {
                Ok(model) => check_model(&mut store, &system, &model, &mut Budget::unlimited()),
                Err(_) => continue,
            },
            RemoteWitness::Derivation(derivation) => {
                check_derivation(&mut store, &system, derivation, &mut Budget::unlimited())
            }
            RemoteWitness::Missing(_) => continue,
        };
        rejected += usize::from(matches!(validity, Validity::Invalid(_)));
        // The system is safe.
        assert!(word == Word::Sat || validity != Validity::Valid, "{}", String::from_utf8_lossy(&bytes));
    }
    assert!(verdicts > 100 && rejected > 100, "{verdicts} {rejected}");
}
