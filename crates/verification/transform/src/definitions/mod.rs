//! Definitions: predicates that stand for a known relation are replaced by it.
//!
//! Systems over datatypes define inequality, orders and sums by clauses of their own, with a case for each constructor. If
//! all edges to a vertex come from itself or from nowhere, a formula is guessed for it (see `guess`) and confirmed in two
//! steps: it is closed under the edges, so that all facts satisfy it; and each of its tuples is derived by some edge from
//! tuples that satisfy it, too, and whose argument at one position is smaller (see `unfold`), so that by induction all of
//! them are facts. So the formula is the least solution, and in the other edges it takes the place of the vertex, for either
//! answer. What is defined by other definitions is found in a later turn.
//!
//! *Back.* The vertex gets the formula. In a derivation, the arguments of the facts that are used are found by solving the
//! label of the edge as it was, and the facts are derived by following the edges of the vertex backwards, by evaluation.
//!
//! The cost are a few queries of little effort for each guess.

mod guess;
mod unfold;

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use shem_base::Budget;
use shem_chc::{Derivation, Edge, EdgeId, Graph, Interpretation, StepId, VertexId};
use shem_proof::NoProof;
use shem_smt::{Answer, Solver, Status};
use shem_term::{Store, Symbol, Term, Value};

use crate::pass::{After, Back, BackError, Pass, PassDescription, Returned, Work};
use crate::scan::{QuerySolver, Scan, fresh_all, source_variables};
use crate::steps::{Given, StepTranslator, translate};
use guess::guesses;
use unfold::Unfolding;

/// The number of edges to a vertex, and the size of their labels, up to which it is looked at.
const MOST_EDGES: usize = 60;
const LARGEST_LABEL: usize = 60;

/// The steps that the facts of one vertex may take.
const MOST_STEPS: usize = 300_000;

/// Replaces predicates that are defined by their clauses.
#[derive(Clone, Copy, Debug, Default)]
pub struct Definitions {
    /// Also those whose arguments are numbers and truth values alone, which are otherwise left to the engines for numbers.
    pub of_numbers: bool,
}

impl Pass for Definitions {
    fn description(&self) -> PassDescription {
        PassDescription::new("definitions", "replaces predicates by the relations that their clauses define")
            .in_first_round()
            .before_abstraction()
    }

    fn apply(&self, Work { store, graph, statistics, budget }: Work<'_>) -> Option<Box<dyn Back>> {
        let (mut scan, mut asker) = (Scan::default(), QuerySolver::default());
        let mut found: Vec<Definition> = Vec::new();
        loop {
            let before = found.len();
            let vertices: Vec<VertexId> = graph.vertices().collect();
            for vertex in vertices {
                if budget.check_stop().is_err() {
                    break;
                }
                let of_numbers = self.of_numbers;
                let candidate =
                    Candidate { store, graph, scan: &mut scan, asker: &mut asker, budget, of_numbers };
                if let Some((formula, unfoldings)) = candidate.define(vertex) {
                    found.push(replace(store, graph, &mut scan, vertex, formula, unfoldings));
                    statistics.add("vertices", 1);
                }
            }
            if found.len() == before {
                break;
            }
        }
        (!found.is_empty()).then(|| Box::new(Backs { found }) as Box<dyn Back>)
    }
}

/// A vertex for which a definition is looked for.
struct Candidate<'a> {
    store: &'a mut Store,
    graph: &'a Graph,
    scan: &'a mut Scan,
    asker: &'a mut QuerySolver,
    budget: &'a Budget,
    of_numbers: bool,
}

impl Candidate<'_> {
    /// The formula that the vertex stands for, over its state, with its edges solved for their sources.
    fn define(mut self, vertex: VertexId) -> Option<(Term, Vec<Unfolding>)> {
        let graph = self.graph;
        let incoming: Vec<EdgeId> = graph.incoming(vertex).collect();
        let sorts = graph.vertex(vertex).sorts();
        let is_small = !incoming.is_empty() && incoming.len() <= MOST_EDGES && sorts.len() <= 3;
        let has_datatypes = || sorts.iter().any(|&sort| self.store.datatype_of(sort).is_some());
        if !is_small || !(self.of_numbers || has_datatypes()) {
            return None;
        }
        for &id in &incoming {
            let edge = graph.edge(id);
            let own = edge.sources.iter().all(|&source| source == vertex);
            if !own || self.scan.size(self.store, edge.label) > LARGEST_LABEL {
                return None;
            }
        }
        let state = graph.vertex(vertex).state().to_vec();
        let candidates = guesses(self.store, &state);
        if candidates.is_empty() {
            return None;
        }
        let mut unfoldings = Vec::with_capacity(incoming.len());
        for id in incoming {
            unfoldings.push(Unfolding::of(self.store, self.scan, graph, id, graph.edge(id))?);
        }
        for formula in candidates {
            if self.budget.check_stop().is_err() {
                return None;
            }
            if self.is_closed(vertex, formula, &unfoldings)
                && let Some(conditions) = self.is_derived(vertex, formula, &unfoldings)
            {
                for (unfolding, condition) in unfoldings.iter_mut().zip(conditions) {
                    unfolding.condition = condition;
                }
                return Some((formula, unfoldings));
            }
        }
        None
    }

    fn has_no_solution(&mut self, formula: Term) -> bool {
        self.asker.ask(self.store, formula, self.budget) == Status::Unsat
    }

    /// Whether the formula holds of all facts.
    fn is_closed(&mut self, vertex: VertexId, formula: Term, unfoldings: &[Unfolding]) -> bool {
        let vertex = self.graph.vertex(vertex);
        let conclusion = self.store.rename(formula, vertex.state(), vertex.target());
        unfoldings.iter().all(|unfolding| {
            let mut parts = vec![unfolding.condition, !conclusion];
            for source in &unfolding.sources {
                parts.push(self.store.rename(formula, vertex.state(), source));
            }
            let all = self.store.and(&parts);
            self.has_no_solution(all)
        })
    }

    /// If all tuples of the formula are facts, by induction on one argument: when each edge derives one.
    fn is_derived(&mut self, vertex: VertexId, formula: Term, unfoldings: &[Unfolding]) -> Option<Vec<Term>> {
        let vertex = self.graph.vertex(vertex);
        let conclusion = self.store.rename(formula, vertex.state(), vertex.target());
        for position in 0..vertex.sorts().len() {
            let mut conditions = Vec::with_capacity(unfoldings.len());
            for unfolding in unfoldings {
                let Some(condition) = unfolding.decreasing(self.store, vertex.target(), position) else {
                    break;
                };
                let mut parts = vec![condition];
                for source in &unfolding.sources {
                    parts.push(self.store.rename(formula, vertex.state(), source));
                }
                conditions.push(self.store.and(&parts));
            }
            if conditions.len() < unfoldings.len() {
                continue;
            }
            let derived = self.store.or(&conditions);
            let missing = self.store.and2(conclusion, !derived);
            if self.has_no_solution(missing) {
                return Some(conditions);
            }
        }
        None
    }
}

/// Puts the formula of a vertex into the edges from it, and removes the vertex.
fn replace(
    store: &mut Store,
    graph: &mut Graph,
    scan: &mut Scan,
    vertex: VertexId,
    formula: Term,
    unfoldings: Vec<Unfolding>,
) -> Definition {
    for unfolding in &unfoldings {
        graph.remove_edge(unfolding.id);
    }
    let mut replaced = BTreeMap::new();
    let outgoing: Vec<EdgeId> = graph.outgoing(vertex).collect();
    for id in outgoing {
        let edge = graph.edge(id).clone();
        let mut used = Vec::new();
        let mut sources = source_variables(graph, &edge.sources);
        for (source, variables) in edge.sources.iter().zip(&mut sources) {
            if *source == vertex {
                *variables = fresh_all(store, variables);
                used.push(variables.clone());
            }
        }
        let target = graph.vertex(edge.target).target().to_vec();
        let mut parts = vec![scan.instance(store, graph, &edge, &sources, &target)];
        for arguments in &used {
            parts.push(store.rename(formula, graph.vertex(vertex).state(), arguments));
        }
        let label = store.and(&parts);
        let rest = edge.sources.iter().copied().filter(|&source| source != vertex).collect();
        graph.remove_edge(id);
        let new = graph.add_edge(store, Edge { sources: rest, target: edge.target, label });
        replaced.insert(new, Replaced { id, edge, label, used });
    }
    graph.remove_vertex(vertex);
    Definition { vertex, formula, unfoldings, replaced }
}

/// An edge whose sources have become formulas.
struct Replaced {
    id: EdgeId,
    /// The edge as it was.
    edge: Edge,
    /// The new label, and the variables in it that are the arguments of the sources that are gone.
    label: Term,
    used: Vec<Vec<Term>>,
}

/// A vertex that has become a formula.
struct Definition {
    vertex: VertexId,
    /// Over the state of the vertex.
    formula: Term,
    unfoldings: Vec<Unfolding>,
    /// By new edge.
    replaced: BTreeMap<EdgeId, Replaced>,
}

/// The way back through definitions, each about the graph after those before it.
struct Backs {
    found: Vec<Definition>,
}

impl Back for Backs {
    fn interpretation(&self, _: After<'_>, mut interpretation: Interpretation) -> Returned<Interpretation> {
        for definition in &self.found {
            interpretation.insert(definition.vertex, definition.formula);
        }
        Ok(interpretation)
    }

    fn derivation(
        &self,
        mut at: After<'_>,
        mut derivation: Derivation<EdgeId>,
    ) -> Returned<Derivation<EdgeId>> {
        for definition in self.found.iter().rev() {
            if derivation.steps().any(|(_, step)| definition.replaced.contains_key(&step.rule)) {
                let mut steps = Unfolded { definition, facts: FxHashMap::default() };
                derivation = translate(at.reborrow(), &derivation, &mut steps)?;
            }
        }
        Ok(derivation)
    }
}

/// Translates the steps of a derivation whose edges had a defined vertex among their sources.
struct Unfolded<'a> {
    definition: &'a Definition,
    /// The facts of the vertex that were derived.
    facts: FxHashMap<Vec<Value>, StepId>,
}

impl StepTranslator for Unfolded<'_> {
    fn leaves(&self, rule: EdgeId) -> bool {
        !self.definition.replaced.contains_key(&rule)
    }

    fn edge(&self, rule: EdgeId) -> Option<&Edge> {
        let unfolded = self.definition.unfoldings.iter().find(|unfolding| unfolding.id == rule);
        let replaced = || self.definition.replaced.values().find(|replaced| replaced.id == rule);
        unfolded.map(|unfolding| &unfolding.edge).or_else(|| replaced().map(|replaced| &replaced.edge))
    }

    fn translate(
        &mut self,
        at: After<'_>,
        given: Given<'_>,
        to: &mut Derivation<EdgeId>,
    ) -> Returned<StepId> {
        let After { store, graph, budget } = at;
        let replaced = &self.definition.replaced[&given.rule];
        let known = source_variables(graph, &rest(&replaced.edge.sources, self.definition.vertex));
        let mut solver = Solver::with_proof(Default::default(), NoProof);
        solver.assert(store, replaced.label);
        let mut equations = store.value_literals(graph.vertex(replaced.edge.target).target(), given.values);
        for (variables, &premise) in known.iter().zip(given.premises) {
            equations.extend(store.value_literals(variables, to.step(premise).values));
        }
        for equation in equations {
            solver.assert(store, equation);
        }
        let model = match solver.check(store, budget) {
            Answer::Sat(mut solution) => solution.model(),
            Answer::Unsat(_) => return Err(broken("no values allow a step with a defined predicate")),
            Answer::Unknown(reason) => return Err(reason.into()),
        };
        let mut derived = Vec::with_capacity(replaced.used.len());
        for arguments in &replaced.used {
            let symbol = |&argument: &Term| store.as_var(argument).expect("an argument is a variable");
            let symbols: Vec<Symbol> = arguments.iter().map(symbol).collect();
            let values = symbols.into_iter().map(|symbol| model.value_or_default(store, symbol)).collect();
            derived.push(self.derive(store, graph, values, to, budget)?);
        }
        let (mut own, mut others) = (derived.into_iter(), given.premises.iter().copied());
        let premises: Vec<StepId> = replaced
            .edge
            .sources
            .iter()
            .filter_map(|&source| if source == self.definition.vertex { own.next() } else { others.next() })
            .collect();
        Ok(to.push(replaced.id, &premises, given.values.iter().cloned()))
    }
}

impl Unfolded<'_> {
    /// Derives a fact of the vertex.
    fn derive(
        &mut self,
        store: &mut Store,
        graph: &Graph,
        fact: Vec<Value>,
        to: &mut Derivation<EdgeId>,
        budget: &mut Budget,
    ) -> Returned<StepId> {
        let target: Vec<Symbol> = graph
            .vertex(self.definition.vertex)
            .target()
            .iter()
            .map(|&variable| store.as_var(variable).expect("a canonical variable"))
            .collect();
        let mut pending = vec![fact.clone()];
        while let Some(current) = pending.last() {
            budget.check_stop()?;
            if self.facts.len() + pending.len() > MOST_STEPS {
                let what = "the facts of a defined predicate have too long derivations";
                return Err(shem_base::UnknownReason::Incomplete(what).into());
            }
            if self.facts.contains_key(current) {
                pending.pop();
                continue;
            }
            let value = |symbol: Symbol| {
                target.iter().position(|&known| known == symbol).map(|position| current[position].clone())
            };
            let holds = |unfolding: &&Unfolding| {
                store.evaluate(unfolding.condition, &value) == Some(Value::Bool(true))
            };
            let unfolding = self.definition.unfoldings.iter().find(holds);
            let unfolding =
                unfolding.ok_or_else(|| broken("a fact of a defined predicate has no derivation"))?;
            let mut premises: Vec<Vec<Value>> = Vec::with_capacity(unfolding.sources.len());
            for source in &unfolding.sources {
                let values = source.iter().map(|&argument| store.evaluate(argument, &value));
                let values: Option<Vec<Value>> = values.collect();
                premises
                    .push(values.ok_or_else(|| broken("an argument of a defined predicate has no value"))?);
            }
            let missing: Vec<Vec<Value>> =
                premises.iter().filter(|&premise| !self.facts.contains_key(premise)).cloned().collect();
            if missing.is_empty() {
                let steps: Vec<StepId> = premises.iter().map(|premise| self.facts[premise]).collect();
                let current = pending.pop().expect("the last one");
                let step = to.push(unfolding.id, &steps, current.iter().cloned());
                self.facts.insert(current, step);
            } else {
                pending.extend(missing);
            }
        }
        Ok(self.facts[&fact])
    }
}

/// The sources without those of a vertex.
fn rest(sources: &[VertexId], vertex: VertexId) -> Vec<VertexId> {
    sources.iter().copied().filter(|&source| source != vertex).collect()
}

fn broken(what: &str) -> BackError {
    BackError::Broken(what.into())
}
