//! What a new user meets first: files that are odd, words that are misspelt, output that cannot be written, a
//! conversation, and runs that are to be the same again. Each test stands for something that once went wrong.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::time::{Duration, Instant};

const UNSAFE: &str = "(set-logic HORN)
(declare-fun Inv (Int) Bool)
(assert (forall ((x Int)) (=> (= x 0) (Inv x))))
(assert (forall ((x Int)) (=> (Inv x) (Inv (+ x 1)))))
(assert (forall ((x Int)) (=> (and (Inv x) (>= x 1)) false)))
";

fn example(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/horn").join(name);
    path.to_string_lossy().into_owned()
}

fn shem(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_shem"));
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the program on a text.
fn pipe(args: &[&str], input: &[u8]) -> Output {
    let mut child = shem(args).spawn().expect("the program runs");
    let _ = child.stdin.take().expect("a pipe").write_all(input);
    child.wait_with_output().expect("the program ends")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Output, messages and exit code.
fn parts(output: &Output) -> (String, String, Option<i32>) {
    (text(&output.stdout), text(&output.stderr), output.status.code())
}

#[test]
fn a_mark_before_the_text_is_no_text() {
    let marked = |text: &str| [b"\xef\xbb\xbf", text.as_bytes()].concat();
    let horn = format!("{UNSAFE}(check-sat)");
    assert_eq!(parts(&pipe(&["-"], &marked(&horn))), ("unsat\n".to_owned(), String::new(), Some(0)));
    let script = marked("(set-logic QF_LIA)(check-sat)");
    assert_eq!(parts(&pipe(&["smt", "-"], &script)), ("sat\n".to_owned(), String::new(), Some(0)));
    let path = std::env::temp_dir().join(format!("shem-mark-{}.smt2", std::process::id()));
    std::fs::write(&path, marked(&horn)).expect("a file");
    let output = pipe(&[&path.to_string_lossy()], b"");
    std::fs::remove_file(&path).expect("it is there");
    assert_eq!(parts(&output), ("unsat\n".to_owned(), String::new(), Some(0)));
    // What is not UTF-8 is named.
    let (out, _, code) = parts(&pipe(&["smt", "-"], b"\xff\xfe(\0e\0"));
    assert_eq!(code, Some(1));
    assert!(out.contains("UTF-16"), "{out}");
}

#[test]
fn a_script_that_asks_for_nothing_is_told_so() {
    for script in ["", "; nothing\n", "(set-logic HORN)\n", UNSAFE] {
        for args in [&["-"][..], &["-e", "bmc", "-"]] {
            let (out, err, code) = parts(&pipe(args, script.as_bytes()));
            let note = "shem: note: <stdin> asks for nothing: there is no check-sat\n";
            assert_eq!((&*out, &*err, code), ("", note, Some(0)), "{script}");
        }
    }
    let (out, err, code) = parts(&pipe(&["smt", "-"], b"(set-logic QF_LIA)"));
    assert_eq!((&*out, code), ("", Some(0)));
    assert!(err.contains("asks for nothing"), "{err}");
    // Who ends a script, or asks for something else, knows that.
    assert_eq!(parts(&pipe(&["-"], b"(exit)")).1, "");
    assert_eq!(parts(&pipe(&["-"], b"(echo \"a\")")).1, "");
    assert_eq!(parts(&pipe(&["smt", "-"], b"(get-info :name)")).1, "");
}

#[test]
fn each_door_names_the_other() {
    let (out, _, code) = parts(&pipe(&["-"], b"(set-logic QF_LIA)(check-sat)"));
    assert!(out.contains("shem smt") && code == Some(1), "{out}");
    let (out, _, code) = parts(&pipe(&["smt", "-"], b"(set-logic HORN)(check-sat)"));
    assert!(out.contains("without the word smt") && code == Some(1), "{out}");
}

#[test]
fn misspelt_words_are_recognised() {
    for (args, input, words) in [
        (&["-e", "spcer", "-"][..], "", "did you mean spacer?"),
        (&["--print-witnes", "--tiemout", "5", "-"], "", "--timeout"),
        (&["--disable-pass", "slise", "-"], "", "did you mean slice?"),
        (&["-"], "(chek-sat)", "did you mean check-sat?"),
        (&["smt", "-"], "(get-modle)", "did you mean get-model?"),
        (&["smt", "-"], "(set-logic qf_lia)", "did you mean QF_LIA?"),
        (&["-j", "0", "-"], "", "--jobs"),
    ] {
        let (out, err, code) = parts(&pipe(args, input.as_bytes()));
        assert_eq!(code, Some(1), "{args:?}");
        assert!(out.starts_with("(error ") && out.contains(words), "{args:?}: {out}");
        assert!(err.contains(words), "{args:?}: {err}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_told() {
    let file = example("counter-unsafe.smt2");
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/scripts/integers.smt2");
    let script = script.to_string_lossy().into_owned();
    for args in
        [&["--print-witness", &*file][..], &["--json", &file], &["smt", &script], &["--help"], &["man"]]
    {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a full disk");
        let output = shem(args).stdout(full).output().expect("the program runs");
        let err = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{args:?}: {err}");
        assert!(err.contains("shem: the output cannot be written: No space left"), "{args:?}: {err}");
    }
}

/// A conversation with the program.
struct Talk {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Talk {
    fn begin(args: &[&str]) -> Talk {
        let mut child = shem(args).spawn().expect("the program runs");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        Talk { child, input, output }
    }

    /// Says something, and reads as many lines as are due for it.
    #[track_caller]
    fn say(&mut self, words: &str, answer: &str) {
        let input = self.input.as_mut().expect("a pipe");
        input.write_all(words.as_bytes()).and_then(|()| input.flush()).expect("the program reads");
        let mut found = String::new();
        for _ in answer.lines() {
            self.output.read_line(&mut found).expect("an answer");
        }
        assert_eq!(found, answer, "to {words}");
    }

    /// Ends it: what else was said, and the exit code.
    fn end(mut self) -> (String, String, Option<i32>) {
        drop(self.input.take());
        let (mut rest, mut err) = (String::new(), String::new());
        self.output.read_to_string(&mut rest).expect("text");
        self.child.stderr.take().expect("a pipe").read_to_string(&mut err).expect("text");
        (rest, err, self.child.wait().expect("it ends").code())
    }
}

/// Each command gets its reply before the next one is sent.
#[test]
fn horn_problems_are_answered_as_they_come() {
    let mut talk = Talk::begin(&["-e", "spacer", "-in"]);
    talk.say("(set-option :print-success true)\n", "success\n");
    talk.say("(set-option :produce-models true)\n", "success\n");
    talk.say("(set-option :no-such-option 1)\n", "unsupported\n");
    talk.say("(set-logic HORN)\n", "success\n");
    talk.say("(get-model)\n", "(error \"there is no model: nothing was checked\")\n");
    talk.say("(declare-fun p (Int) Bool)\n", "success\n");
    talk.say("(assert (p 0)) (check-sat)\n", "success\nsat\n");
    talk.say("(get-model)\n", "(\n  (define-fun p ((x0 Int)) Bool\n    true)\n)\n");
    talk.say("(get-proof)\n", "(error \"there is no proof: the answer is sat\")\n");
    talk.say("(push 1)\n(assert (forall ((x Int)) (=> (p x) false)))\n", "success\nsuccess\n");
    talk.say("(get-info :assertion-stack-levels)\n", "(:assertion-stack-levels 1)\n");
    talk.say("(check-sat)\n", "unsat\n");
    talk.say("(get-model)\n", "(error \"there is no model: the answer is unsat\")\n");
    talk.say("(get-proof)\n", "0:\ttrue\n1:\t(p 0) ->  0\n2:\tfalse ->  1\n\n");
    talk.say(
        "(get-option :print-success)(get-info :error-behavior)\n",
        "true\n(:error-behavior immediate-exit)\n",
    );
    talk.say("(pop 1)\n(check-sat)\n", "success\nsat\n");
    talk.say("(exit)\n", "success\n");
    assert_eq!(talk.end(), (String::new(), String::new(), Some(0)));
}

/// The engines of the default strategy run in processes, which are given what was said so far.
#[test]
fn conversations_with_several_engines() {
    let mut talk = Talk::begin(&["-"]);
    talk.say(&format!("{UNSAFE}(check-sat)\n"), "unsat\n");
    talk.say("(get-proof)\n", "0:\ttrue\n1:\t(Inv 0) ->  0\n2:\t(Inv 1) ->  1\n3:\tfalse ->  2\n\n");
    talk.say("(reset)(declare-fun q (Int) Bool)(assert (forall ((x Int)) (=> (> x 0) (q x))))", "");
    talk.say(
        "(assert (forall ((x Int)) (=> (and (q x) (< x 0)) false)))(check-sat)(echo \"over\")\n",
        "sat\n\"over\"\n",
    );
    assert_eq!(talk.end(), (String::new(), String::new(), Some(0)));
}

#[test]
fn a_mistake_loses_no_answer() {
    let script = format!("{UNSAFE}(check-sat)\n(frobnicate)\n(check-sat)\n");
    let path = std::env::temp_dir().join(format!("shem-stray-{}.smt2", std::process::id()));
    std::fs::write(&path, &script).expect("a file");
    let outputs = [pipe(&["-"], script.as_bytes()), pipe(&[&path.to_string_lossy()], b"")];
    std::fs::remove_file(&path).expect("it is there");
    for output in outputs {
        let (out, err, code) = parts(&output);
        assert_eq!(out, "unsat\n(error \"line 7 column 2: the command frobnicate is not known\")\n");
        assert!(err.contains(":7:2: error: the command frobnicate is not known\n"), "{err}");
        assert_eq!(code, Some(1));
    }
}

#[test]
fn execution_is_continued_on_request() {
    let script =
        "(declare-fun p (Int) Bool)(push 1 1)(declare-fun q () Bool 3)(assert (and (p 0) (or (p 1) (p 2))))
        (assert (p true))(assert (p 0))(declare-fun q () Bool)(pop)(set-option :print-success 3)
        (get-info :error-behavior)(check-sat)(assert (not (p 0)))(check-sat))(check-sat)";
    let output = pipe(&["--continued-execution", "-"], script.as_bytes());
    let (out, err, code) = parts(&output);
    let lines: Vec<&str> = out.lines().collect();
    let errors = lines.iter().filter(|line| line.starts_with("(error ")).count();
    let answers: Vec<&&str> = lines.iter().filter(|line| !line.starts_with("(error ")).collect();
    assert_eq!(answers, [&"(:error-behavior continued-execution)", &"sat", &"unsat", &"unsat"], "{out}");
    assert_eq!((errors, code), (7, Some(1)), "{out}{err}");
    let script =
        "(declare-const x Int)(assert (> x true))(push 1 1)(get-value (x))(pop)(assert (> x 3))(check-sat)
        (get-value (y))(get-value ((> x 3)))";
    let (out, _, code) = parts(&pipe(&["smt", "--continued-execution", "-"], script.as_bytes()));
    let answers: Vec<&str> = out.lines().filter(|line| !line.starts_with("(error ")).collect();
    assert_eq!((answers, code), (vec!["sat", "(((> x 3) true))"], Some(1)), "{out}");
}

/// What pySMT sends first, and other channels.
#[test]
fn output_channels() {
    let path = std::env::temp_dir().join(format!("shem-answers-{}", std::process::id()));
    let name = path.to_string_lossy().into_owned();
    for (args, word) in [(&["smt", "-"][..], "QF_LIA"), (&["-"], "HORN")] {
        let _ = std::fs::remove_file(&path);
        let mut talk = Talk::begin(args);
        talk.say("(set-option :print-success true)\n", "success\n");
        talk.say("(set-option :diagnostic-output-channel \"stdout\")\n", "success\n");
        talk.say("(get-option :diagnostic-output-channel)\n", "\"stdout\"\n");
        talk.say(&format!("(set-logic {word})\n"), "success\n");
        talk.say(&format!("(set-option :regular-output-channel \"{name}\")(check-sat)"), "");
        talk.say("(set-option :regular-output-channel \"stdout\")(echo \"back\")\n", "success\n\"back\"\n");
        assert_eq!(talk.end(), (String::new(), String::new(), Some(0)));
        assert_eq!(std::fs::read_to_string(&path).expect("a file"), "success\nsat\n", "{word}");
    }
    let _ = std::fs::remove_file(&path);
    let (out, _, code) =
        parts(&pipe(&["smt", "-"], b"(set-option :regular-output-channel \"/no/such/folder/x\")"));
    assert!(out.contains("cannot be written") && code == Some(1), "{out}");
}

/// Answer, witness and counts of a run.
fn fingerprint(args: &[&str], file: &str) -> String {
    let output = pipe(&[args, &["--json", "--print-witness", file]].concat(), b"");
    let out = text(&output.stdout);
    let object: serde_json::Value =
        serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}"));
    let check = &object["checks"][0];
    let seconds = &check["seconds"]["virtual.seconds"];
    format!("{} {} {} {} {seconds}", check["answer"], check["engine"], check["witness"], check["counts"])
}

/// The same seed gives the same run, however many cores there are and whatever else they do.
#[test]
fn deterministic_runs() {
    let files = ["water-tank-safe.smt2", "two-loops-safe.smt2", "switch-unsafe.smt2", "fibonacci-safe.smt2"];
    let first: Vec<String> = files.map(|file| fingerprint(&["--deterministic"], &example(file))).to_vec();
    for (file, expected) in files.iter().zip(&first) {
        assert!(expected.starts_with("\"sat\"") || expected.starts_with("\"unsat\""), "{file}: {expected}");
    }
    // Others that keep all cores busy.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let busy: Vec<Child> = (0..2 * cores)
        .map(|_| shem(&["-e", "bmc", "-t", "60", "--jobs", "1", &example("counter-safe.smt2")]))
        .map(|mut command| command.stdin(Stdio::null()).spawn().expect("the program runs"))
        .collect();
    for jobs in ["1", "2", "5"] {
        for (file, expected) in files.iter().zip(&first) {
            let found = fingerprint(&["--deterministic", "--jobs", jobs], &example(file));
            assert_eq!(&found, expected, "{file} with {jobs} jobs");
        }
    }
    let alone = |file| fingerprint(&["-e", "spacer", "--deterministic", "--seed", "3"], &example(file));
    assert_eq!(alone(files[1]), alone(files[1]));
    for mut child in busy {
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// Virtual cores are the same on every machine, with what engines tell each other, and the virtual time is.
#[test]
fn virtual_cores() {
    let pass = ["--disable-pass", "equalities,invariants"];
    let mut times = Vec::new();
    for (args, file) in [
        (&["--virtual-cores", "1"][..], "water-tank-safe.smt2"),
        (&["--virtual-cores", "6"], "water-tank-safe.smt2"),
        (&["--virtual-cores", "4", "--seed", "5"], "two-loops-safe.smt2"),
        (&["--virtual-cores", "4", "--partition", "3"], "two-loops-safe.smt2"),
        (&["-e", "pdkind", "--instances", "3", "--virtual-cores", "3"], "water-tank-safe.smt2"),
    ] {
        let args = [args, &pass].concat();
        let run = |jobs| fingerprint(&[&args[..], &["--jobs", jobs]].concat(), &example(file));
        let first = run("1");
        assert!(first.contains("virtual.work"), "{args:?}: {first}");
        assert_eq!(run("1"), first, "{args:?}");
        assert_eq!(run("3"), first, "{args:?}");
        let last = first.split(' ').next_back().expect("some words");
        times.push(last.parse::<f64>().unwrap_or_else(|error| panic!("{error}: {first}")));
    }
    // More cores do not take longer here, and the last run has an exchange.
    assert!(times[0] > times[1] && times[1] > 0.0, "{times:?}");
    let line = ["-e", "pdkind", "--instances", "3", "--virtual-cores", "3", "--disable-pass", pass[1]];
    let alone = fingerprint(&[&line[..], &["--share", "none"]].concat(), &example("water-tank-safe.smt2"));
    let together = fingerprint(&line, &example("water-tank-safe.smt2"));
    assert_ne!(alone, together);
    assert!(together.contains("port.received") && !alone.contains("port.received"), "{together}");
}

/// What is set for all entries of a mix reaches its engines on virtual cores, and so does what is set for one of them.
#[test]
fn settings_reach_mixes_on_virtual_cores() {
    let file = example("water-tank-safe.smt2");
    let run = |mix: &str, more: &[&str]| {
        let pass = "equalities,invariants";
        let line = ["-e", mix, "--virtual-cores", "2", "--share", "none", "--disable-pass", pass];
        fingerprint(&[&line[..], more].concat(), &file)
    };
    let plain = run("bmc, spacer", &[]);
    assert!(plain.starts_with("\"sat\" \"spacer\""), "{plain}");
    for word in ["--spacer.lemmas=core", "--seed=7"] {
        let for_all = run("bmc, spacer", &[word]);
        assert_ne!(plain, for_all, "{word}");
        assert_eq!(run(&format!("bmc, spacer {word}"), &[]), for_all, "{word}");
    }
    // What is said of one of them goes before what is said of all.
    let [core, interpolant] = ["core", "interpolant"].map(|word| format!("--spacer.lemmas={word}"));
    assert_eq!(run(&format!("bmc, spacer {core}"), &[&interpolant]), run("bmc, spacer", &[&core]));
}

/// The time for a verdict is virtual on virtual cores.
#[test]
fn virtual_time_ends_a_run() {
    let pass = "equalities,invariants";
    let line = ["-e", "bmc", "--virtual-cores", "2", "--verdict-timeout", "0.3", "--disable-pass", pass];
    let run = || {
        let (out, _, _) =
            parts(&pipe(&[&line[..], &["--json", &example("counter-safe.smt2")]].concat(), b""));
        let found: serde_json::Value = serde_json::from_str(&out).expect("an object of JSON");
        let check = &found["checks"][0];
        let time = check["seconds"]["virtual.seconds"].as_f64().expect("a number");
        assert!((0.3..0.4).contains(&time), "{check}");
        serde_json::json!([check["answer"], check["reason"], check["counts"]])
    };
    let first = run();
    assert!(first[0] == "unknown" && first[1].to_string().contains("0.3"), "{first}");
    assert_eq!(run(), first);
}

#[test]
fn a_deterministic_run_keeps_its_limits() {
    let since = Instant::now();
    let endless = "(declare-fun p (Int Int) Bool)
        (assert (forall ((x Int) (y Int)) (=> (and (= x 1) (= y 0)) (p x y))))
        (assert (forall ((x Int) (y Int)) (=> (p x y) (p (+ x y 1) (+ x (* 2 y))))))
        (assert (forall ((x Int) (y Int)) (=> (and (p x y) (= (* 3 x) (* 5 y))) false)))(check-sat)";
    let (out, err, code) = parts(&pipe(&["--deterministic", "-t", "2", "-"], endless.as_bytes()));
    assert_eq!((out.lines().count(), code), (1, Some(0)), "{out}{err}");
    assert!(since.elapsed() < Duration::from_secs(30), "{err}");
}

/// More of them tell more.
#[test]
fn verbosity_has_levels() {
    let file = example("two-loops-safe.smt2");
    for (level, option) in [None, Some("-v"), Some("-vv"), Some("-vvv")].into_iter().enumerate() {
        let args: Vec<&str> = option
            .into_iter()
            .chain(["--deterministic", "--disable-pass", "equalities,invariants", &*file])
            .collect();
        let err = text(&pipe(&args, b"").stderr);
        for (from, words) in [(1, "decided by "), (2, "preparing 2 predicates"), (3, "a round of ")] {
            assert_eq!(err.contains(words), level >= from, "{args:?}: {err}");
        }
    }
}

#[test]
fn statistics_are_grouped_and_have_no_zeros() {
    let output = pipe(
        &[
            "--stats",
            "-e",
            "spacer",
            "--disable-pass",
            "equalities,invariants",
            &example("two-loops-safe.smt2"),
        ],
        b"",
    );
    let err = text(&output.stderr);
    assert!(err.contains("\nspacer:\n  spacer.") && err.contains("\ntime:\n  time."), "{err}");
    for line in err.lines().filter(|line| line.starts_with(' ')) {
        let figure = line.split_whitespace().nth(1).expect("a figure");
        assert!(figure.parse::<f64>().is_ok_and(|figure| figure > 0.0), "{line}");
    }
}

/// Divisibility is written so that z3 reads it.
#[test]
fn divisibility_is_written_with_mod() {
    let script = "(set-logic LIA)(declare-const x Int)(get-qe (exists ((y Int)) (= x (* 3 y))))";
    let (out, _, code) = parts(&pipe(&["smt", "-"], script.as_bytes()));
    assert_eq!((&*out, code), ("(= (mod x 3) 0)\n", Some(0)));
}

#[test]
fn outputs_are_opened_before_the_run() {
    // It would take forever.
    let endless = UNSAFE.replace(">= x 1", "= x 1000000000") + "(check-sat)";
    for option in ["--report", "--print-certificate"] {
        let since = Instant::now();
        let (out, err, code) =
            parts(&pipe(&["-e", "kind", option, "/dev/null/out", "-"], endless.as_bytes()));
        assert!(since.elapsed() < Duration::from_secs(20));
        assert!(out.starts_with("(error \"/dev/null/out: ") && code == Some(1), "{option}: {out}{err}");
    }
}

#[test]
fn wrong_numbers_are_named() {
    for (option, value, words) in [
        ("--memory", "lots", "lots is not a number of megabytes, such as 500 or 2G"),
        ("--memory", "-1G", "-1G is not a number of megabytes"),
        ("-j", "0", "0 is not a number of cores; the least is 1"),
    ] {
        let (out, _, code) = parts(&pipe(&[&format!("{option}={value}"), "-"], b""));
        assert!(out.contains(words) && code == Some(1), "{out}");
    }
    let (out, _, _) = parts(&pipe(&["--memory", "2G", "-"], format!("{UNSAFE}(check-sat)").as_bytes()));
    assert_eq!(out, "unsat\n");
}

#[test]
fn messages_stay_out_of_texts() {
    for args in [&["convert", "vmt", "-"][..], &["strategy", "-"]] {
        let (out, err, code) = parts(&pipe(args, b"(assert"));
        assert_eq!((&*out, code), ("", Some(1)), "{err}");
        assert!(err.starts_with("shem: <stdin>:1:"), "{err}");
    }
}

#[test]
fn each_job_has_a_help() {
    let (out, _, code) = parts(&pipe(&["smt", "--help"], b""));
    assert!(out.contains("shem smt") && out.contains("--check-models") && !out.contains("--engine"), "{out}");
    assert_eq!(code, Some(0));
    let (out, _, _) = parts(&pipe(&["--help-all"], b""));
    let long = out.lines().find(|line| line.chars().count() > 100);
    assert_eq!(long, None);
    assert!(out.contains("over integers, reals, arrays and datatypes"), "{out}");
    let (page, _, _) = parts(&pipe(&["man"], b""));
    assert!(page.contains(".SH EXAMPLES") && page.contains("shem strategy FILE"), "{page}");
}

#[test]
fn a_missing_parenthesis_is_looked_for_where_it_is_missing() {
    let script = "(set-logic HORN)\n(declare-fun p (Int) Bool)\n(assert (p 0)\n(check-sat)\n";
    for args in [&["-"][..], &["smt", "-"]] {
        let script = if args.len() > 1 { script.replace("HORN", "ALL") } else { script.to_owned() };
        let (out, _, code) = parts(&pipe(args, script.as_bytes()));
        assert!(
            out.contains("is a parenthesis missing in the command of line 3?") && code == Some(1),
            "{out}"
        );
    }
    let script = "(declare-fun counter (Int) Bool)\n(assert (contour 0))\n";
    let (out, _, _) = parts(&pipe(&["-"], script.as_bytes()));
    assert_eq!(
        out,
        "(error \"line 2 column 10: the symbol contour is not declared; did you mean counter?\")\n"
    );
}

/// What a format has no words for is no fault of the output.
#[test]
fn a_proof_that_cannot_be_written_is_told_as_such() {
    let script = "(set-logic HORN)(declare-fun p ((Array Int Int)) Bool)
        (assert (forall ((a (Array Int Int))) (=> (= (select a 0) 1) (p a))))
        (assert (forall ((a (Array Int Int))) (=> (and (p a) (= (select a 0) 1)) false)))(check-sat)";
    let (out, err, code) =
        parts(&pipe(&["-e", "bmc", "-p", "alethe", "--print-witness", "-"], script.as_bytes()));
    assert!(out.starts_with("unsat\n"), "{out}");
    assert!(err.starts_with("no witness: ") && !err.contains("cannot be written"), "{err}");
    assert_eq!(code, Some(1));
}

/// The steps that a printed derivation has, without the line of `true`.
fn steps(out: &str) -> usize {
    out.lines().filter(|line| line.contains(" -> ")).count()
}

/// A loop that runs a hundred rounds and may be left at once: engines that follow it come to falsehood late.
const DETOUR: &str = "(set-logic HORN)
(declare-fun loop (Int Int) Bool)
(declare-fun end (Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 0) (>= y 0)) (loop x y))))
(assert (forall ((x Int) (y Int)) (=> (and (loop x y) (< x 100)) (loop (+ x 1) (+ y 2)))))
(assert (forall ((x Int) (y Int)) (=> (loop x y) (end y))))
(assert (forall ((y Int)) (=> (and (end y) (> y 150)) false)))
(check-sat)
";

#[test]
fn derivations_are_short_where_people_see_them() {
    for engine in ["scout", "spacer", "bmc", "tpa"] {
        let (out, err, code) = parts(&pipe(&["-e", engine, "--print-witness", "-"], DETOUR.as_bytes()));
        assert_eq!((steps(&out), err.as_str(), code), (3, "", Some(0)), "{engine}: {out}");
        // What is asked for as it was found is left alone.
        let (out, ..) =
            parts(&pipe(&["-e", engine, "--print-witness", "--no-pruning", "-"], DETOUR.as_bytes()));
        assert!(out.starts_with("unsat\n") && steps(&out) >= 3, "{engine}: {out}");
    }
    let (out, err, code) = parts(&pipe(&["--print-witness", "--shortest", "-"], DETOUR.as_bytes()));
    assert_eq!((steps(&out), code), (3, Some(0)), "{out}");
    assert_eq!(err, "shem: no derivation has fewer steps\n");
    let (out, ..) = parts(&pipe(&["--json", "--print-witness", "-"], DETOUR.as_bytes()));
    assert!(out.contains("\"derivation.steps.printed\":3"), "{out}");
    assert!(out.contains("\"derivation.shortest\":1"), "{out}");
}

/// Where minimality cannot be shown in the time, that is said.
#[test]
fn what_is_not_known_to_be_shortest_is_not_called_so() {
    // About a thousand facts of a body with two atoms: too many for a search from below.
    let text = "(set-logic HORN)
(declare-fun p (Int) Bool)
(assert (p 0))
(assert (forall ((x Int) (y Int)) (=> (and (p x) (p y) (= x y)) (p (+ x 1)))))
(assert (forall ((x Int)) (=> (and (p x) (= x 200)) false)))
(check-sat)
";
    let args = ["--print-witness", "--shortest", "--witness-budget", "2", "-"];
    let (out, err, code) = parts(&pipe(&args, text.as_bytes()));
    assert_eq!((steps(&out), code), (202, Some(0)), "{err}");
    assert!(err.contains("was not found out"), "{err}");
}
