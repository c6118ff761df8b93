//! Smaller models for printing, judged like any other.

mod atoms;
mod needed;
mod prune;
mod weaken;

use std::time::Duration;

use shem_base::{Budget, StopToken};
use shem_chc::{Model, System};
use shem_check::{Validity, check_model};
use shem_term::Store;

use crate::clock::stop_after;
use crate::runner::work_for;
use prune::{model_size, prune_model, weaken_model};

/// How long a model is made smaller: so long, and this part of the time that it took to find it. Most models take a few
/// milliseconds.
const TIME: Duration = Duration::from_millis(150);
const PART: u32 = 25;

/// A model of so many characters, which nobody can read and which costs every other reader time, is worth more.
const LARGE_MODEL: usize = 8_000;
const LARGE_TIME: Duration = Duration::from_secs(4);
const LARGE_PART: u32 = 1;

/// A model that was made smaller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SmallerModel {
    /// The model, if a smaller one was found and accepted by the judge.
    pub model: Option<Model>,
    /// The characters of the model that was found.
    pub found: usize,
    /// The characters of the smaller one, or of the one that was found.
    pub left: usize,
}

/// A smaller model of the system, in a time that depends on how long it took to find the model; judging the result
/// may take as long again. Where nothing is to depend on time, that is not told, and the work that stands for the rest is
/// counted.
pub fn smaller_model(
    store: &mut Store,
    system: &System,
    model: &Model,
    elapsed: Option<Duration>,
    stop: &StopToken,
) -> SmallerModel {
    let within = |time: Duration| match elapsed {
        Some(_) => {
            let (token, scheduled) = stop_after(stop, time);
            (token, Some(scheduled))
        }
        None => (StopToken::after_work(stop, work_for(time)), None),
    };
    let elapsed = elapsed.unwrap_or_default();
    let time_for = |size: usize| {
        if size < LARGE_MODEL { TIME + elapsed / PART } else { LARGE_TIME + elapsed / LARGE_PART }
    };
    let found = model_size(store, system, model);
    let none = SmallerModel { model: None, found, left: found };
    let weaker = {
        let (token, _scheduled) = within(time_for(found));
        weaken_model(store, system, model, &mut Budget::until(token))
    };
    let pruned = {
        let (token, _scheduled) = within(TIME + elapsed / PART);
        prune_model(store, system, &weaker, &mut Budget::until(token))
    };
    if pruned == *model {
        return none;
    }
    let left = model_size(store, system, &pruned);
    let (token, _scheduled) = within(time_for(left));
    let validity = check_model(store, system, &pruned, &mut Budget::until(token));
    if validity == Validity::Valid { SmallerModel { model: Some(pruned), found, left } } else { none }
}
