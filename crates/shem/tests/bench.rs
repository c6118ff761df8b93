//! `shem bench`: a table of many files, which goes on where it was interrupted and notices wrong answers.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

const SAFE: &str = "(set-logic HORN)(set-info :status sat)(declare-fun p (Int) Bool)
(assert (forall ((x Int)) (=> (= x 0) (p x))))
(assert (forall ((x Int)) (=> (p x) (p (+ x 2)))))
(assert (forall ((x Int)) (=> (and (p x) (= x 7)) false)))(check-sat)";

/// A folder that goes when this is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("shem-bench-{name}-{}", std::process::id()));
        fs::create_dir_all(path.join("problems/more")).expect("a folder");
        fs::write(path.join("problems/safe.smt2"), SAFE).expect("a file");
        let bad = SAFE.replace("= x 7", "= x 6").replace("status sat", "status unsat");
        fs::write(path.join("problems/more/unsafe.smt2"), bad).expect("a file");
        fs::write(path.join("problems/notes.txt"), "no problem").expect("a file");
        Folder(path)
    }

    fn bench(&self, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_shem"));
        command.args(["bench", "problems", "-t", "20"]).args(args).current_dir(&self.0);
        command.output().expect("the program runs")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The table without times.
fn counts(output: &Output) -> Vec<String> {
    let out = String::from_utf8_lossy(&output.stdout);
    let cells = |line: &str| line.split_whitespace().take(7).collect::<Vec<_>>().join(" ");
    out.lines().map(cells).collect()
}

#[test]
fn engines_are_compared_and_results_kept() {
    let folder = Folder::new("compared");
    let args = ["-e", "kind,spacer", "--csv", "results.csv", "--plot", "plot.svg"];
    let expected = ["engine files solved sat unsat wrong errors", "kind 2 2 1 1 0 0", "spacer 2 2 1 1 0 0"];
    let output = folder.bench(&args);
    assert_eq!(counts(&output), expected, "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0));
    let plot = fs::read_to_string(folder.0.join("plot.svg")).expect("a plot");
    assert!(plot.contains("kind (2)") && plot.contains("spacer (2)"), "{plot}");
    let results = fs::read_to_string(folder.0.join("results.csv")).expect("results");
    assert_eq!(results.lines().count(), 5, "{results}");
    assert!(results.contains("problems/more/unsafe.smt2,kind,unsat,unsat,"), "{results}");
    // A line that was cut off is run again, and nothing else.
    let cut = &results[..results.len() - 4];
    fs::write(folder.0.join("results.csv"), cut).expect("a file");
    assert_eq!(counts(&folder.bench(&args)), expected);
    let again = fs::read_to_string(folder.0.join("results.csv")).expect("results");
    let whole = |text: &str| text.lines().take(4).map(str::to_owned).collect::<Vec<String>>();
    assert_eq!((whole(&again), again.lines().count()), (whole(&results), 5));
}

#[test]
fn wrong_answers_are_noticed() {
    let folder = Folder::new("wrong");
    fs::write(folder.0.join("right.csv"), "safe.smt2,unsat\n").expect("a file");
    let output = folder.bench(&["-e", "kind", "--expected", "right.csv"]);
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(out.contains("wrong: problems/safe.smt2: kind says sat, expected is unsat\n"), "{out}");
    assert_eq!(output.status.code(), Some(1));
    let output =
        Command::new(env!("CARGO_BIN_EXE_shem")).args(["--csv", "a", "-"]).output().expect("it runs");
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(out.contains("--csv is an option of shem bench only"), "{out}");
}
