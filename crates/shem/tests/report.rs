//! Pages of `--report`: what they contain, and that nothing of the input is markup in them. `scripts/check report` opens
//! them in a browser.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A folder of its own, which is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("shem-report-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Runs the program on a text and gives its output.
#[track_caller]
fn run(args: &[&str], page: &Path, input: &str, code: i32) -> (String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_shem"));
    command.args(args).arg("--report").arg(page).arg("-");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program runs");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("the program reads");
    let output = child.wait_with_output().expect("the program ends");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let (out, err) = (text(output.stdout), text(output.stderr));
    assert_eq!(output.status.code(), Some(code), "{out}{err}");
    (out, err)
}

/// A page, after what all pages have in common was checked.
#[track_caller]
fn read(path: &Path) -> String {
    let page = fs::read_to_string(path).expect("a page");
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    assert_eq!(page.matches("<script").count(), 1, "the page has its own script only");
    assert!(page.contains("default-src 'none'"), "nothing may be loaded");
    for word in ["<link", "<img", "<iframe", "<object", "@import", "url(http"] {
        assert!(!page.contains(word), "{word}");
    }
    // Handlers of events would stand in tags.
    for tag in page.split('<').filter_map(|part| part.split_once('>')).map(|(tag, _)| tag) {
        assert!(!tag.contains(" on") && !tag.contains(" src="), "{tag}");
    }
    assert!(page.len() < 5_000_000);
    // Each element that is opened is closed.
    for element in ["section", "article", "table", "svg", "div", "ol", "g", "i", "b", "tr", "td"] {
        let opened =
            page.matches(&format!("<{element}>")).count() + page.matches(&format!("<{element} ")).count();
        assert_eq!(opened, page.matches(&format!("</{element}>")).count(), "{element}");
    }
    page
}

fn loop_with(query: &str) -> String {
    format!(
        "(set-logic HORN)
(declare-fun |<script>alert(1)</script>| (Int Int) Bool)
(declare-fun |\"><img src=x onerror=alert(1)>| (Int) Bool)
(assert (forall ((|<b>x</b>| Int) (|y'\"| Int)) (=> (and (= |<b>x</b>| 0) (= |y'\"| 0))
  (|<script>alert(1)</script>| |<b>x</b>| |y'\"|))))
(assert (forall ((x Int) (y Int)) (=> (|<script>alert(1)</script>| x y) (|<script>alert(1)</script>| (+ x 1) (+ y 2)))))
(assert (forall ((x Int) (y Int)) (=> (|<script>alert(1)</script>| x y) (|\"><img src=x onerror=alert(1)>| (- y x)))))
(assert (forall ((x Int)) (=> (and (|\"><img src=x onerror=alert(1)>| x) {query}) false)))
(check-sat)"
    )
}

#[test]
fn models_are_shown() {
    let folder = Folder::new("model");
    let path = folder.0.join("out.html");
    // By the default strategy, whose engines have a time line.
    let (out, _) = run(&[], &path, &loop_with("(< x 0)"), 0);
    assert_eq!(out, "sat\n");
    let page = read(&path);
    assert!(page.contains("<span class=\"badge sat\">sat</span>"));
    assert!(page.contains("The model was checked against the clauses as read."));
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert_eq!(page.matches("<h4>Invariant</h4>").count(), 2);
    assert!(page.contains("class=\"timeline\"") || page.contains("preprocessing decides it"));
    assert!(page.contains("id=\"graph-read\""));
    assert!(
        page.contains("The model in SMT-LIB") && page.contains("(define-fun |&lt;script&gt;"),
        "it can be copied"
    );
    assert!(!page.contains("id=\"counterexample\""));
}

#[test]
fn counterexamples_are_shown() {
    let folder = Folder::new("counterexample");
    let path = folder.0.join("out.html");
    run(&["-e", "bmc"], &path, &loop_with("(= x 5)"), 0);
    let page = read(&path);
    assert!(page.contains("<span class=\"badge unsat\">unsat</span>"));
    assert!(page.contains("8 steps lead to falsehood."), "five rounds, and what leads there and away");
    assert!(page.contains("<span class=\"times\">×6</span>"), "the path repeats itself");
    assert!(page.contains("<polyline"));
    assert!(page.contains("class=\"edge taken\""));
    assert!(page.contains("<pre>0: true\n1: (|&lt;script&gt;"), "it can be copied");
    assert!(!page.contains("<h4>Invariant</h4>"));
}

#[test]
fn a_million_steps_fit() {
    let folder = Folder::new("million");
    let path = folder.0.join("out.html");
    let script = "(set-logic HORN)(declare-fun P (Int Bool) Bool)(assert (P 0 true))
        (assert (forall ((x Int) (b Bool)) (=> (P x b) (P (+ x 1) (not b)))))
        (assert (forall ((x Int) (b Bool)) (=> (and (P x b) (= x 3000000)) false)))(check-sat)";
    let (out, _) = run(&["-e", "scout"], &path, script, 0);
    assert_eq!(out, "unsat\n");
    let page = read(&path);
    assert!(page.contains("3\u{202f}000\u{202f}002 steps lead to falsehood."));
    assert!(page.contains("The derivation as text: too long for this page."));
    assert!(page.len() < 300_000, "{}", page.len());
}

#[test]
fn large_graphs_are_folded() {
    let folder = Folder::new("large");
    let path = folder.0.join("out.html");
    let mut script = "(set-logic HORN)".to_owned();
    for i in 0..1000 {
        script += &format!("(declare-fun P{i} (Int) Bool)");
    }
    script += "(assert (P0 0))";
    for i in 1..1000 {
        script += &format!("(assert (forall ((x Int)) (=> (P{} x) (P{i} (+ x 1)))))", i - 1);
        script += &format!("(assert (forall ((x Int)) (=> (and (P{i} x) (> x 5000)) (P{} x))))", i / 2);
    }
    script += "(assert (forall ((x Int)) (=> (and (P999 x) (< x 0)) false)))(check-sat)";
    let (out, _) = run(&["-e", "spacer", "-t", "60"], &path, &script, 0);
    assert!(["sat\n", "unknown\n"].contains(&out.as_str()), "{out}");
    let page = read(&path);
    assert!(page.contains("944 more</text>"));
    let drawn = page.split("id=\"graph-read\"").nth(1).and_then(|rest| rest.split("</svg>").next());
    assert_eq!(
        drawn.expect("a picture").matches("class=\"node ").count(),
        58,
        "with false and the folded ones"
    );
    assert!(page.contains("id=\"p999\""));
}

#[test]
fn unknown_and_several_checks() {
    let folder = Folder::new("several");
    let path = folder.0.join("out.html");
    let script = "(declare-fun P (Int) Bool)(assert (P 0))(check-sat)(assert (forall ((x Int)) (=> (P x) (P (+ x 2)))))
        (assert (forall ((x Int)) (=> (and (P x) (= x 7)) false)))(check-sat)";
    let args = ["-e", "bmc", "-t", "1", "--disable-pass", "equalities,invariants"];
    let (out, _) = run(&args, &path, script, 0);
    assert_eq!(out, "sat\nunknown\n");
    assert!(read(&path).contains("badge sat"));
    let second = read(&folder.0.join("out-2.html"));
    assert!(second.contains("badge unknown") && second.contains("the time limit of 1 s is reached"));
    assert!(second.contains("<dt>tried by</dt>") && !second.contains("decided by"));
    assert!(!second.contains("No engine was needed"));
    // One sentence first; what each engine says can be opened.
    let args =
        ["-e", "bmc --bmc.max-depth=2, bmc --bmc.max-depth=3", "--disable-pass", "equalities,invariants"];
    let (out, err) = run(&args, &path, script, 0);
    assert_eq!(out, "sat\nunknown\n");
    assert!(err.contains("no engine decides it; -v says why"), "{err}");
    let second = read(&folder.0.join("out-2.html"));
    assert!(
        second.contains("Not decided: no engine decides it.") && second.contains("Why each engine gave up")
    );
    assert!(second.contains("no path of at most 2 steps") && second.contains("no path of at most 3 steps"));
    let (_, err) = run(&["-e", "bmc"], Path::new("/no/such/folder/out.html"), "(check-sat)", 1);
    assert!(err.contains("/no/such/folder/out.html: "), "{err}");
}

#[test]
fn properties_have_pages() {
    let folder = Folder::new("property");
    let path = folder.0.join("out.html");
    let file = "(declare-fun x () Int)(declare-fun y () Int)(define-fun s () Int (! x :next y))
        (define-fun a () Bool (! (= x 0) :init true))(define-fun b () Bool (! (= y (+ x 1)) :trans true))
        (define-fun p () Bool (! (< x 5) :invar-property 1))(define-fun q () Bool (! (>= x 0) :invar-property 2))";
    run(&["-e", "spacer"], &path, file, 0);
    assert!(read(&path).contains("<span class=\"part\">invar-property 1</span>"));
    assert!(read(&folder.0.join("out-2.html")).contains("badge sat"));
}
