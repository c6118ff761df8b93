//! `scripts/papers`: experiments are run on small sets, kept, and counted as was reckoned by hand.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use shem_test_support::external::PYTHON;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// An empty folder.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("the folder can be made");
    path
}

fn papers(words: &[&str]) -> Output {
    let script = format!("{ROOT}/scripts/papers");
    Command::new("python3").arg(script).args(words).output().expect("python3 runs")
}

/// Whether there is nothing to run the script with.
fn is_without_python() -> bool {
    let found = Command::new("python3").arg("--version").output().is_ok();
    if !found {
        PYTHON.is_absent();
    }
    !found
}

#[track_caller]
fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn path(path: &Path) -> &str {
    path.to_str().expect("a path of text")
}

/// A folder of benchmarks: one safe and one unsafe file, under the names that the experiments know.
fn bench(name: &str) -> PathBuf {
    let bench = folder(name);
    for (set, example) in [
        ("multi-phase-safe", "counter-safe"),
        ("multi-phase-unsafe", "counter-unsafe"),
        ("lra-ts", "water-tank-safe"),
    ] {
        fs::create_dir(bench.join(set)).expect("the folder can be made");
        let example = format!("{ROOT}/examples/horn/{example}.smt2");
        fs::copy(example, bench.join(set).join("s_split_05.smt2")).expect("the example is there");
    }
    let known = "set,file,verdict,source\nmulti-phase-safe,s_split_05.smt2,sat,set\n\
                 multi-phase-unsafe,s_split_05.smt2,unsat,set\n";
    fs::write(bench.join("expected.csv"), known).expect("the file can be written");
    bench
}

#[test]
fn every_table_of_the_papers_is_listed() {
    if is_without_python() {
        return;
    }
    let list = text(&papers(&["list", "--words"]));
    for (paper, names) in [
        ("thesis-table", &["3.1", "3.2", "3.3", "3.4", "5.1", "5.2", "5.3", "5.4", "5.5", "5.6"][..]),
        ("thesis-figure", &["3.3", "5.3", "5.4", "5.6", "6.3", "6.4", "6.5", "6.6", "6.7"]),
        ("tpa-figure", &["2", "3"]),
        ("split-tpa-table", &["1", "2"]),
        ("split-tpa-section", &["6"]),
        ("pdkind-table", &["6.1"]),
        ("golem-table", &["1", "2", "3", "4"]),
    ] {
        for name in names {
            assert!(list.lines().any(|line| line.starts_with(&format!("{paper}-{name} "))), "{paper}-{name}");
        }
    }
    // Each command line is one of shem.
    let mut lines = 0;
    for line in list.lines().filter_map(|line| line.strip_prefix("    shem ")) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let example = format!("{ROOT}/examples/horn/counter-unsafe.smt2");
        let output =
            Command::new(env!("CARGO_BIN_EXE_shem")).args(&words).args(["-t", "20", &example]).output();
        let output = output.expect("it runs");
        assert_eq!(output.status.code(), Some(0), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(words.contains(&"--pure") && !output.stdout.starts_with(b"sat"), "{line}");
        lines += 1;
    }
    assert!(lines > 40, "{lines}");
}

#[test]
fn experiments_are_run_and_kept() {
    if is_without_python() {
        return;
    }
    let bench = bench("papers-run");
    let results = bench.join("results.csv");
    let shem = env!("CARGO_BIN_EXE_shem");
    let names = [
        "split-tpa-table-1",
        "split-tpa-table-2",
        "split-tpa-section-6",
        "tpa-figure-2",
        "thesis-figure-6.6",
    ];
    let run = |more: &[&str]| {
        let words =
            [&["run", shem, path(&bench), path(&results)], &names[..], &["--limit", "20"], more].concat();
        papers(&words)
    };
    let found = text(&run(&["--every", "8"]));
    assert!(
        found.contains("| split-TPA | 19 (7) | 1 (0) | 1 (0) | – | 37 (3) | 1 (0) | 1 (0) | – |"),
        "{found}"
    );
    assert!(found.contains("| safe 05 | <1 | <1 |"), "{found}");
    assert!(found.contains("| 127 | "), "{found}");
    assert!(found.contains("| p9-sally-sall | 224 | 1 |"), "{found}");
    let kept = fs::read_to_string(&results).expect("results");
    assert!(
        kept.contains("-e pdkind --instances 9 --share all --pure --virtual-cores 9,virtual,lra-ts"),
        "{kept}"
    );
    // What was kept is not run again, so that nothing is asked of a program that is not there.
    let words = [
        &["run", "/nowhere/shem", path(&bench), path(&results)],
        &names[..],
        &["--limit", "20", "--every", "8"],
    ];
    assert_eq!(text(&papers(&words.concat())), found);

    let page = bench.join("page.md");
    fs::write(&page, "Before.\n<!-- tpa-figure-2 -->\nold\n<!-- end tpa-figure-2 -->\nBehind.\n")
        .expect("a page");
    let plots = bench.join("plots");
    let plot = ["plot", path(&bench), path(&results), "all", "--page", path(&page), "--plots", path(&plots)];
    text(&papers(&plot));
    let page = fs::read_to_string(&page).expect("the page");
    assert!(
        page.starts_with("Before.\n") && page.ends_with("\nBehind.\n") && !page.contains("old"),
        "{page}"
    );
    assert!(page.contains("| N | TPA: pure | TPA: best | TPA-QE: pure | TPA-QE: best |"), "{page}");
    for name in ["tpa-figure-2", "thesis-figure-6.6"] {
        let drawn = fs::read_to_string(plots.join(format!("papers-{name}.svg"))).expect("a plot");
        assert!(drawn.starts_with("<svg ") && drawn.contains("pure"), "{name}");
    }

    // An answer against what is known is told.
    let known = fs::read_to_string(bench.join("expected.csv")).expect("a table").replace(",sat,", ",unsat,");
    fs::write(bench.join("expected.csv"), known).expect("the file can be written");
    let output = run(&["--every", "8"]);
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("sat on multi-phase-safe/s_split_05.smt2: -e split-tpa --pure"), "{told}");
    assert!(!told.contains("multi-phase-unsafe"), "{told}");
}

/// Results that were made up, and the table that follows from them by hand: with a limit of 10 s, the portfolio of three has
/// a PAR-2 of 1 + 2 + 5 + 20. Without Farkas the first file takes 4 s, without decomposition the third is not solved.
#[test]
fn regrets_are_those_that_were_reckoned() {
    if is_without_python() {
        return;
    }
    let bench = bench("papers-regret");
    let results = bench.join("results.csv");
    let mut rows = "words,time,set,file,limit,answer,seconds,counts\n".to_owned();
    let times: [(u32, [Option<f64>; 4]); 3] = [
        (0, [Some(1.0), Some(2.0), None, None]),
        (2, [None, Some(3.0), None, None]),
        (4, [Some(4.0), Some(2.5), Some(5.0), None]),
    ];
    for (algorithm, files) in times {
        for (number, time) in files.into_iter().enumerate() {
            let (answer, seconds) = time.map_or(("timeout", 10.0), |seconds| ("sat", seconds));
            rows += &format!(
                "-e pdkind --lra-itp-algorithm={algorithm} --pure,processor,lra-ts,{number}.smt2,10,{answer},{seconds},{{}}\n"
            );
        }
    }
    fs::write(&results, rows).expect("the file can be written");
    let found =
        text(&papers(&["plot", path(&bench), path(&results), "thesis-table-3.4", "thesis-figure-3.3"]));
    for line in [
        "| Itp_F | 4 | 4046 | 3.5 | 0 | 3.5 | 12.5 |",
        "| Itp'_F | 3 | 4586 | 3.9 | 0 | 0.0 | 0.0 |",
        "| Itp_DI | 10 | 10245 | 8.8 | 1 | 15.0 | 53.6 |",
        // Two are solved by both, of which none is a tenth faster with decomposition: times 1 to 4 and 2 to 2.5.
        "| pure | 2 | 3 | 0 | 1 | 2 | 0 | 0.45 |",
    ] {
        assert!(found.contains(line), "{line} is not in:\n{found}");
    }
    assert!(found.contains("only Itp_DI: 12"), "{found}");
    let none = text(&papers(&["plot", path(&bench), path(&results), "golem-table-1"]));
    assert!(none.ends_with("\nNot run.\n\n"), "{none}");
    // A shorter limit leaves one more file without an answer.
    let limited = ["plot", path(&bench), path(&results), "thesis-figure-3.3", "--limit", "4"];
    assert!(text(&papers(&limited)).contains("| pure | 2 | 2 | 0 | 0 | 2 | 0 | 0.45 |"));
}
