//! Slicing: arguments that cannot matter are taken away.
//!
//! All arguments are supposed to be useless until shown otherwise. An argument of the target of an edge is
//! *loose* in the label if it can take some value whatever the other variables are: it is in no conjunct, or in
//! one alone, which defines it, or in conjuncts that all bound it from the same side or say what it is not.
//! Conjuncts with a useless and loose argument are dropped. What occurs in the other conjuncts is useful: the
//! arguments of the sources there, and those arguments of the target that are not loose. This is repeated until
//! nothing becomes useful any more; then every vertex with useless arguments gives way to one without them, and
//! the edges keep the conjuncts that are not dropped.
//!
//! *Back.* An interpretation is taken over as it is: the old labels imply the new ones. A derivation is followed
//! forward, and the values that are missing in a fact are found by solving the old label with the values of the
//! premises and those that the fact has. They exist: the new label gives values to all variables of conjuncts
//! that were kept. Put the useless arguments of the target into any order and choose values for them from the
//! last to the first, each such that it satisfies those of its conjuncts that have no earlier argument. This is
//! possible since it is loose, and its other conjuncts are left to the earlier arguments.

use std::collections::{BTreeMap, BTreeSet};

use shem_base::{Budget, Statistics};
use shem_chc::{Derivation, Edge, EdgeId, Graph, Interpretation, VertexId};
use shem_proof::NoProof;
use shem_smt::{Answer, Solver};
use shem_term::{Sort, Store, Substitution, Term, Value, View};

use crate::pass::{Back, BackError, Pass};
use crate::reduce::Reducer;
use crate::scan::{bind, conjuncts, fix, places};

/// Takes away arguments that cannot matter.
#[derive(Clone, Copy, Debug, Default)]
pub struct Slice;

struct Sliced {
    /// The new vertices, with the old ones and the positions that were kept.
    vertices: BTreeMap<VertexId, (VertexId, Vec<usize>)>,
    edges: BTreeMap<EdgeId, (EdgeId, Edge)>,
}

/// What is known of the edges while arguments become useful.
struct Analysis {
    reducer: Reducer,
    useful: Vec<Vec<bool>>,
    /// The conjuncts of an edge with their variables.
    conjuncts: BTreeMap<EdgeId, Vec<(Term, Vec<Term>)>>,
}

/// How a conjunct constrains an argument.
#[derive(Clone, Copy, PartialEq)]
enum Grip {
    Defines,
    Below,
    Above,
    Excludes,
    /// It cannot be told.
    Firm,
}

impl Pass for Slice {
    fn name(&self) -> &'static str {
        "slice"
    }

    fn apply(
        &self,
        store: &mut Store,
        graph: &mut Graph,
        statistics: &mut Statistics,
        budget: &mut Budget,
    ) -> Option<Box<dyn Back>> {
        let mut analysis = Analysis::new(store, graph);
        analysis.run(store, graph, budget)?;
        let mut vertices = BTreeMap::new();
        let mut replaced: BTreeMap<VertexId, VertexId> = BTreeMap::new();
        let old: Vec<VertexId> = graph.vertices().collect();
        for vertex in old {
            let useful = &analysis.useful[vertex.index()];
            if useful.iter().all(|&u| u) {
                continue;
            }
            let kept: Vec<usize> = (0..useful.len()).filter(|&at| useful[at]).collect();
            statistics.add("arguments", (useful.len() - kept.len()) as u64);
            statistics.add("vertices", 1);
            let name = graph.vertex(vertex).name().to_owned();
            let sorts: Vec<Sort> = kept.iter().map(|&at| graph.vertex(vertex).sorts()[at]).collect();
            let new = graph.add_vertex(store, &name, &sorts);
            replaced.insert(vertex, new);
            vertices.insert(new, (vertex, kept));
        }
        if replaced.is_empty() {
            return None;
        }
        let touched: BTreeSet<EdgeId> =
            replaced.keys().flat_map(|&v| graph.incoming(v).chain(graph.outgoing(v))).collect();
        let mut edges = BTreeMap::new();
        for id in touched {
            let dropped = analysis.look(store, graph, id);
            let edge = graph.remove_edge(id);
            let kept: Vec<Term> = analysis.conjuncts[&id]
                .iter()
                .zip(&dropped)
                .filter(|(_, dropped)| !**dropped)
                .map(|((conjunct, _), _)| *conjunct)
                .collect();
            let new = |vertex: &VertexId| *replaced.get(vertex).unwrap_or(vertex);
            let sources: Vec<VertexId> = edge.sources.iter().map(new).collect();
            let mut sliced = Edge { sources, target: new(&edge.target), label: Term::TRUE };
            for (at, &source) in sliced.sources.iter().enumerate() {
                graph.ensure_copy(store, source, sliced.copy(at));
            }
            let mut substitution = Substitution::new();
            let mut rename = |store: &Store, vertex: VertexId, from: &[Term], to: &[Term]| {
                if let Some((_, kept)) = vertices.get(&vertex) {
                    let from: Vec<Term> = kept.iter().map(|&at| from[at]).collect();
                    bind(store, &mut substitution, &from, to);
                }
            };
            let (before, after) = (places(graph, &edge.sources), places(graph, &sliced.sources));
            for ((&vertex, from), to) in sliced.sources.iter().zip(&before).zip(&after) {
                rename(store, vertex, from, to);
            }
            let (from, to) = (graph.vertex(edge.target).target(), graph.vertex(sliced.target).target());
            rename(store, sliced.target, from, to);
            let label = store.and(&kept);
            sliced.label = store.substitute(label, &substitution);
            let new = graph.add_edge(store, sliced);
            edges.insert(new, (id, edge));
        }
        for &vertex in replaced.keys() {
            graph.remove_vertex(vertex);
        }
        Some(Box::new(Sliced { vertices, edges }))
    }
}

impl Analysis {
    fn new(store: &Store, graph: &Graph) -> Analysis {
        let mut reducer = Reducer::default();
        let mut useful = vec![Vec::new(); graph.vertex_bound()];
        for vertex in graph.vertices() {
            useful[vertex.index()] = vec![false; graph.vertex(vertex).sorts().len()];
        }
        let mut all = BTreeMap::new();
        for (id, edge) in graph.edges() {
            let members = conjuncts(store, edge.label);
            let with = |conjunct: Term| (conjunct, reducer.scan.variables(store, &[conjunct]));
            all.insert(id, members.into_iter().map(with).collect());
        }
        Analysis { reducer, useful, conjuncts: all }
    }

    /// Marks what is useful; `None` if somebody asked to stop.
    fn run(&mut self, store: &Store, graph: &Graph, budget: &Budget) -> Option<()> {
        let mut queue: BTreeSet<EdgeId> = graph.edges().map(|(id, _)| id).collect();
        while let Some(id) = queue.pop_first() {
            budget.check_stop().ok()?;
            let dropped = self.look(store, graph, id);
            let edge = graph.edge(id);
            let mut variables: Vec<Term> = Vec::new();
            for ((_, found), dropped) in self.conjuncts[&id].iter().zip(dropped) {
                if !dropped {
                    variables.extend(found);
                }
            }
            variables.sort_unstable();
            let places = places(graph, &edge.sources);
            let target = (edge.target, graph.vertex(edge.target).target());
            let sources = edge.sources.iter().zip(&places).map(|(&v, list)| (v, &list[..]));
            for (vertex, arguments) in sources.chain([target]) {
                for (at, argument) in arguments.iter().enumerate() {
                    if variables.binary_search(argument).is_ok()
                        && !std::mem::replace(&mut self.useful[vertex.index()][at], true)
                    {
                        queue.extend(graph.incoming(vertex));
                    }
                }
            }
        }
        Some(())
    }

    /// Which conjuncts of an edge are dropped, as far as known.
    fn look(&mut self, store: &Store, graph: &Graph, id: EdgeId) -> Vec<bool> {
        let edge = graph.edge(id);
        let members = &self.conjuncts[&id];
        let mut dropped = vec![false; members.len()];
        let target = graph.vertex(edge.target).target();
        for (at, &argument) in target.iter().enumerate() {
            if self.useful[edge.target.index()][at] {
                continue;
            }
            let occurrences: Vec<usize> =
                (0..members.len()).filter(|&at| members[at].1.binary_search(&argument).is_ok()).collect();
            let grips: Vec<Grip> = occurrences
                .iter()
                .map(|&at| grip(&mut self.reducer, store, members[at].0, argument))
                .collect();
            let has = |grip| grips.contains(&grip);
            let loose = match grips[..] {
                [Grip::Defines] => true,
                _ => !(has(Grip::Defines) || has(Grip::Firm) || has(Grip::Below) && has(Grip::Above)),
            };
            if loose {
                for at in occurrences {
                    dropped[at] = true;
                }
            }
        }
        dropped
    }
}

/// How a conjunct constrains a variable that occurs in it.
fn grip(reducer: &mut Reducer, store: &Store, conjunct: Term, variable: Term) -> Grip {
    let negated = conjunct.is_negated();
    match store.view(conjunct) {
        View::Var(_) => Grip::Defines,
        View::Iff(a, b) => {
            let other = if a == variable { b } else { a };
            let alone = a == variable || b == variable;
            if alone && !reducer.scan.variables(store, &[other]).contains(&variable) {
                Grip::Defines
            } else {
                Grip::Firm
            }
        }
        View::Eq(poly, _) | View::Le(poly, _) | View::Lt(poly, _) => {
            let terms = store.poly_terms(poly);
            let compound: Vec<Term> =
                terms.iter().map(|t| t.leaf).filter(|&leaf| store.as_var(leaf).is_none()).collect();
            let inside = reducer.scan.variables(store, &compound).contains(&variable);
            let Some(term) = terms.iter().find(|t| t.leaf == variable) else { return Grip::Firm };
            match store.view(conjunct) {
                _ if inside => Grip::Firm,
                View::Eq(..) if negated => Grip::Excludes,
                View::Eq(..) => match reducer.solvable(store, poly, |v| v == variable) {
                    Some(_) => Grip::Defines,
                    None => Grip::Firm,
                },
                _ if term.coeff.is_positive() != negated => Grip::Below,
                _ => Grip::Above,
            }
        }
        _ => Grip::Firm,
    }
}

impl Back for Sliced {
    fn interpretation(
        &self,
        store: &mut Store,
        graph: &Graph,
        mut interpretation: Interpretation,
        _: &mut Budget,
    ) -> Result<Interpretation, BackError> {
        for (&new, (old, kept)) in &self.vertices {
            let state = graph.vertex(*old).state();
            let arguments: Vec<Term> = kept.iter().map(|&at| state[at]).collect();
            let formula = match interpretation.get(new) {
                Some(_) => interpretation.apply(store, graph, new, &arguments),
                None => Term::TRUE,
            };
            interpretation.insert(*old, formula);
        }
        Ok(interpretation)
    }

    fn derivation(
        &self,
        store: &mut Store,
        graph: &Graph,
        derivation: Derivation<EdgeId>,
        budget: &mut Budget,
    ) -> Result<Derivation<EdgeId>, BackError> {
        let kept: BTreeMap<VertexId, &[usize]> =
            self.vertices.values().map(|(old, kept)| (*old, &kept[..])).collect();
        let mut solvers: BTreeMap<EdgeId, Solver<NoProof>> = BTreeMap::new();
        let mut result = Derivation::new();
        for (_, step) in derivation.steps() {
            budget.check_stop()?;
            // Every step has its own number again.
            let Some((id, edge)) = self.edges.get(&step.rule) else {
                result.push(step.rule, step.premises, step.values.to_vec());
                continue;
            };
            let Some(kept) = kept.get(&edge.target) else {
                result.push(*id, step.premises, step.values.to_vec());
                continue;
            };
            let solver = solvers.entry(*id).or_insert_with(|| {
                let mut solver = Solver::with_proof(Default::default(), NoProof);
                solver.assert(store, edge.label);
                solver
            });
            solver.push();
            let target = graph.vertex(edge.target).target();
            let known: Vec<Term> = kept.iter().map(|&at| target[at]).collect();
            let mut equations = fix(store, &known, step.values);
            for (variables, &premise) in places(graph, &edge.sources).iter().zip(step.premises) {
                equations.extend(fix(store, variables, result.step(premise).values));
            }
            for equation in equations {
                solver.assert(store, equation);
            }
            let answer = solver.check(store, budget);
            let mut values: Vec<Value> = Vec::new();
            if answer == Answer::Sat {
                let model = solver.model();
                let symbol = |&v| store.as_var(v).expect("a variable");
                values.extend(target.iter().map(|v| model.value_or_default(store, symbol(v))));
                for (&at, value) in kept.iter().zip(step.values) {
                    values[at] = value.clone();
                }
            }
            solver.pop();
            match answer {
                Answer::Sat => result.push(*id, step.premises, values),
                Answer::Unknown(reason) => return Err(reason.into()),
                Answer::Unsat => return Err(BackError::Broken(format!("{id:?} does not allow the step"))),
            };
        }
        Ok(result)
    }
}
