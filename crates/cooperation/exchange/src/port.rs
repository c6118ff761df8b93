//! The port of an engine at a hub.
//!
//! Lemmas of the engine become notes, notes of others lemmas in the engine's store. A note about another transition
//! system, one that is ill-sorted, or of a kind that is not shared, is dropped here.

use std::sync::Arc;

use shem_base::Budget;
use shem_chc::{Fingerprint, Graph, Interpretation, TransitionSystem};
use shem_engine::{Claim, Lemma, Port, Received, Standing};
use shem_term::{Store, Term};

use crate::formula::FormulaLimits;
use crate::hub::Seat;
use crate::import::Naming;
use crate::invariant::Translator;
use crate::note::{Bounded, BoundedKind, Content, Note};
use crate::share::Share;

/// How many notes are looked at between two steps of the engine.
const BATCH: usize = 64;

/// A port at a hub.
pub struct HubPort {
    seat: Seat,
    sender: u64,
    share: Share,
    /// The transition system that was entered.
    place: Option<Place>,
    translator: Option<Arc<Translator>>,
    /// Invariants that came while lemmas were asked for, and lemmas that came while invariants were.
    invariants: Vec<Arc<Note>>,
    lemmas: Vec<Received>,
    counters: Counters,
}

/// What a port has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Lemmas sent.
    pub sent: u64,
    /// Lemmas received and handed to the engine.
    pub received: u64,
    /// Notes about other transition systems.
    pub foreign: u64,
    /// Notes that could not be read.
    pub unreadable: u64,
}

struct Place {
    about: Fingerprint,
    state: Vec<Term>,
    next: Vec<Term>,
    naming: Naming,
}

impl HubPort {
    /// The port of the sender of this number at a seat.
    pub fn new(seat: Seat, sender: u64, share: Share) -> HubPort {
        HubPort {
            seat,
            sender,
            share,
            place: None,
            translator: None,
            invariants: Vec::new(),
            lemmas: Vec::new(),
            counters: Counters::default(),
        }
    }

    /// The same, with inductive invariants that travel between graphs.
    pub fn with_translator(mut self, translator: Arc<Translator>) -> HubPort {
        self.translator = Some(translator);
        self
    }

    /// What the port has done.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// The lemma of a note, if it is about this place and can be read.
    fn lemma(&mut self, store: &mut Store, bounded: &Bounded) -> Option<Lemma> {
        let Some(place) = &mut self.place else {
            self.counters.foreign += 1;
            return None;
        };
        if bounded.about != place.about {
            self.counters.foreign += 1;
            return None;
        }
        let lemma = place.read(store, bounded);
        self.counters.unreadable += u64::from(lemma.is_none());
        lemma
    }

    fn is_shared(&self, kind: &BoundedKind) -> bool {
        match kind {
            BoundedKind::Reach => self.share.reach,
            BoundedKind::Induction(..) | BoundedKind::Power(_) => self.share.induction,
        }
    }
}

impl Place {
    fn read(&mut self, store: &mut Store, bounded: &Bounded) -> Option<Lemma> {
        let Place { naming, next, .. } = self;
        let formula = naming.import(store, &bounded.formula)?;
        let level = bounded.level;
        let mut over_state = vec![formula];
        let claim = match &bounded.kind {
            BoundedKind::Reach => Claim::Reach { level },
            BoundedKind::Induction(counterexample, distance) => {
                let counterexample = naming.import(store, counterexample)?;
                over_state.push(counterexample);
                Claim::Induction { level, counterexample, distance: *distance }
            }
            BoundedKind::Power(span) => {
                over_state.clear();
                Claim::Power { span: *span, level }
            }
        };
        if store.free_variables(&over_state).iter().any(|variable| next.contains(variable)) {
            return None;
        }
        Some(Lemma { formula, claim })
    }
}

impl Port for HubPort {
    fn enter(&mut self, store: &mut Store, system: &TransitionSystem) {
        let about = Fingerprint::of_transitions(store, system);
        if self.place.as_ref().is_some_and(|place| place.about == about && place.state == system.state) {
            return;
        }
        let TransitionSystem { state, next, .. } = system.clone();
        let naming = Naming::new(store, &state, &next);
        self.place = Some(Place { about, state, next, naming });
    }

    fn publish(&mut self, store: &Store, lemma: &Lemma) {
        let Some(Place { about, naming, .. }) = &self.place else { return };
        let about = *about;
        let export = |formula: Term| naming.export(store, formula, FormulaLimits::LEMMA);
        let (level, kind) = match lemma.claim {
            Claim::Reach { level } if self.share.reach => (level, Some(BoundedKind::Reach)),
            Claim::Induction { level, counterexample, distance } if self.share.induction => {
                let counterexample = export(counterexample);
                (level, counterexample.map(|states| BoundedKind::Induction(states, distance)))
            }
            Claim::Power { span, level } if self.share.induction => (level, Some(BoundedKind::Power(span))),
            _ => return,
        };
        let (Some(kind), Some(formula)) = (kind, export(lemma.formula)) else { return };
        let content = Content::Bounded(Bounded { about, level, formula, kind });
        self.seat.send(Note { sender: self.sender, content }, Standing::Proven);
        self.counters.sent += 1;
    }

    fn poll(&mut self, store: &mut Store) -> Vec<Received> {
        let mut received = std::mem::take(&mut self.lemmas);
        for (note, standing) in self.seat.receive(BATCH) {
            match &note.content {
                Content::Bounded(bounded) => {
                    if self.is_shared(&bounded.kind)
                        && let Some(lemma) = self.lemma(store, bounded)
                    {
                        self.counters.received += 1;
                        received.push(Received { lemma, standing, sender: note.sender });
                    }
                }
                Content::Invariant(_) if self.translator.is_some() && self.invariants.len() < BATCH => {
                    self.invariants.push(note);
                }
                // Verdicts are not for engines.
                Content::Invariant(_) | Content::Model(_) | Content::Refutation(_) => {}
            }
        }
        received
    }

    fn wants_invariants(&self) -> bool {
        self.translator.is_some()
    }

    fn publish_invariant(
        &mut self,
        store: &mut Store,
        graph: &Graph,
        invariant: Interpretation,
        budget: &mut Budget,
    ) {
        let Some(translator) = &self.translator else { return };
        if let Some(definitions) = translator.back(store, graph, invariant, budget) {
            let content = Content::Invariant(definitions);
            self.seat.send(Note { sender: self.sender, content }, Standing::Proven);
            self.counters.sent += 1;
        }
    }

    fn poll_invariants(&mut self, store: &mut Store, graph: &Graph) -> Vec<Interpretation> {
        let Some(translator) = self.translator.clone() else { return Vec::new() };
        self.lemmas = self.poll(store);
        let mut found = Vec::new();
        for note in std::mem::take(&mut self.invariants) {
            let Content::Invariant(definitions) = &note.content else { continue };
            match translator.forward(store, graph, definitions) {
                Some(interpretation) => found.push(interpretation),
                None => self.counters.unreadable += 1,
            }
        }
        self.counters.received += found.len() as u64;
        found
    }
}
