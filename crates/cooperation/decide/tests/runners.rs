//! Every kind of runner on the same systems: its answers are validated, and a lie is caught by the one judge.

use std::ffi::OsString;
use std::sync::Arc;
use std::time::{Duration, Instant};

use shem_base::{Statistics, StopToken};
use shem_chc::{ClauseId, Derivation, Graph, Interpretation, Script, System};
use shem_decide::report::{Line, ReportWriter, Subject};
use shem_decide::{
    Answer, Checked, Engines, Entry, Fault, Job, Member, Observer, Passes, Prepared, Problem, Processes,
    Purpose, Request, Runner, SolveOptions, Status, Threads, Verdict, Witness, decide, decide_by,
};
use shem_engine::{
    Adaptor, Context, Engine, EngineChoice, EngineDescription, Events, Evidence, Fragment, Make, NoEvents,
    Outcome, Progress, Proven, Registry, Replay, Theories, Unavailable, Verdict as GraphVerdict,
};
use shem_exchange::{Formula, FormulaLimits, SentWitness, Share, read_inductive, write_derivation};
use shem_term::{Store, Term, Value};

/// Safe; the passes that `plain` leaves do not decide it.
const SAFE: &str = "(declare-fun p (Int) Bool)
    (assert (forall ((x Int)) (=> (= x 0) (p x))))
    (assert (forall ((x Int)) (=> (p x) (p (+ x 2)))))
    (assert (forall ((x Int)) (=> (p x) (not (= x 7)))))";

/// Unsafe, after some steps.
const UNSAFE: &str = "(declare-fun p (Int) Bool)
    (assert (forall ((x Int)) (=> (= x 0) (p x))))
    (assert (forall ((x Int)) (=> (p x) (p (+ x 3)))))
    (assert (forall ((x Int)) (=> (p x) (not (= x 30)))))";

/// An engine that says the opposite of what is true of the systems above.
#[derive(Debug)]
struct Liar;

const LIAR: EngineDescription = EngineDescription {
    name: "liar",
    summary: "gives wrong answers",
    fragment: Fragment::All,
    theories: Theories::All,
    sends: &[],
    takes: &[],
    constructor: &Make { engine: |()| Box::new(Liar), of_instance: Some(|_| ()) },
};

impl Engine for Liar {
    fn name(&self) -> &'static str {
        "liar"
    }

    fn solve(&mut self, _: &mut Store, graph: &Graph, context: &mut Context<'_>) -> GraphVerdict {
        if context.seed.is_multiple_of(2) {
            let mut interpretation = Interpretation::new();
            graph.vertices().for_each(|vertex| interpretation.insert(vertex, Term::TRUE));
            return Outcome::safe(interpretation);
        }
        let mut derivation = Derivation::new();
        let (query, _) = graph.edges().last().expect("an edge");
        derivation.push(query, &[], []);
        Outcome::unsafe_by(derivation)
    }
}

/// An engine that shows the first system to be safe, and has nothing for that but a certificate.
#[derive(Debug)]
struct Prover;

const PROVER: EngineDescription = EngineDescription {
    name: "prover",
    summary: "has certificates only",
    fragment: Fragment::TransitionSystems,
    constructor: &Make { engine: |()| Box::new(Prover), of_instance: Some(|_| ()) },
    ..LIAR
};

impl Engine for Prover {
    fn name(&self) -> &'static str {
        "prover"
    }

    fn solve(&mut self, store: &mut Store, graph: &Graph, context: &mut Context<'_>) -> GraphVerdict {
        let even = Formula::new("(= (mod x0 2) 0)", FormulaLimits::NONE).expect("a formula");
        let read = |store: &mut Store, state: &[Term]| read_inductive(store, state, &even);
        match Adaptor::new(Replay { k: 2, read }).solve(store, graph, context) {
            Outcome::Safe(proven) => {
                let witness = Evidence::Missing(Unavailable::CertificateOnly);
                Outcome::Safe(Proven { witness, ..proven })
            }
            other => other,
        }
    }
}

/// Keeps warnings.
#[derive(Default)]
struct Warnings(Vec<String>);

impl Events for Warnings {
    fn progress(&mut self, _: Progress) {}
}

impl Observer for Warnings {
    fn warning(&mut self, words: &str) {
        self.0.push(words.to_owned());
    }
}

/// Options that leave the systems to engines.
fn plain() -> SolveOptions {
    let mut options = SolveOptions::default();
    for pass in ["equalities", "invariants"] {
        options.disabled_passes.disable(pass).expect("a pass");
    }
    options
}

fn read(text: &str) -> (Store, Arc<System>) {
    let mut store = Store::new();
    let system = Script::read(&mut store, text, &StopToken::new()).expect("a script").system;
    (store, system)
}

fn choice(name: &str) -> EngineChoice {
    Registry::standard().with(LIAR).with(PROVER).choose(name).expect("an engine")
}

fn member(name: &str, seed: u64) -> Member {
    Member { name: format!("{name} {seed}"), engine: choice(name), seed, queries: None }
}

fn threads(
    store: &Store,
    system: &Arc<System>,
    prepared: &Prepared,
    members: Vec<Member>,
) -> Box<dyn Runner> {
    let problem = Problem {
        system: Arc::clone(system),
        preprocessed: Arc::clone(&prepared.preprocessed),
        passes: Passes { disabled: plain().disabled_passes, ..Passes::default() },
        share: Share::ALL,
        witness: true,
    };
    Box::new(Threads::start(store, &problem, members))
}

/// The answer is right, and its witness was checked.
#[track_caller]
fn check_answer(answer: Result<Answer, Fault>, text: &str) {
    let answer = answer.expect("no fault");
    let right = match answer.verdict {
        Verdict::Sat(Witness::Found(_)) => text == SAFE,
        Verdict::Unsat(Witness::Found(_)) => text == UNSAFE,
        _ => false,
    };
    assert!(right && answer.checked == Checked::Witness, "{answer:?}");
}

#[test]
fn one_engine_or_several_in_threads() {
    let pdkind = choice("pdkind");
    for text in [SAFE, UNSAFE] {
        let one = SolveOptions { engines: Engines::One, ..plain() };
        let ways = [
            SolveOptions { engine: pdkind.clone(), instances: 3, ..one.clone() },
            one,
            plain(),
            SolveOptions {
                engines: Engines::Mix(Entry::mix("lawi, kind, spacer --spacer.restrain=no").expect("a mix")),
                ..plain()
            },
        ];
        for options in &ways {
            let (mut store, system) = read(text);
            let request = Request { system: &system, options, purpose: Purpose::Answer, launch: None };
            let answer = decide(&mut store, &request, &StopToken::new(), &mut NoEvents);
            check_answer(answer, text);
        }
    }
}

#[test]
fn a_lie_of_one_engine_withholds_the_answer() {
    for (text, seed) in [(UNSAFE, 0), (SAFE, 1)] {
        let (mut store, system) = read(text);
        let engines = Engines::One;
        let options = &SolveOptions { engines, engine: choice("liar"), seed, ..plain() };
        let request = Request { system: &system, options, purpose: Purpose::Answer, launch: None };
        let fault = decide(&mut store, &request, &StopToken::new(), &mut NoEvents).expect_err("a lie");
        assert!(fault.to_string().starts_with("internal error: "), "{fault}");
        // Nobody has asked for a witness or a check: then nothing is judged.
        let options = &SolveOptions { witness: false, validate: false, ..options.clone() };
        let request = Request { options, ..request };
        let answer = decide(&mut store, &request, &StopToken::new(), &mut NoEvents).expect("an answer");
        assert_eq!(answer.checked, Checked::Nothing);
    }
}

#[test]
fn a_lie_among_threads_costs_only_the_liar() {
    let options = &plain();
    for text in [SAFE, UNSAFE] {
        for honest in [true, false] {
            let (mut store, system) = read(text);
            let request = Request { system: &system, options, purpose: Purpose::Answer, launch: None };
            let mut warnings = Warnings::default();
            let answer =
                decide_by(&mut store, &request, &StopToken::new(), &mut warnings, |store, prepared| {
                    let mut members = vec![member("liar", 0), member("liar", 1)];
                    members.extend(honest.then(|| member("spacer", 7)));
                    threads(store, &system, prepared, members)
                });
            if honest {
                check_answer(answer, text);
                continue;
            }
            let answer = answer.expect("no fault");
            assert!(matches!(answer.verdict, Verdict::Unknown(_)), "{answer:?}");
            assert_eq!(warnings.0.len(), 2, "{:?}", warnings.0);
            assert!(warnings.0.iter().all(|words| words.contains("was dropped: ")), "{:?}", warnings.0);
            assert_eq!(answer.warnings, warnings.0);
        }
    }
}

/// A report about a problem, as a worker would write it.
fn report(text: &str, status: Status, witness: Result<SentWitness, String>) -> String {
    let mut bytes = Vec::new();
    let mut report = ReportWriter::begin(&mut bytes, Subject::new(text.as_bytes(), 1)).expect("memory");
    report.write(&Line::Claim(status, 1)).expect("memory");
    report.write(&Line::verdict(status, "spacer", &Statistics::new(), witness)).expect("memory");
    String::from_utf8(bytes).expect("text")
}

/// Workers whose reports are these; the program is a shell. The last one takes so many seconds.
fn workers(text: &str, reports: &[String], seconds: u32) -> Box<dyn Runner> {
    let last = reports.len() - 1;
    let wait = format!("cat > /dev/null; test $7 -ne {last} || sleep {seconds}; ");
    let script = wait + "eval \"printf '%s' \\\"\\$$(($7 + 1))\\\"\"";
    let mut words: Vec<OsString> = vec!["-c".into(), script.into(), "sh".into()];
    words.extend(reports.iter().map(OsString::from));
    // The reports are the first words; the number of the worker's own is the first one after its entry.
    let entry = |number: usize| Entry::new("spacer", [number.to_string()]);
    while words.len() < 3 + 4 {
        words.push("".into());
    }
    Box::new(Processes::new(Job {
        program: "/bin/sh".into(),
        words,
        entries: (0..reports.len()).map(entry).collect(),
        text: Arc::new(text.as_bytes().to_vec()),
        check: 1,
        exchange: false,
        jobs: 2,
        witness_time: None,
    }))
}

/// A model that gives the predicate this definition.
fn model(formula: &str) -> SentWitness {
    let formula = Formula::new(formula, FormulaLimits::NONE).expect("a formula");
    SentWitness::Model(vec![("p".into(), formula)])
}

/// A derivation from these clauses, each step from the one before and with this value.
fn derivation(steps: impl IntoIterator<Item = (usize, Option<i64>)>) -> SentWitness {
    let mut derivation = Derivation::new();
    let mut last = None;
    for (clause, value) in steps {
        let premises: Vec<_> = last.into_iter().collect();
        let values = value.map(|number| Value::Num(number.into()));
        last = Some(derivation.push(ClauseId::new(clause), &premises, values));
    }
    SentWitness::Derivation(write_derivation(&Store::new(), &derivation))
}

fn true_model() -> SentWitness {
    model("(= (mod x0 2) 0)")
}

fn true_derivation() -> SentWitness {
    let steps = (1..=10).map(|step| (1, Some(3 * step)));
    derivation([(0, Some(0))].into_iter().chain(steps).chain([(2, None)]))
}

#[test]
fn workers_are_judged() {
    let options = &plain();
    let lies = [(Status::Sat, model("true")), (Status::Unsat, derivation([(2, None)]))];
    let truths = [(SAFE, Status::Sat, true_model()), (UNSAFE, Status::Unsat, true_derivation())];
    for (text, status, truth) in truths {
        for honest in [true, false] {
            let lie = |(status, witness): &(Status, SentWitness)| report(text, *status, Ok(witness.clone()));
            let mut reports: Vec<String> = lies.iter().map(lie).collect();
            if honest {
                reports.push(report(text, status, Ok(truth.clone())));
            }
            let (mut store, system) = read(text);
            let request = Request { system: &system, options, purpose: Purpose::Answer, launch: None };
            let mut warnings = Warnings::default();
            let answer = decide_by(&mut store, &request, &StopToken::new(), &mut warnings, |_, _| {
                workers(text, &reports, 0)
            });
            if honest {
                check_answer(answer, text);
            } else {
                let answer = answer.expect("no fault");
                assert!(matches!(answer.verdict, Verdict::Unknown(_)), "{answer:?}");
                let caught = warnings.0.iter().filter(|words| words.contains("its witness is wrong")).count();
                assert_eq!(caught, 2, "{:?}", warnings.0);
            }
        }
    }
}

/// The report of a worker that has accepted a certificate and sends this witness.
fn certified_report(status: Status, witness: Result<SentWitness, String>) -> String {
    let mut bytes = Vec::new();
    let mut report = ReportWriter::begin(&mut bytes, Subject::new(SAFE.as_bytes(), 1)).expect("memory");
    let verdict = Line::verdict(status, "spacer", &Statistics::new(), witness);
    for line in [Line::Claim(status, 1), Line::Certified, verdict] {
        report.write(&line).expect("memory");
    }
    String::from_utf8(bytes).expect("text")
}

/// A worker that has accepted a certificate sends the witness all the same. It is judged; the certificate counts if there
/// is no time for that and nobody wants the witness, and never if the witness is wrong.
#[test]
fn a_certificate_counts_where_the_witness_takes_too_long() {
    let run = |model: Result<SentWitness, String>, certified: bool, witness: bool, seconds: u64| {
        let (mut store, system) = read(SAFE);
        let witness_budget = Duration::from_secs(seconds);
        let options = &SolveOptions { witness, validate: false, witness_budget, ..SolveOptions::default() };
        let request = Request { system: &system, options, purpose: Purpose::Answer, launch: None };
        let sent =
            if certified { certified_report(Status::Sat, model) } else { report(SAFE, Status::Sat, model) };
        decide_by(&mut store, &request, &StopToken::new(), &mut NoEvents, |_, _| workers(SAFE, &[sent], 0))
            .expect("no fault")
    };
    let judged = run(Ok(true_model()), true, false, 60);
    assert_eq!((judged.verdict.word(), judged.checked), ("sat", Checked::Witness));
    let late = run(Ok(true_model()), true, false, 0);
    assert_eq!((late.verdict.word(), late.checked), ("sat", Checked::Certificate));
    let nothing = run(Ok(true_model()), false, false, 0);
    assert!(matches!(nothing.verdict, Verdict::Unknown(_)), "{nothing:?}");
    for wanted in [false, true] {
        let wrong = run(Ok(model("true")), true, wanted, 60);
        assert!(matches!(wrong.verdict, Verdict::Unknown(_)), "{wrong:?}");
    }
}

/// A worker that is dropped does not keep the witnesses of others from being judged, though it has accepted a certificate.
#[test]
fn a_wrong_witness_with_a_certificate_delays_nobody() {
    let (mut store, system) = read(SAFE);
    let options = &SolveOptions { witness: false, validate: false, ..SolveOptions::default() };
    let request = Request { system: &system, options, purpose: Purpose::Answer, launch: None };
    let wrong = certified_report(Status::Sat, Ok(model("true")));
    let right = report(SAFE, Status::Sat, Ok(true_model()));
    let since = Instant::now();
    let answer = decide_by(&mut store, &request, &StopToken::new(), &mut NoEvents, |_, _| {
        workers(SAFE, &[wrong, right.clone(), right], 60)
    });
    let answer = answer.expect("no fault");
    assert_eq!((answer.verdict.word(), answer.checked), ("sat", Checked::Witness));
    assert!(since.elapsed() < Duration::from_secs(30), "{:?}", since.elapsed());
}

/// A worker that has accepted a certificate and has no witness does not keep the witness of another from the user, and a
/// verdict that contradicts it is found out.
#[test]
fn a_witness_is_waited_for_where_there_is_a_certificate() {
    let run = |first: Status, seconds: u32, wanted: bool| {
        let (mut store, system) = read(SAFE);
        let options = &SolveOptions { witness: wanted, ..SolveOptions::default() };
        let request = Request { system: &system, options, purpose: Purpose::Answer, launch: None };
        let nothing = Err("none can be built".to_owned());
        let reports = [certified_report(first, nothing), report(SAFE, Status::Sat, Ok(true_model()))];
        decide_by(&mut store, &request, &StopToken::new(), &mut NoEvents, |_, _| {
            workers(SAFE, &reports, seconds)
        })
    };
    let found = run(Status::Sat, 1, true).expect("no fault");
    assert!(matches!(found.verdict, Verdict::Sat(Witness::Found(_))), "{found:?}");
    let late = run(Status::Sat, 30, true).expect("no fault");
    assert!(matches!(late.verdict, Verdict::Sat(Witness::Missing(_))), "{late:?}");
    assert_eq!(late.checked, Checked::Certificate);
    let unwanted = run(Status::Sat, 30, false).expect("no fault");
    assert!(matches!(unwanted.verdict, Verdict::Sat(Witness::Unwanted)), "{unwanted:?}");
    let Err(Fault::Contradiction(contradiction)) = run(Status::Unsat, 1, true) else {
        panic!("no contradiction")
    };
    for file in contradiction.files {
        std::fs::remove_file(file.expect("it was written")).expect("it can be removed");
    }
}

#[test]
fn whoever_contradicts_a_verdict_withholds_it() {
    let (mut store, system) = read(SAFE);
    let options = &plain();
    let request = Request { system: &system, options, purpose: Purpose::Answer, launch: None };
    // It says the opposite and has nothing to show for it, so nobody can say that it is wrong.
    let nothing = Err("no time".to_owned());
    let reports = [report(SAFE, Status::Unsat, nothing), report(SAFE, Status::Sat, Ok(true_model()))];
    let result =
        decide_by(&mut store, &request, &StopToken::new(), &mut NoEvents, |_, _| workers(SAFE, &reports, 2));
    let Err(Fault::Contradiction(contradiction)) = result else { panic!("{result:?}") };
    assert_eq!((contradiction.first.1, contradiction.second.1), (Status::Sat, Status::Unsat));
    for file in contradiction.files {
        let file = file.expect("it was written");
        assert!(std::fs::read_to_string(&file).expect("a file").starts_with("{\"report\":"));
        std::fs::remove_file(file).expect("it can be removed");
    }
}

/// Where addresses can be read.
#[cfg(feature = "redis")]
mod peers {
    use std::sync::Mutex;
    use std::thread;
    use std::time::Duration;

    use shem_chc::Fingerprint;
    use shem_decide::Joined;
    use shem_exchange::{Address, Channel, Content, Link, LinkError, Message, Note, encode};

    use super::*;

    /// A broker that has these messages, and keeps what is sent.
    struct Board {
        messages: Vec<Message>,
        sent: Arc<Mutex<Vec<(Channel, String)>>>,
    }

    impl Link for Board {
        fn send(&mut self, channel: Channel, message: &[u8]) -> Result<(), LinkError> {
            let text = String::from_utf8_lossy(message).into_owned();
            self.sent.lock().expect("no panic").push((channel, text));
            Ok(())
        }

        fn receive(&mut self, _: usize, wait: Duration) -> Result<Vec<Message>, LinkError> {
            thread::sleep(wait);
            Ok(std::mem::take(&mut self.messages))
        }
    }

    /// What somebody elsewhere says about a system.
    fn verdict(text: &str, witness: SentWitness) -> Message {
        let (store, system) = read(text);
        let about = Fingerprint::of_system(&store, &system);
        let note = Note { sender: 5, about, content: Content::Verdict(witness) };
        (Channel::Verdicts, encode(&note).expect("a short message").into_bytes())
    }

    /// Decides a system by a thread of this engine joined with others; gives what was sent.
    fn join(
        text: &str,
        engine: &str,
        messages: Vec<Message>,
    ) -> (Result<Answer, Fault>, Vec<String>, Vec<String>) {
        let (mut store, system) = read(text);
        let address: Address = "redis://nowhere/test".parse().expect("an address");
        let options = &SolveOptions { join: Some(address.clone()), ..plain() };
        let request = Request { system: &system, options, purpose: Purpose::Answer, launch: None };
        let sent = Arc::new(Mutex::new(Vec::new()));
        let board = Board { messages, sent: Arc::clone(&sent) };
        let mut warnings = Warnings::default();
        let answer = decide_by(&mut store, &request, &StopToken::new(), &mut warnings, |store, prepared| {
            let inner = threads(store, &system, prepared, vec![member(engine, 0)]);
            let link = (&address, Box::new(board) as Box<dyn Link>);
            Box::new(Joined::start(inner, link, store, &system, options, &StopToken::new()))
        });
        let sent = sent.lock().expect("no panic").iter().map(|(_, text)| text.clone()).collect();
        (answer, warnings.0, sent)
    }

    #[test]
    fn verdicts_of_peers_are_judged() {
        // The engine here finds nothing: the liar's claim is rejected, and the answer comes from elsewhere.
        let truth = verdict(SAFE, true_model());
        let wrong = derivation([(0, Some(0)), (2, None)]);
        let lies = [verdict(SAFE, model("true")), verdict(SAFE, wrong)];
        let (answer, warnings, sent) = join(SAFE, "liar", [&lies[..], &[truth]].concat());
        let answer = answer.expect("no fault");
        assert_eq!(answer.engine, "peer");
        check_answer(Ok(answer), SAFE);
        assert!(
            warnings.iter().any(|words| words.starts_with("a verdict of a peer is not believed")),
            "{warnings:?}"
        );
        assert!(
            !sent.iter().any(|message| message.contains("\"model\"")),
            "what came from there is not sent back"
        );
        // A verdict about another system is no verdict, and what is found here is told to the others.
        let foreign = verdict(UNSAFE, model("true"));
        for text in [SAFE, UNSAFE] {
            let (answer, _, sent) = join(text, "spacer", vec![foreign.clone()]);
            check_answer(answer, text);
            let word = if text == SAFE { "\"model\"" } else { "\"derivation\"" };
            assert!(sent.iter().any(|message| message.contains(word)), "{sent:?}");
        }
    }

    #[test]
    fn a_certificate_is_sent_where_there_is_no_witness() {
        let (answer, _, sent) = join(SAFE, "prover", Vec::new());
        assert_eq!(answer.expect("no fault").checked, Checked::Certificate);
        let message =
            sent.into_iter().find(|message| message.contains("\"inductive\"")).expect("a certificate");
        // Who gets it checks it, and makes the witness of it that the sender had none of.
        let message = (Channel::Verdicts, message.into_bytes());
        let (answer, _, _) = join(SAFE, "liar", vec![message]);
        let answer = answer.expect("no fault");
        assert_eq!(answer.engine, "peer");
        check_answer(Ok(answer), SAFE);
        // A formula that shows nothing is not believed.
        for formula in ["(<= x0 6)", "(not (= x0 7))", "(<= x1 6)", "true"] {
            let formula = Formula::new(formula, FormulaLimits::NONE).expect("a formula");
            let lie = verdict(SAFE, SentWitness::Inductive(3, formula));
            let (answer, warnings, _) = join(SAFE, "liar", vec![lie]);
            assert!(matches!(answer.expect("no fault").verdict, Verdict::Unknown(_)));
            assert!(
                warnings.iter().any(|words| words.starts_with("a verdict of a peer is not believed")),
                "{warnings:?}"
            );
        }
    }
}
