//! Circuits in BTOR2 and AIGER: answers, witnesses, conversions and mistakes.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use shem_test_support::external::YOSYS;

fn examples(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(folder);
    let entries = fs::read_dir(folder).expect("the folder is there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

fn shem(args: &[&str], input: &[u8]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_shem"));
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program runs");
    // It does not read where the command line is wrong, or the problem is in a file.
    let _ = child.stdin.take().expect("a pipe").write_all(input);
    child.wait_with_output().expect("the program ends")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The answer that the name of an example tells.
fn expected(path: &Path) -> &'static str {
    let name = path.file_stem().expect("a name").to_string_lossy();
    if name.ends_with("unsafe") { "unsat" } else { "sat" }
}

/// A folder for the files of a test; it goes when this is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("shem-circuits-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn examples_answer_as_their_names_say() {
    let paths = examples("circuits");
    assert!(paths.len() >= 5);
    for path in paths {
        let name = path.to_string_lossy().into_owned();
        for args in [&["-t", "60", &name][..], &["-t", "60", "-"]] {
            let output = shem(args, &fs::read(&path).expect("a readable file"));
            let answer = format!("{}\n", expected(&path));
            assert_eq!(text(&output.stdout), answer, "{args:?}: {}", text(&output.stderr));
        }
    }
}

/// What is written in another language asks the same, and is read by its name and by its text.
#[test]
fn conversions_keep_answers() {
    let folder = Folder::new("circuits");
    for path in examples("circuits") {
        let name = path.to_string_lossy().into_owned();
        for format in ["chc", "vmt", "btor2", "aag", "aig"] {
            let converted = shem(&["convert", format, &name], b"");
            if name.contains("memory") && format.starts_with('a') {
                assert!(
                    text(&converted.stderr).contains("AIGER has no arrays"),
                    "{}",
                    text(&converted.stderr)
                );
                assert_eq!(converted.status.code(), Some(1));
                continue;
            }
            assert_eq!(converted.status.code(), Some(0), "{name}: {format}: {}", text(&converted.stderr));
            let file = folder.0.join(format!("circuit.{}", if format == "chc" { "smt2" } else { format }));
            fs::write(&file, &converted.stdout).expect("a file");
            let file = file.to_string_lossy().into_owned();
            for args in [&["-t", "60", &file][..], &["-t", "60", "-"]] {
                let output = shem(args, &converted.stdout);
                let answer = format!("{}\n", expected(&path));
                assert_eq!(text(&output.stdout), answer, "{name}: {format}: {}", text(&output.stderr));
            }
            // From clauses and VMT back to a circuit.
            if matches!(format, "chc" | "vmt") {
                let back = shem(&["convert", "btor2", &file], b"");
                assert_eq!(back.status.code(), Some(0), "{name}: {format}: {}", text(&back.stderr));
                let output = shem(&["-t", "60", "--print-witness", "-"], &back.stdout);
                let out = text(&output.stdout);
                assert!(out.starts_with(expected(&path)), "{name}: {}: {out}", text(&output.stderr));
            }
        }
    }
}

#[test]
fn witnesses_are_those_of_the_formats() {
    let example = |name: &str| {
        let path = examples("circuits").into_iter().find(|path| path.ends_with(name)).expect("an example");
        text(&shem(&["-t", "60", "--print-witness", &path.to_string_lossy()], b"").stdout)
    };
    let found = example("counter-unsafe.btor2");
    // The inputs of the steps before the tenth do not matter, nor does the one after it.
    let lines: Vec<&str> = found.lines().collect();
    assert_eq!(lines[..4], ["unsat", "sat", "b0", "#0"], "{found}");
    assert!(found.contains("@10\n0 1 go@10\n@11\n") && found.ends_with("\n.\n"), "{found}");
    let found = example("toggle-unsafe.aag");
    let lines: Vec<&str> = found.lines().collect();
    assert_eq!(lines[..6], ["unsat", "1", "b0", "00", "1", "1"], "{found}");
    assert_eq!((lines.len(), lines[7]), (8, "."), "{found}");
    let found = example("counter-safe.btor2");
    assert!(
        found.starts_with("sat\n(\n  (define-fun invariant () Bool\n") && found.contains("count"),
        "{found}"
    );
}

/// The certificate of a safe circuit is a circuit that one step of induction proves, in both formats.
#[test]
fn certificates_are_inductive_circuits() {
    let folder = Folder::new("certificate-circuits");
    let certificate = folder.0.to_string_lossy().into_owned();
    let is_inductive = |file: &Path| {
        let output = shem(&["-e", "kind", "--stats", "-t", "60", &file.to_string_lossy()], b"");
        let figures = text(&output.stderr);
        let depth = figures.lines().find_map(|line| line.trim().strip_prefix("kind.depth"));
        // What passes decide needs no induction.
        text(&output.stdout).starts_with("sat\n") && depth.is_none_or(|depth| depth.trim() == "0")
    };
    // A ring of four bits with one token: that there are not two is no inductive property without the other states.
    let ring =
        "1 sort bitvec 1\n2 sort bitvec 4\n3 constd 2 1\n4 state 2 ring\n5 init 2 4 3\n6 one 2\n7 rol 2 4 6
8 next 2 4 7\n9 constd 2 3\n10 eq 1 4 9\n11 bad 10\n";
    let ring_file = folder.0.join("ring.btor2");
    fs::write(&ring_file, ring).expect("a file");
    assert!(!is_inductive(&ring_file));
    let mut paths = examples("circuits");
    paths.retain(|path| path.ends_with("counter-safe.btor2") || path.ends_with("toggle-safe.aag"));
    assert_eq!(paths.len(), 2);
    paths.push(ring_file);
    for path in paths {
        let name = path.to_string_lossy().into_owned();
        let output = shem(&["-t", "60", "--print-certificate", &certificate, &name], b"");
        assert!(
            output.status.success() && text(&output.stdout) == "sat\n",
            "{name}: {}",
            text(&output.stderr)
        );
        for file in ["certificate.btor2", "certificate.aig"] {
            assert!(is_inductive(&folder.0.join(file)), "{name}: {file}");
        }
    }
}

/// Properties of both kinds, by number, with their witnesses.
#[test]
fn several_properties() {
    let circuit = "1 sort bitvec 1\n2 sort bitvec 2\n3 zero 2\n4 state 2 n\n5 init 2 4 3\n6 input 1 go\n7 inc 2 4
8 ite 2 6 7 4\n9 next 2 4 8\n10 redand 1 4\n11 bad 10 full\n12 redor 1 4\n13 and 1 10 -12\n14 bad 13\n15 justice 2 10 6\n16 fair -6\n";
    let output = shem(&["-t", "60", "--print-witness", "-"], circuit.as_bytes());
    let out = text(&output.stdout);
    assert!(out.contains("; invar-property 0\nunsat\nsat\nb0\n"), "{out}{}", text(&output.stderr));
    assert!(out.contains("; invar-property 1\nsat\n(\n"), "{out}");
    assert!(out.contains("; live-property 2\nunsat\nsat\nj0\n"), "{out}{}", text(&output.stderr));
    let output = shem(&["-t", "60", "--property", "1", "-"], circuit.as_bytes());
    assert_eq!(text(&output.stdout), "sat\n");
    // Without an input that goes on for ever, the counter is not again and again full and moved.
    let still =
        circuit.replace("16 fair -6", "16 constraint -6").replace("15 justice 2 10 6", "15 justice 1 10");
    let output = shem(&["-t", "60", "--property", "2", "-"], still.as_bytes());
    assert_eq!(text(&output.stdout), "sat\n", "{}", text(&output.stderr));
}

#[test]
fn mistakes_and_their_places() {
    for (file, input, expected) in [
        ("-", "1 sort bitvec 1\n2 not 1 7\n", "<stdin>:2:9: error: there is no earlier line 7"),
        ("-", "; a\n1 sort bitvec 0\n", "<stdin>:2:15: error: a width is a number from 1 to 65536"),
        ("-", "aag 1 0 0 1 0\n2\n", "<stdin>:2:1: error: the variable of literal 2 is not defined"),
        ("-", "aig 1 0 0 1 1\n2\n\u{2}", "<stdin>:3:2: error: the difference of two literals is expected"),
    ] {
        let output = shem(&[file], input.as_bytes());
        assert!(text(&output.stderr).starts_with(expected), "{expected}, not {}", text(&output.stderr));
        assert_eq!(output.status.code(), Some(1));
        let converted = shem(&["convert", "chc", file], input.as_bytes());
        assert!(text(&converted.stderr).contains(expected), "{}", text(&converted.stderr));
    }
    let linear =
        "(declare-fun P (Int) Bool) (assert (P 0)) (assert (forall ((x Int)) (=> (P x) (P (+ x 1)))))
        (assert (forall ((x Int)) (=> (and (P x) (< x 0)) false)))";
    let output = shem(&["convert", "btor2", "-"], linear.as_bytes());
    assert!(text(&output.stderr).contains("a circuit has no values of sort Int"), "{}", text(&output.stderr));
}

/// Verilog, by yosys: the assertions of one queue hold, and one of the other fails.
#[test]
fn verilog_by_yosys() {
    if Command::new(YOSYS.program).arg("-V").output().is_err() {
        return YOSYS.is_absent();
    }
    let folder = Folder::new("yosys");
    let file = folder.0.join("fifo.btor2");
    for path in examples("verilog") {
        let script = format!(
            "read_verilog -formal {}; prep -top fifo; async2sync; dffunmap; write_btor {}",
            path.display(),
            file.display()
        );
        let done = Command::new(YOSYS.program).args(["-q", "-p", &script]).output().expect("yosys runs");
        assert!(done.status.success(), "{}", text(&done.stderr));
        let output = shem(&["-t", "60", "--print-witness", &file.to_string_lossy()], b"");
        let out = text(&output.stdout);
        let answers: Vec<&str> = out
            .split("; invar-property ")
            .skip(1)
            .map(|part| part.lines().nth(1).expect("an answer"))
            .collect();
        assert_eq!(answers, [expected(&path), "sat"], "{}: {out}{}", path.display(), text(&output.stderr));
        if expected(&path) == "unsat" {
            assert!(out.contains("\nsat\nb0\n#0\n") && out.contains("@4\n"), "{out}");
        }
    }
}
