//! Command lines of other solvers, as the programs that call them write them.

use super::*;

fn parsed(line: &str) -> Result<Arguments, Failure> {
    let mut words = line.split_whitespace().map(OsString::from);
    let program = words.next().expect("a program");
    let dialect = dialect(&program);
    assert_ne!(dialect, Dialect::Shem, "{line}");
    parse(dialect, words)
}

#[track_caller]
fn check(line: &str, job: Job, change: fn(&mut Arguments)) {
    let dialect = if line.contains("eld ") { Dialect::Eldarica } else { Dialect::Z3 };
    let mut expected = arguments(dialect, job);
    change(&mut expected);
    assert_eq!(parsed(line), Ok(expected), "for {line}");
}

fn set_check_time(arguments: &mut Arguments, time: Duration) {
    arguments.horn.run.check_time = Some(time);
    arguments.smt.run.check_time = Some(time);
}

fn horn(file: &str) -> Job {
    Job::Horn(file.into())
}

fn script(file: &str) -> Job {
    Job::Script(file.into())
}

#[test]
fn names() {
    for name in ["shem", "/usr/bin/shem", "exe", "z3-shem", ""] {
        assert_eq!(dialect(OsStr::new(name)), Dialect::Shem, "{name}");
    }
    assert_eq!(dialect(OsStr::new("/opt/bin/z3")), Dialect::Z3);
    assert_eq!(dialect(OsStr::new("eld.exe")), Dialect::Eldarica);
}

#[test]
fn eldarica() {
    // solc-js, and solc.
    check("eld -horn -t:10 q.smt2", horn("q.smt2"), |a| a.horn.run.timeout = Some(Duration::from_secs(10)));
    check("eld -hsmt -in -t:3 -ssol", horn("-"), |a| {
        a.horn.run.timeout = Some(Duration::from_secs(3));
        a.horn.print_model = true;
    });
    check("eld -hsmt -in", horn("-"), |_| {});
    check("eld -cex -portfolio -abstract:off -splitClauses:1 q", horn("q"), |a| a.horn.print_witness = true);
    assert_eq!(parsed("eld -t:x q"), Err(Failure("-t: x is not a number of seconds".to_owned())));
    assert_eq!(parsed("eld -what q"), Err(Failure("unrecognised option -what".to_owned())));
    assert_eq!(parsed("eld a b"), Err(Failure("too many arguments".to_owned())));
}

#[test]
fn z3() {
    // solc-js, and solc with a limit of steps and of time.
    let line = "z3 -smt2 rlimit=20000000 rewriter.pull_cheap_ite=true fp.spacer.q3.use_qgen=true \
                fp.spacer.mbqi=false fp.spacer.ground_pobs=false /tmp/q.smt2";
    check(line, script("/tmp/q.smt2"), |a| set_check_time(a, Duration::from_secs_f64(2e7 / 2.2e6)));
    let line = "z3 -in -smt2 -model rlimit=2000000 fp.spacer.mbqi=false fp.xform.slice=false";
    check(line, script("-"), |a| {
        set_check_time(a, Duration::from_secs(2));
        a.horn.print_model = true;
    });
    check("z3 -in -smt2 -t:1500 fp.xform.slice=true", script("-"), |a| {
        set_check_time(a, Duration::from_millis(1500));
    });
    check("z3 -T:7 -memory:100 a=b.smt2", script("-"), |a| {
        a.horn.run.timeout = Some(Duration::from_secs(7));
        a.smt.run.timeout = Some(Duration::from_secs(7));
        a.horn.run.memory = Some(100 * shem_decide::MEGABYTE);
        a.smt.run.memory = a.horn.run.memory;
    });
    check("z3 -t:0 rlimit=0 timeout=4294967295 -", script("-"), |_| {});
    check("z3 ./a=b/c.smt2", script("./a=b/c.smt2"), |_| {});
    assert_eq!(parsed("z3 -what q"), Err(Failure("unknown option -what".to_owned())));
    assert_eq!(parsed("z3 rlimit=many q"), Err(Failure("rlimit: many is not a whole number".to_owned())));
    assert!(matches!(parsed("z3 --version").map(|a| a.job), Ok(Job::Print(text)) if text.contains("z3")));
}
