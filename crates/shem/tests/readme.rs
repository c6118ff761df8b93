//! The example of the README answers as the README says.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The blocks of code in the README, with their languages.
fn blocks(text: &str) -> Vec<(String, String)> {
    let parts: Vec<&str> = text.split("```").collect();
    let code = parts.iter().skip(1).step_by(2).map(|block| block.split_once('\n').expect("a line"));
    code.map(|(language, code)| (language.to_owned(), code.to_owned())).collect()
}

#[test]
fn the_example_answers_as_it_says() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = std::fs::read_to_string(path).expect("the README");
    let blocks = blocks(&readme);
    let at = blocks.iter().position(|(language, _)| language == "smt2").expect("clauses");
    let (clauses, safe, unsafe_) = (&blocks[at].1, &blocks[at + 1].1, &blocks[at + 2].1);
    let wrong = clauses.replace("(+ y 2)", "(+ y 3)");
    assert_ne!(clauses, &wrong);
    for (input, answer) in [(clauses, safe), (&wrong, unsafe_)] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_shem"));
        // Which of several right models is printed must not depend on time.
        let args = ["--print-witness", "-e", if answer == safe { "spacer" } else { "scout" }, "-"];
        let mut child = command
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program runs");
        child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("the program reads");
        let output = child.wait_with_output().expect("the program ends");
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim_end(), answer.trim_end());
    }
}
