//! Every kind of runner on the same systems: its answers are validated, and a lie is caught by the one judge.

use std::ffi::OsString;
use std::sync::Arc;
use std::time::{Duration, Instant};

use shem_base::{Statistics, StopToken};
use shem_chc::{ClauseId, Derivation, Graph, Interpretation, Script, System};
use shem_decide::report::{Line, ReportWriter, Subject};
use shem_decide::{
    Answer, Assignment, Checked, Checking, Division, Engines, Entry, Fault, Job, Member, Observer, Prepared,
    Processes, Request, Runner, SolveOptions, Status, Team, Threads, Verdict, Witness, decide, decide_by,
};
use shem_engine::{
    Adaptor, Answers, Context, Engine, EngineChoice, EngineDescription, Events, Fragment, Make, NoEvents,
    Outcome, Progress, Proven, Registry, Replay, Scope, Theories, Unavailable, Verdict as GraphVerdict,
    WitnessSource,
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
    answers: Answers::Both,
    sends: &[],
    takes: &[],
    variations: shem_engine::instances::SEEDS,
    constructor: &Make { engine: |()| Box::new(Liar) },
};

impl Engine for Liar {
    fn scope(&self) -> Scope {
        LIAR.scope()
    }

    fn search(&mut self, _: &mut Store, graph: &Graph, context: &mut Context<'_>) -> GraphVerdict {
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
    variations: shem_engine::instances::SEEDS,
    constructor: &Make { engine: |()| Box::new(Prover) },
    ..LIAR
};

impl Engine for Prover {
    fn scope(&self) -> Scope {
        PROVER.scope()
    }

    fn search(&mut self, store: &mut Store, graph: &Graph, context: &mut Context<'_>) -> GraphVerdict {
        let even = Formula::new("(= (mod x0 2) 0)", FormulaLimits::NONE).expect("a formula");
        let read = |store: &mut Store, state: &[Term]| read_inductive(store, state, &even);
        match Adaptor::new(Replay { k: 2, read }).solve(store, graph, context) {
            Outcome::Safe(proven) => {
                let witness = WitnessSource::Missing(Unavailable::CertificateOnly);
                Outcome::Safe(Proven { witness, ..proven })
            }
            other => other,
        }
    }
}

/// A model of a part that is none costs only the liar: what all parts say together is never put together.
#[test]
fn a_lie_about_a_part_is_caught() {
    for seed in [0, 1] {
        let (mut store, system) = read(&SAFE.replace("(not (= x 7))", "(not (or (= x 7) (= x 9)))"));
        let division = Some(Division { parts: Some(2), ..Division::default() });
        let options =
            &SolveOptions { engines: Engines::One, engine: choice("liar"), seed, division, ..unprepared() };
        let request = Request { system: &system, options, launch: None };
        let mut warnings = Warnings::default();
        let answer = decide(&mut store, &request, &StopToken::new(), &mut warnings).expect("no fault");
        assert_eq!(answer.verdict.word(), "unknown");
        assert!(warnings.0.iter().any(|words| words.contains("dropped")), "{:?}", warnings.0);
        assert_eq!(answer.statistics.count("parts.solved"), 0);
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

/// Options without passes: workers see the system as it was read.
fn unprepared() -> SolveOptions {
    let mut options = SolveOptions::default();
    for pass in shem_transform::passes() {
        options.disabled_passes.disable(pass.name).expect("a pass");
    }
    options
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
    Member { name: format!("{name} {seed}"), engine: choice(name), part: None, seed, queries: None }
}

fn threads(store: &mut Store, prepared: &mut Prepared, members: Vec<Member>) -> Threads {
    let team = Team { share: Share::ALL, witness: true };
    Threads::start(store, prepared, &team, members, &StopToken::new())
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
            let request = Request { system: &system, options, launch: None };
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
        let request = Request { system: &system, options, launch: None };
        let fault = decide(&mut store, &request, &StopToken::new(), &mut NoEvents).expect_err("a lie");
        assert!(fault.to_string().starts_with("internal error: "), "{fault}");
        // Nobody wants a witness or a check: then nothing is judged.
        let options = &SolveOptions { witness: false, checking: Checking::Trust, ..options.clone() };
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
            let request = Request { system: &system, options, launch: None };
            let mut warnings = Warnings::default();
            let answer =
                decide_by(&mut store, &request, &StopToken::new(), &mut warnings, |store, prepared| {
                    let mut members = vec![member("liar", 0), member("liar", 1)];
                    members.extend(honest.then(|| member("spacer", 7)));
                    Box::new(threads(store, prepared, members))
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

/// What a worker says: a verdict, with a witness or the reason why there is none.
type Said = (Status, Result<SentWitness, String>);

/// A report about a graph, as a worker would write it.
fn report(text: &[u8], (status, witness): Said) -> String {
    let mut bytes = Vec::new();
    let mut report = ReportWriter::begin(&mut bytes, Subject::new(text, 1)).expect("memory");
    report.write(&Line::Claim(status)).expect("memory");
    report.write(&Line::verdict(status, "spacer", &Statistics::new(), witness)).expect("memory");
    String::from_utf8(bytes).expect("text")
}

/// Workers that say these things; the program is a shell. The last one takes so many seconds.
fn workers(store: &mut Store, prepared: &Prepared, said: &[Said], seconds: u32) -> Box<dyn Runner> {
    let text = prepared.base().sent(store).map(|sent| Arc::clone(&sent.text)).expect("a text");
    let last = said.len() - 1;
    // The reports are the first words; the number of the worker's own is the last one, the setting of its entry.
    let wait = format!("cat > /dev/null; for n; do :; done; test $n -ne {last} || sleep {seconds}; ");
    let script = wait + "eval \"printf '%s' \\\"\\$$(($n + 1))\\\"\"";
    let mut program = ["/bin/sh", "-c", &script, "sh"].map(OsString::from).to_vec();
    program.extend(said.iter().map(|said| OsString::from(report(&text, said.clone()))));
    let entry = |number: usize| Entry::new("spacer", [number.to_string()]);
    let job = Job {
        program,
        common: Assignment::new(Entry::new("", []), &SolveOptions::default()),
        entries: (0..said.len()).map(entry).collect(),
        jobs: 2,
        trusts: false,
        memory: None,
        deadline: None,
    };
    Box::new(Processes::new(job, None, StopToken::new()))
}

/// Decides a system by workers that say these things.
fn decide_by_workers(
    text: &str,
    options: &SolveOptions,
    said: &[Said],
    seconds: u32,
) -> (Result<Answer, Fault>, Vec<String>) {
    let (mut store, system) = read(text);
    let request = Request { system: &system, options, launch: None };
    let mut warnings = Warnings::default();
    let start = |store: &mut Store, prepared: &mut Prepared| workers(store, prepared, said, seconds);
    (decide_by(&mut store, &request, &StopToken::new(), &mut warnings, start), warnings.0)
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
    let lies = [(Status::Sat, Ok(model("true"))), (Status::Unsat, Ok(derivation([(2, None)])))];
    let truths = [(SAFE, Status::Sat, true_model()), (UNSAFE, Status::Unsat, true_derivation())];
    for (text, status, truth) in truths {
        for honest in [true, false] {
            let mut said = lies.to_vec();
            if honest {
                said.push((status, Ok(truth.clone())));
            }
            let (answer, warnings) = decide_by_workers(text, &unprepared(), &said, 0);
            if honest {
                check_answer(answer, text);
            } else {
                let answer = answer.expect("no fault");
                assert!(matches!(answer.verdict, Verdict::Unknown(_)), "{answer:?}");
                let caught = warnings.iter().filter(|words| words.contains("its witness is wrong")).count();
                assert_eq!(caught, 2, "{warnings:?}");
            }
        }
    }
}

/// What a worker has nothing to show for is given as such, or withheld if the user wants that; and who trusts is given
/// the verdict at once.
#[test]
fn a_verdict_that_nothing_shows() {
    let nothing: Said = (Status::Sat, Err("none can be built".to_owned()));
    let run = |checking, witness, said: &[Said], seconds| {
        let options = SolveOptions { witness, checking, ..unprepared() };
        let (answer, _) = decide_by_workers(SAFE, &options, said, seconds);
        answer.expect("no fault")
    };
    let given = run(Checking::Share, false, std::slice::from_ref(&nothing), 0);
    assert_eq!((given.verdict.word(), given.checked), ("sat", Checked::Nothing));
    assert!(given.verdict.missing().is_some_and(|reason| reason.to_string() == "none can be built"));
    let withheld = run(Checking::Require, false, std::slice::from_ref(&nothing), 0);
    assert!(matches!(withheld.verdict, Verdict::Unknown(_)), "{withheld:?}");
    // Another worker may have a witness.
    for witness in [false, true] {
        let right = (Status::Sat, Ok(true_model()));
        let found = run(Checking::Share, witness, &[nothing.clone(), right], 1);
        assert_eq!(found.checked, Checked::Witness);
    }
}

/// A wrong witness costs who sent it, and delays nobody.
#[test]
fn a_wrong_witness_delays_nobody() {
    let options = SolveOptions { witness: false, ..unprepared() };
    let right = (Status::Sat, Ok(true_model()));
    let said = [(Status::Sat, Ok(model("true"))), right.clone(), right];
    let since = Instant::now();
    let (answer, _) = decide_by_workers(SAFE, &options, &said, 60);
    let answer = answer.expect("no fault");
    assert_eq!((answer.verdict.word(), answer.checked), ("sat", Checked::Witness));
    assert!(since.elapsed() < Duration::from_secs(30), "{:?}", since.elapsed());
}

#[test]
fn whoever_contradicts_a_verdict_withholds_it() {
    // It says the opposite and has nothing to show for it, so nobody can say that it is wrong.
    let nothing = (Status::Unsat, Err("no time".to_owned()));
    let said = [nothing, (Status::Sat, Ok(true_model()))];
    let (result, _) = decide_by_workers(SAFE, &unprepared(), &said, 1);
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
        let request = Request { system: &system, options, launch: None };
        let sent = Arc::new(Mutex::new(Vec::new()));
        let board = Board { messages, sent: Arc::clone(&sent) };
        let mut warnings = Warnings::default();
        let answer = decide_by(&mut store, &request, &StopToken::new(), &mut warnings, |store, prepared| {
            let inner = threads(store, prepared, vec![member(engine, 0)]);
            let (exchange, inner) = (inner.exchange(), Box::new(inner) as Box<dyn Runner>);
            let link = (&address, Box::new(board) as Box<dyn Link>);
            Box::new(Joined::start((inner, exchange), link, store, &system, options, &StopToken::new()))
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

/// What is switched off does not prepare an abstraction either.
#[test]
fn passes_that_are_switched_off_do_not_prepare_abstractions() {
    let text = "(set-logic HORN)
        (declare-fun p ((Array Int Int) Int Int) Bool)
        (declare-fun q ((Array Int Int) Int Int) Bool)
        (assert (forall ((a (Array Int Int)) (n Int)) (q a 0 n)))
        (assert (forall ((a (Array Int Int)) (i Int) (n Int)) (=> (q a i n) (p a i n))))
        (assert (forall ((a (Array Int Int)) (i Int) (n Int)) (=> (p a i n) (p (store a i 7) (+ i 1) n))))
        (assert (forall ((a (Array Int Int)) (i Int) (n Int) (j Int))
            (=> (and (p a i n) (<= 0 j) (< j i) (distinct (select a j) 7)) false)))";
    let vertices = |disabled: &[&str]| {
        let mut options = SolveOptions { engines: Engines::One, ..SolveOptions::default() };
        options.engine.set("abstraction", "cells").expect("a setting");
        disabled.iter().for_each(|pass| options.disabled_passes.disable(pass).expect("a pass"));
        let (mut store, system) = read(text);
        let request = Request { system: &system, options: &options, launch: None };
        let answer = decide(&mut store, &request, &StopToken::new(), &mut Warnings::default());
        answer.expect("an answer").statistics.count("spacer.abstraction.vertices")
    };
    let all: Vec<&str> = shem_transform::passes().iter().map(|pass| pass.name).collect();
    let but_for_one: Vec<&str> = all.iter().copied().filter(|&name| name != "contract").collect();
    assert_eq!((vertices(&all), vertices(&but_for_one)), (2, 1));
}
