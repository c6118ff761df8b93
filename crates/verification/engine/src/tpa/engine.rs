//! The two engines on transition systems.

use shem_base::UnknownReason;
use shem_chc::TransitionSystem;
use shem_term::{Store, Term};

use super::certificate::{LoopCertificate, PowerCertificate};
use super::claim::{Claim, Ends, Ground};
use super::fixpoint::Fixpoints;
use super::idle::Divided;
use super::invariant::state_invariant;
use super::path::Trail;
use super::reach::Powers;
use super::sequence::Kind;
use super::settings::TpaSettings;
use super::share::Told;
use super::trace::Reached;
use crate::strengthen::{Heard, strengthen, weaken};
use crate::{Context, Evidence, Outcome, Progress, Proven, TransitionEngine, TransitionVerdict};

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
    /// The claim holds.
    Closed(Claim),
    /// It is worth starting again with what others have found.
    Again,
}

impl TransitionEngine for Tpa {
    fn name(&self) -> &'static str {
        if self.split { "split-tpa" } else { "tpa" }
    }

    fn solve(
        &mut self,
        store: &mut Store,
        system: &TransitionSystem,
        context: &mut Context<'_>,
    ) -> TransitionVerdict {
        let mut heard = Heard::default();
        let mut told = Told::default();
        let mut invariant = Term::TRUE;
        loop {
            let news = heard.begin(store, 0);
            invariant = store.and2(invariant, news);
            match self.decide(store, system, invariant, &mut heard, &mut told, context) {
                Some(verdict) => return weaken(system, invariant, verdict),
                None => context.statistics.add("shared.invariants", 1),
            }
        }
    }
}

impl Tpa {
    /// Decides the system, of which this is an invariant; `None` if it is worth starting again with what others have
    /// found.
    fn decide(
        &mut self,
        store: &mut Store,
        system: &TransitionSystem,
        invariant: Term,
        heard: &mut Heard,
        told: &mut Told,
        context: &mut Context<'_>,
    ) -> Option<TransitionVerdict> {
        let TransitionSystem { state, next, transition, .. } = system;
        let divided = match Divided::of(store, state, next, *transition, &mut context.budget) {
            Ok(divided) => divided,
            Err(reason) => return Some(Outcome::unknown(reason)),
        };
        let given = system;
        let moving = TransitionSystem { transition: divided.moving, ..given.clone() };
        let system = strengthen(store, &moving, invariant);
        let mut powers = Powers::new(store, state, next, system.transition, &self.settings);
        let mut fixpoints = Fixpoints::default();
        let ends = Ends { initial: system.initial, bad: system.bad };
        let end = search(self.split, store, ends, &mut powers, &mut fixpoints, heard, told, context);
        report(&powers, context);
        report_fixpoints(&fixpoints, context);
        Some(match end {
            Err(reason) => Outcome::unknown(reason),
            Ok(End::Again) => {
                told.remember(&powers.sequences, self.split);
                return None;
            }
            Ok(End::Reached(reached)) => {
                let trail = Trail {
                    sequences: powers.sequences.up_to(0),
                    composition: powers.composition,
                    direction: powers.settings.direction,
                    traces: powers.traces,
                    copies: powers.copies,
                    reached,
                };
                let recipe = Box::new(move |store: &mut Store, budget: &mut _| trail.walk(store, budget));
                Outcome::Unsafe(Proven { witness: Evidence::Later(recipe), certificate: None })
            }
            Ok(End::Closed(claim)) => {
                let budget = &mut context.budget;
                let Powers { copies, sequences, .. } = &mut powers;
                let full = claim.is_full(store, copies, sequences, budget);
                report_claim(claim, full, context);
                let certificate = PowerCertificate {
                    system: system.clone(),
                    idle: divided.idle,
                    composition: powers.composition,
                    sequences: powers.sequences.up_to(claim.height()),
                    claim,
                    full,
                };
                let basis = certificate.clone();
                let recipe =
                    Box::new(move |store: &mut Store, budget: &mut _| state_invariant(&basis, store, budget));
                let certificate = LoopCertificate {
                    given: given.clone(),
                    invariant,
                    moving: divided.moving,
                    powers: certificate,
                };
                let certificate = Some(Box::new(certificate) as Box<dyn crate::Certificate>);
                Outcome::Safe(Proven { witness: Evidence::Later(recipe), certificate })
            }
        })
    }
}

/// Which sequences a search uses.
pub(super) fn kinds(split: bool) -> &'static [Kind] {
    if split { &[Kind::Less, Kind::Equal] } else { &[Kind::AtMost] }
}

/// Looks for a path from the initial to the bad states, level by level, and for a claim that there is none.
#[allow(
    clippy::too_many_arguments,
    reason = "the parts of a search and of the exchange, borrowed separately"
)]
pub(super) fn search(
    split: bool,
    store: &mut Store,
    ends: Ends,
    powers: &mut Powers,
    fixpoints: &mut Fixpoints,
    heard: &mut Heard,
    told: &mut Told,
    context: &mut Context<'_>,
) -> Result<End, UnknownReason> {
    let mut level = 0;
    if let Some(port) = context.events.port() {
        powers.enter(store, port);
    }
    loop {
        if let Some(port) = context.events.port() {
            powers.exchange(store, split, port, told, &context.budget)?;
        }
        if heard.is_news(store, context, powers.counters.queries) {
            return Ok(End::Again);
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
        let Powers { copies, sequences, settings, .. } = &mut *powers;
        let budget = &mut context.budget;
        // Searches before this one may have left elements of higher levels.
        let height = sequences.height().max(level + 1);
        if let Some(claim) =
            fixpoints.search(store, copies, sequences, split, height, ends, settings, budget)?
        {
            return Ok(End::Closed(claim));
        }
        level += 1;
    }
}

fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::AtMost => "at-most",
        Kind::Less => "less",
        Kind::Equal => "equal",
    }
}

/// Takes note of the kind of invariant, of its level and of its stride.
pub(super) fn report_claim(claim: Claim, full: bool, context: &mut Context<'_>) {
    let ground = match (full, claim.ground) {
        (true, _) => "full",
        (false, Ground::Left) => "left",
        (false, Ground::Right) => "right",
    };
    let Claim { kind, level, stride, .. } = claim;
    context.statistics.add(&format!("invariant.{}.{ground}.n{level}.m{stride}", name(kind)), 1);
}

/// Hands the counters of a search for claims over.
pub(super) fn report_fixpoints(fixpoints: &Fixpoints, context: &mut Context<'_>) {
    let statistics = &mut context.statistics;
    statistics.add("queries", fixpoints.queries);
    statistics.add("queries.fixpoint", fixpoints.queries);
    statistics.add("fixpoints.remembered", fixpoints.remembered);
    statistics.add("fixpoints.postponed", fixpoints.postponed);
}

/// Hands the counters of the sequences over.
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
    statistics.add("traces.recalled", powers.memory.hits);
}
