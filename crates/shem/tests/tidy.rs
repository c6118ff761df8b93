//! The rules of CONTRIBUTING.md that `scripts/tidy` checks hold, and it notices when they do not.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use shem_test_support::external::PYTHON;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Whether all is well, and what is printed; none without Python.
fn tidy(args: &[&str]) -> Option<(bool, String)> {
    let output = match Command::new("python3").arg(root().join("scripts/tidy")).args(args).output() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            PYTHON.is_absent();
            return None;
        }
        output => output.expect("python3 runs"),
    };
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(complaints.is_empty(), "{complaints}");
    Some((output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned()))
}

#[test]
fn the_rules_hold() {
    let Some((right, text)) = tidy(&["--shem", env!("CARGO_BIN_EXE_shem")]) else { return };
    assert!(right, "{text}");
}

#[test]
fn violations_are_found() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("untidy");
    fs::remove_dir_all(&folder).ok();
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    };
    write(
        "ARCHITECTURE.md",
        "crates/low   a crate\ncrates/high  another one\ncrates/shem  the command line\n",
    );
    write("Cargo.toml", "[workspace.lints.rust]\nunsafe_code = \"deny\"\n");
    write(
        "crates/low/Cargo.toml",
        "[package]\nname = \"low\"\nautotests = false\n[lib]\ntest = false\ndoctest = false\n[dependencies]\nhigh.workspace = true\nleft-pad = \"1\"\n",
    );
    write("crates/shem/Cargo.toml", "[package]\nname = \"shem\"\n");
    write(
        "crates/high/Cargo.toml",
        "[package]\nname = \"high\"\n[lints]\nworkspace = true\n[dev-dependencies]\nshem.path = \"../shem\"\n",
    );
    // In pieces, so that this file is not complained about.
    let lines = [
        "struct Table {",
        "    rows: FxHashMap<u32, u32>,",
        "}",
        "impl Table {",
        "    fn all(&self) {",
        "        for row in self.rows.values() {}",
        concat!("        let mut seen = Hash", "Set::new();"),
        "        for x in &seen {}",
        "        // Any order: only counted.",
        "        self.rows.iter().count();",
        concat!("        // ", "let x = 1;"),
        concat!("        // TO", "DO"),
        "    }",
        "}",
        concat!("struct Row", "Manager;"),
        "/// ```",
        "/// ```",
        "#[test]",
    ];
    write("crates/low/src/lib.rs", &lines.join("\n"));
    write("crates/high/src/lib.rs", &format!("//! Long.\n{}", "\n".repeat(1001)));
    write("crates/low/tests/stray.rs", "//! Stray.\n");
    write("docs/dependencies.md", "`serde`\n");
    write("docs/settings.md", "| `a.b` | a number | 1 | all | meaning |\n");
    write("docs/alone.md", "# Alone\n");
    write("docs/trust.md", "| 1 | printing |\n");
    write("scripts/check", "");
    write(
        "README.md",
        "# A\n[gone](gone.md) `low/src/gone.rs` `low/src/lib.rs` [heading](#b) [d](docs/dependencies.md)\n\n    scripts/none FILE\n    scripts/check none\n    \
         scripts/check models SHEM --none\n    shem --none\n    shem convert no FILE\n    cargo test -p none\n    cargo test -p low --test none\n    cargo test -p low stray::\n",
    );
    let path = folder.to_str().expect("a path in Unicode");
    let Some((right, text)) = tidy(&["--root", path, "--shem", env!("CARGO_BIN_EXE_shem")]) else { return };
    assert!(!right);
    for complaint in [
        "dependencies: crates/low depends on crates/high, which stands below it in ARCHITECTURE.md",
        "dependencies: crates/high depends on the command line",
        "dependencies: crates/low: docs/dependencies.md does not name left-pad",
        "hash-tables: crates/low/src/lib.rs:6: ",
        "hash-tables: crates/low/src/lib.rs:8: ",
        "tests: crates/low/tests/stray.rs is neither a test program nor a module of tests/all.rs",
        "tests: crates/low/Cargo.toml leaves out the tests in src",
        "tests: crates/low/Cargo.toml leaves out examples in comments of src",
        "files: crates/low/src/lib.rs does not begin with //!",
        "files: crates/low/src/lib.rs:11: commented-out code",
        "files: crates/low/src/lib.rs:12: left over",
        "files: crates/low/src/lib.rs:15: a name that says nothing",
        "files: crates/high/src/lib.rs has 1003 lines",
        "lints: Cargo.toml:2: a lint without a reason",
        "lints: crates/low/Cargo.toml does not have the lints of the workspace",
        "settings: no document has a measurement of the setting a.b",
        "links: README.md: dead link: gone.md",
        "links: README.md: it has no heading #b",
        "paths: README.md: there is no low/src/gone.rs",
        "links: docs/alone.md is not linked from the README",
        "`scripts/none FILE`: there is no such script",
        "`scripts/check none`: there is no subcommand none",
        "`scripts/check models SHEM --none`: there is no option --none",
        "`shem --none`: there is no option --none",
        "`shem convert no FILE`: exit code 1",
        "`cargo test -p none`: there is no package none",
        "`cargo test -p low --test none`: there is no test none",
        "`cargo test -p low stray::`: there are no tests stray::",
        "trusted-lines: the table of docs/trust.md is out of date",
    ] {
        assert!(text.contains(complaint), "not found: {complaint}\n{text}");
    }
    assert!(!text.contains("lib.rs:10: "), "an order that a comment explains is refused:\n{text}");
    assert!(!text.contains("crates/high/Cargo.toml"), "{text}");
    assert!(!text.contains("there is no low/src/lib.rs"), "{text}");
}
