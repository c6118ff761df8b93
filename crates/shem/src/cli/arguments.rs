//! What was typed, and what it means.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, FromArgMatches};
use clap_complete::Shell;
use shem_decide::{Entry, MEGABYTE};
use shem_engine::{EngineChoice, Registry, SettingError, SharedSetting, option_word};

use super::line::{DISABLE_PASS, ENGINE, WORDS, command, with_texts};
use super::options::{Cooperation, GENERAL, General, Horn, SCRIPTS, Scripts, Verbosity};
use crate::{horn, smt};

/// What to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Job {
    /// Print a text: the help, or the version.
    Print(String),
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

/// What was set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// How to run scripts.
    pub smt: smt::Options,
    /// How to decide Horn problems.
    pub horn: horn::Options,
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

impl From<clap::Error> for Failure {
    /// The message in one line, without the usage.
    fn from(error: clap::Error) -> Failure {
        let text = error.render().to_string();
        let lines = text
            .lines()
            .map(str::trim)
            .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"))
            .filter(|line| !line.is_empty() && !line.starts_with("tip: to pass "));
        let words = lines.collect::<Vec<_>>().join("; ");
        Failure(words.strip_prefix("error: ").unwrap_or(&words).to_owned())
    }
}

/// The meaning of the arguments after the program's name.
pub fn parse(args: impl Iterator<Item = OsString>) -> Result<Arguments, Failure> {
    parse_with(&Registry::standard(), args)
}

/// The same with other engines.
pub fn parse_with(registry: &Registry, args: impl Iterator<Item = OsString>) -> Result<Arguments, Failure> {
    Reader::new(registry).read(args.collect()).map(|(arguments, _)| arguments)
}

/// Reads command lines.
struct Reader<'a> {
    registry: &'a Registry,
    engine_settings: Vec<SharedSetting>,
    command: Command,
}

impl<'a> Reader<'a> {
    fn new(registry: &'a Registry) -> Reader<'a> {
        let engine_settings = registry.settings();
        let command = command(registry, &engine_settings);
        Reader { registry, engine_settings, command }
    }

    /// The meaning of the arguments, and what clap has found in them.
    fn read(&mut self, args: Vec<OsString>) -> Result<(Arguments, ArgMatches), Failure> {
        let matches = match self.command.try_get_matches_from_mut(args.clone()) {
            Ok(matches) => matches,
            Err(error) if error.kind() == ErrorKind::DisplayHelp => {
                let command = with_texts(command(self.registry, &self.engine_settings), self.registry);
                let help = command.try_get_matches_from(args).err().unwrap_or(error);
                return Ok((printing(help.render().to_string()), ArgMatches::default()));
            }
            Err(error) if error.kind() == ErrorKind::DisplayVersion => {
                return Ok((printing(error.render().to_string()), ArgMatches::default()));
            }
            Err(error) => return Err(error.into()),
        };
        let general = General::from_arg_matches(&matches)?;
        let words = matches.get_many::<OsString>(WORDS).unwrap_or_default().cloned().collect();
        let job = job(words, general.input.clone())?;
        self.check_scope(&job, &matches)?;
        let smt = scripts(&general, &Scripts::from_arg_matches(&matches)?);
        let mut horn = self.horn(&general, &matches)?;
        check_cooperation(self.registry, &mut horn)?;
        Ok((Arguments { job, settings: Settings { smt, horn } }, matches))
    }

    /// The options that were typed.
    fn typed<'m>(&'m self, matches: &'m ArgMatches) -> impl Iterator<Item = &'m Arg> {
        let source = |arg: &Arg| matches.value_source(arg.get_id().as_str());
        self.command.get_arguments().filter(move |arg| source(arg) == Some(ValueSource::CommandLine))
    }

    /// Options of other jobs are mistakes.
    fn check_scope(&self, job: &Job, matches: &ArgMatches) -> Result<(), Failure> {
        let script = matches!(job, Job::Smt(_));
        let foreign = self.typed(matches).find(|arg| match arg.get_help_heading() {
            None | Some(GENERAL) => false,
            Some(heading) => (heading == SCRIPTS) != script,
        });
        match foreign.and_then(Arg::get_long) {
            None => Ok(()),
            Some(long) if script => Err(Failure(format!("shem smt has no option --{long}"))),
            Some(long) => Err(Failure(format!("--{long} is an option of shem smt only"))),
        }
    }

    /// The options of Horn problems.
    fn horn(&mut self, general: &General, matches: &ArgMatches) -> Result<horn::Options, Failure> {
        let typed = Horn::from_arg_matches(matches)?;
        let cooperation = Cooperation::from_arg_matches(matches)?;
        let mut options = horn::Options {
            jobs: cooperation.jobs.map(|jobs| usize::try_from(jobs).unwrap_or(usize::MAX)),
            worker: typed.worker,
            exchange: typed.exchange,
            check: typed.check,
            print_witness: typed.print_witness,
            compute_witness: typed.compute_witness,
            validate: typed.validate,
            proof_format: typed.proof_format.unwrap_or_default(),
            verbosity: typed.verbose.iter().fold(0, |level, word| match *word {
                Verbosity::More => level + 1,
                Verbosity::Level(level) => level,
            }),
            timeout: timeout(general),
            memory: typed.memory.map(bytes),
            statistics: general.stats,
            json: typed.json,
            check_status: general.check_status,
            dump_graph: typed.dump_graph,
            dump_queries: general.dump_queries.clone(),
            ..horn::Options::default()
        };
        options.solve.seed = typed.seed;
        options.solve.witness_budget = typed.witness_budget.0;
        options.solve.verdict_time = typed.verdict_timeout.map(|time| time.0);
        options.solve.instances = usize::try_from(cooperation.instances).unwrap_or(usize::MAX);
        options.solve.share = cooperation.share;
        if let Some(address) = &cooperation.join {
            options.solve.join = Some(address.parse().map_err(Failure)?);
        }
        if let Some(text) = matches.get_one::<String>(ENGINE) {
            self.choose_engines(text, &mut options)?;
        }
        self.assign(matches, &mut options)?;
        Ok(options)
    }

    /// Who decides: an engine, or a mix.
    fn choose_engines(&mut self, text: &str, options: &mut horn::Options) -> Result<(), Failure> {
        if text.contains([',', ' ']) {
            let entries = Entry::mix(text).map_err(Failure)?;
            entries.iter().try_for_each(|entry| self.check_entry(entry))?;
            options.solve.engines = horn::Engines::Mix(entries);
        } else {
            options.solve.engine = self.registry.choose(text).map_err(|error| Failure(error.to_string()))?;
            options.solve.engines = horn::Engines::One;
        }
        Ok(())
    }

    /// Whether an entry of a mix is a command line: an engine that there is, with options that concern engines.
    fn check_entry(&mut self, entry: &Entry) -> Result<(), Failure> {
        if entry.settings().iter().any(|word| word.starts_with("-e") || word.starts_with("--engine")) {
            return Err(Failure(format!("--engine stands twice in the entry {entry}")));
        }
        let words = entry.words().chain(["-"]).map(OsString::from).collect();
        let (_, matches) =
            self.read(words).map_err(|Failure(words)| Failure(format!("{words} (in the mix: {entry})")))?;
        let concerns_engines = |arg: &Arg| {
            let id = arg.get_id().as_str();
            [WORDS, ENGINE, DISABLE_PASS, "seed"].contains(&id)
                || self.engine_settings.iter().any(|shared| shared.setting.name == id)
        };
        match self.typed(&matches).find(|arg| !concerns_engines(arg)).and_then(Arg::get_long) {
            Some(long) => {
                Err(Failure(format!("--{long} does not concern engines and cannot stand in a mix")))
            }
            None => Ok(()),
        }
    }

    /// Gives the engine its settings, and keeps the words for the processes of a portfolio. Settings of other engines
    /// are no concern of this one, but have to have values.
    fn assign(&self, matches: &ArgMatches, options: &mut horn::Options) -> Result<(), Failure> {
        for shared in &self.engine_settings {
            let name = shared.setting.name;
            let Some(value) = matches.get_one::<String>(name) else { continue };
            let mut chosen = std::mem::take(&mut options.solve.engine);
            let result = match chosen.set(name, value) {
                Err(SettingError::Unknown { .. }) => self.owner(shared).set(name, value),
                result => result,
            };
            options.solve.engine = chosen;
            result.map_err(|error| Failure(format!("--{error}")))?;
            options.engine_words.push(option_word(&shared.setting, value));
        }
        for name in matches.get_many::<String>(DISABLE_PASS).unwrap_or_default() {
            options.solve.disabled_passes.disable(name).map_err(|error| Failure(error.to_string()))?;
            options.engine_words.push(format!("--{DISABLE_PASS}={name}"));
        }
        if matches.value_source("seed") == Some(ValueSource::CommandLine) {
            options.engine_words.push(format!("--seed={}", options.solve.seed));
        }
        Ok(())
    }

    /// An engine that has a setting.
    fn owner(&self, shared: &SharedSetting) -> EngineChoice {
        let (name, _) = shared.engines[0];
        self.registry.choose(name).expect("the setting is one of this engine")
    }
}

fn printing(text: String) -> Arguments {
    Arguments { job: Job::Print(text), settings: Settings::default() }
}

/// The options of scripts.
fn scripts(general: &General, typed: &Scripts) -> smt::Options {
    let default = smt::Limits::default();
    smt::Options {
        check_models: typed.check_models,
        check_cores: typed.check_cores,
        check_interpolants: typed.check_interpolants,
        check_status: general.check_status,
        statistics: general.stats,
        limits: smt::Limits {
            conflicts: typed.conflict_limit.unwrap_or(default.conflicts),
            pivots: typed.pivot_limit.unwrap_or(default.pivots),
            splits: typed.split_limit.unwrap_or(default.splits),
        },
        dump_queries: general.dump_queries.clone(),
        timeout: timeout(general),
    }
}

fn timeout(general: &General) -> Option<Duration> {
    let milliseconds = general.timeout_ms.map(Duration::from_millis);
    general.timeout.map(|time| time.0).or(milliseconds)
}

fn bytes(megabytes: u64) -> usize {
    usize::try_from(megabytes).unwrap_or(usize::MAX).saturating_mul(MEGABYTE)
}

/// Instances are of one engine, in this process.
fn check_cooperation(registry: &Registry, options: &mut horn::Options) -> Result<(), Failure> {
    let solve = &mut options.solve;
    if solve.instances <= 1 {
        return Ok(());
    }
    if matches!(solve.engines, horn::Engines::Mix(_)) {
        return Err(Failure("--instances takes one engine, not a mix".to_owned()));
    }
    if !solve.engine.description().has_instances() {
        let able = registry.engines().iter().filter(|engine| engine.has_instances());
        let able = able.map(|engine| engine.name).collect::<Vec<_>>().join(", ");
        return Err(Failure(format!("the engine {} has no instances; {able} has", solve.engine.name())));
    }
    solve.engines = horn::Engines::One;
    Ok(())
}

/// What the words that are no options ask for.
fn job(words: Vec<OsString>, input: Option<PathBuf>) -> Result<Job, Failure> {
    let fail = |words: &str| Err(Failure(words.to_owned()));
    let mut words = words.into_iter();
    let first = words.next();
    let mut rest: Vec<PathBuf> = words.map(PathBuf::from).collect();
    let word = first.as_ref().and_then(|word| word.to_str());
    match word {
        Some("man") if rest.is_empty() && input.is_none() => Ok(Job::Manual),
        Some("completions") => match &rest[..] {
            [shell] => {
                let name = shell.to_string_lossy();
                name.parse().map(Job::Completions).map_err(|_| {
                    Failure(format!(
                        "there are no completions for {name}; shells: bash, elvish, fish, powershell, zsh"
                    ))
                })
            }
            _ => fail("completions needs the name of a shell: bash, elvish, fish, powershell or zsh"),
        },
        Some("shapes") => {
            rest.extend(input);
            if rest.is_empty() { fail("shapes needs files") } else { Ok(Job::Shapes(rest)) }
        }
        Some(word @ ("smt" | "strategy")) => {
            rest.extend(input);
            let mut files = rest.into_iter();
            match (files.next(), files.next()) {
                (Some(file), None) if word == "smt" => Ok(Job::Smt(file)),
                (Some(file), None) => Ok(Job::Strategy(file)),
                (None, _) => fail(&format!("{word} needs a file")),
                _ => fail("too many arguments"),
            }
        }
        _ => match (first, input) {
            _ if !rest.is_empty() => fail("too many arguments"),
            (Some(_), Some(_)) => fail("too many arguments"),
            (Some(file), None) => Ok(Job::Horn(file.into())),
            (None, Some(file)) => Ok(Job::Horn(file)),
            (None, None) => fail("a file is missing"),
        },
    }
}

#[cfg(test)]
mod tests;
