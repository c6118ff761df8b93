//! The lemmas and facts of a vertex, and the solver with its incoming edges.
//!
//! The solver has the label of every incoming edge, guarded by a literal for the edge, and one of the guards
//! holds. The sources of edges are *slots*: a vertex and the number of its copy; edges with the same slot share
//! its variables. In a query a slot is described by lemmas (`may`) or by facts (`must`): an edge implies one of
//! two literals of each of its slots, and the query assumes the negation of the other one. Lemmas are in a group
//! for each height (`height`) and are implied by the first literal. The second one implies the disjunction of the
//! facts, which ends in a literal for facts added later (`tail`) that is assumed to be false.
//!
//! Everything that is particular to a query is assumed; its atoms and gates live in a scope that is closed when the
//! next query comes or something is asserted for good. To let many queries share a scope takes 12 % fewer instructions a
//! query on two files, but in one run over extra-small-lia there were fewer checks a second and one file less was
//! solved; why was not examined.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use shem_base::{Budget, TieBreak, UnknownReason, dense_id};
use shem_chc::{EdgeId, Graph, VertexId};
use shem_smt::{Answer, Model, Solver, Status};
use shem_term::{Sort, Store, Term, Value};

use super::height::Heights;
use super::pattern::{excluded_cube, is_within, literals_of};
use super::push_counterexample::satisfies;

dense_id! {
    /// A fact of a vertex.
    pub(super) struct FactId("f");
}

/// A set of states that can be derived.
#[derive(Clone, Debug)]
pub(super) struct Fact {
    /// A formula over the state of the vertex.
    pub(super) states: Term,
    /// The edge by which all of them are derived.
    pub(super) edge: EdgeId,
    /// The facts of the edge's sources from which they are.
    pub(super) premises: Vec<FactId>,
}

/// A formula over the state that holds of all facts up to a height.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lemma {
    pub(super) formula: Term,
    pub(super) level: usize,
}

/// The height of a lemma that holds of all facts.
pub(super) const INFINITE_HEIGHT: usize = usize::MAX;

/// How the source of an edge is described in a query: by its lemmas or by its facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SummaryKind {
    May,
    Must,
}

/// A source of some incoming edges.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) vertex: VertexId,
    pub(super) variables: Vec<Term>,
    /// Holds if an edge of the query uses the slot and its vertex is described by lemmas.
    pub(super) may: Term,
    must: Term,
    /// Stands for facts that are added later.
    tail: Term,
}

/// An incoming edge.
#[derive(Clone, Debug)]
pub(super) struct Incoming {
    pub(super) edge: EdgeId,
    guard: Term,
    pub(super) label: Term,
    /// The slots of the sources, by position.
    pub(super) slots: Vec<usize>,
}

/// The may-summary (lemmas) and the must-summary (facts) of a vertex, with the solver of its incoming edges.
pub(super) struct Summary {
    /// No two have the same formula.
    pub(super) lemmas: Vec<Lemma>,
    lemma_index: HashMap<Term, usize, FxBuildHasher>,
    pub(super) facts: Vec<Fact>,
    pub(super) incoming: Vec<Incoming>,
    pub(super) slots: Vec<Slot>,
    pub(super) solver: Solver,
    heights: Heights,
    /// Whether the scope of the last query is open.
    query_open: bool,
    state: Vec<Term>,
    pub(super) target: Vec<Term>,
    renamed: HashMap<Term, Term, FxBuildHasher>,
    /// Has the facts of the vertex, and nothing else.
    fact_solver: Solver,
    fact_tail: Term,
    assumptions: Vec<Term>,
    pub(super) queries: u64,
}

impl Summary {
    pub(super) fn new(
        store: &mut Store,
        graph: &Graph,
        vertex: VertexId,
        mut solver: Solver,
        ties: TieBreak,
    ) -> Summary {
        let mut slots: Vec<Slot> = Vec::new();
        let mut slot_indices: HashMap<(VertexId, usize), usize, FxBuildHasher> = HashMap::default();
        let mut incoming = Vec::new();
        let mut guards = Vec::new();
        let mut edges: Vec<EdgeId> = graph.incoming(vertex).collect();
        edges.sort_by_key(|id| ties.rank(id.index()));
        for id in edges {
            let edge = graph.edge(id);
            let guard = store.variable(&format!("edge {}", id.index()), Sort::Bool);
            guards.push(guard);
            let mut wanted = vec![edge.label];
            let mut own = Vec::with_capacity(edge.sources.len());
            for (position, &source) in edge.sources.iter().enumerate() {
                let copy = edge.copy(position);
                let slot_index = *slot_indices.entry((source, copy)).or_insert_with(|| {
                    let mut switch =
                        |kind: &str| store.variable(&format!("{kind} {}.{copy}", source.index()), Sort::Bool);
                    let (may, must, tail) = (switch("may"), switch("must"), switch("tail"));
                    let variables = graph.vertex(source).source(copy).to_vec();
                    slots.push(Slot { vertex: source, variables, may, must, tail });
                    let chain = store.implies(must, tail);
                    solver.assert(store, chain);
                    slots.len() - 1
                });
                let either = store.or2(slots[slot_index].may, slots[slot_index].must);
                wanted.push(either);
                own.push(slot_index);
            }
            let wanted = store.and(&wanted);
            let guarded = store.implies(guard, wanted);
            solver.assert(store, guarded);
            incoming.push(Incoming { edge: id, guard, label: edge.label, slots: own });
        }
        let some = store.or(&guards);
        solver.assert(store, some);
        let mut fact_solver = Solver::new(Default::default());
        let fact_tail = store.variable("tail", Sort::Bool);
        fact_solver.assert(store, fact_tail);
        Summary {
            lemmas: Vec::new(),
            lemma_index: HashMap::default(),
            facts: Vec::new(),
            incoming,
            slots,
            solver,
            heights: Heights::default(),
            query_open: false,
            state: graph.vertex(vertex).state().to_vec(),
            target: graph.vertex(vertex).target().to_vec(),
            renamed: HashMap::default(),
            fact_solver,
            fact_tail,
            assumptions: Vec::new(),
            queries: 0,
        }
    }

    /// A formula over the state, about the target of an edge.
    pub(super) fn primed(&mut self, store: &mut Store, formula: Term) -> Term {
        let positive = formula.positive();
        let renamed = match self.renamed.get(&positive) {
            Some(&renamed) => renamed,
            None => {
                let renamed = store.rename(positive, &self.state, &self.target);
                self.renamed.insert(positive, renamed);
                renamed
            }
        };
        renamed.xor(formula.is_negated())
    }

    /// A formula over the target of an edge, about the state.
    pub(super) fn unprimed(&mut self, store: &mut Store, formula: Term) -> Term {
        store.rename(formula, &self.target, &self.state)
    }

    /// Assumptions that describe the sources of all edges by lemmas; at height 0 there are none.
    fn assume_may_summaries(&mut self, level: usize) {
        for slot in &self.slots {
            self.assumptions.push(!slot.must);
            if level == 0 {
                self.assumptions.push(!slot.may);
            }
        }
    }

    /// Opens a scope for a query.
    fn open_query(&mut self) {
        self.queries += 1;
        self.close_query();
        self.solver.push();
        self.query_open = true;
    }

    /// Closes the scope of the last query, so that assertions from now on stay.
    pub(super) fn close_query(&mut self) {
        if std::mem::replace(&mut self.query_open, false) {
            self.solver.pop();
        }
    }

    /// Asserts formulas in a scope of their own until [`Summary::close_scope`], for a query whose proof is used.
    pub(super) fn open_scope(&mut self, store: &mut Store, formulas: &[Term]) {
        self.close_query();
        self.solver.push();
        for &formula in formulas {
            self.solver.assert(store, formula);
        }
    }

    /// Takes back what [`Summary::open_scope`] has asserted.
    pub(super) fn close_scope(&mut self) {
        self.close_query();
        self.solver.pop();
    }

    /// Asks whether the cube can be derived by some edge from what the lemmas below the height allow. The
    /// formulas in `extra` are about the target or the sources.
    pub(super) fn ask_may(
        &mut self,
        store: &mut Store,
        cube: &[Term],
        extra: &[Term],
        level: usize,
        budget: &mut Budget,
    ) -> Answer<'_> {
        self.open_query();
        self.assumptions.clear();
        self.assume_may_summaries(level);
        self.assumptions.extend_from_slice(extra);
        for &formula in cube {
            let formula = self.primed(store, formula);
            self.assumptions.push(formula);
        }
        let groups = if level == 0 { &[][..] } else { self.heights.groups_from(level - 1) };
        self.solver.check_with(store, groups, &self.assumptions, budget)
    }

    /// Asks whether the cube can be derived by this edge if its sources are described as `kinds` says.
    pub(super) fn ask_edge(
        &mut self,
        store: &mut Store,
        edge: usize,
        cube: &[Term],
        kinds: &[SummaryKind],
        level: usize,
        budget: &mut Budget,
    ) -> Answer<'_> {
        self.open_query();
        self.assumptions.clear();
        self.assumptions.push(self.incoming[edge].guard);
        for (position, &slot_index) in self.incoming[edge].slots.iter().enumerate() {
            let slot = &self.slots[slot_index];
            match kinds[position] {
                SummaryKind::May => self.assumptions.push(!slot.must),
                SummaryKind::Must => self.assumptions.extend([!slot.may, !slot.tail]),
            }
        }
        for &formula in cube {
            let formula = self.primed(store, formula);
            self.assumptions.push(formula);
        }
        // Facts satisfy the lemmas anyway.
        let first = if kinds.contains(&SummaryKind::May) { level.saturating_sub(1) } else { usize::MAX };
        let groups = self.heights.groups_from(first);
        self.solver.check_with(store, groups, &self.assumptions, budget)
    }

    /// Asks whether the cube can be derived by this edge, which has one source, from these states of it.
    pub(super) fn ask_from(
        &mut self,
        store: &mut Store,
        edge: usize,
        states: Term,
        cube: &[Term],
        budget: &mut Budget,
    ) -> Answer<'_> {
        self.open_query();
        self.solver.assert(store, states);
        self.assumptions.clear();
        self.assumptions.push(self.incoming[edge].guard);
        // No group of lemmas is active, so the literal `may` implies only what is asserted here.
        self.assumptions
            .extend(self.incoming[edge].slots.iter().map(|&slot_index| !self.slots[slot_index].must));
        for &formula in cube {
            let formula = self.primed(store, formula);
            self.assumptions.push(formula);
        }
        self.solver.check_with(store, &[], &self.assumptions, budget)
    }

    /// The first edge that holds in a model of a query.
    pub(super) fn edge_of(&self, store: &Store, model: &Model) -> usize {
        let holds = |incoming: &Incoming| {
            let guard = store.as_var(incoming.guard).expect("a variable");
            model.get(guard) == Some(&Value::Bool(true))
        };
        self.incoming.iter().position(holds).expect("one of the guards holds")
    }

    /// The literals of the cube that are among the failed assumptions of a query about it.
    pub(super) fn core(&mut self, store: &mut Store, cube: &[Term], failed: &[Term]) -> Vec<Term> {
        let mut core = cube.to_vec();
        core.retain(|&literal| failed.contains(&self.primed(store, literal)));
        core
    }

    /// The height of a lemma of this vertex.
    pub(super) fn level_of(&self, formula: Term) -> Option<usize> {
        self.lemma_index.get(&formula).map(|&at| self.lemmas[at].level)
    }

    /// Adds a lemma of this vertex, or raises its height; whether there was something to do.
    pub(super) fn add_lemma(&mut self, lemma: Lemma) -> bool {
        match self.lemma_index.get(&lemma.formula) {
            Some(&at) if self.lemmas[at].level >= lemma.level => false,
            Some(&at) => {
                self.lemmas[at].level = lemma.level;
                true
            }
            None => {
                self.lemma_index.insert(lemma.formula, self.lemmas.len());
                self.lemmas.push(lemma);
                true
            }
        }
    }

    /// Forgets the lemmas that exclude no more, and at no greater heights, than this one, which is among them.
    pub(super) fn forget_implied(&mut self, store: &Store, lemma: Lemma) -> Vec<Term> {
        let mut forgotten = Vec::new();
        let Some(outer) = excluded_cube(store, lemma.formula) else { return forgotten };
        self.lemmas.retain(|old| {
            let implied = old.formula != lemma.formula
                && old.level <= lemma.level
                && literals_of(store, &!old.formula).is_some_and(|inner| is_within(store, inner, &outer));
            if implied {
                forgotten.push(old.formula);
            }
            !implied
        });
        if !forgotten.is_empty() {
            self.lemma_index.clear();
            self.lemma_index.extend(self.lemmas.iter().enumerate().map(|(at, lemma)| (lemma.formula, at)));
        }
        forgotten
    }

    /// Adds a lemma of a source.
    pub(super) fn add_source_lemma(
        &mut self,
        store: &mut Store,
        source: VertexId,
        state: &[Term],
        lemma: Lemma,
    ) {
        self.close_query();
        for slot in &self.slots {
            if slot.vertex == source {
                let formula = store.rename(lemma.formula, state, &slot.variables);
                let formula = store.implies(slot.may, formula);
                self.heights.add(store, &mut self.solver, formula, lemma.level);
            }
        }
    }

    /// Drops a lemma of a source that others imply.
    pub(super) fn remove_source_lemma(
        &mut self,
        store: &mut Store,
        source: VertexId,
        state: &[Term],
        lemma: Term,
    ) {
        self.close_query();
        for slot in &self.slots {
            if slot.vertex == source {
                let formula = store.rename(lemma, state, &slot.variables);
                let formula = store.implies(slot.may, formula);
                self.heights.remove(store, &mut self.solver, formula);
            }
        }
    }

    /// Adds a fact of a source.
    pub(super) fn add_source_fact(
        &mut self,
        store: &mut Store,
        source: VertexId,
        state: &[Term],
        states: Term,
    ) {
        self.close_query();
        for slot in &mut self.slots {
            if slot.vertex == source {
                let formula = store.rename(states, state, &slot.variables);
                let name = store.name(store.as_var(slot.tail).expect("a variable")).to_string();
                let tail = store.variable(&name, Sort::Bool);
                let either = store.or2(formula, tail);
                let chain = store.implies(slot.tail, either);
                self.solver.assert(store, chain);
                slot.tail = tail;
            }
        }
    }

    /// Adds a fact of this vertex.
    pub(super) fn add_fact(&mut self, store: &mut Store, fact: Fact) -> FactId {
        let tail = store.variable("tail", Sort::Bool);
        let either = store.or2(fact.states, tail);
        let chain = store.implies(self.fact_tail, either);
        self.fact_solver.assert(store, chain);
        self.fact_tail = tail;
        self.facts.push(fact);
        FactId::new(self.facts.len() - 1)
    }

    /// A fact with a state of the cube.
    pub(super) fn find_fact(
        &mut self,
        store: &mut Store,
        cube: &[Term],
        budget: &mut Budget,
    ) -> Result<Option<FactId>, UnknownReason> {
        if self.facts.is_empty() {
            return Ok(None);
        }
        self.fact_solver.push();
        self.assumptions.clear();
        self.assumptions.extend_from_slice(cube);
        self.assumptions.push(!self.fact_tail);
        let answer = self.fact_solver.check_assuming(store, &self.assumptions, budget).into_model();
        self.fact_solver.pop();
        match answer {
            Ok(model) => Ok(Some(self.fact_containing(store, &model))),
            Err(Status::Unknown(reason)) => Err(reason),
            Err(Status::Sat | Status::Unsat) => Ok(None),
        }
    }

    /// The youngest fact with this state, which is one of the facts'.
    pub(super) fn fact_containing(&self, store: &Store, state: &Model) -> FactId {
        let has = |fact: &Fact| !satisfies(store, !fact.states, state);
        FactId::new(self.facts.iter().rposition(has).expect("a fact that has the state"))
    }

    /// The height up to which a lemma is known that excludes every state of the cube, as far as single literals
    /// show it.
    pub(super) fn excluded_up_to(&self, store: &Store, cube: &[Term]) -> Option<usize> {
        let excludes = |lemma: &&Lemma| {
            literals_of(store, &!lemma.formula).is_some_and(|outer| is_within(store, cube, outer))
        };
        self.lemmas.iter().filter(excludes).map(|lemma| lemma.level).max()
    }
}
