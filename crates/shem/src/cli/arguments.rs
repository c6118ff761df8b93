//! What was typed, and what it means.

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, FromArgMatches};
use clap_complete::Shell;
use shem_base::hint;
use shem_decide::{Engines, Entry, SolveOptions};
use shem_engine::{EngineChoice, Registry, SettingError, SharedSetting, ValueKind, option_word};
use shem_script::options::{GENERAL, RunOptions};
use shem_script::smt::{self, SCRIPTS};
use shem_transform::{UnknownPass, passes};

use super::compat::golem;
use super::line::{ENGINE, HELP_WIDTH, JOBS, SHARED, WORDS, command, help_of, shells, wrapped};
use super::options::Typed;
use super::plain::parse_plain;
use crate::bench::BENCH;
use crate::{bench, horn};

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
    /// Run a script, or decide it if it is a Horn problem; `-` is the standard input.
    Script(PathBuf),
    /// Write a problem in another language.
    Convert(horn::Format, PathBuf),
    /// List the shapes of Horn problems.
    Shapes(Vec<PathBuf>),
    /// List what the default strategy does with a Horn problem.
    Strategy(PathBuf),
    /// Decide all problems of folders.
    Bench(Vec<PathBuf>),
}

/// The meaning of a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arguments {
    /// What to do.
    pub job: Job,
    /// How to run scripts.
    pub smt: smt::Options,
    /// How to decide Horn problems.
    pub horn: horn::Options,
    /// How to run many of them.
    pub bench: bench::Options,
    /// What the user should know of options that mean something else here than elsewhere.
    pub notes: Vec<String>,
}

impl Arguments {
    /// The job, with the default options.
    pub fn new(job: Job) -> Arguments {
        let (smt, horn) = (smt::Options::default(), horn::Options::default());
        Arguments { job, smt, horn, bench: bench::Options::default(), notes: Vec::new() }
    }
}

/// What is wrong with a command line.
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

/// The meaning of the arguments after the program's name, if there are these engines.
pub fn parse(registry: &Registry, args: impl Iterator<Item = OsString>) -> Result<Arguments, Failure> {
    // For clap this would be the option -i with the value n.
    let words: Vec<OsString> = args.map(|word| if word == "-in" { "-".into() } else { word }).collect();
    if let Some(arguments) = parse_plain(registry, &words) {
        return Ok(arguments);
    }
    parse_any(registry, words)
}

/// The same for any line, by clap.
fn parse_any(registry: &Registry, words: Vec<OsString>) -> Result<Arguments, Failure> {
    Reader::new(registry).read(words).map(|(arguments, _)| arguments)
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
        let mut names = JOBS[1..].iter().map(|(name, ..)| *name);
        let job_word = names.find(|name| args.iter().any(|word| word == name));
        let matches = match self.command.try_get_matches_from_mut(args) {
            Ok(matches) => matches,
            Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
                let text = match job_word.filter(|_| error.kind() == ErrorKind::DisplayHelp) {
                    Some(name) => help_of(self.registry, name),
                    None => error.render().to_string(),
                };
                return Ok((Arguments::new(Job::Print(wrapped(&text, HELP_WIDTH))), ArgMatches::default()));
            }
            Err(error) => return Err(error.into()),
        };
        let typed = Typed::from_arg_matches(&matches)?;
        let mut run = RunOptions::from_arg_matches(&matches)?;
        let words = matches.get_many::<OsString>(WORDS).unwrap_or_default().cloned().collect();
        let job = job(words, run.input.take())?;
        self.check_scope(&job, &matches)?;
        let script = smt::Options::from_arg_matches(&matches)?;
        let mut horn = horn::Options {
            verbosity: typed.verbosity(),
            solve: typed.solve_options()?,
            run,
            ..horn::Options::from_arg_matches(&matches)?
        };
        let virtual_cores = horn.solve.virtual_cores;
        let smt = match (&job, virtual_cores) {
            // A script has one solver unless more are asked for; those of virtual cores run on the real ones.
            (Job::Smt(_), None) => smt::Options { jobs: horn.jobs.map_or(0, NonZeroUsize::get), ..script },
            (Job::Smt(_), Some(_)) => smt::Options { jobs: horn.jobs(), virtual_cores, ..script },
            _ => script,
        };
        let smt = smt::Options { run: horn.run.clone(), ..smt };
        let mut notes = typed.notes();
        if let Some(text) = &typed.engine {
            self.choose_engines(text, &mut horn.solve, &mut notes)?;
        }
        self.assign(&matches, &mut horn, &mut notes)?;
        for name in typed.disable_pass {
            let known = || passes().into_iter().map(|pass| pass.name);
            let fail = |error: UnknownPass| Failure(format!("{error}{}", hint(&name, known())));
            horn.solve.disabled_passes.disable(&name).map_err(fail)?;
            horn.engine_words.push(format!("--disable-pass={name}"));
        }
        check_cooperation(&mut horn.solve)?;
        let bench = bench::Options::from_arg_matches(&matches)?;
        Ok((Arguments { job, smt, horn, bench, notes }, matches))
    }

    /// The options that were typed.
    fn typed<'m>(&'m self, matches: &'m ArgMatches) -> impl Iterator<Item = &'m Arg> {
        let source = |arg: &Arg| matches.value_source(arg.get_id().as_str());
        self.command.get_arguments().filter(move |arg| source(arg) == Some(ValueSource::CommandLine))
    }

    /// Options of other jobs are mistakes.
    fn check_scope(&self, job: &Job, matches: &ArgMatches) -> Result<(), Failure> {
        let (script, bench) = (matches!(job, Job::Smt(_)), matches!(job, Job::Bench(_)));
        for arg in self.typed(matches) {
            let Some(long) = arg.get_long() else { continue };
            if script && SHARED.contains(&long) {
                continue;
            }
            let message = match arg.get_help_heading() {
                None | Some(GENERAL) => continue,
                Some(SCRIPTS) if !script => format!("--{long} is an option of shem smt only"),
                Some(BENCH) if !bench && !script => format!("--{long} is an option of shem bench only"),
                Some(heading) if script && heading != SCRIPTS => format!("shem smt has no option --{long}"),
                Some(_) => continue,
            };
            return Err(Failure(message));
        }
        Ok(())
    }

    /// Who decides: an engine, or a mix.
    fn choose_engines(
        &mut self,
        text: &str,
        solve: &mut SolveOptions,
        notes: &mut Vec<String>,
    ) -> Result<(), Failure> {
        let mut ours = |name: &str| {
            let (name, note) = golem::engine(name);
            notes.extend(note);
            name.to_owned()
        };
        if text.contains([',', ' ']) {
            let entries = Entry::mix(text).map_err(Failure)?.into_iter();
            let entries: Vec<Entry> = entries.map(|entry| entry.renamed(&mut ours)).collect();
            let entries = entries.iter().map(|entry| self.read_entry(entry)).collect::<Result<_, _>>()?;
            solve.engines = Engines::Mix(entries);
        } else {
            let name = ours(text);
            let fail = |error| Failure(format!("{error}{}", hint(&name, self.registry.names())));
            solve.engine = self.registry.choose(&name).map_err(fail)?;
            solve.engines = Engines::One;
        }
        Ok(())
    }

    /// An entry of a mix with its settings as workers read them. What was typed has to be a command line: an engine that
    /// there is, with options that concern engines.
    fn read_entry(&mut self, entry: &Entry) -> Result<Entry, Failure> {
        if entry.settings().iter().any(|word| word.starts_with("-e") || word.starts_with("--engine")) {
            return Err(Failure(format!("--engine stands twice in the entry {entry}")));
        }
        let words = entry.words().chain(["-"]).map(OsString::from).collect();
        let (arguments, matches) =
            self.read(words).map_err(|Failure(words)| Failure(format!("{words} (in the mix: {entry})")))?;
        let concerns_engines = |arg: &Arg| {
            let id = arg.get_id().as_str();
            [WORDS, ENGINE, "disable_pass", "seed"].contains(&id)
                || self.engine_settings.iter().any(|shared| shared.setting.name == id)
        };
        let foreign = self.typed(&matches).find(|arg| !concerns_engines(arg)).and_then(Arg::get_long);
        let refuse = |long| Failure(format!("--{long} does not concern engines and cannot stand in a mix"));
        let settings = arguments.horn.engine_words;
        foreign.map_or(Ok(Entry::new(entry.engine(), settings)), |long| Err(refuse(long)))
    }

    /// Gives the engine its settings, and keeps the words for the processes of a portfolio. Settings of other engines
    /// do not change this one, but their values have to be right.
    fn assign(
        &self,
        matches: &ArgMatches,
        options: &mut horn::Options,
        notes: &mut Vec<String>,
    ) -> Result<(), Failure> {
        for shared in &self.engine_settings {
            let name = shared.setting.name;
            let Some(typed) = matches.get_one::<String>(name) else { continue };
            let (value, note) = golem::value(&shared.setting, typed);
            notes.extend(note);
            let result = match options.solve.engine.set(name, &value) {
                Err(SettingError::Unknown { .. }) => self.owner(shared).set(name, &value),
                result => result,
            };
            let has = |engine: &str| shared.engines.iter().any(|(owner, _)| *owner == engine);
            let used = match &options.solve.engines {
                Engines::One => has(options.solve.engine.name()),
                Engines::Mix(entries) => entries.iter().any(|entry| has(entry.engine())),
                _ => true,
            };
            if !used {
                notes.push(format!("--{name} has no effect: no engine that runs has this setting"));
            }
            // A single letter or digit is like any other.
            let words = match shared.setting.kind {
                ValueKind::Choice(words) if words.iter().all(|word| word.len() > 1) => words,
                _ => &[],
            };
            result.map_err(|error| Failure(format!("--{error}{}", hint(&value, words.iter().copied()))))?;
            options.engine_words.push(option_word(&shared.setting, &value));
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

/// Instances are of one engine, in this process.
fn check_cooperation(solve: &mut SolveOptions) -> Result<(), Failure> {
    if solve.deterministic && solve.join.is_some() {
        let option = if solve.virtual_cores.is_some() { "--virtual-cores" } else { "--deterministic" };
        return Err(Failure(format!("--join and {option} exclude each other")));
    }
    if solve.instances <= 1 {
        return Ok(());
    }
    if matches!(solve.engines, Engines::Mix(_)) {
        return Err(Failure("--instances takes one engine, not a mix".to_owned()));
    }
    solve.engines = Engines::One;
    Ok(())
}

/// What the words that are no options ask for.
pub(super) fn job(mut words: Vec<OsString>, input: Option<PathBuf>) -> Result<Job, Failure> {
    let first = words.first().and_then(|word| word.to_str());
    let name = JOBS.iter().map(|(word, ..)| *word).find(|word| Some(*word) == first).unwrap_or("");
    let files: Vec<PathBuf> =
        words.drain(usize::from(!name.is_empty())..).map(PathBuf::from).chain(input).collect();
    match (name, &files[..]) {
        ("man", []) => Ok(Job::Manual),
        ("completions", [shell]) => {
            let name = shell.to_string_lossy();
            let near = || hint(&name, shells().iter().map(String::as_str));
            let message =
                || format!("there are no completions for {name}; shells: {}{}", shells().join(", "), near());
            name.parse().map(Job::Completions).map_err(|_| Failure(message()))
        }
        ("completions", _) => {
            Err(Failure(format!("completions needs the name of a shell: {}", shells().join(", "))))
        }
        ("convert", [format, file]) => {
            let name = format.to_string_lossy();
            let words = horn::Format::words();
            let near = || hint(&name, words.iter().map(String::as_str));
            let message = || format!("there is no format {name}; formats: {}{}", words.join(", "), near());
            name.parse().map(|format| Job::Convert(format, file.clone())).map_err(|()| Failure(message()))
        }
        ("convert", _) => Err(Failure(format!(
            "convert needs a format and a file; formats: {}",
            horn::Format::words().join(", ")
        ))),
        ("shapes", [_, ..]) => Ok(Job::Shapes(files)),
        ("bench", [_, ..]) => Ok(Job::Bench(files)),
        ("smt", [file]) => Ok(Job::Smt(file.clone())),
        ("strategy", [file]) => Ok(Job::Strategy(file.clone())),
        ("", [file]) => Ok(Job::Horn(file.clone())),
        ("", []) => Ok(Job::Horn("-".into())),
        (name, []) => Err(Failure(format!("{name} needs a file"))),
        ("", [first, ..]) => {
            let jobs = JOBS.iter().map(|(word, ..)| *word).filter(|word| !word.is_empty());
            Err(Failure(format!("too many arguments{}", hint(&first.to_string_lossy(), jobs))))
        }
        _ => Err(Failure("too many arguments".to_owned())),
    }
}

#[cfg(test)]
mod tests;
