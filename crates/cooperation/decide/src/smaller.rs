//! Smaller models for printing, judged like any other.

use std::time::Duration;

use shem_base::{Budget, StopToken};
use shem_chc::{Model, System};
use shem_check::{Validity, check_model, prune_model};
use shem_term::Store;

use crate::clock::with_deadline;

/// A smaller model of the system, if one is found in this time and accepted by the judge in as much time again.
pub fn smaller_model(
    store: &mut Store,
    system: &System,
    model: &Model,
    time: Duration,
    stop: &StopToken,
) -> Option<Model> {
    let pruned = with_deadline(stop, time, |token| {
        prune_model(store, system, model, &mut Budget::until(token.clone()))
    });
    if pruned == *model {
        return None;
    }
    let validity = with_deadline(stop, time, |token| {
        check_model(store, system, &pruned, &mut Budget::until(token.clone()))
    });
    (validity == Validity::Valid).then_some(pruned)
}
