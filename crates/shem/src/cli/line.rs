//! The command line for clap: the options of [`options`](super::options), and those that engines and passes
//! describe.
//!
//! For parsing there are no subcommands: options may stand anywhere, before the first word as well, and what the
//! words mean is said in [`arguments`](super::arguments). The manual page and the completions are made of a command
//! with subcommands.

use clap::{Arg, ArgAction, Args, Command, ValueEnum, ValueHint};
use clap_complete::Shell;
use clap_mangen::Man;
use shem_engine::{Registry, SettingDescription, SharedSetting, ValueKind};
use shem_script::options::{GENERAL, RunOptions};
use shem_script::smt::{self, Logic};

use super::options::{Hinted, Typed};
use crate::{bench, horn};

/// What the program can be asked for: the word after `shem`, its operands, and what it means. The one without a word
/// comes first.
pub(super) const JOBS: [(&str, &str, &str); 8] = [
    ("", "[OPTIONS] FILE", "decide a system of Horn clauses: sat, unsat or unknown"),
    ("smt", "[OPTIONS] FILE", "run an SMT-LIB script"),
    ("shapes", "FILE...", "list the shapes of systems, before and after preprocessing"),
    ("strategy", "FILE", "list the engines that would be run, as command lines"),
    ("convert", "FORMAT FILE", "write a problem as chc, fixedpoint, vmt, btor2, aag or aig"),
    ("bench", "[OPTIONS] DIR...", "decide all problems of folders and compare engines"),
    ("completions", "SHELL", "print completions for a shell"),
    ("man", "", "print the manual page"),
];

/// The version, with the commit in a release that was built from a repository.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), env!("SHEM_COMMIT"));

const ABOUT: &str = "Decides systems of constrained Horn clauses over integers, reals, arrays and datatypes.";

/// What answers mean and how the program ends.
const ANSWERS: &str = "\
FILE may be compressed by gzip, and - is the standard input.

sat means that the clauses have a model, unsat that falsehood can be derived.
In the fixed-point form (declare-rel, rule, query) the verdict is that of the
clauses, too: unsat if the query can be derived. z3 prints the opposite word
for that form.

The exit code is 0 for any verdict, unknown included, 1 for a mistake in the
input or the command line, and 2 for a mistake of Shem's own, in which case no
verdict is printed.";

/// Command lines that show what is there, and what each does.
const EXAMPLES: [(&str, &str); 6] = [
    ("shem --print-witness FILE", "Decide the clauses of a file, and show the model or the derivation."),
    ("shem -t 60 --report out.html FILE", "The same for at most a minute, with a page to look at."),
    ("shem -e spacer,split-tpa -j 2 FILE", "Let two engines work side by side."),
    ("shem strategy FILE", "List what the default strategy would run."),
    ("shem convert vmt FILE > FILE.vmt", "Write the problem as a transition system."),
    ("shem smt -", "Talk to the SMT solver."),
];

/// The columns of the help.
pub(super) const HELP_WIDTH: usize = 100;

/// A text with lines of at most so many columns. What does not fit goes on below the last column of the line that
/// begins after two blanks or more.
pub(super) fn wrapped(text: &str, width: usize) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for line in text.lines() {
        let margin = line.len() - line.trim_start().len();
        let column = line[margin..].rfind("  ").map_or(margin, |at| margin + at + 2);
        let indent = if column < width / 2 { column } else { margin };
        let mut used = 0;
        for (i, word) in line[indent..].split(' ').enumerate() {
            let length = word.chars().count();
            if i == 0 {
                out.push_str(&line[..indent]);
                used = indent;
            } else if used + 1 + length > width && used > indent {
                out.push('\n');
                out.push_str(&" ".repeat(indent));
                used = indent;
            } else {
                out.push(' ');
                used += 1;
            }
            out.push_str(word);
            used += length;
        }
        out.push('\n');
    }
    out
}

/// The help of a job that has a word of its own.
pub(super) fn help_of(registry: &Registry, job: &str) -> String {
    let mut command = whole_command(registry);
    let found = command.find_subcommand_mut(job);
    found.map_or_else(String::new, |found| {
        let found = found.clone().bin_name(format!("shem {job}"));
        found.clone().render_long_help().to_string()
    })
}

/// The ids of arguments that are named in this folder.
pub(super) const WORDS: &str = "words";
pub(super) const ENGINE: &str = "engine";

/// The heading for settings that are not of one kind of engine.
pub(super) const SEVERAL: &str = "Settings of several engines";

/// The usage: a line for each job.
fn usage() -> String {
    let lines = JOBS.map(|(word, operands, meaning)| {
        let space = if word.is_empty() { "" } else { " " };
        format!("{:<28}{meaning}", format!("shem {word}{space}{operands}"))
    });
    lines.join("\n       ")
}

/// The heading under which the help has a setting: that of its engine, if its name says so or there is only one.
pub(super) fn heading(shared: &SharedSetting) -> String {
    let owners: Vec<&str> = shared.engines.iter().map(|(name, _)| *name).collect();
    let prefix = shared.setting.name.split_once('.').map(|(prefix, _)| prefix);
    match owners[..] {
        [engine] => format!("Engine {engine}"),
        _ if prefix.is_some_and(|prefix| owners.contains(&prefix)) => {
            format!("Engines {}", owners.join(", "))
        }
        _ => SEVERAL.to_owned(),
    }
}

/// The default of a setting; where engines differ, that of most of them and the exceptions.
pub(super) fn default(shared: &SharedSetting) -> String {
    let count = |value: &str| shared.engines.iter().filter(|(_, own)| own == value).count();
    let most = shared.engines.iter().map(|(_, own)| own).max_by_key(|own| count(own));
    let most = most.unwrap_or(&shared.setting.default);
    let exceptions = shared.engines.iter().filter(|(_, own)| own != most);
    exceptions.fold(most.clone(), |text, (name, own)| format!("{text}; {name}: {own}"))
}

/// The help of a setting, with its default and, if nothing else says so, its engines.
fn help(shared: &SharedSetting, heading: &str, all: usize) -> String {
    let owners: Vec<&str> = shared.engines.iter().map(|(name, _)| *name).collect();
    let mut letters = shared.setting.help.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    let mut text: String = first.into_iter().chain(letters).collect();
    if heading == SEVERAL && owners.len() < all {
        text.push_str(&format!(" ({})", owners.join(", ")));
    }
    text.push_str(&format!(" [default: {}]", default(shared)));
    text
}

/// How the help calls the value of a setting.
fn value_name(setting: &SettingDescription) -> String {
    match setting.kind {
        ValueKind::Switch => "yes|no".to_owned(),
        ValueKind::Number { .. } => "N".to_owned(),
        ValueKind::NumberOr { word, .. } => format!("N|{word}"),
        ValueKind::Choice(_) => "WORD".to_owned(),
        ValueKind::Text => "TEXT".to_owned(),
    }
}

/// The argument for a setting of engines.
fn argument(shared: &SharedSetting, all: usize) -> Arg {
    let setting = &shared.setting;
    let heading = heading(shared);
    let help = help(shared, &heading, all);
    let argument = Arg::new(setting.name)
        .long(setting.name)
        .value_name(value_name(setting))
        .help(help)
        .help_heading(heading)
        .hide_short_help(true);
    let argument = match setting.kind {
        ValueKind::Switch => argument.value_parser(Hinted::new(&["yes", "no"])).hide_possible_values(true),
        ValueKind::Choice(words) => argument.value_parser(Hinted::new(words)),
        _ => argument,
    };
    if setting.is_flag() {
        argument.num_args(0..=1).require_equals(true).default_missing_value("yes")
    } else {
        argument.num_args(1)
    }
}

/// A command with the options of Horn problems: for deciding them, and for what else looks at them.
fn with_horn_options(command: Command, registry: &Registry, settings: &[SharedSetting]) -> Command {
    let names: Vec<&'static str> = registry.names().collect();
    let command = horn::Options::augment_args(Typed::augment_args(command))
        .mut_arg(ENGINE, |engine| engine.value_parser(Hinted::new(&names)));
    let all = registry.engines().len();
    let mut arguments: Vec<Arg> = settings.iter().map(|shared| argument(shared, all)).collect();
    arguments.sort_by_key(|argument| argument.get_help_heading() != Some(SEVERAL));
    command.args(arguments)
}

/// The list of engines and logics, for the end of the help.
fn lists(registry: &Registry) -> String {
    let width = registry.names().map(str::len).max().unwrap_or(0);
    let engines = registry.engines().iter().map(|engine| {
        format!("  {:width$}  {}\n  {:width$}  for {}\n", engine.name, engine.summary, "", engine.fragment)
    });
    format!("Engines:\n{}\nLogics of scripts: {}", engines.collect::<String>(), Logic::names())
}

/// The options of Horn problems that scripts have, too.
pub(super) const SHARED: [&str; 2] = ["jobs", "virtual-cores"];

/// The command that reads command lines.
pub(super) fn command(registry: &Registry, settings: &[SharedSetting]) -> Command {
    let file = Arg::new(WORDS)
        .value_name("FILE")
        .help("The problem; or one of the words above and what it needs")
        .num_args(0..)
        .value_parser(clap::value_parser!(std::ffi::OsString))
        .value_hint(ValueHint::FilePath);
    let command = Command::new("shem")
        .version(VERSION)
        .override_usage(usage())
        .no_binary_name(true)
        .args_override_self(true)
        // Golem's reader of command lines takes the beginning of a name, if no other name begins so.
        .infer_long_args(true)
        .disable_help_flag(true)
        .disable_version_flag(true)
        .arg(file);
    let command = with_horn_options(RunOptions::augment_args(command), registry, settings);
    let flag = |id: &'static str, help: &'static str| Arg::new(id).help(help).help_heading(GENERAL);
    bench::Options::augment_args(smt::Options::augment_args(command))
        // The structs of options bring descriptions of their own, so this one comes after them.
        .about(ABOUT)
        .after_help("shem --help-all lists all options, with the settings of each engine.")
        .after_long_help(format!("{}\n\n{ANSWERS}", lists(registry)))
        .arg(flag("help", "Print the most used options").short('h').long("help").action(ArgAction::HelpShort))
        .arg(flag("help-all", "Print all options").long("help-all").action(ArgAction::HelpLong))
        .arg(flag("version", "Print the version").short('V').long("version").action(ArgAction::Version))
}

/// The names of the shells that have completions.
pub(super) fn shells() -> Vec<String> {
    Shell::value_variants().iter().map(Shell::to_string).collect()
}

/// The command with its subcommands, for the manual page and the completions.
fn whole_command(registry: &Registry) -> Command {
    let settings = registry.settings();
    let file = Arg::new("FILE").value_hint(ValueHint::FilePath);
    let command = command(registry, &settings)
        .mut_arg(WORDS, |file| file.num_args(0..=1))
        // The manual page has the text of every option.
        .mut_args(|argument| argument.hide_short_help(false))
        .disable_help_subcommand(true);
    JOBS[1..].iter().fold(command, |command, &(word, _, meaning)| {
        let subcommand = Command::new(word).disable_help_flag(true);
        let subcommand = match word {
            "smt" => {
                let is_shared = |arg: &&Arg| arg.get_long().is_some_and(|long| SHARED.contains(&long));
                let shared: Vec<Arg> = command.get_arguments().filter(is_shared).cloned().collect();
                smt::Options::augment_args(RunOptions::augment_args(subcommand)).args(shared).arg(&file)
            }
            "bench" => {
                let command = bench::Options::augment_args(RunOptions::augment_args(subcommand));
                with_horn_options(command, registry, &settings).arg(file.clone().num_args(1..))
            }
            "strategy" => with_horn_options(subcommand, registry, &settings).arg(&file),
            "shapes" => subcommand.arg(file.clone().num_args(1..)),
            "convert" => {
                let format = Arg::new("FORMAT").value_parser(clap::value_parser!(horn::Format));
                with_horn_options(subcommand, registry, &settings).arg(format).arg(&file)
            }
            "completions" => subcommand.arg(Arg::new("SHELL").value_parser(clap::value_parser!(Shell))),
            _ => subcommand,
        };
        // The structs of options bring descriptions of their own, so this one comes after them.
        command.subcommand(subcommand.about(meaning))
    })
}

/// The completions for a shell, as a script of that shell.
pub(super) fn completions(registry: &Registry, shell: Shell) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut whole_command(registry), "shem", &mut script);
    script
}

/// The manual page.
pub(super) fn manual(registry: &Registry) -> Result<Vec<u8>, std::io::Error> {
    let mut page = Vec::new();
    let man = Man::new(whole_command(registry)).title("SHEM").date("").manual("");
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    page.extend_from_slice(b".SH SYNOPSIS\n");
    for (word, operands, _) in JOBS {
        let operands = if operands.is_empty() { String::new() } else { format!(".I {operands}\n") };
        page.extend(format!(".B {}\n{operands}.br\n", format!("shem {word}").trim_end()).bytes());
    }
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    man.render_subcommands_section(&mut page)?;
    page.extend_from_slice(b".SH EXAMPLES\n");
    for (line, meaning) in EXAMPLES {
        page.extend(format!(".TP\n.B {}\n{meaning}\n", line.replace('-', "\\-")).bytes());
    }
    man.render_extra_section(&mut page)?;
    man.render_version_section(&mut page)?;
    Ok(page)
}
