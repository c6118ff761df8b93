//! The command line for clap: the options of [`options`](super::options), and those that engines and passes
//! describe.
//!
//! For parsing there are no subcommands: options may stand anywhere, before the first word as well, and what the
//! words mean is said in [`arguments`](super::arguments). The manual page and the completions are made of a command
//! with subcommands.

use clap::{Arg, ArgAction, Args, Command, ValueHint};
use clap_complete::Shell;
use clap_mangen::Man;
use shem_engine::{Registry, SettingDescription, SharedSetting, ValueKind};
use shem_transform::passes;

use super::options::{Cooperation, General, HORN, Hinted, Horn, Scripts};
use crate::smt::Logic;

/// What the program can be asked for: the word after `shem`, what follows it, and what it means.
const JOBS: [(&str, &str, &str); 6] = [
    ("", "[OPTIONS] FILE", "decide a system of Horn clauses: sat, unsat or unknown"),
    ("smt", "[OPTIONS] FILE", "run an SMT-LIB script"),
    ("shapes", "FILE...", "list the shapes of systems, before and after preprocessing"),
    ("strategy", "FILE", "list the engines that would be run, as command lines"),
    ("completions", "SHELL", "print completions for a shell"),
    ("man", "", "print the manual page"),
];

const ABOUT: &str = "Decides systems of constrained Horn clauses over linear arithmetic.";

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

/// The ids of arguments that are not made by a struct of options.
pub(super) const WORDS: &str = "words";
pub(super) const ENGINE: &str = "engine";
pub(super) const DISABLE_PASS: &str = "disable-pass";

/// The heading for settings that are not of one kind of engine.
pub(super) const SEVERAL: &str = "Settings of several engines";

/// The usage: a line for each job.
fn usage() -> String {
    let lines = JOBS.map(|(word, rest, meaning)| {
        let line = [word, rest]
            .iter()
            .filter(|part| !part.is_empty())
            .fold("shem".to_owned(), |line, part| format!("{line} {part}"));
        format!("{line:<26}{meaning}")
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
    let engine = Arg::new(ENGINE)
        .short('e')
        .long(ENGINE)
        .value_name("NAME,...")
        .help(
            "The engine that decides, or several with their settings: \"a, b --x 1\"; without this option engines \
             are chosen that suit the problem",
        )
        .help_heading(HORN)
        .value_parser(Hinted::new(&names));
    let names: Vec<&'static str> = passes().iter().map(|pass| pass.name).collect();
    let disable = Arg::new(DISABLE_PASS)
        .long(DISABLE_PASS)
        .value_name("NAME,...")
        .help("Passes of preprocessing to leave out")
        .help_heading(HORN)
        .action(ArgAction::Append)
        .value_delimiter(',')
        .value_parser(Hinted::new(&names))
        .hide_short_help(true);
    let command = Horn::augment_args(command.arg(engine)).arg(disable);
    let command = Cooperation::augment_args(command);
    // Settings of several engines come first, then those of each.
    let (several, single): (Vec<Arg>, Vec<Arg>) =
        settings.iter().map(|shared| argument(shared, registry.engines().len())).partition(|argument| {
            argument.get_help_heading().is_some_and(|heading| heading.starts_with("Settings"))
        });
    command.args(several).args(single)
}

/// The list of engines and logics, for the end of the help.
fn lists(registry: &Registry) -> String {
    let width = registry.names().map(str::len).max().unwrap_or(0);
    let engines: Vec<String> = registry
        .engines()
        .iter()
        .map(|engine| {
            format!("  {:width$}  {}\n  {:width$}  for {}", engine.name, engine.summary, "", engine.fragment)
        })
        .collect();
    let logics = Logic::names().collect::<Vec<_>>().join(", ");
    format!("Engines:\n{}\n\nLogics of scripts: {logics}", engines.join("\n"))
}

/// The command that reads command lines.
pub(super) fn command(registry: &Registry, settings: &[SharedSetting]) -> Command {
    let file = Arg::new(WORDS)
        .value_name("FILE")
        .help("The problem; or one of the words above and what it needs")
        .num_args(0..)
        .value_parser(clap::value_parser!(std::ffi::OsString))
        .value_hint(ValueHint::FilePath);
    let command = Command::new("shem")
        .version(env!("CARGO_PKG_VERSION"))
        .override_usage(usage())
        .no_binary_name(true)
        .args_override_self(true)
        .disable_help_flag(true)
        .disable_version_flag(true)
        .arg(file);
    let command = with_horn_options(General::augment_args(command), registry, settings);
    // The structs of options bring descriptions of their own, so this one comes after them.
    Scripts::augment_args(command)
        .about(ABOUT)
        .arg(flag(
            "help-short",
            Some('h'),
            None,
            ArgAction::HelpShort,
            "Print the options that are used most",
        ))
        .arg(flag("help", None, Some("help"), ArgAction::HelpLong, "Print all options"))
        .arg(flag("version", Some('V'), Some("version"), ArgAction::Version, "Print the version"))
}

fn flag(
    id: &'static str,
    short: Option<char>,
    long: Option<&'static str>,
    action: ArgAction,
    help: &'static str,
) -> Arg {
    let heading = super::options::GENERAL;
    Arg::new(id).short(short).long(long).action(action).help(help).help_heading(heading)
}

/// The same with what only the help shows; it takes some time to write.
pub(super) fn with_texts(command: Command, registry: &Registry) -> Command {
    let names = registry.names().collect::<Vec<_>>().join(", ");
    command
        .after_help(format!(
            "Engines: {names}\n\nshem --help lists all options, with the settings of each engine."
        ))
        .after_long_help(format!("{}\n\n{ANSWERS}", lists(registry)))
}

/// The command with its subcommands, for the manual page and the completions.
fn whole_command(registry: &Registry) -> Command {
    let settings = registry.settings();
    let file = || Arg::new("FILE").value_hint(ValueHint::FilePath);
    let meaning = |word: &str| JOBS.iter().find(|job| job.0 == word).map_or("", |job| job.2);
    let sub = |word: &'static str| Command::new(word).disable_help_flag(true);
    let described = |sub: Command| {
        let about = meaning(sub.get_name());
        sub.about(about)
    };
    let shells = ["bash", "elvish", "fish", "powershell", "zsh"];
    with_texts(command(registry, &settings), registry)
        .mut_arg(WORDS, |file| file.num_args(0..=1))
        // The manual page has the text of every option.
        .mut_args(|argument| argument.hide_short_help(false))
        .subcommand(described(Scripts::augment_args(General::augment_args(sub("smt"))).arg(file())))
        .subcommand(described(sub("shapes").arg(file().num_args(1..))))
        .subcommand(described(with_horn_options(sub("strategy"), registry, &settings).arg(file())))
        .subcommand(described(sub("completions").arg(Arg::new("SHELL").value_parser(Hinted::new(&shells)))))
        .subcommand(described(sub("man")))
        .disable_help_subcommand(true)
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
    for (word, rest, _) in JOBS {
        let rest = if rest.is_empty() { String::new() } else { format!(".I {rest}\n") };
        page.extend_from_slice(format!(".B {}\n{rest}.br\n", format!("shem {word}").trim_end()).as_bytes());
    }
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    man.render_subcommands_section(&mut page)?;
    man.render_extra_section(&mut page)?;
    man.render_version_section(&mut page)?;
    Ok(page)
}
