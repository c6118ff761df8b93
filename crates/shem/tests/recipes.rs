//! The recipes of CONTRIBUTING.md are small changes, and what comes out compiles.
//!
//! A recipe is a section whose title begins with "Adding". A block of Rust in it is a new file; a block of a difference
//! adds lines (`+`) and takes lines away (`-`) where its other lines stand. The file is the last one whose path stands in the text before the
//! block. All changes are made to a copy of the sources, which is then compiled.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A change to a file.
#[derive(Debug, PartialEq, Eq)]
enum Change {
    /// A new file with this text.
    Create(String),
    /// These lines of a difference.
    Insert(Vec<String>),
}

/// The changes of the recipes of a document, each with its file.
fn changes(document: &str) -> Vec<(String, Change)> {
    let mut found = Vec::new();
    let sections = document.split("\n## ").filter(|section| section.starts_with("Adding"));
    for section in sections {
        let mut file = None;
        for (at, part) in section.split("```").enumerate() {
            if at % 2 == 0 {
                let code = part.split('`').skip(1).step_by(2);
                file =
                    code.filter(|code| code.starts_with("crates/") && code.ends_with(".rs")).last().or(file);
                continue;
            }
            let (language, text) = part.split_once('\n').expect("a block begins with its language");
            let file = file.unwrap_or_else(|| panic!("a block without a file: {text}")).to_owned();
            match language {
                "rust" => found.push((file, Change::Create(text.to_owned()))),
                "diff" => found.push((file, Change::Insert(text.lines().map(str::to_owned).collect()))),
                _ => panic!("a recipe has no block of {language}"),
            }
        }
    }
    found
}

/// The text after a difference. Its lines without `+`, those with `-` among them, have to stand in the text once, one after
/// the other.
fn insert(text: &str, difference: &[String]) -> Result<String, String> {
    let known: Vec<&str> = difference
        .iter()
        .filter(|line| !line.starts_with('+'))
        .map(|line| line.strip_prefix('-').unwrap_or(line).trim())
        .collect();
    let lines: Vec<&str> = text.lines().collect();
    let is_there = |at: &usize| lines[*at..].iter().zip(&known).all(|(line, known)| line.trim() == *known);
    let last = (lines.len() + 1).saturating_sub(known.len());
    let places: Vec<usize> = (0..last).filter(is_there).collect();
    let [place] = places[..] else {
        return Err(format!("{known:?} stands {} times in it", places.len()));
    };
    let mut result: Vec<&str> = lines[..place].to_vec();
    let mut rest = lines[place..].iter();
    for line in difference {
        match line.strip_prefix('+') {
            Some(new) => result.push(new),
            None => {
                let kept = rest.next().filter(|_| !line.starts_with('-'));
                result.extend(kept);
            }
        }
    }
    result.extend(rest);
    Ok(result.join("\n") + "\n")
}

/// The texts of the files that recipes make or change.
fn apply(changes: Vec<(String, Change)>, root: &Path) -> BTreeMap<PathBuf, String> {
    let mut texts = BTreeMap::new();
    for (name, change) in changes {
        let path = root.join(&name);
        let text = match change {
            Change::Create(text) => text,
            Change::Insert(lines) => {
                let before = texts.remove(&path).or_else(|| fs::read_to_string(&path).ok());
                let before = before.unwrap_or_else(|| panic!("{name} is not there"));
                insert(&before, &lines).unwrap_or_else(|error| panic!("{name}: {error}"))
            }
        };
        texts.insert(path, text);
    }
    texts
}

/// Makes a folder like another one, but for some texts. Files that have the right words already stay untouched, so that
/// they are not compiled again.
fn copy(from: &Path, to: &Path, texts: &BTreeMap<PathBuf, String>) {
    fs::create_dir_all(to).expect("a folder can be made");
    let mut paths: BTreeSet<PathBuf> = entries(from).collect();
    paths.extend(texts.keys().filter(|path| path.parent() == Some(from)).cloned());
    for old in entries(to).filter(|old| !paths.contains(&from.join(old.file_name().expect("a name")))) {
        let removed = if old.is_dir() { fs::remove_dir_all(&old) } else { fs::remove_file(&old) };
        removed.expect("what is gone can be removed");
    }
    for path in paths {
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy(&path, &target, texts);
            continue;
        }
        let changed = texts.get(&path).map(|text| text.as_bytes().to_vec());
        let bytes = changed.unwrap_or_else(|| fs::read(&path).expect("a file of the sources"));
        if fs::read(&target).ok().as_ref() != Some(&bytes) {
            fs::write(&target, &bytes).expect("a file can be written");
        }
    }
}

/// The files and folders in a folder.
fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path())
}

#[test]
fn what_recipes_make_compiles() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the sources");
    let document = fs::read_to_string(root.join("CONTRIBUTING.md")).expect("the document");
    let changes = changes(&document);
    for part in
        ["engine/src", "transform/src", "horn/options.rs", "horn/convert.rs", "format", "smtlib/apply.rs"]
    {
        assert!(changes.iter().any(|(file, _)| file.contains(part)), "there is a recipe that changes {part}");
    }
    let texts = apply(changes, &root);
    let temporary = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let folder = temporary.join("recipes");
    for name in ["crates", "tools", "python"] {
        copy(&root.join(name), &folder.join(name), &texts);
    }
    for name in ["Cargo.toml", "Cargo.lock"] {
        fs::copy(root.join(name), folder.join(name)).expect("a file can be copied");
    }
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["check", "--quiet", "--offline", "--locked", "-p", "shem"]).current_dir(&folder);
    // Libraries of others are shared with the build of this test.
    let target = temporary.parent().expect("the folder of the build");
    let output = cargo.env("CARGO_TARGET_DIR", target).output().expect("cargo runs");
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !complaints.contains("warning: "), "{complaints}");
}

#[test]
fn differences_are_applied_where_their_lines_are() {
    let difference = |lines: &[&str]| lines.iter().map(|&line| line.to_owned()).collect::<Vec<_>>();
    let text = "a\nb\nc\nb\nd\n";
    assert_eq!(insert(text, &difference(&[" b", "+    x", " d"])).as_deref(), Ok("a\nb\nc\nb\n    x\nd\n"));
    assert_eq!(insert(text, &difference(&["+x", " a"])).as_deref(), Ok("x\na\nb\nc\nb\nd\n"));
    assert_eq!(insert(text, &difference(&["-c", "+x", " b"])).as_deref(), Ok("a\nb\nx\nb\nd\n"));
    assert!(insert(text, &difference(&[" b", "+x"])).is_err(), "two places");
    assert!(insert(text, &difference(&[" z", "+x"])).is_err(), "no place");
    let document = "# T\n\n## Adding a thing\n\nIn `crates/a.rs`:\n\n```diff\n+x\n y\n```\n\nand `crates/b.rs`\n```rust\nz\n```\n";
    let expected = vec![
        ("crates/a.rs".to_owned(), Change::Insert(difference(&["+x", " y"]))),
        ("crates/b.rs".to_owned(), Change::Create("z\n".to_owned())),
    ];
    assert_eq!(changes(document), expected);
}
