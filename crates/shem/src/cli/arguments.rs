//! What was typed, and what it means.
//!
//! Every option is a row of one table: its names, its value, its help and what it does to the arguments.
//! Parsing and the help text both come from the table.

use std::ffi::OsString;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

use lexopt::ValueExt;

use crate::smt::{Logic, Options};

/// What to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Job {
    /// Print the help.
    Help,
    /// Print the version.
    Version,
    /// Run an SMT-LIB script; `-` is the standard input.
    Smt(PathBuf),
    /// Decide a Horn problem.
    Horn(PathBuf),
}

/// The meaning of a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arguments {
    /// What to do.
    pub job: Job,
    /// How to run scripts.
    pub smt: Options,
}

/// A command line that has no meaning, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure(pub String);

impl From<lexopt::Error> for Failure {
    fn from(error: lexopt::Error) -> Failure {
        Failure(error.to_string())
    }
}

/// What an option does.
enum Effect {
    Help,
    Version,
    Flag(fn(&mut Options)),
    Number(fn(&mut Options, u64)),
    Seconds(fn(&mut Options, f64)),
    File(fn(&mut Options, PathBuf)),
}

/// An option: a row of the table.
struct OptionRow {
    short: Option<char>,
    long: &'static str,
    /// How the help calls the value; empty if there is none.
    value: &'static str,
    help: &'static str,
    effect: Effect,
}

const TABLE: [OptionRow; 13] = [
    OptionRow {
        short: None,
        long: "stats",
        value: "",
        help: "print statistics to standard error at the end",
        effect: Effect::Flag(|options| options.statistics = true),
    },
    OptionRow {
        short: None,
        long: "check-models",
        value: "",
        help: "evaluate all assertions in each model",
        effect: Effect::Flag(|options| options.check_models = true),
    },
    OptionRow {
        short: None,
        long: "check-cores",
        value: "",
        help: "solve each unsatisfiable core again on its own",
        effect: Effect::Flag(|options| options.check_cores = true),
    },
    OptionRow {
        short: None,
        long: "check-interpolants",
        value: "",
        help: "have each interpolant judged by solvers of its own",
        effect: Effect::Flag(|options| options.check_interpolants = true),
    },
    OptionRow {
        short: None,
        long: "check-status",
        value: "",
        help: "exit with code 1 if an answer differs from the script's :status",
        effect: Effect::Flag(|options| options.check_status = true),
    },
    OptionRow {
        short: None,
        long: "dump-queries",
        value: "FILE",
        help: "write every query that is answered to FILE, as a script",
        effect: Effect::File(|options, file| options.dump_queries = Some(file)),
    },
    OptionRow {
        short: None,
        long: "conflict-limit",
        value: "N",
        help: "answer unknown after N conflicts in a query",
        effect: Effect::Number(|options, limit| options.limits.conflicts = limit),
    },
    OptionRow {
        short: None,
        long: "pivot-limit",
        value: "N",
        help: "answer unknown after N pivots in a query",
        effect: Effect::Number(|options, limit| options.limits.pivots = limit),
    },
    OptionRow {
        short: None,
        long: "split-limit",
        value: "N",
        help: "answer unknown after N case splits in a query",
        effect: Effect::Number(|options, limit| options.limits.splits = limit),
    },
    OptionRow {
        short: Some('t'),
        long: "timeout",
        value: "SECONDS",
        help: "answer unknown once the run has taken this long",
        effect: Effect::Seconds(|options, seconds| {
            options.timeout = Duration::try_from_secs_f64(seconds).ok();
        }),
    },
    OptionRow {
        short: None,
        long: "timeout-ms",
        value: "N",
        help: "the same in milliseconds",
        effect: Effect::Number(|options, limit| options.timeout = Some(Duration::from_millis(limit))),
    },
    OptionRow {
        short: Some('V'),
        long: "version",
        value: "",
        help: "print the version",
        effect: Effect::Version,
    },
    OptionRow { short: Some('h'), long: "help", value: "", help: "print this help", effect: Effect::Help },
];

/// The meaning of the arguments after the program's name.
pub fn parse(args: impl Iterator<Item = OsString>) -> Result<Arguments, Failure> {
    let mut parser = lexopt::Parser::from_args(args);
    let mut smt = Options::default();
    let mut words: Vec<OsString> = Vec::new();
    while let Some(argument) = parser.next()? {
        let row = match argument {
            lexopt::Arg::Value(word) => {
                words.push(word);
                continue;
            }
            lexopt::Arg::Short(short) => TABLE.iter().find(|row| row.short == Some(short)),
            lexopt::Arg::Long(long) => TABLE.iter().find(|row| row.long == long),
        };
        let Some(row) = row else { return Err(argument.unexpected().into()) };
        match row.effect {
            Effect::Help => return Ok(Arguments { job: Job::Help, smt }),
            Effect::Version => return Ok(Arguments { job: Job::Version, smt }),
            Effect::Flag(set) => set(&mut smt),
            Effect::Number(set) => set(&mut smt, parser.value()?.parse()?),
            Effect::File(set) => set(&mut smt, parser.value()?.into()),
            Effect::Seconds(set) => {
                let seconds: f64 = parser.value()?.parse()?;
                if !(seconds.is_finite() && seconds >= 0.0) {
                    return Err(Failure(format!("{seconds} is not a number of seconds")));
                }
                set(&mut smt, seconds);
            }
        }
    }
    let mut words = words.into_iter();
    let job = match (words.next(), words.next(), words.next()) {
        (Some(first), Some(file), None) if first == "smt" => Job::Smt(file.into()),
        (Some(first), None, None) if first == "smt" => return Err(Failure("smt needs a file".to_owned())),
        (Some(file), None, None) => Job::Horn(file.into()),
        (None, _, _) => return Err(Failure("a file is missing".to_owned())),
        _ => return Err(Failure("too many arguments".to_owned())),
    };
    Ok(Arguments { job, smt })
}

/// The help.
pub(super) fn help() -> String {
    let mut text = String::from(
        "Shem decides linear arithmetic over integers and reals.\n\n\
         usage: shem smt [options] FILE\n\n  \
         runs an SMT-LIB script; FILE may be - for the standard input\n\noptions:\n",
    );
    let names = |row: &OptionRow| {
        let short = row.short.map_or("    ".to_owned(), |short| format!("-{short}, "));
        let value = if row.value.is_empty() { String::new() } else { format!(" {}", row.value) };
        format!("{short}--{}{value}", row.long)
    };
    let width = TABLE.iter().map(|row| names(row).len()).max().unwrap_or(0);
    for row in &TABLE {
        writeln!(text, "  {:width$}  {}", names(row), row.help).expect("a string takes all that is written");
    }
    let logics: Vec<&str> = Logic::names().collect();
    write!(text, "\nlogics: {}\n", logics.join(", ")).expect("a string takes all that is written");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Arguments, Failure> {
        parse(line.split_whitespace().map(OsString::from))
    }

    fn check(line: &str, job: Job, change: fn(&mut Options)) {
        let mut smt = Options::default();
        change(&mut smt);
        assert_eq!(parsed(line), Ok(Arguments { job, smt }), "for {line}");
    }

    fn check_failure(line: &str, words: &str) {
        assert_eq!(parsed(line), Err(Failure(words.to_owned())), "for {line}");
    }

    #[test]
    fn command_lines() {
        check("smt a.smt2", Job::Smt("a.smt2".into()), |_| {});
        check("smt -", Job::Smt("-".into()), |_| {});
        check("--check-models smt - --stats", Job::Smt("-".into()), |options| {
            options.check_models = true;
            options.statistics = true;
        });
        check("smt --conflict-limit=7 --split-limit 9 a", Job::Smt("a".into()), |options| {
            options.limits.conflicts = 7;
            options.limits.splits = 9;
        });
        check("smt a -t 1.5", Job::Smt("a".into()), |options| {
            options.timeout = Some(Duration::from_millis(1500))
        });
        check("smt a --timeout-ms 20", Job::Smt("a".into()), |options| {
            options.timeout = Some(Duration::from_millis(20));
        });
        check("smt a --dump-queries b", Job::Smt("a".into()), |options| {
            options.dump_queries = Some("b".into())
        });
        check("a.smt2", Job::Horn("a.smt2".into()), |_| {});
        check("--help", Job::Help, |_| {});
        check("-V", Job::Version, |_| {});
    }

    #[test]
    fn mistakes() {
        check_failure("", "a file is missing");
        check_failure("smt", "smt needs a file");
        check_failure("smt a b", "too many arguments");
        check_failure("smt --foo a", "invalid option '--foo'");
        check_failure("smt a -t -1", "-1 is not a number of seconds");
        assert!(parsed("smt a --pivot-limit many").is_err());
        assert!(parsed("smt a --pivot-limit").is_err());
    }

    #[test]
    fn the_help_names_every_option() {
        let help = help();
        for row in &TABLE {
            assert!(help.contains(&format!("--{}", row.long)));
        }
    }
}
