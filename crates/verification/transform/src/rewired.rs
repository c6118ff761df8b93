//! Vertices that get other arguments in place of their own, with the way back for all passes that do nothing else.
//!
//! The new arguments of a vertex are terms over the old ones, and old arguments are terms over the new ones, or nothing
//! is known of them. An interpretation goes back by substitution of the former. Steps go back one by one: what is not
//! given by the latter is found by solving the old label, with the values of the premises and those that are known.
//!
//! New labels are made before the graph is changed, so that a pass can be stopped at any edge and leaves the graph as it
//! was.

use std::collections::{BTreeMap, BTreeSet};

use shem_base::{Budget, Statistics};
use shem_chc::{Derivation, Edge, EdgeId, Graph, Interpretation, StepId, VertexId};
use shem_proof::NoProof;
use shem_smt::{Answer, Group, Solver, Variable};
use shem_term::{Sort, Store, Substitution, Symbol, Term, Value};

use crate::pass::{After, Back, BackError, Returned};
use crate::scan::source_variables;
use crate::steps::{Given, StepTranslator, translate};

/// Vertices and edges that were replaced.
#[derive(Default)]
pub(crate) struct Rewired {
    /// By old vertex.
    vertices: BTreeMap<VertexId, Replaced>,
    /// The old edges by the new ones, and the old edges as they were.
    origins: BTreeMap<EdgeId, EdgeId>,
    edges: BTreeMap<EdgeId, Edge>,
}

/// What took the place of a vertex.
struct Replaced {
    new: VertexId,
    /// The new arguments, as terms over the state of the old vertex.
    new_arguments: Vec<Term>,
    old_arguments: Vec<OldArgument>,
}

/// What the new arguments say of an old one.
enum OldArgument {
    /// It is the new argument at this position.
    Kept(usize),
    /// It is a term over the state of the new vertex.
    Term(Term),
    Unknown,
}

/// A source or the target of an edge that is replaced.
pub(crate) struct End {
    /// The vertex before.
    pub(crate) old: VertexId,
    /// The variables before and after.
    pub(crate) before: Vec<Term>,
    pub(crate) after: Vec<Term>,
}

impl Rewired {
    /// Adds a vertex that is to take the place of an old one; `new_arguments` are terms over the state of the old one,
    /// and `old_arguments` makes terms for the old arguments of the state of the new one.
    pub(crate) fn replace(
        &mut self,
        store: &mut Store,
        graph: &mut Graph,
        old: VertexId,
        new_arguments: Vec<Term>,
        old_arguments: impl FnOnce(&mut Store, &[Term]) -> Vec<Option<Term>>,
    ) {
        let name = graph.vertex(old).name().to_owned();
        let sorts: Vec<Sort> = new_arguments.iter().map(|&term| store.sort(term)).collect();
        let new = graph.add_vertex(store, &name, &sorts);
        let state = graph.vertex(new).state();
        let positions: BTreeMap<Term, usize> = state.iter().enumerate().map(|(at, &v)| (v, at)).collect();
        let given = old_arguments(store, state).into_iter().map(|term| match term {
            Some(term) => positions.get(&term).map_or(OldArgument::Term(term), |&at| OldArgument::Kept(at)),
            None => OldArgument::Unknown,
        });
        let old_arguments = given.collect();
        self.vertices.insert(old, Replaced { new, new_arguments, old_arguments });
    }

    /// Replaces the vertices and their edges, if there are any; `label` makes the label of a new edge out of the old edge
    /// and the variables of its sources and, last, its target. `None` if nothing has changed.
    pub(crate) fn apply(
        mut self,
        store: &mut Store,
        graph: &mut Graph,
        budget: &Budget,
        mut label: impl FnMut(&mut Store, &Graph, (EdgeId, &Edge), &[End]) -> Term,
    ) -> Option<Rewired> {
        let touched: BTreeSet<EdgeId> =
            self.vertices.keys().flat_map(|&v| graph.incoming(v).chain(graph.outgoing(v))).collect();
        let mut made = Vec::with_capacity(touched.len());
        for id in touched {
            if budget.check_stop().is_err() {
                for replaced in self.vertices.values() {
                    graph.remove_vertex(replaced.new);
                }
                return None;
            }
            let edge = graph.edge(id).clone();
            let new = |old: &VertexId| self.vertices.get(old).map_or(*old, |replaced| replaced.new);
            let sources: Vec<VertexId> = edge.sources.iter().map(new).collect();
            let mut rewired = Edge { sources, target: new(&edge.target), label: Term::TRUE };
            for (at, &source) in rewired.sources.iter().enumerate() {
                graph.ensure_copy(store, source, rewired.copy(at));
            }
            let (before, after) =
                (source_variables(graph, &edge.sources), source_variables(graph, &rewired.sources));
            let pairs = edge.sources.iter().zip(before.into_iter().zip(after));
            let mut ends: Vec<End> =
                pairs.map(|(&old, (before, after))| End { old, before, after }).collect();
            let target = |vertex: VertexId| graph.vertex(vertex).target().to_vec();
            let (before, after) = (target(edge.target), target(rewired.target));
            ends.push(End { old: edge.target, before, after });
            rewired.label = label(store, graph, (id, &edge), &ends);
            made.push((id, rewired));
        }
        for (id, rewired) in made {
            self.edges.insert(id, graph.remove_edge(id));
            self.origins.insert(graph.add_edge(store, rewired), id);
        }
        for &vertex in self.vertices.keys() {
            graph.remove_vertex(vertex);
        }
        (!self.vertices.is_empty()).then_some(self)
    }

    /// Takes away the arguments that a vertex does not keep; `None` if nothing has changed. `lost` says what they are
    /// on the way back, if that is known. `label` gives the label of an edge about the arguments that are kept, by their
    /// old variables.
    pub(crate) fn narrow(
        store: &mut Store,
        graph: &mut Graph,
        keeps: &[Vec<bool>],
        lost: impl Fn(&mut Store, Sort) -> Option<Term>,
        statistics: &mut Statistics,
        budget: &Budget,
        mut label: impl FnMut(&mut Store, &Graph, EdgeId, &Edge) -> Term,
    ) -> Option<Rewired> {
        let mut rewired = Rewired::default();
        let mut arguments = 0;
        let vertices: Vec<VertexId> = graph.vertices().collect();
        for vertex in vertices {
            let keeps = &keeps[vertex.index()];
            if keeps.iter().all(|&keeps| keeps) {
                continue;
            }
            let kept: Vec<usize> = (0..keeps.len()).filter(|&at| keeps[at]).collect();
            // What is kept has the same variables, so labels need not be renamed.
            let new = graph.add_narrowed_vertex(vertex, &kept);
            let mut old_arguments = Vec::with_capacity(keeps.len());
            let mut next = 0..kept.len();
            for (&keeps, &sort) in keeps.iter().zip(graph.vertex(vertex).sorts()) {
                let kept = if keeps { next.next() } else { None };
                let lost = || lost(store, sort).map_or(OldArgument::Unknown, OldArgument::Term);
                old_arguments.push(kept.map_or_else(lost, OldArgument::Kept));
            }
            arguments += (keeps.len() - kept.len()) as u64;
            let new_arguments = graph.vertex(new).state().to_vec();
            rewired.vertices.insert(vertex, Replaced { new, new_arguments, old_arguments });
        }
        let vertices = rewired.vertices.len() as u64;
        let rewired = rewired
            .apply(store, graph, budget, |store, graph, (id, edge), _| label(store, graph, id, edge))?;
        statistics.add("arguments", arguments);
        statistics.add("vertices", vertices);
        Some(rewired)
    }

    /// The old edge of a new one.
    pub(crate) fn origin(&self, id: EdgeId) -> Option<(EdgeId, &Edge)> {
        let old = self.origins.get(&id)?;
        Some((*old, &self.edges[old]))
    }

    /// The old vertices, the new ones, and the new arguments as terms over the state of the old ones.
    pub(crate) fn vertices(&self) -> impl Iterator<Item = (VertexId, VertexId, &[Term])> {
        self.vertices.iter().map(|(&old, replaced)| (old, replaced.new, &replaced.new_arguments[..]))
    }

    /// The old vertices with the positions of arguments that the new ones have, in their order there.
    pub(crate) fn kept(&self) -> BTreeMap<VertexId, Vec<usize>> {
        let positions = |replaced: &Replaced| {
            let is_kept = |argument: &OldArgument| matches!(argument, OldArgument::Kept(_));
            (0..replaced.old_arguments.len()).filter(|&at| is_kept(&replaced.old_arguments[at])).collect()
        };
        self.vertices.iter().map(|(&old, replaced)| (old, positions(replaced))).collect()
    }
}

impl Back for Rewired {
    fn interpretation(&self, at: After<'_>, mut interpretation: Interpretation) -> Returned<Interpretation> {
        let After { store, graph, budget } = at;
        for (old, new, arguments) in self.vertices() {
            budget.check_stop()?;
            let formula = match interpretation.get(new) {
                Some(formula) if arguments == graph.vertex(new).state() => formula,
                Some(_) => interpretation.apply(store, graph, new, arguments),
                None => Term::TRUE,
            };
            interpretation.insert(old, formula);
        }
        Ok(interpretation)
    }

    /// What is said about old arguments that the new ones do not give is left out.
    fn forward(
        &self,
        store: &mut Store,
        graph: &Graph,
        mut interpretation: Interpretation,
    ) -> Interpretation {
        for (&old, Replaced { new, old_arguments, .. }) in &self.vertices {
            let Some(formula) = interpretation.get(old) else { continue };
            let (before, after) = (graph.vertex(old).state(), graph.vertex(*new).state());
            let (mut renaming, mut lost) = (Substitution::new(), Vec::new());
            for (&variable, argument) in before.iter().zip(old_arguments) {
                match argument {
                    OldArgument::Kept(at) => renaming.bind(store, &[variable], &[after[*at]]),
                    OldArgument::Term(term) => renaming.bind(store, &[variable], &[*term]),
                    OldArgument::Unknown => lost.push(variable),
                }
            }
            let mut parts = store.conjuncts(formula);
            parts.retain(|&part| store.free_variables(&[part]).iter().all(|v| !lost.contains(v)));
            let formula = store.and(&parts);
            let formula = store.substitute(formula, &renaming);
            interpretation.insert(*new, formula);
        }
        interpretation
    }

    fn derivation(&self, at: After<'_>, derivation: Derivation<EdgeId>) -> Returned<Derivation<EdgeId>> {
        let solver = Solver::with_proof(Default::default(), NoProof);
        let mut steps = RewiredSteps { rewired: self, solver, prepared: BTreeMap::new() };
        translate(at, &derivation, &mut steps)
    }
}

/// Gives facts their old arguments.
struct RewiredSteps<'a> {
    rewired: &'a Rewired,
    solver: Solver<NoProof>,
    prepared: BTreeMap<EdgeId, (Group, Vec<Variable>)>,
}

impl StepTranslator for RewiredSteps<'_> {
    fn leaves(&self, rule: EdgeId) -> bool {
        !self.rewired.origins.contains_key(&rule)
    }

    fn edge(&self, rule: EdgeId) -> Option<&Edge> {
        self.rewired.edges.get(&rule)
    }

    fn translate(
        &mut self,
        at: After<'_>,
        given: Given<'_>,
        to: &mut Derivation<EdgeId>,
    ) -> Returned<StepId> {
        let (id, edge) = self.rewired.origin(given.rule).expect("steps by other rules stay");
        let Some(replaced) = self.rewired.vertices.get(&edge.target) else {
            return Ok(to.push(id, given.premises, given.values.to_vec()));
        };
        let (store, state) = (&*at.store, at.graph.vertex(replaced.new).state());
        let new_value = |symbol: Symbol| -> Option<Value> {
            let at = state.iter().position(|&v| store.as_var(v) == Some(symbol))?;
            Some(given.values[at].clone())
        };
        let mut known = Vec::with_capacity(replaced.old_arguments.len());
        for argument in &replaced.old_arguments {
            known.push(match argument {
                OldArgument::Kept(at) => Some(given.values[*at].clone()),
                OldArgument::Term(term) => {
                    let broken = || BackError::Broken(format!("{:?} gives no value", given.rule));
                    Some(store.evaluate(*term, &new_value).ok_or_else(broken)?)
                }
                OldArgument::Unknown => None,
            });
        }
        let values = match known.iter().cloned().collect::<Option<Vec<Value>>>() {
            Some(values) => values,
            None => self.solve(at, (id, edge), &known, to, given.premises)?,
        };
        Ok(to.push(id, given.premises, values))
    }
}

impl RewiredSteps<'_> {
    /// Values for all arguments of the target that the label of an old edge allows, with the values of the premises and
    /// those that are known.
    fn solve(
        &mut self,
        After { store, graph, budget }: After<'_>,
        (id, edge): (EdgeId, &Edge),
        known: &[Option<Value>],
        result: &Derivation<EdgeId>,
        premises: &[StepId],
    ) -> Returned<Vec<Value>> {
        let RewiredSteps { solver, prepared, .. } = self;
        let target = graph.vertex(edge.target).target();
        let (group, arguments) = prepared.entry(id).or_insert_with(|| {
            let group = solver.new_group();
            solver.assert_in_group(store, group, edge.label);
            (group, target.iter().map(|&v| solver.variable(store, v)).collect())
        });
        solver.push();
        let given = target.iter().zip(known).filter_map(|(&v, value)| Some((v, value.clone()?)));
        let (variables, values): (Vec<Term>, Vec<Value>) = given.unzip();
        let mut equations = store.value_literals(&variables, &values);
        for (variables, &premise) in source_variables(graph, &edge.sources).iter().zip(premises) {
            equations.extend(store.value_literals(variables, result.step(premise).values));
        }
        for equation in equations {
            solver.assert(store, equation);
        }
        let found: Returned<Vec<Value>> = match solver.check_with(store, &[*group], &[], budget) {
            Answer::Sat(mut solution) => Ok(arguments.iter().map(|&v| solution.value(v)).collect()),
            Answer::Unknown(reason) => Err(reason.into()),
            Answer::Unsat(_) => Err(BackError::Broken(format!("{id:?} does not allow the step"))),
        };
        solver.pop();
        let found = found?.into_iter().zip(known);
        Ok(found.map(|(value, known)| known.clone().unwrap_or(value)).collect())
    }
}
