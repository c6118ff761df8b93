//! The tutorial: each of its commands is run, and prints what stands below it.
//!
//! A block of code whose first line names a file after the language is that file. In a block of the language `console`
//! the lines that begin with `$ ` are commands, and those after each of them its output.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The blocks of code of a document: the words after the quotes, and the code.
fn blocks(text: &str) -> Vec<(&str, &str)> {
    let parts: Vec<&str> = text.split("```").collect();
    parts.iter().skip(1).step_by(2).map(|block| block.split_once('\n').expect("a line")).collect()
}

/// Commands with their outputs.
fn commands(block: &str) -> Vec<(&str, String)> {
    let mut found: Vec<(&str, String)> = Vec::new();
    for line in block.lines() {
        match (line.strip_prefix("$ "), found.last_mut()) {
            (Some(command), _) => found.push((command, String::new())),
            (None, Some((_, output))) => *output += &format!("{line}\n"),
            (None, None) => panic!("a block begins with a command, not with {line}"),
        }
    }
    found
}

/// Runs a command line of the program in a folder; gives what it prints and its exit code. The output may go to a file.
fn run(folder: &Path, line: &str) -> (String, Option<i32>) {
    let (line, target) = line.split_once(" > ").map_or((line, None), |(line, file)| (line, Some(file)));
    let mut words = line.split_whitespace();
    assert_eq!(words.next(), Some("shem"), "{line}");
    let mut command = Command::new(env!("CARGO_BIN_EXE_shem"));
    let output = command.args(words).current_dir(folder).output().expect("the program runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    match target {
        Some(file) => {
            fs::write(folder.join(file), text).expect("a file");
            (String::new(), output.status.code())
        }
        None => (text, output.status.code()),
    }
}

#[test]
fn commands_print_what_the_tutorial_says() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/tutorial.md");
    let bless = std::env::var_os("SHEM_BLESS").is_some();
    let mut text = fs::read_to_string(&path).expect("the tutorial");
    let folder = std::env::temp_dir().join(format!("shem-tutorial-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let (mut count, mut changed) = (0, text.clone());
    for (words, code) in blocks(&text) {
        if let Some((_, file)) = words.split_once(' ') {
            fs::write(folder.join(file), code).expect("a file");
        }
        if words != "console" {
            continue;
        }
        let mut found = String::new();
        for (line, expected) in commands(code) {
            let (output, exit) = run(&folder, line);
            assert_eq!(exit, Some(0), "{line}: {output}");
            // An empty line ends a derivation.
            let output = output.trim_end_matches('\n').to_owned() + if output.is_empty() { "" } else { "\n" };
            if !bless {
                assert_eq!(output, expected, "{line}");
            }
            found += &format!("$ {line}\n{output}");
            count += 1;
        }
        changed = changed.replacen(code, &found, 1);
    }
    assert!(count >= 8, "the tutorial has commands");
    let report = fs::read_to_string(folder.join("loop.html")).expect("the report of the tutorial");
    assert!(report.contains("Invariants and clauses") && report.ends_with("</html>\n"));
    if bless && changed != text {
        text = changed;
        fs::write(&path, text).expect("the tutorial can be written");
    }
    fs::remove_dir_all(&folder).expect("the folder is ours");
}
