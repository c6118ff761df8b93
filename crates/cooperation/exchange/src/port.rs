//! The port of an engine at a hub.
//!
//! Lemmas of the engine become notes, notes of others lemmas in the engine's store. A note that is ill-sorted, or of a
//! kind that is not shared, is dropped here. One about another transition system than the one that was entered waits, as
//! an engine may enter it later: it may work on several, and others are ahead of it. A limited number waits; the oldest
//! are dropped.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use shem_base::{Budget, Statistics, work_done};
use shem_chc::{Fingerprint, Graph, Interpretation, TransitionSystem, VertexId, clauses_of};
use shem_engine::{Claim, Lemma, Port, Received, Standing, VertexClaim, VertexLemma};
use shem_term::{Store, Term};

use crate::allowance::Allowance;
use crate::hub::{Endpoint, QUEUE_CAPACITY};
use crate::invariant::Translator;
use crate::note::{ALL_HEIGHTS, Bounded, BoundedKind, Content, Note};
use crate::share::Share;
use shem_term::pack::FormulaLimits;
use shem_term::pack::Naming;

/// How many notes are looked at between two steps of the engine.
const BATCH: usize = 64;

/// How many bytes of candidates are read at most, since what is read stays in the store.
const MAX_CANDIDATE_BYTES: usize = 64 << 20;

/// The work that publishing invariants may take: this at once, about 30 ms, and then this part of all work.
const FIRST_PUBLISHING_WORK: u64 = 1_800_000;
const PUBLISHING_SHARE: u64 = 20;

/// A port at a hub.
pub struct HubPort {
    endpoint: Endpoint,
    sender: u64,
    share: Share,
    /// The transition system that was entered.
    entered: Option<Entered>,
    /// The graph that was entered.
    entered_graph: Option<EnteredGraph>,
    translator: Option<Arc<Translator>>,
    /// What has come and was not asked for yet.
    invariants: VecDeque<Arc<Note>>,
    bounded: VecDeque<(Arc<Note>, Standing)>,
    counters: Counters,
    /// Who has sent a formula first.
    origins: HashMap<Term, u64>,
    /// How much of what each sender has sent was of use. What may be from several has no sender.
    taken: BTreeMap<Option<u64>, u64>,
    /// What checking may cost.
    allowance: Allowance,
    /// The bytes of candidates that were read.
    read: usize,
    /// The work that went into publishing invariants.
    spent: u64,
}

/// What a port has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Lemmas sent.
    pub sent: u64,
    /// Lemmas received and handed to the engine.
    pub received: u64,
    /// What the engine has made use of, after it was checked.
    pub taken: u64,
    /// Notes about other transition systems that were dropped.
    pub foreign: u64,
    /// Notes that could not be read.
    pub unreadable: u64,
}

impl Counters {
    /// The figures.
    pub fn statistics(&self) -> Statistics {
        let mut statistics = Statistics::new();
        statistics.add("sent", self.sent);
        statistics.add("received", self.received);
        statistics.add("taken", self.taken);
        statistics.add("foreign", self.foreign);
        statistics.add("unreadable", self.unreadable);
        statistics
    }
}

/// The transition system that an engine has entered.
struct Entered {
    about: Fingerprint,
    state: Vec<Term>,
    next: Vec<Term>,
    naming: Naming,
}

/// The graph that an engine has entered.
struct EnteredGraph {
    about: Fingerprint,
    /// The vertices by the number that messages have, with the names of their arguments.
    vertices: Vec<(VertexId, Naming)>,
}

impl EnteredGraph {
    fn read(&mut self, store: &mut Store, bounded: &Bounded) -> Option<VertexLemma> {
        let (number, claim) = match bounded.kind {
            BoundedKind::Height(number) if bounded.level == ALL_HEIGHTS => {
                (number, VertexClaim::Holds { height: usize::MAX })
            }
            BoundedKind::Height(number) => (number, VertexClaim::Holds { height: bounded.level }),
            BoundedKind::Derived(number) => (number, VertexClaim::Derived),
            _ => return None,
        };
        let (vertex, naming) = self.vertices.get_mut(number)?;
        let formula = naming.import(store, &bounded.formula)?;
        Some(VertexLemma { vertex: *vertex, formula, claim })
    }
}

/// What lemmas with heights and facts are about: the graph without its queries, on which no fact depends. Parts of a problem
/// have other queries.
pub fn fingerprint_of_facts(store: &mut Store, graph: &Graph) -> Fingerprint {
    let mut system = clauses_of(store, graph);
    system.clauses.retain(|clause| clause.head.is_some());
    Fingerprint::of_system(store, &system)
}

impl HubPort {
    /// The port of the sender of this number at an endpoint of a hub.
    pub fn new(endpoint: Endpoint, sender: u64, share: Share) -> HubPort {
        HubPort {
            endpoint,
            sender,
            share,
            entered: None,
            entered_graph: None,
            translator: None,
            invariants: VecDeque::new(),
            bounded: VecDeque::new(),
            counters: Counters::default(),
            origins: HashMap::new(),
            taken: BTreeMap::new(),
            allowance: Allowance::default(),
            read: 0,
            spent: 0,
        }
    }

    /// The same, exchanging inductive invariants.
    pub fn with_translator(mut self, translator: Arc<Translator>) -> HubPort {
        self.translator = Some(translator).filter(|_| self.share.invariants);
        self
    }

    /// What the port has done.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// How much of what each sender has sent was of use; what cannot be told to be from one of several has no sender.
    pub fn taken_from(&self) -> impl Iterator<Item = (Option<u64>, u64)> + '_ {
        self.taken.iter().map(|(&sender, &count)| (sender, count)).filter(|&(_, count)| count > 0)
    }

    /// Remembers who has sent a formula.
    fn remember(&mut self, store: &Store, formula: Term, sender: u64) {
        self.taken.entry(Some(sender)).or_default();
        for part in store.conjuncts(formula) {
            self.origins.entry(part).or_insert(sender);
        }
        self.origins.entry(formula).or_insert(sender);
    }

    /// Who has sent a formula, perhaps in another form: if only one has sent anything, it was that one.
    fn origin(&self, formula: Term) -> Option<u64> {
        let mut senders = self.taken.keys().flatten();
        match (senders.next(), senders.next()) {
            (Some(&only), None) => Some(only),
            _ => self.origins.get(&formula).copied(),
        }
    }

    /// Takes what has come out of the inbox.
    fn fetch(&mut self) {
        for (note, standing) in self.endpoint.receive(BATCH) {
            match &note.content {
                Content::Bounded(bounded) if self.is_shared(&bounded.kind) => {
                    self.bounded.push_back((note, standing));
                    if self.bounded.len() > QUEUE_CAPACITY {
                        self.bounded.pop_front();
                        self.counters.foreign += 1;
                    }
                }
                Content::Invariant(_)
                    if self.translator.as_ref().is_some_and(|own| own.about() == note.about) =>
                {
                    self.invariants.push_back(note);
                    if self.invariants.len() > BATCH {
                        self.invariants.pop_front();
                    }
                }
                // Verdicts are not for engines.
                _ => {}
            }
        }
    }

    /// The next notes about a system that may be looked at now; those about others wait.
    fn next_about(&mut self, about: Fingerprint) -> Vec<(Arc<Note>, Standing)> {
        if self.bounded.is_empty() || !self.allowance.allows() {
            return Vec::new();
        }
        let mut found = Vec::new();
        for (note, standing) in std::mem::take(&mut self.bounded) {
            if note.about == about && found.len() < BATCH {
                found.push((note, standing));
            } else {
                self.bounded.push_back((note, standing));
            }
        }
        found
    }

    /// Whether a note is still read: what is read of candidates stays in the store.
    fn may_read(&mut self, bounded: &Bounded, standing: Standing) -> bool {
        let is_candidate = standing == Standing::Candidate;
        self.read += if is_candidate { bounded.size() } else { 0 };
        !is_candidate || self.read <= MAX_CANDIDATE_BYTES
    }

    /// Tells others something that is proven.
    fn send(&mut self, about: Fingerprint, content: Content) {
        self.endpoint.send(Note { sender: self.sender, about, content }, Standing::Proven);
        self.counters.sent += 1;
    }

    fn is_shared(&self, kind: &BoundedKind) -> bool {
        match kind {
            BoundedKind::Reach | BoundedKind::Height(_) | BoundedKind::Derived(_) => self.share.reach,
            BoundedKind::Induction(..) | BoundedKind::Power(_) | BoundedKind::Refuted => self.share.induction,
        }
    }
}

impl Entered {
    fn read(&mut self, store: &mut Store, bounded: &Bounded) -> Option<Lemma> {
        let Entered { naming, next, .. } = self;
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
            BoundedKind::Refuted => Claim::Refuted { level },
            BoundedKind::Height(_) | BoundedKind::Derived(_) => return None,
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
        if self
            .entered
            .as_ref()
            .is_some_and(|entered| entered.about == about && entered.state == system.state)
        {
            return;
        }
        let TransitionSystem { state, next, .. } = system.clone();
        let naming = Naming::new(store, &state, &next);
        self.entered = Some(Entered { about, state, next, naming });
    }

    fn publish(&mut self, store: &Store, lemma: &Lemma) {
        let Some(Entered { about, naming, .. }) = &self.entered else { return };
        let about = *about;
        let export = |formula: Term| naming.export(store, formula, FormulaLimits::LEMMA);
        let (level, kind) = match lemma.claim {
            Claim::Reach { level } if self.share.reach => (level, Some(BoundedKind::Reach)),
            Claim::Induction { level, counterexample, distance } if self.share.induction => {
                let counterexample = export(counterexample);
                (level, counterexample.map(|states| BoundedKind::Induction(states, distance)))
            }
            Claim::Power { span, level } if self.share.induction => (level, Some(BoundedKind::Power(span))),
            Claim::Refuted { level } if self.share.induction => (level, Some(BoundedKind::Refuted)),
            _ => return,
        };
        let (Some(kind), Some(formula)) = (kind, export(lemma.formula)) else { return };
        self.send(about, Content::Bounded(Bounded { level, formula, kind }));
    }

    fn poll(&mut self, store: &mut Store) -> Vec<Received> {
        self.fetch();
        let Some(mut entered) = self.entered.take() else { return Vec::new() };
        let mut received = Vec::new();
        for (note, standing) in self.next_about(entered.about) {
            let Content::Bounded(bounded) = &note.content else { continue };
            match self.may_read(bounded, standing).then(|| entered.read(store, bounded)).flatten() {
                Some(lemma) => received.push(Received { lemma, standing, sender: note.sender }),
                None => self.counters.unreadable += 1,
            }
        }
        self.entered = Some(entered);
        self.counters.received += received.len() as u64;
        for Received { lemma, sender, .. } in &received {
            self.remember(store, lemma.formula, *sender);
        }
        if !received.is_empty() {
            self.allowance.begin();
        }
        received
    }

    fn enter_graph(&mut self, store: &mut Store, graph: &Graph) -> bool {
        if self.share.reach && self.entered_graph.is_none() {
            let about = fingerprint_of_facts(store, graph);
            let name = |vertex: VertexId| (vertex, Naming::new(store, graph.vertex(vertex).state(), &[]));
            self.entered_graph = Some(EnteredGraph { about, vertices: graph.vertices().map(name).collect() });
        }
        self.share.reach
    }

    fn publish_about_vertex(&mut self, store: &Store, lemma: &VertexLemma) {
        let Some(EnteredGraph { about, vertices }) = &self.entered_graph else { return };
        let about = *about;
        let Some(number) = vertices.iter().position(|&(vertex, _)| vertex == lemma.vertex) else { return };
        let Some(formula) = vertices[number].1.export(store, lemma.formula, FormulaLimits::LEMMA) else {
            return;
        };
        let (level, kind) = match lemma.claim {
            VertexClaim::Holds { height } => (height.min(ALL_HEIGHTS), BoundedKind::Height(number)),
            VertexClaim::Derived => (0, BoundedKind::Derived(number)),
        };
        self.send(about, Content::Bounded(Bounded { level, formula, kind }));
    }

    fn poll_about_vertices(&mut self, store: &mut Store) -> Vec<VertexLemma> {
        self.fetch();
        let Some(mut entered) = self.entered_graph.take() else { return Vec::new() };
        let mut received = Vec::new();
        for (note, _) in self.next_about(entered.about) {
            let Content::Bounded(bounded) = &note.content else { continue };
            // Whoever has sent it, it is checked.
            let readable = self.may_read(bounded, Standing::Candidate);
            match readable.then(|| entered.read(store, bounded)).flatten() {
                Some(lemma) => {
                    self.remember(store, lemma.formula, note.sender);
                    received.push(lemma);
                }
                None => self.counters.unreadable += 1,
            }
        }
        self.entered_graph = Some(entered);
        self.counters.received += received.len() as u64;
        if !received.is_empty() {
            self.allowance.begin();
        }
        received
    }

    fn wants_invariants(&self) -> bool {
        self.translator.is_some()
    }

    fn taken(&mut self, formulas: &[Term]) {
        self.counters.taken += formulas.len() as u64;
        self.allowance.end(!formulas.is_empty());
        for &formula in formulas {
            *self.taken.entry(self.origin(formula)).or_default() += 1;
        }
    }

    fn publish_invariant(
        &mut self,
        store: &mut Store,
        graph: &Graph,
        invariant: Interpretation,
        budget: &mut Budget,
    ) -> bool {
        let Some(translator) = self.translator.clone() else { return true };
        let since = work_done();
        let allowed = FIRST_PUBLISHING_WORK + since / PUBLISHING_SHARE;
        if self.spent.max(translator.expected_work()) > allowed {
            return false;
        }
        let definitions = translator.write(store, graph, &invariant, budget);
        self.spent += work_done().saturating_sub(since);
        if let Some(definitions) = definitions {
            self.send(translator.about(), Content::Invariant(definitions));
        }
        true
    }

    fn poll_invariants(&mut self, store: &mut Store, graph: &Graph) -> Vec<Interpretation> {
        let Some(translator) = self.translator.clone() else { return Vec::new() };
        self.fetch();
        if self.invariants.is_empty() || !self.allowance.allows() {
            return Vec::new();
        }
        self.allowance.begin();
        let mut found = Vec::new();
        for note in std::mem::take(&mut self.invariants) {
            let Content::Invariant(definitions) = &note.content else { continue };
            self.read += definitions.iter().map(|(_, formula)| formula.text().len()).sum::<usize>();
            let readable = self.read <= MAX_CANDIDATE_BYTES;
            match readable.then(|| translator.read(store, graph, definitions)).flatten() {
                Some(interpretation) => {
                    for vertex in graph.vertices() {
                        if let Some(formula) = interpretation.get(vertex) {
                            self.remember(store, formula, note.sender);
                        }
                    }
                    found.push(interpretation);
                }
                None => self.counters.unreadable += 1,
            }
        }
        self.counters.received += found.len() as u64;
        found
    }
}
