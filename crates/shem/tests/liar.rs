//! What becomes of the answers of an engine that lies.

use std::ffi::OsString;

use shem::cli::run;
use shem_engine::Registry;
use shem_test_support::liar::LIAR;

/// A system that the passes cannot decide without invariants.
const SYSTEM: &str = "(declare-fun p (Int) Bool)
    (assert (forall ((x Int)) (=> (= x 0) (p x))))
    (assert (forall ((x Int)) (=> (p x) (p (+ x 2)))))
    (assert (forall ((x Int)) (=> (p x) (not (= x 7)))))
    (check-sat)";

/// Runs the program with the engine; gives the exit code and what was written.
fn lie(seed: u64, instances: usize, options: &[&str]) -> (u8, String, String) {
    let name = format!("shem-liar-{}-{seed}-{instances}-{}.smt2", std::process::id(), options.len());
    let path = std::env::temp_dir().join(name);
    std::fs::write(&path, SYSTEM).expect("a writable folder");
    let words = format!(
        "-e liar --print-witness --seed {seed} --instances {instances} --disable-pass equalities,invariants"
    );
    let words = words.split(' ').chain(options.iter().copied()).map(OsString::from);
    let args = words.chain([path.clone().into_os_string()]);
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = run(&Registry::standard().with(LIAR), args, &mut out, &mut err);
    std::fs::remove_file(&path).expect("the file can be removed");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (code, text(out), text(err))
}

#[test]
fn wrong_witnesses_are_withheld() {
    for options in [&[][..], &["--validate"]] {
        for seed in [0, 1] {
            let (code, out, err) = lie(seed, 1, options);
            assert_eq!(code, 2, "{out}{err}");
            assert!(out.starts_with("(error \"internal error: "), "{out}");
            assert_eq!(out.lines().count(), 1, "{out}");
            assert!(err.ends_with("the answer is withheld\n"), "{err}");
        }
    }
}

#[test]
fn wrong_certificates_are_withheld() {
    let words = "the engine's certificate is wrong: a fact leaves the safe sets";
    for options in [&[][..], &["--validate"]] {
        let (code, out, _) = lie(2, 1, options);
        assert_eq!(code, 2);
        assert_eq!(out, format!("(error \"internal error: {words}\")\n"));
    }
    let (code, out, err) = lie(2, 1, &["--trust"]);
    assert_eq!((code, &*out, &*err), (0, "sat\n", ""));
}

#[test]
fn one_honest_instance_is_enough() {
    let (code, out, err) = lie(0, 5, &["--validate"]);
    assert_eq!((code, out.lines().next()), (0, Some("sat")), "{out}{err}");
    // Without it nobody knows, and everybody is told of.
    let (code, out, err) = lie(0, 4, &["--validate"]);
    assert_eq!((code, &*out), (0, "unknown\n"), "{err}");
    for words in [
        "instance 0 of liar was dropped: its witness is wrong",
        "instance 1 of liar was dropped: ",
        "instance 2 of liar was dropped: the engine's certificate is wrong: a fact leaves the safe sets",
        "instance 3 of liar was dropped: it panicked: caught red-handed",
    ] {
        assert!(err.contains(&format!("shem: warning: {words}")), "{words}: {err}");
    }
}
