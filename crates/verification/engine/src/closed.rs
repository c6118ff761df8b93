//! The part of a set of formulas that is closed under the edges of a graph.
//!
//! Flanagan and Leino (2001, "Houdini"): of candidates for an invariant, drop those that fail, as long as one fails;
//! what is left is the largest subset that is inductive. Every conjunct of a formula is a candidate of its own. One
//! solver for each edge; a query asks for a step from what all candidates allow to where some of them do not hold, and
//! the model says which. Edges to false are left out: the result need not be safe.

use std::collections::BTreeMap;

use shem_base::{Budget, UnknownReason};
use shem_chc::{Edge, Graph, Interpretation, VertexId};
use shem_proof::NoProof;
use shem_smt::{Answer, Solver};
use shem_term::{Store, Term};

/// The greatest number of conjuncts that are used for a vertex.
const MAX_CONJUNCTS: usize = 400;

/// Merges the candidates of several senders: common conjuncts are checked once, and conjuncts of one sender may be
/// inductive only with those of another. `None` if there are none.
pub(crate) fn merge_candidates(
    store: &mut Store,
    graph: &Graph,
    candidates: Vec<Interpretation>,
) -> Option<Interpretation> {
    let mut all = Interpretation::new();
    let mut any = false;
    for vertex in graph.vertices() {
        let formulas: Vec<Term> = candidates.iter().filter_map(|one| one.get(vertex)).collect();
        if !formulas.is_empty() {
            let formula = store.and(&formulas);
            any |= formula != Term::TRUE;
            all.insert(vertex, formula);
        }
    }
    any.then_some(all)
}

/// The largest set of conjuncts of these formulas that is closed under all edges but those to false.
pub(crate) fn closed_part(
    store: &mut Store,
    graph: &Graph,
    candidates: &Interpretation,
    budget: &mut Budget,
) -> Result<Interpretation, UnknownReason> {
    let mut parts: BTreeMap<VertexId, Vec<Term>> = BTreeMap::new();
    for vertex in graph.vertices() {
        let mut own = store.conjuncts(candidates.get(vertex).unwrap_or(Term::TRUE));
        own.truncate(MAX_CONJUNCTS);
        let state = graph.vertex(vertex).state();
        own.retain(|&part| store.free_variables(&[part]).iter().all(|v| state.contains(v)));
        parts.insert(vertex, own);
    }
    let edges: Vec<&Edge> = graph.edges().map(|(_, e)| e).filter(|e| e.target != VertexId::FALSE).collect();
    let mut solvers: Vec<Option<Solver<NoProof>>> = edges.iter().map(|_| None).collect();
    let mut again = true;
    while std::mem::take(&mut again) {
        for (edge, solver) in edges.iter().zip(&mut solvers) {
            while !parts[&edge.target].is_empty() {
                budget.check_stop()?;
                let solver = solver.get_or_insert_with(|| {
                    let mut solver = Solver::with_proof(Default::default(), NoProof);
                    solver.assert(store, edge.label);
                    solver
                });
                let mut assumed = Vec::with_capacity(edge.sources.len() + 1);
                for (position, &source) in edge.sources.iter().enumerate() {
                    let all = store.and(&parts[&source]);
                    let variables = graph.source_variables(edge, position);
                    assumed.push(store.rename(all, graph.vertex(source).state(), variables));
                }
                let vertex = graph.vertex(edge.target);
                let wanted: Vec<Term> = parts[&edge.target]
                    .iter()
                    .map(|&part| store.rename(part, vertex.state(), vertex.target()))
                    .collect();
                assumed.push(!store.and(&wanted));
                let model = match solver.check_assuming(store, &assumed, budget) {
                    Answer::Unsat(_) => break,
                    Answer::Unknown(reason) => return Err(reason),
                    Answer::Sat(mut solution) => solution.model(),
                };
                let assignment = model.completed(store);
                let mut holds = wanted.iter().map(|&wanted| {
                    store.evaluate(wanted, &assignment).and_then(|value| value.as_bool()) == Some(true)
                });
                let own = parts.get_mut(&edge.target).expect("a vertex of the graph");
                let before = own.len();
                own.retain(|_| holds.next() == Some(true));
                if own.len() == before {
                    return Err(UnknownReason::Incomplete("a model that refutes nothing"));
                }
                again = true;
            }
        }
    }
    let mut closed = Interpretation::new();
    for (vertex, own) in parts {
        if !own.is_empty() {
            let formula = store.and(&own);
            closed.insert(vertex, formula);
        }
    }
    Ok(closed)
}

#[cfg(test)]
mod tests {
    use shem_base::StopToken;
    use shem_chc::{Script, normalise};

    use super::*;

    #[test]
    fn what_fails_is_dropped_with_what_depends_on_it() {
        let mut store = Store::new();
        let text = "(declare-fun p (Int Int) Bool)
            (assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 0)) (p x y))))
            (assert (forall ((x Int) (y Int)) (=> (p x y) (p (+ x y) (+ y 1)))))
            (assert (forall ((x Int) (y Int)) (=> (and (p x y) (= x 7)) false)))";
        let script = Script::read(&mut store, text, &StopToken::new()).expect("a script");
        let graph = normalise(&mut store, &script.system);
        let vertex = graph.vertices().next().expect("a vertex");
        let [x, y] = graph.vertex(vertex).state() else { panic!("two arguments") };
        let (zero, five, seven) = (store.int(0), store.int(5), store.int(7));
        let natural = [store.ge(*x, zero), store.ge(*y, zero)];
        let wrong = [store.le(*x, seven), store.le(*y, five)];
        let mut check = |formulas: &[Term], expected: &[Term]| {
            let mut candidates = Interpretation::new();
            let formula = store.and(formulas);
            candidates.insert(vertex, formula);
            let found = closed_part(&mut store, &graph, &candidates, &mut Budget::unlimited()).unwrap();
            let expected = store.and(expected);
            assert_eq!(found.get(vertex).unwrap_or(Term::TRUE), expected);
        };
        check(&[natural[0], natural[1], wrong[0], wrong[1]], &natural);
        // x stays natural only as long as y does.
        check(&natural[..1], &[]);
        check(&wrong, &[]);
    }
}
