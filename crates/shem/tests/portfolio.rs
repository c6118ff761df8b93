//! Portfolios with workers that fail in every way there is.
//!
//! The program of this test is Shem itself, with one addition: where it is started as a worker, the variable
//! `SHEM_TEST_FAULTS` says what is wrong with which engine (`bmc=panic,kind=spin`). So the whole way is tested,
//! command line, processes, pipes and judgement, and the program that is shipped has no faults built in. Called
//! by cargo, it runs the tests; words on its command line choose those whose names contain them.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use shem_decide::report::{ReportWriter, Subject};
use shem_exchange::{PREFIX, VERSION};

/// Workers are to be held to their share.
#[global_allocator]
static ALLOCATOR: shem_decide::allocator::CountingAllocator = shem_decide::allocator::CountingAllocator;

/// Set where this program is to be Shem; it holds the faults.
const FAULTS: &str = "SHEM_TEST_FAULTS";

/// Safe; no pass decides it.
const SAFE: &str = "(declare-fun p (Int) Bool)
    (assert (forall ((x Int)) (=> (= x 0) (p x))))
    (assert (forall ((x Int)) (=> (p x) (p (+ x 2)))))
    (assert (forall ((x Int)) (=> (p x) (not (= x 7)))))
    (check-sat)";

/// Unsafe, after some steps.
const UNSAFE: &str = "(declare-fun p (Int) Bool)
    (assert (forall ((x Int)) (=> (= x 0) (p x))))
    (assert (forall ((x Int)) (=> (p x) (p (+ x 3)))))
    (assert (forall ((x Int)) (=> (p x) (not (= x 30)))))
    (check-sat)";

fn main() -> ExitCode {
    match env::var(FAULTS) {
        Ok(faults) => be_shem(&faults),
        Err(_) => run_tests(),
    }
}

/// What Shem does, unless it is a worker with a fault.
fn be_shem(faults: &str) -> ExitCode {
    let args: Vec<OsString> = env::args_os().skip(1).collect();
    let is_worker = args.iter().any(|word| word.to_string_lossy().starts_with("--worker="));
    let engine = args.iter().skip_while(|word| *word != "-e").nth(1).map(|word| word.to_string_lossy());
    if let (true, Some(engine)) = (is_worker, engine) {
        for fault in faults.split(',') {
            if let Some((_, fault)) = fault.split_once('=').filter(|(name, _)| *name == engine) {
                misbehave(fault);
            }
        }
    }
    let registry = shem_engine::Registry::standard();
    ExitCode::from(shem::cli::run(&registry, args.into_iter(), &mut io::stdout(), &mut io::stderr()))
}

/// Does what is wrong; returns if the engine is to run after all.
fn misbehave(fault: &str) {
    match fault {
        "panic" => panic!("the engine has a bug"),
        "abort" => std::process::abort(),
        "silent" => std::process::exit(0),
        "spin" => {
            tie();
            loop {
                std::hint::spin_loop();
            }
        }
        // Takes more memory than its share beside an engine that does not end.
        "hoard" => {
            thread::spawn(|| {
                let hoard = vec![1u8; 320 << 20];
                thread::sleep(Duration::from_secs(100));
                drop(hoard);
            });
        }
        // Asks for more memory than there is.
        "exhaust" => {
            thread::spawn(|| {
                thread::sleep(Duration::from_millis(500));
                drop(Vec::<u8>::with_capacity(1 << 50));
            });
        }
        "last" => wait_for_others(),
        "gated" => {
            while !gate().exists() {
                thread::sleep(Duration::from_millis(5));
            }
            thread::sleep(Duration::from_millis(500));
        }
        "wrong-model" => tell(&claim_of("sat", r#"{"Ok":{"model":[["p","true"]]}}"#)),
        "no-model" => tell(&claim_of("sat", r#"{"Ok":{"model":[["p","(=> x0 (verdict"]]}}"#)),
        "wrong-derivation" => {
            tell(&claim_of("unsat", r#"{"Ok":{"derivation":[[0,[],["7"]],[2,[0],[]]]}}"#));
        }
        "premature" => tell(&claim_of("unsat", r#"{"Ok":{"derivation":[[0,[5],["7"]]]}}"#)),
        "says-sat" => tell(&claim_of("sat", NO_WITNESS)),
        "says-unsat" => tell(&claim_of("unsat", NO_WITNESS)),
        "late" => {
            tie();
            tell_and("{\"claim\":\"unsat\"}\n", || {
                fs::write(gate(), "").expect("a writable folder");
                wait_for_others();
                fs::remove_file(gate()).expect("it is there");
                print_raw(verdict("unsat", NO_WITNESS).as_bytes());
            });
        }
        "two-faced" => {
            tell(&format!("{{\"claim\":\"sat\"}}\n{}", verdict("unsat", NO_WITNESS)));
        }
        "claims" => {
            tie();
            tell_and("{\"claim\":\"sat\"}\n", || thread::sleep(Duration::from_secs(100)));
        }
        "other-text" => {
            ReportWriter::begin(io::stdout(), Subject::new(b"(check-sat)", 1)).map(|_| ()).expect("a pipe");
            std::process::exit(0);
        }
        "other-version" => {
            let subject = r#"{"bytes":11,"hash":1,"check":1}"#;
            print_raw(format!("{{\"report\":{{\"version\":1,\"subject\":{subject}}}}}\n").as_bytes());
            std::process::exit(0);
        }
        "noise" => {
            tie();
            loop {
                print_raw(&[0xff, b'(', 0, b' '].repeat(10_000));
            }
        }
        // Learns and tells, but never comes to a verdict of its own.
        "mute" => {
            tie();
            mute();
        }
        // Tells others nonsense and lies, and nothing else.
        "junk" => tell_and("", || {
            for line in lies().iter().cycle().take(1_000) {
                print_raw(line.as_bytes());
            }
        }),
        "chatter" => {
            tie();
            tell_and("", || {
                let lies = lies().concat();
                loop {
                    print_raw(lies.as_bytes());
                }
            });
        }
        "flood" => {
            tie();
            tell_and("", || {
                loop {
                    print_raw("{\"progress\":{\"depth\":1,\"lemmas\":2}}\n".repeat(10_000).as_bytes());
                }
            });
        }
        other => panic!("there is no fault {other}"),
    }
}

/// Messages of the exchange that are wrong: forged invariants of the problem, and some that cannot be read.
fn lies() -> Vec<String> {
    let about = env::args().find_map(|word| word.strip_prefix("--about=").map(str::to_owned));
    let about = about.expect("the graph that messages are about");
    let message = |content: &str| {
        format!("{PREFIX}{VERSION},\"sender\":77,\"about\":\"{about}\",\"content\":{content}}}\n")
    };
    let mut lies = Vec::new();
    for formula in
        ["false", "(= x0 0)", "(< x0 6)", "(= x0 x1)", "(and", "(= (* x0 x0) 4)", "((((((((", "true"]
    {
        lies.push(message(&format!(r#"{{"invariant":[["p","{formula}"]]}}"#)));
    }
    lies.push(message(r#"{"verdict":{"model":[["p","true"]]}}"#));
    lies.push(message(r#"{"invariant":[]}"#).replacen(":2,", ":3,", 1));
    lies.push(format!("{PREFIX}\n"));
    lies.push(format!("{PREFIX}{}\n", "x".repeat(50_000)));
    lies
}

/// The bytes of the problem. What follows is what others have learnt, and comes until this worker ends.
fn problem() -> Vec<u8> {
    let mut text = Vec::new();
    let bytes = env::args().find_map(|word| word.strip_prefix("--graph-bytes=")?.parse().ok());
    io::stdin().lock().take(bytes.unwrap_or(u64::MAX)).read_to_end(&mut text).expect("the problem");
    text
}

/// Runs the engine in another process and lets through what it learns, but not what it decides. One that decides at
/// once may end before it has told anything, and is started again until it has: most runs are too short.
fn mute() -> ! {
    let problem = problem();
    for attempt in 0.. {
        let args = env::args().skip(1).map(|word| match word.strip_prefix("--worker=") {
            Some(_) => format!("--worker={}", std::process::id()),
            None => word,
        });
        let mut engine = Command::new(env::current_exe().expect("this program"))
            .env(FAULTS, "")
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program runs");
        let mut input = engine.stdin.take().expect("a pipe");
        input.write_all(&problem).expect("the engine reads");
        let output = BufReader::new(engine.stdout.take().expect("a pipe"));
        let mut told = false;
        for (number, line) in output.lines().map_while(Result::ok).enumerate() {
            let note = line.starts_with(PREFIX);
            if attempt == 0 && number == 0 || note {
                print_raw(format!("{line}\n").as_bytes());
            }
            told |= note;
        }
        drop(input);
        let _ = engine.wait();
        if told {
            break;
        }
    }
    loop {
        thread::sleep(Duration::from_secs(1));
    }
}

/// The process that started this worker.
fn parent() -> u32 {
    let parent = env::args().find_map(|word| word.strip_prefix("--worker=")?.parse().ok());
    parent.expect("a worker")
}

/// A fault that lasts must not outlive the test.
fn tie() {
    assert!(shem_decide::tie_to(parent()), "the parent is there");
}

/// A file by which one worker tells another that it has said something.
fn gate() -> PathBuf {
    env::temp_dir().join(format!("shem-test-gate-{}", parent()))
}

/// Waits until this is the only worker. Those before it in the mix were started before.
fn wait_for_others() {
    if cfg!(target_os = "linux") {
        while children(parent()).len() > 1 {
            thread::sleep(Duration::from_millis(5));
        }
    } else {
        thread::sleep(Duration::from_secs(5));
    }
}

fn print_raw(bytes: &[u8]) {
    let mut out = io::stdout();
    if out.write_all(bytes).and_then(|()| out.flush()).is_err() {
        std::process::exit(0);
    }
}

/// A witness that is not there, in a report.
const NO_WITNESS: &str = r#"{"Err":"no time"}"#;

/// The last line of a report.
fn verdict(status: &str, witness: &str) -> String {
    let rest = format!(r#""engine":"bmc","statistics":{{}},"witness":{witness}"#);
    format!("{{\"verdict\":{{\"status\":\"{status}\",{rest}}}}}\n")
}

/// A claim and the verdict.
fn claim_of(status: &str, witness: &str) -> String {
    format!("{{\"claim\":\"{status}\"}}\n{}", verdict(status, witness))
}

/// Begins a report about the problem, says this, and does the rest.
fn tell_and(words: &str, rest: impl FnOnce()) {
    ReportWriter::begin(io::stdout(), Subject::new(&problem(), 1)).map(|_| ()).expect("a pipe");
    print_raw(words.as_bytes());
    rest();
    std::process::exit(0);
}

fn tell(words: &str) {
    tell_and(words, || {});
}

/// Starts Shem with these faults on a problem.
fn start(faults: &str, args: &[&str], problem: &str) -> Child {
    let mut child = Command::new(env::current_exe().expect("this program"))
        .env(FAULTS, faults)
        .env("RUST_BACKTRACE", "1")
        // The problems are left to engines.
        .args(["--disable-pass", "equalities,invariants"])
        .args(args)
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    child.stdin.take().expect("a pipe").write_all(problem.as_bytes()).expect("the program reads");
    child
}

struct Run {
    out: String,
    err: String,
    code: Option<i32>,
}

fn run(faults: &str, args: &[&str], problem: &str) -> Run {
    let Output { stdout, stderr, status } =
        start(faults, args, problem).wait_with_output().expect("the program ends");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Run { out: text(stdout), err: text(stderr), code: status.code() }
}

/// The faulty engine is dropped with these words, and the other answers.
#[track_caller]
fn check_dropped(fault: &str, words: &str) {
    for (problem, answer) in [(SAFE, "sat\n"), (UNSAFE, "unsat\n")] {
        let faults = format!("bmc={fault},spacer=last");
        let Run { out, err, code } = run(&faults, &["-e", "bmc,spacer", "--jobs", "2"], problem);
        assert_eq!((&*out, code), (answer, Some(0)), "{fault}: {err}");
        let warning = "shem: warning: bmc was dropped: ";
        assert!(err.starts_with(warning) && err.contains(words), "{fault}: {err}");
        assert_eq!(err.lines().count(), 1, "{fault}: {err}");
    }
}

fn failures_of_an_engine_are_its_own() {
    check_dropped("panic", "the engine has a bug");
    check_dropped("panic", "exit code 101");
    check_dropped("abort", "ended by signal 6");
    check_dropped("silent", "exit code 0 and without a report");
    check_dropped("noise", "its report");
    check_dropped("other-text", "its report is about another text or check");
    check_dropped("other-version", "its report is of version 1, not 4");
}

fn wrong_reports_are_rejected() {
    check_dropped("wrong-model", "its witness is wrong: ");
    check_dropped("no-model", "its witness cannot be read: ");
    check_dropped("wrong-derivation", "its witness is wrong: ");
    check_dropped("premature", "its witness cannot be read: 5 is no earlier step");
    check_dropped("two-faced", "its verdict is not what it claimed");
}

fn memory_is_shared() {
    let args = ["-e", "bmc,spacer", "--jobs", "2", "--memory", "600"];
    for (fault, message) in
        [("hoard", "its share of the memory limit of 600 MB is used up"), ("exhaust", "out of memory")]
    {
        let Run { out, err, code } = run(&format!("bmc={fault},spacer=last"), &args, SAFE);
        let expected = format!("shem: warning: bmc was dropped: {message}\n");
        assert_eq!((&*out, &*err, code), ("sat\n", &*expected, Some(0)));
    }
}

fn loops_and_floods_do_not_matter() {
    for fault in ["spin", "flood"] {
        let start = Instant::now();
        let Run { out, err, code } = run(&format!("bmc={fault}"), &["-e", "bmc,spacer", "-j", "2"], SAFE);
        assert_eq!((&*out, &*err, code), ("sat\n", "", Some(0)), "{fault}");
        assert!(start.elapsed() < Duration::from_secs(60), "{fault}: {:?}", start.elapsed());
    }
    // On one core, too: they take turns.
    let Run { out, err, code } = run("bmc=spin", &["-e", "bmc,spacer", "-j", "1"], UNSAFE);
    assert_eq!((&*out, &*err, code), ("unsat\n", "", Some(0)));
}

/// The figure of this name in what `--stats` prints.
#[track_caller]
fn figure(err: &str, name: &str) -> f64 {
    let found =
        err.lines().find_map(|line| line.split_once(name)?.1.trim_matches([' ', ':', '=']).parse().ok());
    found.unwrap_or_else(|| panic!("there is no {name}: {err}"))
}

/// Two counters that go together; bad, if they do not. That they do is inductive, but no k-induction finds it.
const TOGETHER: &str = "(declare-fun p (Int Int) Bool)
    (assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 0)) (p x y))))
    (assert (forall ((x Int) (y Int)) (=> (p x y) (p (+ x 1) (+ y 1)))))
    (assert (forall ((x Int) (y Int)) (=> (and (p x y) (> x 3) (not (= x y))) false)))
    (check-sat)";

fn workers_tell_each_other_what_they_learn() {
    // Spacer finds the invariant and does not say so; k-induction needs it, and has it from Spacer alone.
    let args = ["-e", "spacer,kind", "-j", "2", "-t", "60", "--stats"];
    let Run { out, err, code } = run("spacer=mute", &args, TOGETHER);
    assert_eq!((&*out, code), ("sat\n", Some(0)), "{err}");
    assert!(figure(&err, "portfolio.sent.0.spacer") > 0.0, "{err}");
    assert!(figure(&err, "portfolio.taken.1.kind") > 0.0, "{err}");
    // Without the exchange it would go on for ever.
    let args = ["-e", "spacer,kind", "-j", "2", "-t", "3", "--stats", "--share", "none"];
    let Run { out, err, code } = run("spacer=mute", &args, TOGETHER);
    assert_eq!((&*out, code), ("unknown\n", Some(0)), "{err}");
    assert!(!err.contains("portfolio.sent"), "{err}");
}

fn what_is_told_is_not_believed() {
    check_dropped("junk", "exit code 0 and without a report");
    for (engine, problem, answer) in [("spacer", SAFE, "sat\n"), ("kind", UNSAFE, "unsat\n")] {
        let start = Instant::now();
        let mix = format!("bmc,{engine}");
        let Run { out, err, code } = run("bmc=chatter", &["-e", &mix, "-j", "2", "--stats"], problem);
        assert_eq!((&*out, code), (answer, Some(0)), "{engine}: {err}");
        assert!(start.elapsed() < Duration::from_secs(60), "{engine}: {:?}", start.elapsed());
        // Nobody listens faster than is allowed: a second's reserve, and so many a second.
        let most = 800.0 * (start.elapsed().as_secs_f64() + 1.0);
        assert!(figure(&err, "portfolio.sent.0.bmc") <= most, "{engine}: {err}");
    }
}

#[cfg(target_os = "linux")]
fn a_worker_that_is_killed_is_missed_by_nobody() {
    // The last one begins when the others are gone, so all that it can hear is from before.
    let args = ["-e", "kind,bmc,spacer", "-j", "3"];
    let child = start("kind=mute,bmc=chatter,spacer=last", &args, SAFE);
    wait_until("three workers", || children(child.id()).len() == 3);
    thread::sleep(Duration::from_millis(200));
    for worker in &children(child.id())[..2] {
        let status = Command::new("kill").args(["-9", &worker.to_string()]).status().expect("kill runs");
        assert!(status.success());
    }
    let Output { stdout, stderr, status } = child.wait_with_output().expect("the program ends");
    let err = String::from_utf8_lossy(&stderr);
    assert_eq!((&*stdout, status.code()), (&b"sat\n"[..], Some(0)), "{err}");
    assert_eq!(err.matches("it was ended by signal 9").count(), 2, "{err}");
}

fn if_all_give_up_nobody_knows() {
    let Run { out, err, code } = run("bmc=panic,kind=abort", &["-e", "bmc,kind"], SAFE);
    assert_eq!((&*out, code), ("unknown\n", Some(0)), "{err}");
    let last = err.lines().last().unwrap_or_default();
    assert_eq!(last, "shem: unknown: no engine decides it; -v says why each of them gave up");
    let Run { err, .. } = run("bmc=panic,kind=abort", &["-v", "-e", "bmc,kind"], SAFE);
    let details: Vec<&str> =
        err.lines().skip_while(|line| *line != "shem: unknown: no engine decides it").collect();
    assert!(
        details.iter().any(|line| line.starts_with("shem:   bmc: "))
            && details.iter().any(|line| line.starts_with("shem:   kind: ")),
        "{err}"
    );
}

/// A verdict that nothing shows is given with a line that says so, and withheld with `--validate`.
fn a_word_alone_is_not_believed() {
    let Run { out, err, code } = run("bmc=says-sat", &["-e", "bmc,bmc", "-t", "20"], SAFE);
    assert_eq!((&*out, code), ("sat\n", Some(0)), "{err}");
    assert_eq!(err, "shem: sat was not checked: no time\n");
    let Run { out, err, .. } = run("bmc=says-sat", &["-e", "bmc,bmc", "-t", "20", "--validate", "-v"], SAFE);
    assert_eq!(out, "unknown\n", "{err}");
    assert!(err.contains("bmc says sat, but nothing shows it: no time"), "{err}");
    // With `--trust` a claim suffices.
    let args = ["-e", "bmc,bmc", "-t", "20", "--trust"];
    let since = Instant::now();
    let Run { out, err, code } = run("bmc=claims", &args, SAFE);
    assert_eq!((&*out, &*err, code), ("sat\n", "", Some(0)));
    assert!(since.elapsed() < Duration::from_secs(15), "{:?}", since.elapsed());
}

fn contradictions_are_hard_failures() {
    for (faults, problem) in [
        ("bmc=says-unsat,spacer=last", SAFE),
        ("bmc=says-sat,spacer=last", UNSAFE),
        ("bmc=late,spacer=gated", SAFE),
    ] {
        let Run { out, err, code } = run(faults, &["-e", "bmc,spacer", "--jobs", "2"], problem);
        assert_eq!(code, Some(2), "{faults}: {out}{err}");
        assert!(out.starts_with("(error \"internal error: spacer says "), "{faults}: {out}");
        assert!(err.ends_with("the answer is withheld\n"), "{faults}: {err}");
        let files: Vec<&str> = out.split_whitespace().filter(|word| word.contains("contradiction")).collect();
        assert_eq!(files.len(), 2, "{faults}: {out}");
        for (file, words) in files.iter().zip(["\"engine\":\"spacer\"", "\"engine\":\"bmc\""]) {
            let file = file.trim_end_matches("\")");
            let text = fs::read_to_string(file).expect("the witness was dumped");
            assert!(text.starts_with("{\"report\":") && text.contains(words), "{text}");
            fs::remove_file(file).expect("the file can be removed");
        }
    }
}

/// The numbers of a process' children, on Linux.
fn children(parent: u32) -> Vec<u32> {
    let path = format!("/proc/{parent}/task/{parent}/children");
    let text = fs::read_to_string(path).unwrap_or_default();
    text.split_whitespace().filter_map(|word| word.parse().ok()).collect()
}

/// Whether a process is there, and not only as an entry that nobody has asked for.
#[cfg(target_os = "linux")]
fn is_alive(process: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(" Z"))
}

/// Waits until something holds.
#[cfg(target_os = "linux")]
#[track_caller]
fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what}");
        thread::sleep(Duration::from_millis(5));
    }
}

#[cfg(target_os = "linux")]
fn workers_do_not_outlive_their_parent() {
    for jobs in ["2", "1"] {
        let mut child = start("bmc=spin,kind=spin", &["-e", "bmc,kind", "--jobs", jobs], SAFE);
        let mut workers = Vec::new();
        wait_until("two workers", || {
            workers = children(child.id());
            workers.len() == 2
        });
        // The worker may not have got as far as to tie itself; then its first deed finds the parent gone.
        thread::sleep(Duration::from_millis(300));
        child.kill().expect("it runs");
        child.wait().expect("it ran");
        wait_until("the workers are gone", || !workers.iter().any(|&worker| is_alive(worker)));
    }
}

#[cfg(target_os = "linux")]
fn limits_and_signals_end_all() {
    for signal in [None, Some("TERM"), Some("INT")] {
        let limit = if signal.is_some() { "100" } else { "5" };
        let child = start("bmc=spin,kind=spin", &["-e", "bmc,kind", "-j", "2", "-t", limit], SAFE);
        let mut workers = Vec::new();
        wait_until("two workers", || {
            workers = children(child.id());
            workers.len() == 2
        });
        let (words, expected) = match signal {
            None => ("the time limit of 5 s is reached".to_owned(), 0),
            Some(signal) => {
                let kill = format!("kill -{signal} {}", child.id());
                assert!(Command::new("sh").args(["-c", &kill]).status().expect("a shell").success());
                (format!("interrupted by SIG{signal}"), if signal == "INT" { 130 } else { 143 })
            }
        };
        let output = child.wait_with_output().expect("the program ends");
        assert!(!workers.iter().any(|&worker| is_alive(worker)), "killed before the answer is given");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "unknown\n");
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(err.starts_with(&format!("shem: unknown: {words}\n")), "{err}");
        assert_eq!(output.status.code(), Some(expected));
    }
}

#[cfg(target_os = "linux")]
fn no_more_cores_are_busy_than_allowed() {
    let since = Instant::now();
    let faults = "bmc=spin,kind=spin,imc=spin";
    let mut child = start(faults, &["-e", "bmc,kind,imc", "--jobs", "1"], SAFE);
    let mut workers = Vec::new();
    wait_until("three workers", || {
        workers = children(child.id());
        workers.len() == 3
    });
    let ticks = |process: u32| -> u64 {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).expect("it runs");
        let fields: Vec<&str> = stat.rsplit(')').next().expect("fields").split_whitespace().collect();
        fields[11].parse::<u64>().expect("ticks") + fields[12].parse::<u64>().expect("ticks")
    };
    // Each gets its turn.
    wait_until("all have worked", || workers.iter().all(|&worker| ticks(worker) > 2));
    thread::sleep(Duration::from_secs(1));
    let busy: u64 = workers.iter().map(|&worker| ticks(worker)).sum();
    let passed = since.elapsed().as_secs_f64();
    child.kill().expect("it runs");
    child.wait().expect("it ran");
    // A tick is a hundredth of a second.
    assert!(busy as f64 / 100.0 < 1.2 * passed + 0.2, "{busy} ticks in {passed} s");
}

fn answers_are_like_those_of_one_engine() {
    let both = format!("(push)\n{SAFE}\n(get-model)\n(pop)\n{UNSAFE}\n");
    let one = run("", &["-e", "spacer", "--print-witness", "--validate"], &both);
    let several = run("", &["-e", "spacer,spacer --seed 7", "--print-witness", "--validate"], &both);
    // The model is read again on its way, and then its parts may stand in another order.
    let (model, derivation) = one.out.split_once("\nunsat\n").expect("two answers");
    let (other_model, other_derivation) = several.out.split_once("\nunsat\n").expect("two answers");
    let head = "sat\n(\n  (define-fun p ((x Int)) Bool\n";
    assert!(model.starts_with(head) && other_model.starts_with(head), "{model}{other_model}");
    assert_eq!(derivation, other_derivation);
    assert_eq!((&one.err, one.code), (&several.err, several.code));
    for args in [&["-j", "1"][..], &["-j", "2"], &["-e", "kind --seed 1, spacer"]] {
        let Run { out, err, code } = run("", &[args, &["--validate", "--json"]].concat(), UNSAFE);
        assert!(
            out.contains("\"answer\":\"unsat\"") && out.contains("\"checked\":\"witness\""),
            "{out}{err}"
        );
        assert!(!out.contains("\"witness\":{"), "it was not asked for: {out}");
        assert_eq!((&*err, code), ("shem: checked: witness\n", Some(0)));
    }
    // What preprocessing decides starts no process: these would all fail.
    let trivial = "(declare-fun p () Bool)(assert p)(assert (not p))(check-sat)";
    let faults = "spacer=panic,split-tpa=panic,pdkind=panic,imc=panic,kind=panic,bmc=panic,tpa=panic";
    for args in [&[][..], &["-e", "bmc,kind"]] {
        let Run { out, err, code } = run(faults, args, trivial);
        assert_eq!((&*out, &*err, code), ("unsat\n", "", Some(0)));
    }
}

fn run_tests() -> ExitCode {
    type Test = (&'static str, fn());
    let tests: &[Test] = &[
        ("answers_are_like_those_of_one_engine", answers_are_like_those_of_one_engine),
        ("failures_of_an_engine_are_its_own", failures_of_an_engine_are_its_own),
        ("wrong_reports_are_rejected", wrong_reports_are_rejected),
        ("memory_is_shared", memory_is_shared),
        ("loops_and_floods_do_not_matter", loops_and_floods_do_not_matter),
        ("workers_tell_each_other_what_they_learn", workers_tell_each_other_what_they_learn),
        ("what_is_told_is_not_believed", what_is_told_is_not_believed),
        #[cfg(target_os = "linux")]
        ("a_worker_that_is_killed_is_missed_by_nobody", a_worker_that_is_killed_is_missed_by_nobody),
        ("if_all_give_up_nobody_knows", if_all_give_up_nobody_knows),
        ("a_word_alone_is_not_believed", a_word_alone_is_not_believed),
        ("contradictions_are_hard_failures", contradictions_are_hard_failures),
        #[cfg(target_os = "linux")]
        ("workers_do_not_outlive_their_parent", workers_do_not_outlive_their_parent),
        #[cfg(target_os = "linux")]
        ("limits_and_signals_end_all", limits_and_signals_end_all),
        #[cfg(target_os = "linux")]
        ("no_more_cores_are_busy_than_allowed", no_more_cores_are_busy_than_allowed),
    ];
    let words: Vec<String> = env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let mut failed = 0;
    for (name, test) in tests {
        if !words.is_empty() && !words.iter().any(|word| name.contains(&**word)) {
            continue;
        }
        let passed = std::panic::catch_unwind(test).is_ok();
        failed += u8::from(!passed);
        let mut out = io::stdout();
        let _ = writeln!(out, "test {name} ... {}", if passed { "ok" } else { "FAILED" });
    }
    ExitCode::from(failed)
}
