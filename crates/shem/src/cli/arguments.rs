//! What was typed, and what it means.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use lexopt::ValueExt;
use shem_decide::Entry;
use shem_engine::{Registry, SettingError, option_word};

use super::completions::Shell;
use super::table::{Effect, OptionRow, Scope, Settings, TABLE};
use crate::horn;

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
    /// List what the default strategy does with a Horn problem.
    Strategy(PathBuf),
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
    Ok(parse_rows(args)?.0)
}

/// Whether an entry of a mix is a command line: an engine that there is, with options that concern engines.
pub(super) fn check_entry(entry: &Entry) -> Result<(), String> {
    let words = entry.words().chain(["-"]).map(OsString::from);
    let (_, rows) = parse_rows(words).map_err(|Failure(words)| format!("{words} (in the mix: {entry})"))?;
    if rows.iter().filter(|row| row.long == "engine").count() > 1 {
        return Err(format!("--engine stands twice in the entry {entry}"));
    }
    match rows.iter().find(|row| !row.setting && row.long != "engine") {
        Some(row) => Err(format!("--{} does not concern engines and cannot stand in a mix", row.long)),
        None => Ok(()),
    }
}

/// The meaning of the arguments, and the options that were used.
fn parse_rows(args: impl Iterator<Item = OsString>) -> Result<(Arguments, Vec<&'static OptionRow>), Failure> {
    let mut parser = lexopt::Parser::from_args(args);
    let mut settings = Settings::default();
    let mut words: Vec<OsString> = Vec::new();
    let mut used: Vec<&'static OptionRow> = Vec::new();
    let registry = Registry::standard();
    let engine_settings = registry.settings();
    let mut assigned: Vec<(&'static str, String)> = Vec::new();
    while let Some(argument) = parser.next()? {
        let short = matches!(argument, lexopt::Arg::Short(_));
        let row = match argument {
            lexopt::Arg::Value(word) => {
                words.push(word);
                continue;
            }
            lexopt::Arg::Short(short) => TABLE.iter().find(|row| row.short == Some(short)),
            lexopt::Arg::Long(long) => {
                if let Some(shared) = engine_settings.iter().find(|shared| shared.setting.name == long) {
                    let setting = &shared.setting;
                    let value = match parser.optional_value() {
                        Some(value) => value.string()?,
                        None if setting.is_flag() => "yes".to_owned(),
                        None => parser.value()?.string()?,
                    };
                    let (engine, _) = shared.engines[0];
                    let mut choice = registry.choose(engine).map_err(|error| Failure(error.to_string()))?;
                    choice.set(setting.name, &value).map_err(|error| Failure(error.to_string()))?;
                    settings.horn.engine_words.push(option_word(setting, &value));
                    assigned.push((setting.name, value));
                    continue;
                }
                TABLE.iter().find(|row| row.long == long)
            }
        };
        let Some(row) = row else { return Err(argument.unexpected().into()) };
        match row.effect {
            Effect::Help => return Ok((Arguments { job: Job::Help, settings }, used)),
            Effect::Version => return Ok((Arguments { job: Job::Version, settings }, used)),
            _ => apply(row, short, &mut parser, &mut settings)?,
        }
        used.push(row);
    }
    let engine = &mut settings.horn.solve.engine;
    for (name, value) in assigned {
        match engine.set(name, &value) {
            // Settings of other engines are no concern of this one.
            Ok(()) | Err(SettingError::Unknown { .. }) => {}
            Err(error) => return Err(Failure(error.to_string())),
        }
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
            check_cooperation(&mut settings.horn)?;
            Ok((Arguments { job, settings }, used))
        }
    }
}

/// Instances are of one engine, in this process.
fn check_cooperation(options: &mut horn::Options) -> Result<(), Failure> {
    let solve = &mut options.solve;
    if solve.instances > 1 {
        if matches!(solve.engines, horn::Engines::Mix(_)) {
            return Err(Failure("--instances takes one engine, not a mix".to_owned()));
        }
        if !solve.engine.description().has_instances() {
            return Err(Failure(format!("the engine {} has no instances; pdkind has", solve.engine.name())));
        }
        solve.engines = horn::Engines::One;
    }
    Ok(())
}

/// Lets an option take effect; `short` says by which name it was called.
fn apply(
    row: &OptionRow,
    short: bool,
    parser: &mut lexopt::Parser,
    settings: &mut Settings,
) -> Result<(), Failure> {
    let mut typed = None;
    match row.effect {
        Effect::Help | Effect::Version => {}
        Effect::Flag(set) => set(settings),
        Effect::Number(set) => {
            let value = parser.value()?.string()?;
            set(settings, OsString::from(&value).parse()?);
            typed = Some(value);
        }
        Effect::File(set) => set(settings, parser.value()?.into()),
        Effect::Word(set) => {
            let value = parser.value()?.string()?;
            set(settings, &value).map_err(Failure)?;
            typed = Some(value);
        }
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
    if row.setting {
        let value = typed.map_or(String::new(), |value| format!("={value}"));
        settings.horn.engine_words.push(format!("--{}{value}", row.long));
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
        Some("strategy") => {
            rest.extend(input);
            let mut files = rest.into_iter();
            return match (files.next(), files.next()) {
                (Some(file), None) => Ok(Job::Strategy(file)),
                (None, _) => fail("strategy needs a file"),
                _ => fail("too many arguments"),
            };
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
    use crate::horn::{Engines, ProofFormat, Stage};
    use shem_chc::Shape;
    use shem_decide::{Profile, entries_for};
    use shem_engine::EngineChoice;
    use shem_exchange::Share;

    fn parsed(line: &str) -> Result<Arguments, Failure> {
        parse(line.split_whitespace().map(OsString::from))
    }

    fn check(line: &str, job: Job, change: fn(&mut Settings)) {
        let mut settings = Settings::default();
        change(&mut settings);
        assert_eq!(parsed(line), Ok(Arguments { job, settings }), "for {line}");
    }

    /// An engine with these settings.
    fn engine(name: &str, settings: &[(&str, &str)]) -> EngineChoice {
        let mut choice = Registry::standard().choose(name).expect("an engine");
        for (name, value) in settings {
            choice.set(name, value).expect("a setting");
        }
        choice
    }

    /// The words set this, before and after the name of the engine.
    fn check_settings(name: &str, words: &str, values: &[(&str, &str)]) {
        let mut settings = Settings::default();
        settings.horn.solve.engines = Engines::One;
        settings.horn.solve.engine = engine(name, values);
        settings.horn.engine_words = words.split_whitespace().map(str::to_owned).collect();
        let arguments = Ok(Arguments { job: horn("a"), settings });
        assert_eq!(parsed(&format!("-e {name} {words} a")), arguments);
        assert_eq!(parsed(&format!("{words} a -e {name}")), arguments);
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
            s.horn.solve.engine = engine("bmc", &[]);
            s.horn.solve.engines = Engines::One;
            s.horn.print_witness = true;
        });
        check("--compute-witness a", horn("a"), |s| s.horn.compute_witness = Some(true));
        check("--compute-witness=no a", horn("a"), |s| s.horn.compute_witness = Some(false));
        check("--validate -p intermediate a", horn("a"), |s| {
            s.horn.validate = true;
            s.horn.proof_format = ProofFormat::Intermediate;
        });
        check_settings(
            "bmc",
            "--force-ts --simplify-nested",
            &[("force-ts", "yes"), ("simplify-nested", "yes")],
        );
        check_settings("bmc", "--force-ts=no", &[("force-ts", "no")]);
        check_settings("lawi", "--forced-covering", &[("forced-covering", "yes")]);
        check_settings("lawi", "--lawi.order=depth", &[("lawi.order", "depth")]);
        check_settings("tpa", "--tpa.use-qe", &[("tpa.use-qe", "yes")]);
        check_settings(
            "split-tpa",
            "--tpa.base=3 --tpa.direction=backward --tpa.grounds=right-first",
            &[("tpa.base", "3"), ("tpa.direction", "backward"), ("tpa.grounds", "right-first")],
        );
        check_settings(
            "split-tpa",
            "--tpa.steps=equal-first --tpa.candidates=equal-first",
            &[("tpa.steps", "equal-first"), ("tpa.candidates", "equal-first")],
        );
        check_settings("imc", "--lra-itp-algorithm=5", &[("lra-itp-algorithm", "5")]);
        check_settings("imc", "--bool-itp-algorithm=occurrence", &[("bool-itp-algorithm", "occurrence")]);
        check_settings("kind", "--kind.simple-paths", &[("kind.simple-paths", "yes")]);
        check_settings(
            "pdkind",
            "--pdkind.depth=3 --pdkind.order=oldest",
            &[("pdkind.depth", "3"), ("pdkind.order", "oldest")],
        );
        check_settings(
            "spacer",
            "--spacer.climb=no --spacer.gas=7",
            &[("spacer.climb", "no"), ("spacer.gas", "7")],
        );
        // A value may be a word of its own, and settings of other engines do no harm.
        check("--spacer.climb no --pdkind.depth 3 a", horn("a"), |s| {
            s.horn.solve.engine = engine("spacer", &[("spacer.climb", "no")]);
            s.horn.engine_words = vec!["--spacer.climb=no".to_owned(), "--pdkind.depth=3".to_owned()];
        });
        check("-v -v --verbose a", horn("a"), |s| s.horn.verbosity = 3);
        check("-vv a", horn("a"), |s| s.horn.verbosity = 2);
        check("--verbose=7 a -f", horn("a"), |s| s.horn.verbosity = 7);
        check("--memory 100 --seed 5 --stats --json a", horn("a"), |s| {
            s.horn.memory = Some(100_000_000);
            s.horn.solve.seed = 5;
            s.horn.engine_words = vec!["--seed=5".to_owned()];
            s.horn.statistics = true;
            s.smt.statistics = true;
            s.horn.json = true;
        });
        check("-e pdkind --instances 6 --share reach a", horn("a"), |s| {
            s.horn.solve.engines = Engines::One;
            s.horn.solve.engine = engine("pdkind", &[]);
            s.horn.solve.instances = 6;
            s.horn.solve.share = Share { reach: true, ..Share::INVARIANTS };
        });
        check("--join redis://me:secret@host/run a", horn("a"), |s| {
            s.horn.solve.join = Some("redis://me:secret@host/run".parse().expect("an address"));
        });
        check("--dump-graph read a", horn("a"), |s| s.horn.dump_graph = Some(Stage::Read));
        check("--witness-budget 0.5 a", horn("a"), |s| {
            s.horn.solve.witness_budget = Duration::from_millis(500);
        });
        check("--verdict-timeout 2 a", horn("a"), |s| {
            s.horn.solve.verdict_time = Some(Duration::from_secs(2));
        });
        check("-j 3 --check 2 --worker 77 --exchange 50 a", horn("a"), |s| {
            s.horn.exchange = Some(50);
            s.horn.jobs = Some(3);
            s.horn.check = Some(2);
            s.horn.worker = Some(77);
        });
        check("--jobs 0 a", horn("a"), |s| s.horn.jobs = Some(1));
        check("-e bmc,kind a", horn("a"), |s| {
            s.horn.solve.engines = Engines::Mix(vec![Entry::new("bmc", []), Entry::new("kind", [])]);
        });
        check("strategy a", Job::Strategy("a".into()), |_| {});
        check("shapes a b", Job::Shapes(vec!["a".into(), "b".into()]), |_| {});
        check("man", Job::Manual, |_| {});
        check("completions zsh", Job::Completions(Shell::Zsh), |_| {});
        check("--help", Job::Help, |_| {});
        check("-V", Job::Version, |_| {});
        check("--version", Job::Version, |_| {});
    }

    #[test]
    fn entries_of_a_mix_carry_settings() {
        let line = ["-e", "spacer --seed 7 ,bmc  --force-ts", "a"].map(OsString::from);
        let Engines::Mix(entries) = parse(line.into_iter()).expect("a mix").settings.horn.solve.engines
        else {
            panic!("no mix");
        };
        let words: Vec<Vec<&str>> = entries.iter().map(|entry| entry.words().collect()).collect();
        assert_eq!(words, [vec!["-e", "spacer", "--seed", "7"], vec!["-e", "bmc", "--force-ts"]]);
        for (mix, words) in [
            ("bmc, kind --json", "--json does not concern engines and cannot stand in a mix"),
            ("bmc a", "too many arguments (in the mix: bmc a)"),
            ("bmc, kind -e imc", "--engine stands twice in the entry kind -e imc"),
        ] {
            let line = ["-e", mix, "a"].map(OsString::from);
            assert_eq!(parse(line.into_iter()), Err(Failure(words.to_owned())));
        }
    }

    /// The entries of the default strategy are command lines.
    #[test]
    fn the_strategy_can_be_typed() {
        for shape in [Shape::Trivial, Shape::TransitionSystem, Shape::Dag, Shape::Linear, Shape::Nonlinear] {
            for (integers, jobs) in [(false, 1), (true, 1), (false, 8), (true, 8)] {
                let profile = Profile { shape, integers, jobs };
                for entry in entries_for(&profile) {
                    assert_eq!(check_entry(&entry), Ok(()));
                }
            }
        }
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
        check_failure("--lra-itp-algorithm 1 a", "lra-itp-algorithm takes 0, 2, 4 or 5, not '1'");
        check_failure("--pdkind.depth 0 a", "pdkind.depth takes a number from 1, or level, not '0'");
        check_failure("--pdkind.order any a", "pdkind.order takes newest, oldest or random, not 'any'");
        check_failure("--tpa.base 1 a", "tpa.base takes a number from 2 to 8, not '1'");
        check_failure("--tpa.direction up a", "tpa.direction takes forward or backward, not 'up'");
        check_failure("-l QF_ALIA a", "the logic QF_ALIA is not supported; QF_LIA, QF_LRA and QF_LIRA are");
        check_failure("--compute-witness=maybe a", "--compute-witness takes yes or no, not maybe");
        check_failure("--dump-graph end a", "there is no stage end of the graph; stages: read, preprocessed");
        check_failure("--instances 2 a", "the engine spacer has no instances; pdkind has");
        check_failure("-e pdkind,bmc --instances 2 a", "--instances takes one engine, not a mix");
        check_failure("--instances 0 a", "--instances takes a number from 1 to 256, not 0");
        check_failure("--share some a", "--share takes none, invariants, reach, induction or all, not some");
        check_failure(
            "--join redis://me:secret@host a",
            "--join takes redis://HOST/NAME or rediss://HOST/NAME: the name of the run is missing",
        );
        check_failure("shapes", "shapes needs files");
        check_failure("strategy", "strategy needs a file");
        check_failure("strategy a b", "too many arguments");
        check_failure("-e ,bmc a", "an engine is missing in “,bmc”");
        check_failure("completions", "completions needs the name of a shell: bash, zsh or fish");
        check_failure("completions ksh", "there are no completions for ksh; shells: bash, zsh, fish");
        assert!(parsed("smt a --pivot-limit many").is_err());
        assert!(parsed("a --seed").is_err());
        assert!(parsed("a --validate=yes").is_err());
    }
}
