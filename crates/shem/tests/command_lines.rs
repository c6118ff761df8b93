//! Random command lines, shrunk if they fail: each is read or refused, and none is a reason to panic.

use std::cell::Cell;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::TestRunner;
use shem::cli::{Arguments, Job, parse, run};
use shem_decide::{Entry, SolveOptions};
use shem_engine::Registry;
use shem_test_support::shrink::config;

/// Values of some options, and words that mean something elsewhere.
const VALUES: &[&str] = &[
    "",
    "-",
    "--",
    "0",
    "1",
    "-1",
    "2.5",
    "1e400",
    "99999999999999999999",
    "yes",
    "no",
    "maybe",
    "more",
    "read",
    "legacy",
    "all",
    "none",
    "slice",
    "slice,chains",
    "LIA",
    "bmc",
    "spacer",
    "pdkind",
    "trl",
    "bmc,kind",
    "bmc --force-ts, spacer --seed 3",
    "bmc -e kind",
    ",",
    "redis://me@host/run",
    "file.smt2",
    "smt",
    "shapes",
    "strategy",
    "completions",
    "man",
    "zsh",
];

/// Every option, as the help lists them.
fn options() -> Vec<String> {
    let help = parse(&Registry::standard(), [OsString::from("--help-all")].into_iter()).expect("the help");
    let Job::Print(text) = help.job else { panic!("{help:?}") };
    let options = text.lines().filter(|line| line.trim_start().starts_with('-'));
    let names =
        options.flat_map(str::split_whitespace).filter(|word| word.len() > 1 && word.starts_with('-'));
    let names = names.map(|word| word.split(['=', '[', ',']).next().unwrap_or(word).to_owned());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names.dedup();
    assert!(names.len() > 90, "{names:?}");
    names
}

fn value() -> impl Strategy<Value = OsString> {
    prop_oneof![
        6 => select(VALUES).prop_map(OsString::from),
        1 => any::<String>().prop_map(OsString::from),
        1 => any::<Vec<u8>>().prop_map(OsString::from_vec),
    ]
}

/// A word, an option, an option with a value behind `=`, or one with a value as the next word.
fn part() -> impl Strategy<Value = Vec<OsString>> {
    (select(options()), value(), 0..8).prop_map(|(option, value, form)| match form {
        0 => vec![value],
        1 | 2 => vec![option.into()],
        3..=5 => {
            let mut word = OsString::from(option + "=");
            word.push(value);
            vec![word]
        }
        _ => vec![option.into(), value],
    })
}

#[test]
fn command_lines_are_read_or_refused() {
    let registry = Registry::standard();
    let (read, refused) = (Cell::new(0), Cell::new(0));
    // Most lines end with a file.
    let file = prop_oneof![4 => Just(vec![OsString::from("file")]), 1 => part()];
    let parts = proptest::collection::vec(part(), 0..4);
    let line = (parts, file).prop_map(|(parts, file)| [parts.concat(), file].concat());
    let result = TestRunner::new(config(1000)).run(&line, |words| {
        match parse(&registry, words.clone().into_iter()) {
            Ok(arguments) => {
                read.set(read.get() + 1);
                check_words_for_workers(&registry, &arguments)?;
            }
            Err(_) => {
                refused.set(refused.get() + 1);
                let (mut out, mut err) = (Vec::new(), Vec::new());
                let json = words.iter().any(|word| word == "--json");
                prop_assert_eq!(run(&registry, words.into_iter(), &mut out, &mut err), 1);
                let opening = if json { &b"{\"version\":"[..] } else { b"(error \"" };
                prop_assert!(out.starts_with(opening) && err.starts_with(b"shem: "));
            }
        }
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
    assert!(read.get() > 100 && refused.get() > 100, "{read:?} read, {refused:?} refused");
}

/// What is handed on to workers is a command line that sets the same.
fn check_words_for_workers(registry: &Registry, arguments: &Arguments) -> Result<(), TestCaseError> {
    let horn = &arguments.horn;
    let words = horn.engine_words.iter().map(String::as_str).chain(["file"]);
    let again = parse(registry, words.map(OsString::from));
    let again = again.map_err(|error| TestCaseError::fail(format!("{error:?}")))?.horn;
    prop_assert_eq!(&again.engine_words, &horn.engine_words);
    prop_assert_eq!(&again.solve.disabled_passes, &horn.solve.disabled_passes);
    prop_assert_eq!(again.solve.seed, horn.solve.seed);
    // A worker reads them in its own way.
    let entry = Entry::new(horn.solve.engine.name(), horn.engine_words.iter().cloned());
    let options = entry.options(registry, &SolveOptions::default()).map_err(TestCaseError::fail)?;
    prop_assert_eq!(&options.engine, &horn.solve.engine);
    prop_assert_eq!(&options.disabled_passes, &horn.solve.disabled_passes);
    prop_assert_eq!(options.seed, horn.solve.seed);
    Ok(())
}
