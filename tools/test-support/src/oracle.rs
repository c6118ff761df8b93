//! An engine that lists all derivable facts, one solver query each. It ends on systems with finitely many.

use shem_base::Budget;
use shem_chc::{Derivation, EdgeId, Graph, Interpretation, StepId, VertexId};
use shem_smt::{Answer, Solver};
use shem_term::{Store, Term, Value};

/// All facts of a graph, with a derivation of each.
#[derive(Clone, Debug)]
pub struct Facts {
    /// A derivation of each.
    pub derivation: Derivation<EdgeId>,
    /// The facts of each vertex.
    pub facts: Vec<Vec<(Vec<Value>, StepId)>>,
}

/// Literals that say that variables have these values.
pub fn point(store: &mut Store, variables: &[Term], values: &[Value]) -> Term {
    assert_eq!(variables.len(), values.len());
    let mut parts = Vec::new();
    for (&variable, value) in variables.iter().zip(values) {
        parts.push(store.value_literal(variable, value));
    }
    store.and(&parts)
}

impl Facts {
    /// Lists the facts; ends as soon as falsehood is derived.
    pub fn of(store: &mut Store, graph: &Graph) -> Facts {
        let mut all = Facts { derivation: Derivation::new(), facts: vec![Vec::new(); graph.vertex_bound()] };
        let edges: Vec<EdgeId> = graph.edges().map(|(id, _)| id).collect();
        // Edges to false come first, so that what is unsafe is known soon.
        let mut order = edges.clone();
        order.sort_by_key(|&id| graph.edge(id).target);
        let mut changed = true;
        while changed && !all.is_unsafe() {
            changed = false;
            for &id in &order {
                changed |= all.saturate(store, graph, id);
                if all.is_unsafe() {
                    break;
                }
            }
        }
        all
    }

    /// Whether falsehood is among them.
    pub fn is_unsafe(&self) -> bool {
        !self.facts[VertexId::FALSE.index()].is_empty()
    }

    /// Adds all facts that an edge derives from those known.
    fn saturate(&mut self, store: &mut Store, graph: &Graph, id: EdgeId) -> bool {
        let edge = graph.edge(id);
        let mut solver = Solver::new(Default::default());
        solver.assert(store, edge.label);
        for (position, source) in edge.sources.iter().enumerate() {
            let variables = graph.source_variables(edge, position).to_vec();
            let known = self.points(store, *source, &variables);
            solver.assert(store, known);
        }
        let target = graph.vertex(edge.target).target().to_vec();
        let known = self.points(store, edge.target, &target);
        solver.assert(store, !known);
        let mut any = false;
        loop {
            let model = match solver.check(store, &mut Budget::unlimited()) {
                Answer::Unsat(_) => return any,
                Answer::Unknown(reason) => panic!("{reason}"),
                Answer::Sat(mut solution) => solution.model(),
            };
            let value = |store: &Store, v: Term| model.value_or_default(store, store.as_var(v).unwrap());
            let values: Vec<Value> = target.iter().map(|&v| value(store, v)).collect();
            let mut premises = Vec::new();
            for (position, source) in edge.sources.iter().enumerate() {
                let variables = graph.source_variables(edge, position);
                let args: Vec<Value> = variables.iter().map(|&v| value(store, v)).collect();
                let known = &self.facts[source.index()];
                premises.push(known.iter().find(|fact| fact.0 == args).expect("a known fact").1);
            }
            let step = self.derivation.push(id, &premises, values.iter().cloned());
            let found = point(store, &target, &values);
            solver.assert(store, !found);
            self.facts[edge.target.index()].push((values, step));
            any = true;
            assert!(self.derivation.len() < 2000, "the facts of a test are few");
        }
    }

    /// Says that the variables are a fact of the vertex.
    fn points(&self, store: &mut Store, vertex: VertexId, variables: &[Term]) -> Term {
        let ways: Vec<Term> =
            self.facts[vertex.index()].iter().map(|fact| point(store, variables, &fact.0)).collect();
        store.or(&ways)
    }

    /// The least interpretation.
    pub fn least(&self, store: &mut Store, graph: &Graph) -> Interpretation {
        let mut interpretation = Interpretation::new();
        for vertex in graph.vertices() {
            let state = graph.vertex(vertex).state().to_vec();
            let formula = self.points(store, vertex, &state);
            interpretation.insert(vertex, formula);
        }
        interpretation
    }
}
