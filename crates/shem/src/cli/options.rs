//! Options that are not read into the struct that they configure.

use std::num::ParseIntError;
use std::time::Duration;

use clap::builder::{PossibleValue, RangedU64ValueParser, StringValueParser, TypedValueParser};
use clap::{Arg, Args, Command, ValueHint};
use shem_decide::{Division, SolveOptions};
use shem_exchange::Share;
use shem_script::options::parse_seconds;
use shem_script::smt::Logic;
use shem_transform::{PartitionBy, passes};

use super::arguments::Failure;
use super::compat::golem;
use crate::horn::{COOPERATION, HORN};

/// More instances than anybody has cores for.
const MOST_INSTANCES: u64 = 256;

/// Options as they are typed; their meaning becomes part of another struct.
#[derive(Args)]
#[command(next_help_heading = HORN)]
pub(super) struct Typed {
    /// The engine that decides, or several with their settings: "a, b --x 1"; without this option engines are chosen
    /// that suit the problem.
    #[arg(short, long, value_name = "NAME,...")]
    pub(super) engine: Option<String>,
    /// Passes of preprocessing to leave out.
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', action = clap::ArgAction::Append,
          value_parser = Hinted::new(&passes().iter().map(|pass| pass.name).collect::<Vec<_>>()),
          hide_short_help = true)]
    pub(super) disable_pass: Vec<String>,
    /// Answer unknown if there is no verdict after this long; the witness has its budget on top.
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, allow_negative_numbers = true,
          hide_short_help = true)]
    verdict_timeout: Option<Duration>,
    /// Time for building and checking a witness once the verdict is known.
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, allow_negative_numbers = true,
          default_value = SolveOptions::default().witness_budget.as_secs_f64().to_string(),
          hide_short_help = true)]
    witness_budget: Duration,
    /// The logic of constraints; it is detected, too.
    #[arg(short, long, value_name = "LOGIC", value_parser = parse_logic, hide_short_help = true)]
    logic: Option<()>,
    /// The seed of everything random; same seed, same run of an engine.
    #[arg(long, value_name = "N", default_value_t = SolveOptions::default().seed, hide_short_help = true)]
    seed: u64,
    /// Give the same answer, witness and counts for the same seed on every machine: engines take turns that are counted
    /// in steps, as on one virtual core.
    #[arg(long)]
    deterministic: bool,
    /// Run as on N cores, and count time in work: same answer, witness, counts and virtual seconds on every machine. The
    /// time of --verdict-timeout is virtual, too.
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=MOST_INSTANCES),
          hide_short_help = true, help_heading = COOPERATION)]
    virtual_cores: Option<usize>,
    /// Tell more on standard error; -vv tells more still.
    #[arg(short, long, value_name = "N", num_args = 0..=1, require_equals = true,
          default_missing_value = "more", value_parser = parse_verbosity, action = clap::ArgAction::Append)]
    verbose: Vec<Option<u64>>,
    /// Read as Golem has it, without effect.
    #[arg(short, long, value_name = "DIRECTION", hide_short_help = true)]
    flow: Option<String>,
    /// Read as Golem has it, without effect: --terminates has its own ways.
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    termination_backend: Option<String>,
    /// So many instances of the engine, which differ in their settings, work together.
    #[arg(long, value_name = "N", default_value_t = SolveOptions::default().instances, hide_short_help = true,
          value_parser = RangedU64ValueParser::<usize>::new().range(1..=MOST_INSTANCES),
          help_heading = COOPERATION)]
    instances: usize,
    /// What engines that work together tell each other, several with commas. By default all that they have; nothing where
    /// the default strategy runs on a loop without integers.
    #[arg(long, value_name = "WHAT", hide_short_help = true,
          value_parser = Hinted::new(Share::WORDS).try_map(|word| word.parse::<Share>()),
          help_heading = COOPERATION)]
    share: Option<Share>,
    /// Divide the problem into up to N parts (auto: as suits the cores), which engines solve side by side: one is enough
    /// for unsat, all are needed for sat. With --join the parts are a queue for all processes.
    #[arg(long, value_name = "N|auto", value_parser = parse_parts, hide_short_help = true,
          help_heading = COOPERATION)]
    partition: Option<Parts>,
    /// What --partition divides: the queries, the facts of a linear system, both, or whatever can be divided.
    #[arg(long, value_name = "WHAT", default_value = PartitionBy::WORDS[0], requires = "partition",
          value_parser = Hinted::new(PartitionBy::WORDS).try_map(|word| word.parse::<PartitionBy>()),
          hide_short_help = true, help_heading = COOPERATION)]
    partition_by: PartitionBy,
    /// With --join and --partition, a part goes to another process if its process was not heard of for so long.
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, requires = "partition",
          default_value = Division::default().silence.as_secs_f64().to_string(),
          hide_short_help = true, help_heading = COOPERATION)]
    partition_silence: Duration,
    // A text, since clap repeats values that are wrong, and this one may have a password.
    /// Work together with all who join redis://HOST/NAME (rediss:// for TLS) for the same input.
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url, hide_short_help = true,
          help_heading = COOPERATION)]
    join: Option<String>,
}

impl Typed {
    /// How much is told on standard error.
    pub(super) fn verbosity(&self) -> u64 {
        self.verbose.iter().fold(0, |before, level| level.unwrap_or(before + 1))
    }

    /// What to tell of options of Golem that mean nothing here.
    pub(super) fn notes(&self) -> Vec<String> {
        let ignored = [("flow", &self.flow), ("termination-backend", &self.termination_backend)];
        let note =
            |(option, value): (&str, &Option<String>)| Some(golem::without_effect(option, value.as_ref()?));
        ignored.into_iter().filter_map(note).collect()
    }

    /// How to decide a system, engines aside.
    pub(super) fn solve_options(&self) -> Result<SolveOptions, Failure> {
        Ok(SolveOptions {
            verdict_time: self.verdict_timeout,
            witness_budget: self.witness_budget,
            seed: self.seed,
            deterministic: self.deterministic || self.virtual_cores.is_some(),
            virtual_cores: self.virtual_cores,
            instances: self.instances,
            share: self.share,
            division: self.partition.map(|Parts(parts)| Division {
                parts,
                by: self.partition_by,
                silence: self.partition_silence,
            }),
            join: self.join.as_ref().map(|address| address.parse()).transpose().map_err(Failure)?,
            ..SolveOptions::default()
        })
    }
}

/// How many parts there may be; nothing where that follows from the cores.
#[derive(Clone, Copy)]
struct Parts(Option<usize>);

fn parse_parts(text: &str) -> Result<Parts, String> {
    match text.parse() {
        _ if text == "auto" => Ok(Parts(None)),
        Ok(count) if (2..=MOST_INSTANCES as usize).contains(&count) => Ok(Parts(Some(count))),
        _ => Err(format!("{text} is neither auto nor a number of parts from 2 to {MOST_INSTANCES}")),
    }
}

/// A level, or nothing if it is one more than before.
fn parse_verbosity(text: &str) -> Result<Option<u64>, ParseIntError> {
    if text == "more" { Ok(None) } else { text.parse().map(Some) }
}

/// The logics of constraints are those of scripts.
fn parse_logic(name: &str) -> Result<(), String> {
    if name == "HORN" {
        return Ok(());
    }
    Logic::from_name(name).map(|_| ()).map_err(|error| error.to_string())
}

/// Accepts any text, and tells help and completions which values are right. Wrong ones are refused later, with a
/// message of their own.
#[derive(Clone)]
pub(super) struct Hinted(Vec<&'static str>);

impl Hinted {
    pub(super) fn new(words: &[&'static str]) -> Hinted {
        Hinted(words.to_vec())
    }
}

impl TypedValueParser for Hinted {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().map(PossibleValue::new)))
    }
}
