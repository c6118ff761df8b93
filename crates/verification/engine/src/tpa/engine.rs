//! The two engines on transition systems.

use shem_base::UnknownReason;
use shem_chc::TransitionSystem;
use shem_check::certificate::{Argument, TransitionCertificate};
use shem_term::{Store, Term};

use super::description::{DESCRIPTION, SPLIT_DESCRIPTION};
use super::fixpoint::Fixpoints;
use super::invariant::{ClosedPowers, state_invariant};
use super::path::PathBuilder;
use super::reach::Powers;
use super::runs::Runs;
use super::sequence::SequenceKind;
use super::settings::TpaSettings;
use super::share::ElementExchange;
use super::stuttering::DividedTransition;
use super::trace::Reached;
use super::transition_invariant::{Endpoints, Ground, TransitionInvariant, is_full};
use crate::scope::Scope;
use crate::strengthen::{PendingInvariants, weaken};
use crate::{Context, Outcome, Progress, Proven, TransitionEngine, TransitionVerdict, WitnessSource};

/// Transition power abstraction: `tpa` with one sequence, `split-tpa` with two.
#[derive(Clone, Debug)]
pub struct Tpa {
    /// The settings.
    pub settings: TpaSettings,
    split: bool,
}

impl Tpa {
    /// The engine `tpa`.
    pub fn new(settings: TpaSettings) -> Tpa {
        Tpa { settings, split: false }
    }

    /// The engine `split-tpa`.
    pub fn split(settings: TpaSettings) -> Tpa {
        Tpa { settings, split: true }
    }

    /// Whether this is `split-tpa`.
    pub fn is_split(&self) -> bool {
        self.split
    }
}

/// How a search ends.
pub(super) enum End {
    /// These states were reached.
    Reached(Reached),
    /// This transition invariant proves safety.
    Closed(TransitionInvariant),
    /// A restart with the invariants received from others is worth its cost.
    Restart,
}

impl TransitionEngine for Tpa {
    fn scope(&self) -> Scope {
        if self.split { SPLIT_DESCRIPTION.scope() } else { DESCRIPTION.scope() }
    }

    fn solve(
        &mut self,
        store: &mut Store,
        system: &TransitionSystem,
        context: &mut Context<'_>,
    ) -> TransitionVerdict {
        let mut pending = PendingInvariants::default();
        let mut exchange = ElementExchange::default();
        let mut invariant = Term::TRUE;
        loop {
            let new_invariant = pending.start_run(store, 0);
            invariant = store.and2(invariant, new_invariant);
            match self.decide(store, system, invariant, &mut pending, &mut exchange, context) {
                Some(verdict) => return weaken(invariant, verdict),
                None => context.statistics.add("shared.invariants", 1),
            }
        }
    }
}

impl Tpa {
    /// Decides the system, of which this is an invariant; `None` if a restart with the invariants received from others
    /// is worth its cost.
    fn decide(
        &mut self,
        store: &mut Store,
        system: &TransitionSystem,
        invariant: Term,
        pending: &mut PendingInvariants,
        exchange: &mut ElementExchange,
        context: &mut Context<'_>,
    ) -> Option<TransitionVerdict> {
        let TransitionSystem { state, next, transition, .. } = system;
        let keep = self.settings.stuttering;
        let divided = match DividedTransition::of(store, state, next, *transition, keep, &mut context.budget)
        {
            Ok(divided) => divided,
            Err(reason) => return Some(Outcome::unknown(reason)),
        };
        let moving = TransitionSystem { transition: divided.moving, ..system.clone() };
        let system = moving.strengthened(store, invariant);
        let mut powers = Powers::new(store, state, next, system.transition, &self.settings, context.seed);
        let mut fixpoints = Fixpoints::default();
        powers.runs = self.settings.runs.then(|| Runs::new(system.clone(), context.seed));
        let ends = Endpoints { initial: system.initial, bad: system.bad };
        let end = search(self.split, store, ends, &mut powers, &mut fixpoints, pending, exchange, context);
        report(&powers, context);
        report_fixpoints(&fixpoints, context);
        Some(match end {
            Err(reason) => Outcome::unknown(reason),
            Ok(End::Restart) => {
                exchange.requeue(&powers.sequences, self.split);
                return None;
            }
            Ok(End::Reached(reached)) => {
                let builder = PathBuilder {
                    sequences: powers.sequences.up_to(0),
                    composition: powers.composition,
                    direction: powers.settings.direction,
                    traces: powers.traces,
                    copies: powers.copies,
                    reached,
                };
                let recipe = Box::new(move |store: &mut Store, budget: &mut _| builder.trail(store, budget));
                Outcome::Unsafe(WitnessSource::Deferred(recipe))
            }
            Ok(End::Closed(transition_invariant)) => {
                let budget = &mut context.budget;
                let Powers { copies, sequences, .. } = &mut powers;
                let full = is_full(transition_invariant, store, copies, sequences, budget);
                report_transition_invariant(transition_invariant, full, context);
                let without_stuttering = !divided.stuttering.is_empty();
                let powers = ClosedPowers {
                    composition: powers.composition,
                    sequences: powers.sequences.up_to(transition_invariant.height()),
                    system,
                    transition_invariant,
                };
                let argument = Argument::Powers(powers.certificate());
                let certificate = Some(TransitionCertificate { without_stuttering, ..argument.into() });
                let recipe = Box::new(move |store: &mut Store, budget: &mut _| {
                    state_invariant(&powers, store, budget)
                });
                Outcome::Safe(Proven { witness: WitnessSource::Deferred(recipe), certificate })
            }
        })
    }
}

/// Which sequences a search uses.
pub(super) fn kinds(split: bool) -> &'static [SequenceKind] {
    if split { &[SequenceKind::Less, SequenceKind::Equal] } else { &[SequenceKind::AtMost] }
}

/// Looks for a path from the initial to the bad states, level by level, and for a transition
/// invariant that shows that there is none.
#[allow(
    clippy::too_many_arguments,
    reason = "the parts of a search and of the exchange, borrowed separately"
)]
pub(super) fn search(
    split: bool,
    store: &mut Store,
    ends: Endpoints,
    powers: &mut Powers,
    fixpoints: &mut Fixpoints,
    pending: &mut PendingInvariants,
    exchange: &mut ElementExchange,
    context: &mut Context<'_>,
) -> Result<End, UnknownReason> {
    let mut level = 0;
    if let Some(port) = context.events.port() {
        powers.enter(store, port);
    }
    loop {
        if let Some(port) = context.events.port() {
            powers.exchange(store, split, port, exchange, &context.budget)?;
        }
        if pending.should_restart(store, context, powers.counters.queries) {
            return Ok(End::Restart);
        }
        let lemmas = powers.sequences.size() as u64;
        context.events.progress(Progress { depth: level as u64, lemmas });
        let depth = context.statistics.count("depth").max(level as u64);
        context.statistics.set("depth", depth);
        for &kind in kinds(split) {
            let query = [ends.initial, ends.bad];
            if let Some(reached) = powers.reach(store, kind, level, query, &mut context.budget)? {
                return Ok(End::Reached(reached));
            }
        }
        let Powers { copies, sequences, .. } = &mut *powers;
        let budget = &mut context.budget;
        // Searches before this one may have left elements of higher levels.
        let height = sequences.height().max(level + 1);
        if let Some(transition_invariant) =
            fixpoints.search(store, copies, sequences, split, height, ends, budget)?
        {
            return Ok(End::Closed(transition_invariant));
        }
        level += 1;
    }
}

fn name(kind: SequenceKind) -> &'static str {
    match kind {
        SequenceKind::AtMost => "at-most",
        SequenceKind::Less => "less",
        SequenceKind::Equal => "equal",
    }
}

/// Adds the kind, level and stride of the transition invariant to the statistics.
pub(super) fn report_transition_invariant(
    transition_invariant: TransitionInvariant,
    full: bool,
    context: &mut Context<'_>,
) {
    let ground = match (full, transition_invariant.ground) {
        (true, _) => "full",
        (false, Ground::Left) => "left",
        (false, Ground::Right) => "right",
    };
    let TransitionInvariant { kind, level, stride, .. } = transition_invariant;
    context.statistics.add(&format!("invariant.{}.{ground}.n{level}.m{stride}", name(kind)), 1);
}

/// Adds the counters of a search for transition invariants to the statistics.
pub(super) fn report_fixpoints(fixpoints: &Fixpoints, context: &mut Context<'_>) {
    let statistics = &mut context.statistics;
    statistics.add("queries", fixpoints.queries);
    statistics.add("queries.fixpoint", fixpoints.queries);
    statistics.add("fixpoints.remembered", fixpoints.remembered);
    statistics.add("fixpoints.postponed", fixpoints.postponed);
}

/// Adds the counters of the sequences to the statistics.
pub(super) fn report(powers: &Powers, context: &mut Context<'_>) {
    let statistics = &mut context.statistics;
    let counters = powers.counters;
    statistics.add("queries", counters.queries);
    statistics.add("queries.refuted", counters.refuted);
    statistics.add("projections", counters.projections);
    statistics.add("lemmas", counters.lemmas);
    statistics.add("shared.elements", counters.received);
    statistics.add("interpolants", powers.solvers().map(|s| s.interpolants).sum());
    statistics.add("interpolants.missing", powers.solvers().map(|s| s.without_interpolant).sum());
    statistics.add("traces", powers.traces.len() as u64);
    statistics.add("traces.recalled", powers.cache.hits);
    statistics.add("runs", powers.runs.as_ref().map_or(0, |runs| runs.count));
}
