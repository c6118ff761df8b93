//! What was typed, and what it means.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use lexopt::ValueExt;

use super::completions::Shell;
use super::table::{Effect, OptionRow, Scope, Settings, TABLE};

/// What to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Job {
    /// Print the help.
    Help,
    /// Print the version.
    Version,
    /// Print the manual page.
    Manual,
    /// Print completions for a shell.
    Completions(Shell),
    /// Run an SMT-LIB script; `-` is the standard input.
    Smt(PathBuf),
    /// Decide a Horn problem; `-` is the standard input.
    Horn(PathBuf),
    /// List the shapes of Horn problems.
    Shapes(Vec<PathBuf>),
}

/// The meaning of a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arguments {
    /// What to do.
    pub job: Job,
    /// How to do it.
    pub settings: Settings,
}

/// A command line that has no meaning, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure(pub String);

impl From<lexopt::Error> for Failure {
    fn from(error: lexopt::Error) -> Failure {
        Failure(error.to_string())
    }
}

/// The meaning of the arguments after the program's name.
pub fn parse(args: impl Iterator<Item = OsString>) -> Result<Arguments, Failure> {
    let mut parser = lexopt::Parser::from_args(args);
    let mut settings = Settings::default();
    let mut words: Vec<OsString> = Vec::new();
    let mut used: Vec<&'static OptionRow> = Vec::new();
    while let Some(argument) = parser.next()? {
        let short = matches!(argument, lexopt::Arg::Short(_));
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
            Effect::Help => return Ok(Arguments { job: Job::Help, settings }),
            Effect::Version => return Ok(Arguments { job: Job::Version, settings }),
            _ => apply(row, short, &mut parser, &mut settings)?,
        }
        used.push(row);
    }
    let job = job(words, settings.input.take())?;
    let foreign = match job {
        Job::Smt(_) => Scope::Horn,
        _ => Scope::Smt,
    };
    match used.iter().find(|row| row.scope == foreign) {
        Some(row) if foreign == Scope::Horn => Err(Failure(format!("shem smt has no option --{}", row.long))),
        Some(row) => Err(Failure(format!("--{} is an option of shem smt only", row.long))),
        None => {
            let solve = &settings.horn.solve;
            if solve.instances > 1 && !solve.engine.has_instances() {
                return Err(Failure(format!("the engine {} has no instances; pdkind has", solve.engine)));
            }
            Ok(Arguments { job, settings })
        }
    }
}

/// Lets an option take effect; `short` says by which name it was called.
fn apply(
    row: &OptionRow,
    short: bool,
    parser: &mut lexopt::Parser,
    settings: &mut Settings,
) -> Result<(), Failure> {
    match row.effect {
        Effect::Help | Effect::Version => {}
        Effect::Flag(set) => set(settings),
        Effect::Number(set) => set(settings, parser.value()?.parse()?),
        Effect::File(set) => set(settings, parser.value()?.into()),
        Effect::Word(set) => set(settings, &parser.value()?.string()?).map_err(Failure)?,
        // Short options may stand together: what follows is the next one.
        Effect::Optional(set) if short => set(settings, None).map_err(Failure)?,
        Effect::Optional(set) => {
            let value = parser.optional_value().map(ValueExt::string).transpose()?;
            set(settings, value.as_deref()).map_err(Failure)?;
        }
        Effect::Seconds(set) => {
            let seconds: f64 = parser.value()?.parse()?;
            let Ok(time) = Duration::try_from_secs_f64(seconds) else {
                return Err(Failure(format!("{seconds} is not a number of seconds")));
            };
            set(settings, time);
        }
    }
    Ok(())
}

/// What the words that are no options ask for.
fn job(words: Vec<OsString>, input: Option<PathBuf>) -> Result<Job, Failure> {
    let fail = |words: &str| Err(Failure(words.to_owned()));
    let mut words = words.into_iter();
    let first = words.next();
    let mut rest: Vec<PathBuf> = words.map(PathBuf::from).collect();
    match first.as_ref().and_then(|word| word.to_str()) {
        Some("man") if rest.is_empty() && input.is_none() => return Ok(Job::Manual),
        Some("completions") => {
            return match &rest[..] {
                [shell] => Ok(Job::Completions(shell.to_string_lossy().parse().map_err(Failure)?)),
                _ => fail("completions needs the name of a shell: bash, zsh or fish"),
            };
        }
        Some("shapes") => {
            rest.extend(input);
            return if rest.is_empty() { fail("shapes needs files") } else { Ok(Job::Shapes(rest)) };
        }
        Some("smt") => {
            rest.extend(input);
            let mut files = rest.into_iter();
            return match (files.next(), files.next()) {
                (Some(file), None) => Ok(Job::Smt(file)),
                (None, _) => fail("smt needs a file"),
                _ => fail("too many arguments"),
            };
        }
        _ => {}
    }
    match (first, input) {
        _ if !rest.is_empty() => fail("too many arguments"),
        (Some(_), Some(_)) => fail("too many arguments"),
        (Some(file), None) => Ok(Job::Horn(file.into())),
        (None, Some(file)) => Ok(Job::Horn(file)),
        (None, None) => fail("a file is missing"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::horn::{EngineName, ProofFormat, Stage};
    use shem_exchange::Share;
    use shem_smt::interpolate::TheoryRule;

    fn parsed(line: &str) -> Result<Arguments, Failure> {
        parse(line.split_whitespace().map(OsString::from))
    }

    fn check(line: &str, job: Job, change: fn(&mut Settings)) {
        let mut settings = Settings::default();
        change(&mut settings);
        assert_eq!(parsed(line), Ok(Arguments { job, settings }), "for {line}");
    }

    fn check_failure(line: &str, words: &str) {
        assert_eq!(parsed(line), Err(Failure(words.to_owned())), "for {line}");
    }

    fn smt(file: &str) -> Job {
        Job::Smt(file.into())
    }

    fn horn(file: &str) -> Job {
        Job::Horn(file.into())
    }

    #[test]
    fn scripts() {
        check("smt a.smt2", smt("a.smt2"), |_| {});
        check("smt -", smt("-"), |_| {});
        check("smt -i a", smt("a"), |_| {});
        check("--check-models smt - --check-cores", smt("-"), |s| {
            s.smt.check_models = true;
            s.smt.check_cores = true;
        });
        check("smt --conflict-limit=7 --split-limit 9 a", smt("a"), |s| {
            s.smt.limits.conflicts = 7;
            s.smt.limits.splits = 9;
        });
        check("smt a -t 1.5", smt("a"), |s| {
            s.smt.timeout = Some(Duration::from_millis(1500));
            s.horn.timeout = s.smt.timeout;
        });
    }

    #[test]
    fn horn_problems() {
        check("a.smt2", horn("a.smt2"), |_| {});
        check("-i a.smt2", horn("a.smt2"), |_| {});
        check("--input=a.smt2", horn("a.smt2"), |_| {});
        check("-", horn("-"), |_| {});
        check("-l QF_LIA -e bmc --print-witness a", horn("a"), |s| {
            s.horn.solve.engine = EngineName::Bmc;
            s.horn.print_witness = true;
        });
        check("--compute-witness a", horn("a"), |s| s.horn.compute_witness = Some(true));
        check("--compute-witness=no a", horn("a"), |s| s.horn.compute_witness = Some(false));
        check("--validate -p intermediate a", horn("a"), |s| {
            s.horn.validate = true;
            s.horn.proof_format = ProofFormat::Intermediate;
        });
        check("--force-ts --simplify-nested --forced-covering --tpa.use-qe a", horn("a"), |s| {
            let engine = &mut s.horn.solve.engine_options;
            engine.force_ts = true;
            engine.simplify_nested = true;
            engine.forced_covering = true;
            engine.use_qe = true;
        });
        check("--lra-itp-algorithm 5 a", horn("a"), |s| {
            s.horn.solve.engine_options.interpolation = Some(TheoryRule::DualDecomposed);
        });
        check("-v -v --verbose a", horn("a"), |s| s.horn.verbosity = 3);
        check("-vv a", horn("a"), |s| s.horn.verbosity = 2);
        check("--verbose=7 a -f", horn("a"), |s| s.horn.verbosity = 7);
        check("--memory 100 --seed 5 --stats --json a", horn("a"), |s| {
            s.horn.memory = Some(100_000_000);
            s.horn.solve.seed = 5;
            s.horn.statistics = true;
            s.smt.statistics = true;
            s.horn.json = true;
        });
        check("-e pdkind --instances 6 --share reach a", horn("a"), |s| {
            s.horn.solve.engine = EngineName::PdKind;
            s.horn.solve.instances = 6;
            s.horn.solve.share = Share { reach: true, induction: false };
        });
        check("--join redis://me:secret@host/run a", horn("a"), |s| {
            s.horn.solve.join = Some("redis://me:secret@host/run".parse().expect("an address"));
        });
        check("--dump-graph read a", horn("a"), |s| s.horn.dump_graph = Some(Stage::Read));
        check("--witness-budget 0.5 a", horn("a"), |s| {
            s.horn.solve.witness_budget = Duration::from_millis(500);
        });
        check("shapes a b", Job::Shapes(vec!["a".into(), "b".into()]), |_| {});
        check("man", Job::Manual, |_| {});
        check("completions zsh", Job::Completions(Shell::Zsh), |_| {});
        check("--help", Job::Help, |_| {});
        check("-V", Job::Version, |_| {});
        check("--version", Job::Version, |_| {});
    }

    #[test]
    fn mistakes() {
        check_failure("", "a file is missing");
        check_failure("smt", "smt needs a file");
        check_failure("smt a b", "too many arguments");
        check_failure("a b", "too many arguments");
        check_failure("a -i b", "too many arguments");
        check_failure("--foo a", "invalid option '--foo'");
        check_failure("-x a", "invalid option '-x'");
        check_failure("smt a -t -1", "-1 is not a number of seconds");
        check_failure("smt a --validate", "shem smt has no option --validate");
        check_failure("--check-models a", "--check-models is an option of shem smt only");
        check_failure("-p alethe a", "the proof format alethe is not there yet");
        check_failure("-p xml a", "there is no proof format xml; formats: legacy, intermediate");
        check_failure(
            "--lra-itp-algorithm 1 a",
            "there is no interpolation algorithm 1; 0, 2, 4 and 5 are there",
        );
        check_failure("-l QF_ALIA a", "the logic QF_ALIA is not supported; QF_LIA, QF_LRA and QF_LIRA are");
        check_failure("--compute-witness=maybe a", "--compute-witness takes yes or no, not maybe");
        check_failure("--dump-graph end a", "there is no stage end of the graph; stages: read, preprocessed");
        check_failure("--instances 2 a", "the engine spacer has no instances; pdkind has");
        check_failure("--instances 0 a", "--instances takes a number from 1 to 256, not 0");
        check_failure("--share some a", "--share takes none, reach, induction or all, not some");
        check_failure(
            "--join redis://me:secret@host a",
            "--join takes redis://HOST/NAME or rediss://HOST/NAME: the name of the run is missing",
        );
        check_failure("shapes", "shapes needs files");
        check_failure("completions", "completions needs the name of a shell: bash, zsh or fish");
        check_failure("completions ksh", "there are no completions for ksh; shells: bash, zsh, fish");
        assert!(parsed("smt a --pivot-limit many").is_err());
        assert!(parsed("a --seed").is_err());
        assert!(parsed("a --validate=yes").is_err());
    }
}
