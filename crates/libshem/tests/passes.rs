//! Each pass switched off alone: answers stay right.

use std::fs;
use std::path::Path;
use std::time::Duration;

use libshem::{Limits, Options, Problem, Verdict};
use shem_transform::passes;

/// The example files with their answers: `unsafe` in the name or the status says unsat.
fn examples() -> Vec<(String, String, bool)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/horn");
    let mut found: Vec<(String, String, bool)> = fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            let text = fs::read_to_string(&path).expect("a readable file");
            let safe = !name.contains("unsafe") && !text.contains(":status unsat");
            (name, text, safe)
        })
        .collect();
    found.sort();
    assert!(found.len() >= 10);
    found
}

/// Decides each example without a pass; gives the number of answers.
fn run_without(pass: &str, engine: &str) -> usize {
    let limits = Limits { time: Some(Duration::from_secs(10)), memory: None };
    let mut options = Options { limits, ..Options::by_engine(engine).expect("an engine") };
    let choice = options.engine.as_mut().expect("it was chosen");
    choice.set("simplify-nested", "yes").expect("a setting");
    options.disabled_passes.disable(pass).expect("a pass");
    let mut answers = 0;
    for (name, text, safe) in examples() {
        let answer = Problem::parse(&text).expect("a problem").solve(&options);
        match answer.unwrap_or_else(|fault| panic!("{name} without {pass}: {fault}")).verdict {
            Verdict::Sat(_) => assert!(safe, "{name} without {pass} by {engine}"),
            Verdict::Unsat(_) => assert!(!safe, "{name} without {pass} by {engine}"),
            Verdict::Unknown(_) => continue,
        }
        answers += 1;
    }
    answers
}

#[test]
fn spacer_decides_the_examples_without_any_one_pass() {
    for pass in passes() {
        assert_eq!(run_without(pass.name, "spacer"), examples().len(), "without {}", pass.name);
    }
}

/// The engine accepts linear systems only.
#[test]
fn an_engine_for_transition_systems_is_not_misled_without_a_pass() {
    for pass in passes() {
        assert!(run_without(pass.name, "pdkind") >= 7, "without {}", pass.name);
    }
}
