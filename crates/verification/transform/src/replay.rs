//! The way back for derivations: steps by new edges become steps by the edges from which they were made.
//!
//! A pass that makes an edge out of others records its *origins*. An origin is an edge with, for each of its
//! sources, what feeds it: a source of the new edge, or another edge whose target is that source. Several
//! origins are alternatives: the label of the new edge is equivalent to the disjunction of the labels of its
//! origins, with the values between two edges quantified existentially.
//!
//! A step by a new edge is *replayed*: the labels of its origins are solved with the known values at both ends
//! fixed; the solution says which alternative holds and what the values in between are. A solution exists
//! since the new label is equivalent. Origins may be new edges themselves, which are replayed in turn, so a
//! pass records each of its rewritings alone, however many build on one another. One solver serves all steps;
//! the labels of a new edge are a group of it.

use std::collections::BTreeMap;

use shem_base::Budget;
use shem_chc::{Derivation, Edge, EdgeId, Graph, StepId};
use shem_proof::NoProof;
use shem_smt::{Answer, Group, Solution, Solver, Variable};
use shem_term::{Store, Term, Value};

use crate::pass::{After, Back, BackError, Returned};
use crate::scan::{Scan, fresh_all, source_variables};
use crate::steps::{Given, StepTranslator, translate};

/// What feeds a source of an original edge.
#[derive(Clone, Debug)]
pub(crate) enum Feed {
    /// The source at this position of the new edge.
    Source(usize),
    /// An edge, fed by the sources at these positions of the new edge.
    Edge(EdgeId, Vec<usize>),
}

/// What a new edge may stand for: an edge with what feeds each of its sources.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    pub(crate) edge: EdgeId,
    pub(crate) feeds: Vec<Feed>,
}

/// The edges that a pass has made, with their origins.
#[derive(Clone, Debug, Default)]
pub(crate) struct Replay {
    /// The edges that occur in origins, as they were; a new one without its label, which is not needed.
    edges: BTreeMap<EdgeId, Edge>,
    new_edges: BTreeMap<EdgeId, NewEdge>,
}

/// An edge that a pass has made.
#[derive(Clone, Debug)]
struct NewEdge {
    edge: Edge,
    origins: Vec<Origin>,
}

/// A new edge in the solver.
struct Prepared {
    group: Group,
    /// For each origin, the literal that says that it holds, and the variables between its edges.
    alternatives: Vec<(Variable, Vec<Vec<Variable>>)>,
    sources: Vec<Vec<Term>>,
    target: Vec<Term>,
}

/// Which origin allows a step, with the values between its edges.
type Choice = (usize, Vec<Vec<Value>>);

/// A step to be derived.
struct PendingStep {
    edge: EdgeId,
    premises: Vec<Premise>,
    values: Vec<Value>,
    slot: usize,
}

#[derive(Clone, Copy)]
enum Premise {
    Step(StepId),
    /// The result of a pending step above this one on the stack, in this slot.
    Slot(usize),
}

impl Replay {
    /// Keeps an edge that origins name. Its label must be the one that it had when the origins were
    /// recorded, or an equivalent one.
    pub(crate) fn keep(&mut self, id: EdgeId, edge: &Edge) {
        self.edges.entry(id).or_insert_with(|| edge.clone());
    }

    /// Records a new edge and its origins, whose edges are kept.
    pub(crate) fn record(&mut self, id: EdgeId, edge: &Edge, origins: Vec<Origin>) {
        debug_assert!(origins.iter().all(|o| self.edges.contains_key(&o.edge)), "origins are kept");
        self.new_edges.insert(id, NewEdge { edge: edge.clone(), origins });
    }

    /// Records an edge that stands for another one with the same sources and target.
    pub(crate) fn rename(&mut self, id: EdgeId, edge: &Edge, old: EdgeId) {
        self.keep(old, edge);
        let feeds = (0..edge.sources.len()).map(Feed::Source).collect();
        self.record(id, edge, vec![Origin { edge: old, feeds }]);
    }

    /// Whether there is no new edge.
    pub(crate) fn is_empty(&self) -> bool {
        self.new_edges.is_empty()
    }

    fn prepare(
        &self,
        store: &mut Store,
        solver: &mut Solver<NoProof>,
        scan: &mut Scan,
        graph: &Graph,
        new_edge: &NewEdge,
    ) -> Prepared {
        let sources = source_variables(graph, &new_edge.edge.sources);
        let target = graph.vertex(new_edge.edge.target).target().to_vec();
        let group = solver.new_group();
        let mut alternatives = Vec::with_capacity(new_edge.origins.len());
        let mut selectors = Vec::with_capacity(new_edge.origins.len());
        for origin in &new_edge.origins {
            let selector = store.variable("chosen", shem_term::Sort::Bool);
            let edge = &self.edges[&origin.edge];
            let mut parts = Vec::new();
            let mut between: Vec<Vec<Term>> = Vec::new();
            let mut inputs = Vec::with_capacity(origin.feeds.len());
            for (position, feed) in origin.feeds.iter().enumerate() {
                match feed {
                    Feed::Source(at) => inputs.push(sources[*at].clone()),
                    Feed::Edge(feeding, at) => {
                        let middle = fresh_all(store, graph.vertex(edge.sources[position]).state());
                        let ends: Vec<Vec<Term>> = at.iter().map(|&at| sources[at].clone()).collect();
                        let feeding = &self.edges[feeding];
                        parts.push(scan.instance(store, graph, feeding, &ends, &middle));
                        between.push(middle.clone());
                        inputs.push(middle);
                    }
                }
            }
            parts.push(scan.instance(store, graph, edge, &inputs, &target));
            let whole = store.and(&parts);
            let guarded = store.implies(selector, whole);
            solver.assert_in_group(store, group, guarded);
            selectors.push(selector);
            let mut known = |term: &Term| solver.variable(store, *term);
            let between = between.iter().map(|list| list.iter().map(&mut known).collect()).collect();
            alternatives.push((known(&selector), between));
        }
        let some = store.or(&selectors);
        solver.assert_in_group(store, group, some);
        Prepared { group, alternatives, sources, target }
    }
}

/// Replays steps.
struct ReplaySteps<'a> {
    replay: &'a Replay,
    prepared: BTreeMap<EdgeId, Prepared>,
    scan: Scan,
    solver: Solver<NoProof>,
}

impl StepTranslator for ReplaySteps<'_> {
    fn leaves(&self, rule: EdgeId) -> bool {
        !self.replay.new_edges.contains_key(&rule)
    }

    fn edge(&self, rule: EdgeId) -> Option<&Edge> {
        self.replay.edges.get(&rule).filter(|_| !self.replay.new_edges.contains_key(&rule))
    }

    fn translate(
        &mut self,
        at: After<'_>,
        given: Given<'_>,
        to: &mut Derivation<EdgeId>,
    ) -> Returned<StepId> {
        let After { store, graph, budget } = at;
        let ReplaySteps { replay, prepared, scan, solver } = self;
        let premises = given.premises.iter().map(|&step| Premise::Step(step)).collect();
        let mut slots: Vec<Option<StepId>> = vec![None];
        let mut pending =
            vec![PendingStep { edge: given.rule, premises, values: given.values.to_vec(), slot: 0 }];
        while let Some(current) = pending.pop() {
            budget.check_stop()?;
            let premises: Vec<StepId> = current
                .premises
                .iter()
                .map(|premise| match *premise {
                    Premise::Step(step) => step,
                    Premise::Slot(slot) => slots[slot].expect("derived before its use"),
                })
                .collect();
            let Some(new_edge) = replay.new_edges.get(&current.edge) else {
                slots[current.slot] = Some(to.push(current.edge, &premises, current.values));
                continue;
            };
            if premises.len() != new_edge.edge.sources.len() {
                return Err(BackError::Broken(format!("a step by {:?} lacks premises", current.edge)));
            }
            let (origin, between) = if let Some(origin) = new_edge.only() {
                (origin, Vec::new())
            } else {
                let prepared = prepared
                    .entry(current.edge)
                    .or_insert_with(|| replay.prepare(store, solver, scan, graph, new_edge));
                let known: Vec<&[Value]> = premises.iter().map(|&p| to.step(p).values).collect();
                let found = prepared.solve(store, solver, &known, &current.values, budget)?;
                let (at, between) = found.ok_or_else(|| {
                    BackError::Broken(format!("no origin of {:?} allows the step", current.edge))
                })?;
                (&new_edge.origins[at], between)
            };
            // The edges that feed go on top of the stack, so that they are derived first.
            let mut between = between.into_iter();
            let mut fed = Vec::new();
            let mut inputs = Vec::with_capacity(origin.feeds.len());
            for feed in &origin.feeds {
                inputs.push(match feed {
                    Feed::Source(at) => Premise::Step(premises[*at]),
                    Feed::Edge(edge, at) => {
                        let slot = slots.len();
                        slots.push(None);
                        let premises = at.iter().map(|&at| Premise::Step(premises[at])).collect();
                        let values = between.next().expect("values for each edge that feeds");
                        fed.push(PendingStep { edge: *edge, premises, values, slot });
                        Premise::Slot(slot)
                    }
                });
            }
            pending.push(PendingStep {
                edge: origin.edge,
                premises: inputs,
                values: current.values,
                slot: current.slot,
            });
            pending.append(&mut fed);
        }
        Ok(slots[0].expect("the last pending step is the first one"))
    }
}

impl Back for Replay {
    /// The derivation without steps by new edges.
    fn derivation(&self, at: After<'_>, derivation: Derivation<EdgeId>) -> Returned<Derivation<EdgeId>> {
        if derivation.steps().all(|(_, step)| !self.new_edges.contains_key(&step.rule)) {
            return Ok(derivation);
        }
        let mut steps = ReplaySteps {
            replay: self,
            prepared: BTreeMap::new(),
            scan: Scan::default(),
            solver: Solver::with_proof(Default::default(), NoProof),
        };
        translate(at, &derivation, &mut steps)
    }
}

impl NewEdge {
    /// The origin, if there is no choice and nothing to solve.
    fn only(&self) -> Option<&Origin> {
        match &self.origins[..] {
            [origin] if origin.feeds.iter().all(|f| matches!(f, Feed::Source(_))) => Some(origin),
            _ => None,
        }
    }
}

impl Prepared {
    /// Which origin allows the step, with the values between its edges; `None` if none does.
    fn solve(
        &self,
        store: &mut Store,
        solver: &mut Solver<NoProof>,
        sources: &[&[Value]],
        target: &[Value],
        budget: &mut Budget,
    ) -> Returned<Option<Choice>> {
        solver.push();
        let mut equations = store.value_literals(&self.target, target);
        for (variables, values) in self.sources.iter().zip(sources) {
            equations.extend(store.value_literals(variables, values));
        }
        for equation in equations {
            solver.assert(store, equation);
        }
        let found = match solver.check_with(store, &[self.group], &[], budget) {
            Answer::Sat(solution) => Ok(self.choice(solution)),
            Answer::Unsat(_) => Ok(None),
            Answer::Unknown(reason) => Err(reason.into()),
        };
        solver.pop();
        found
    }

    /// The first origin that the solution selects, with the values between its edges.
    fn choice(&self, mut solution: Solution<'_, NoProof>) -> Option<Choice> {
        let mut value = |variable: &Variable| solution.value(*variable);
        for (at, (selector, between)) in self.alternatives.iter().enumerate() {
            if value(selector) == Value::Bool(true) {
                let values = between.iter().map(|list| list.iter().map(&mut value).collect());
                return Some((at, values.collect()));
            }
        }
        None
    }
}
