//! An interpretation of the vertices that every edge keeps.
//!
//! **Claim.** The formula of every vertex is over its state. If the formulas of an edge's sources hold of values that
//! satisfy its label, that of its target holds, too; the formula of falsehood is false.
//!
//! **Why that suffices.** By induction over derivations every fact satisfies the formula of its vertex, and nothing
//! satisfies that of falsehood.
//!
//! It is the witness before it is translated back through the passes. To judge the witness is worth more, since it is
//! about the system as read; but there a clause may be much harder than the edge that the passes have made of it.

use shem_base::Budget;
use shem_chc::{Edge, Graph, Interpretation, VertexId};
use shem_term::{Store, Term};

use super::check_variables;
use super::error::CertificateError;
use super::refuter::Refuter;

/// The number of parts, at most: where there are fewer edges, the formulas of their targets are divided, too.
const PARTS: usize = 16;

/// Into how many parts the formula of an edge's target is divided.
fn parts_of_edge(graph: &Graph) -> usize {
    (PARTS / graph.edge_count().max(1)).max(1)
}

pub(super) fn parts(graph: &Graph) -> usize {
    (graph.edge_count() * parts_of_edge(graph)).clamp(1, PARTS)
}

pub(super) fn check_part(
    interpretation: &Interpretation,
    part: usize,
    store: &mut Store,
    graph: &Graph,
    budget: &mut Budget,
) -> Result<(), CertificateError> {
    if part == 0 {
        for vertex in graph.vertices() {
            let other = "a formula is about something else than the state";
            let state = graph.vertex(vertex).state();
            check_variables(store, interpretation.get(vertex).as_slice(), &[state], other)?;
        }
    }
    let parts_of_edge = parts_of_edge(graph);
    let tasks = graph.edges().flat_map(|(_, edge)| (0..parts_of_edge).map(move |at| (edge, at)));
    for (edge, at) in tasks.skip(part).step_by(parts(graph)) {
        check_edge(interpretation, store, graph, edge, at, budget)?;
    }
    Ok(())
}

/// Every step of an edge from inside the model leads inside this part of it, one conjunct at a time: many small
/// questions are easier than one that may choose among the conjuncts.
fn check_edge(
    interpretation: &Interpretation,
    store: &mut Store,
    graph: &Graph,
    edge: &Edge,
    part: usize,
    budget: &mut Budget,
) -> Result<(), CertificateError> {
    // What the interpretation says of falsehood does not matter.
    let formula = |vertex| match vertex {
        VertexId::FALSE => Ok(Term::FALSE),
        _ => interpretation.get(vertex).ok_or(CertificateError::wrong("a predicate has no interpretation")),
    };
    let target = graph.vertex(edge.target);
    let conjuncts = store.conjuncts(formula(edge.target)?);
    let mut own = conjuncts.into_iter().skip(part).step_by(parts_of_edge(graph)).peekable();
    if own.peek().is_none() {
        return Ok(());
    }
    let mut refuter = Refuter::new();
    for (position, &source) in edge.sources.iter().enumerate() {
        let variables = graph.source_variables(edge, position);
        let inside = store.rename(formula(source)?, graph.vertex(source).state(), variables);
        refuter.assert(store, inside);
    }
    refuter.assert(store, edge.label);
    for conjunct in own {
        let outside = store.rename(!conjunct, target.state(), target.target());
        refuter.expect_refuted(store, &[outside], "an edge leads out of the model", budget)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use shem_base::StopToken;
    use shem_chc::{Script, normalise};

    use super::*;
    use crate::certificate::Certificate;

    /// Sums of two numbers from 0 on; a negative one is bad.
    #[track_caller]
    fn check(make: impl Fn(&mut Store, Term) -> Option<Term>, expected: Result<(), &'static str>) {
        let mut store = Store::new();
        let text = "(declare-fun p (Int) Bool)
            (assert (forall ((x Int)) (=> (= x 0) (p x))))
            (assert (forall ((x Int) (y Int)) (=> (and (p x) (p y)) (p (+ x y 1)))))
            (assert (forall ((x Int)) (=> (and (p x) (< x 0)) false)))";
        let script = Script::read(&mut store, text, &StopToken::new()).expect("a script");
        let graph = normalise(&mut store, &script.system);
        let vertex = graph.vertices().next().expect("a vertex");
        let x = graph.vertex(vertex).state()[0];
        let made = make(&mut store, x);
        for mut interpretation in [Interpretation::new(), Interpretation::new().without_queries()] {
            if let Some(formula) = made {
                interpretation.insert(vertex, formula);
            }
            let model = Certificate::Model(interpretation);
            let found = model.check(&mut store, &graph, &mut Budget::unlimited());
            assert_eq!(found, expected.map_err(CertificateError::wrong));
        }
    }

    #[test]
    fn models() {
        let out = Err("an edge leads out of the model");
        let between = |low: i64, high: i64| {
            move |store: &mut Store, x: Term| {
                let (low, high) = (store.int(low), store.int(high));
                let bounds = [store.ge(x, low), store.le(x, high)];
                Some(store.and(&bounds))
            }
        };
        check(
            |store, x| {
                let zero = store.int(0);
                Some(store.ge(x, zero))
            },
            Ok(()),
        );
        check(|_, _| Some(Term::TRUE), out);
        check(|_, _| Some(Term::FALSE), out);
        check(between(0, 10), out);
        check(|_, _| None, Err("a predicate has no interpretation"));
        check(|_, x| Some(x), Err("a formula is about something else than the state"));
        check(
            |store, x| {
                let other = store.variable("other", store.sort(x));
                Some(store.le(other, x))
            },
            Err("a formula is about something else than the state"),
        );
    }
}
