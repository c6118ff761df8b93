//! Plain command lines, read without clap.
//!
//! clap makes a command of all options with their help, those of every engine included, before it looks at the first
//! word. That takes longer than to read and decide a small problem. Most lines are a file, perhaps with a word before
//! it, an engine and a limit of time: these are read here. Whatever else there is, and every mistake, is left to clap,
//! so that there is one reader that has to know all options and to find words for what is wrong.

use std::ffi::OsString;

use shem_decide::Engines;
use shem_engine::Registry;
use shem_script::options::parse_seconds;

use super::arguments::{Arguments, Job, job};
use super::compat::golem;

/// The meaning of a line of words, `-e ENGINE` and `-t SECONDS`; none if there is anything else to it.
pub(super) fn parse_plain(registry: &Registry, args: &[OsString]) -> Option<Arguments> {
    let (mut words, mut engine, mut timeout) = (Vec::new(), None, None);
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        match arg.to_str()? {
            "-e" if engine.is_none() => engine = Some(rest.next()?.to_str()?),
            "-t" if timeout.is_none() => timeout = Some(parse_seconds(rest.next()?.to_str()?).ok()?),
            "-" => words.push(arg.clone()),
            word if word.starts_with('-') => return None,
            _ => words.push(arg.clone()),
        }
    }
    let mut arguments = Arguments::new(job(words, None).ok()?);
    if let Some(name) = engine {
        let (name, note) = golem::engine(name);
        let solve = &mut arguments.horn.solve;
        // The name of a mix is none of an engine, and neither is an option that stands where one should.
        solve.engine = registry.choose(name).ok()?;
        solve.engines = Engines::One;
        arguments.notes.extend(note);
        if matches!(arguments.job, Job::Smt(_)) {
            return None;
        }
    }
    arguments.smt.run.timeout = timeout;
    arguments.horn.run.timeout = timeout;
    Some(arguments)
}
