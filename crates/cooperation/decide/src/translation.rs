//! Invariants between preparations: what engines find that see integers, for those that see bits, and back.
//!
//! Engines exchange invariants about the graph that their preparations have in common. Graphs of bits and of integers
//! have only the graph as read in common. So the process that knows the passes takes part in the exchange: what is said
//! about one of these graphs goes back through its passes to the graph as read, and from there forward through the
//! passes of the other. What the passes have found themselves, arcs, equalities, congruences and bounds, comes with it,
//! and is sent even before an engine has found anything.
//!
//! The result is a candidate, like everything that crosses the boundary of a process. Some of it is lost on the way: what
//! is said about arguments or vertices that the other graph does not have, and what cannot be written by bits, or by
//! integers. Who receives it keeps the part that is closed under the edges.
//!
//! *Cost.* Translations share the processor with the engines, so after each they rest for a multiple of its time; of
//! several messages from one sender only the last is translated, since invariants grow.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use shem_base::{Budget, Statistics, StopToken};
use shem_chc::{Fingerprint, Interpretation, VertexId};
use shem_exchange::{Content, LocalExchange, Note, Translator};
use shem_term::{Sort, Store, Term};

use crate::prepare::{Prepared, Variant};

/// How many messages are taken at once.
const BATCH: usize = 256;

/// How many bytes of formulas are translated at most, since what is read stays in the store.
const MOST_BYTES: usize = 16 << 20;

/// The longest message that is translated.
const LONGEST: usize = 64 << 10;

/// After a translation, this many times as long none begins.
const REST: u32 = 20;

/// Translates invariants between the graphs of one problem.
pub(crate) struct Translation {
    exchange: Box<dyn LocalExchange>,
    /// The graphs that messages are about.
    subjects: Vec<Subject>,
    /// The vertices of the graph as read.
    as_read: Vec<VertexId>,
    bytes: usize,
    sent: u64,
    /// Before then no translation begins.
    rests_until: Option<Instant>,
    stop: StopToken,
}

/// A graph that messages are about.
struct Subject {
    variant: Arc<Variant>,
    translator: Translator,
    /// The conjuncts that were sent to those who see it.
    known: BTreeSet<(VertexId, Term)>,
}

impl Subject {
    fn about(&self) -> Fingerprint {
        self.translator.about()
    }
}

impl Translation {
    /// The translation between graphs that are added later.
    pub(crate) fn new(exchange: Box<dyn LocalExchange>, prepared: &Prepared, stop: StopToken) -> Translation {
        Translation {
            exchange,
            subjects: Vec::new(),
            as_read: prepared.as_read().graph().vertices().collect(),
            bytes: 0,
            sent: 0,
            rests_until: None,
            stop,
        }
    }

    /// Adds a graph that messages are about. What the passes have found on the way to each of the others is sent to those
    /// who see the new one, and the other way round.
    pub(crate) fn add(&mut self, store: &mut Store, variant: &Arc<Variant>) {
        let about = variant.fingerprint(store);
        if self.subjects.iter().any(|subject| subject.about() == about) {
            return;
        }
        let translator = Translator::new(store, variant.graph(), about);
        let new = Subject { variant: Arc::clone(variant), translator, known: BTreeSet::new() };
        self.subjects.push(new);
        let last = self.subjects.len() - 1;
        let sender = u64::from(std::process::id());
        for other in 0..last {
            self.send(store, other, last, sender, Interpretation::new());
            self.send(store, last, other, sender, Interpretation::new());
        }
    }

    /// Translates what has come, unless it has to rest.
    pub(crate) fn poll(&mut self, store: &mut Store) {
        let now = Instant::now();
        if self.rests_until.is_some_and(|end| now < end) {
            return;
        }
        self.translate(store);
        let spent = now.elapsed();
        self.rests_until = now.checked_add(spent * REST).filter(|_| spent > Duration::from_micros(100));
    }

    /// Translates what has come.
    pub(crate) fn translate(&mut self, store: &mut Store) {
        // The last invariant of each sender.
        let mut waiting: BTreeMap<u64, Arc<Note>> = BTreeMap::new();
        for note in self.exchange.take(BATCH) {
            if matches!(note.content, Content::Invariant(_)) {
                waiting.insert(note.sender, note);
            }
        }
        for note in waiting.into_values() {
            let Content::Invariant(definitions) = &note.content else { continue };
            let Some(from) = self.subjects.iter().position(|subject| subject.about() == note.about) else {
                continue;
            };
            let bytes = definitions.iter().map(|(_, formula)| formula.text().len()).sum::<usize>();
            if bytes > LONGEST || self.bytes + bytes > MOST_BYTES {
                continue;
            }
            self.bytes += bytes;
            let Subject { variant, translator, .. } = &self.subjects[from];
            let Some(invariant) = translator.read(store, variant.graph(), definitions) else { continue };
            for to in (0..self.subjects.len()).filter(|&to| to != from) {
                self.send(store, from, to, note.sender, invariant.clone());
            }
        }
    }

    /// Sends an invariant of one graph to those who see another, if it says anything new there.
    fn send(&mut self, store: &mut Store, from: usize, to: usize, sender: u64, invariant: Interpretation) {
        let Some(candidates) = self.candidates(store, from, to, invariant) else { return };
        let Subject { variant, translator, known } = &mut self.subjects[to];
        let mut is_new = false;
        for vertex in variant.graph().vertices() {
            for part in candidates.get(vertex).map(|formula| store.conjuncts(formula)).into_iter().flatten() {
                is_new |= known.insert((vertex, part));
            }
        }
        if !is_new {
            return;
        }
        if let Some(definitions) = translator.write_candidate(store, variant.graph(), &candidates) {
            let (about, content) = (translator.about(), Content::Invariant(definitions));
            self.exchange.put(Note { sender, about, content });
            self.sent += 1;
        }
    }

    /// Candidates for an invariant of another graph.
    fn candidates(
        &self,
        store: &mut Store,
        from: usize,
        to: usize,
        invariant: Interpretation,
    ) -> Option<Interpretation> {
        let [from, to] = [from, to].map(|at| &self.subjects[at].variant);
        let mut budget = Budget::until(self.stop.clone());
        let invariant = invariant.without_queries();
        let before = from.preprocessed.candidates_before(store, invariant, &mut budget).ok()?;
        // Other vertices have other meanings in the other graph.
        let mut common = Interpretation::new().without_queries();
        for &vertex in &self.as_read {
            if let Some(formula) = before.get(vertex) {
                let mut parts = store.conjuncts(formula);
                parts.retain(|&part| !to.preparation.with_bits || !converts(store, part));
                common.insert(vertex, store.and(&parts));
            }
        }
        Some(to.preprocessed.candidates_after(store, common))
    }

    /// The figures.
    pub(crate) fn statistics(&self) -> Statistics {
        let mut statistics = Statistics::new();
        statistics.set("translated", self.sent);
        statistics
    }
}

/// Whether a formula has integers, though none of its variables is one: engines for bits cannot read it.
fn converts(store: &Store, formula: Term) -> bool {
    let variables = store.free_variables(&[formula]);
    let has_integers = |terms: &[Term]| terms.iter().any(|&term| store.sort(term) == Sort::Int);
    has_integers(&store.subterms(&[formula])) && !has_integers(&variables)
}
