//! Conditions on arguments that hold of all facts anyway.
//!
//! Systems written by machines say in every clause what the range of a variable is, before a step and after it:
//! `x = 1 or x = 2 or x = 4`. A condition on one argument of a source holds of all facts if every edge to that vertex
//! *establishes* it: its label has the same condition on the argument of the target, or gives that argument a value of
//! which it is true, or takes the value over from an argument for which the condition is established. All
//! conditions in labels are supposed to be established until an edge shows otherwise. This is the part of the
//! conditions that is inductive (Flanagan and Leino 2001), found without a solver: a round costs about as much as to
//! read the labels.

use std::collections::{BTreeMap, BTreeSet};

use shem_base::Budget;
use shem_chc::{Edge, EdgeId, Graph, VertexId};
use shem_term::{Store, Symbol, Term, Value};

use crate::collapse::equated;
use crate::scan::{Scan, constants, source_variables};

/// If conditions still fail after so many rounds, none is taken for established.
const ROUNDS: usize = 20;

/// A condition on an argument of a vertex: the position, and the formula over the vertex' state.
pub(crate) type Condition = (VertexId, usize, Term);

/// What a label says of single variables.
pub(crate) struct Conditions {
    /// The conjuncts of the label, but about arguments of sources where they are about one variable and it is equal to
    /// such an argument.
    pub(crate) conjuncts: Vec<Term>,
    /// For each conjunct that is about one argument of a source alone, the condition.
    pub(crate) of_sources: Vec<Option<Condition>>,
    /// The conjuncts about one variable.
    about_one: BTreeSet<Term>,
    /// The values of arguments of the target.
    values: BTreeMap<usize, Value>,
    /// For each argument of the target, the variables that have its value, itself among them.
    equal: Vec<Vec<Term>>,
    /// The arguments of sources that variables are.
    owners: BTreeMap<Term, (VertexId, usize)>,
}

impl Conditions {
    fn of(store: &mut Store, graph: &Graph, scan: &mut Scan, edge: &Edge) -> Conditions {
        let mut conjuncts = store.conjuncts(edge.label);
        let mut owners: BTreeMap<Term, (VertexId, usize)> = BTreeMap::new();
        for (&source, variables) in edge.sources.iter().zip(source_variables(graph, &edge.sources)) {
            owners.extend(variables.into_iter().enumerate().map(|(at, v)| (v, (source, at))));
        }
        let mut partners: BTreeMap<Term, Vec<Term>> = BTreeMap::new();
        for &conjunct in &conjuncts {
            if let Some((a, b)) = equated(store, conjunct) {
                partners.entry(a).or_default().push(b);
                partners.entry(b).or_default().push(a);
            }
        }
        let equal_to = |v: Term| std::iter::once(v).chain(partners.get(&v).into_iter().flatten().copied());
        let mut of_sources = Vec::with_capacity(conjuncts.len());
        let mut about_one = BTreeSet::new();
        for conjunct in &mut conjuncts {
            let [variable] = scan.variables(store, &[*conjunct])[..] else {
                of_sources.push(None);
                continue;
            };
            let owner = equal_to(variable).find_map(|v| owners.get(&v).map(|&owner| (v, owner)));
            of_sources.push(owner.map(|(argument, (vertex, at))| {
                *conjunct = store.rename(*conjunct, &[variable], &[argument]);
                let state = graph.vertex(vertex).state()[at];
                (vertex, at, store.rename(*conjunct, &[argument], &[state]))
            }));
            about_one.insert(*conjunct);
        }
        let target = graph.vertex(edge.target).target();
        let equal = target.iter().map(|&v| equal_to(v).collect()).collect();
        let values = constants(store, edge.label, target);
        Conditions { conjuncts, of_sources, about_one, values, equal, owners }
    }

    /// Whether the label establishes a condition on an argument of its target, if these conditions hold of sources.
    fn establish(
        &self,
        store: &mut Store,
        graph: &Graph,
        &(vertex, at, formula): &Condition,
        known: &BTreeSet<Condition>,
    ) -> bool {
        let state = graph.vertex(vertex).state()[at];
        if let Some(value) = self.values.get(&at) {
            let assignment = |_: Symbol| Some(value.clone());
            if store.evaluate(formula, &assignment) == Some(Value::Bool(true)) {
                return true;
            }
        }
        self.equal[at].iter().any(|&variable| {
            let instance = store.rename(formula, &[state], &[variable]);
            self.about_one.contains(&instance)
                || self.owners.get(&variable).is_some_and(|&(source, position)| {
                    let argument = graph.vertex(source).state()[position];
                    known.contains(&(source, position, store.rename(formula, &[state], &[argument])))
                })
        })
    }
}

/// What the labels say, and which conditions hold of all facts; `None` if a stop was requested.
pub(crate) fn established(
    store: &mut Store,
    graph: &Graph,
    budget: &Budget,
) -> Option<(BTreeMap<EdgeId, Conditions>, BTreeSet<Condition>)> {
    let mut scan = Scan::default();
    let mut labels = BTreeMap::new();
    for (id, edge) in graph.edges() {
        budget.check_stop().ok()?;
        labels.insert(id, Conditions::of(store, graph, &mut scan, edge));
    }
    let of_sources = labels.values().flat_map(|label| label.of_sources.iter().copied().flatten());
    let mut known: BTreeSet<Condition> = of_sources.collect();
    for _ in 0..ROUNDS {
        let mut failed = Vec::new();
        for condition in &known {
            budget.check_stop().ok()?;
            let mut incoming = graph.incoming(condition.0);
            if !incoming.all(|id| labels[&id].establish(store, graph, condition, &known)) {
                failed.push(*condition);
            }
        }
        if failed.is_empty() {
            return Some((labels, known));
        }
        for condition in failed {
            known.remove(&condition);
        }
    }
    Some((labels, BTreeSet::new()))
}
