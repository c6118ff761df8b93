//! A model of the graph that the engine saw, as a certificate.
//!
//! It is the witness before it is translated back through the passes. To judge the witness is worth more, since it is about
//! the system as read; but there a clause may be much harder than the edge that the passes have made of it.

use shem_base::Budget;
use shem_chc::{Edge, Graph, Interpretation};
use shem_term::Store;

use crate::induction::{expect_unsat, refuter};
use crate::reason::CertificateError;
use crate::verdict::Certificate;

/// The number of parts, at most: where there are fewer edges, the formulas of their targets are divided, too.
const PARTS: usize = 16;

/// An interpretation that is closed under the edges of a graph.
#[derive(Clone, Debug)]
pub(crate) struct InductiveModel {
    pub(crate) graph: Graph,
    pub(crate) interpretation: Interpretation,
}

impl InductiveModel {
    /// Into how many parts the formula of an edge's target is divided.
    fn parts_of_edge(&self) -> usize {
        (PARTS / self.graph.edge_count().max(1)).max(1)
    }

    /// Every step of an edge from inside the model leads inside this part of it, one conjunct at a time: many small
    /// questions are easier than one that may choose among the conjuncts.
    fn check_edge(
        &self,
        store: &mut Store,
        edge: &Edge,
        part: usize,
        budget: &mut Budget,
    ) -> Result<(), CertificateError> {
        let formula = |vertex| {
            let formula = self.interpretation.get(vertex);
            formula.ok_or(CertificateError::wrong("a predicate has no interpretation"))
        };
        let target = self.graph.vertex(edge.target);
        let conjuncts = store.conjuncts(formula(edge.target)?);
        let mut own = conjuncts.into_iter().skip(part).step_by(self.parts_of_edge()).peekable();
        if own.peek().is_none() {
            return Ok(());
        }
        let mut solver = refuter();
        for (position, &source) in edge.sources.iter().enumerate() {
            let variables = self.graph.source_variables(edge, position);
            let inside = store.rename(formula(source)?, self.graph.vertex(source).state(), variables);
            solver.assert(store, inside);
        }
        solver.assert(store, edge.label);
        for conjunct in own {
            let outside = store.rename(!conjunct, target.state(), target.target());
            let answer = solver.check_assuming(store, &[outside], budget);
            expect_unsat(&answer, "an edge leads out of the model")?;
        }
        Ok(())
    }
}

impl Certificate for InductiveModel {
    fn parts(&self) -> usize {
        (self.graph.edge_count() * self.parts_of_edge()).clamp(1, PARTS)
    }

    fn is_witness(&self) -> bool {
        true
    }

    fn check_part(
        &self,
        part: usize,
        store: &mut Store,
        budget: &mut Budget,
    ) -> Result<(), CertificateError> {
        if part == 0 {
            for vertex in self.graph.vertices() {
                let state = self.graph.vertex(vertex).state();
                let formula = self.interpretation.get(vertex);
                if store.free_variables(formula.as_slice()).iter().any(|v| !state.contains(v)) {
                    return Err(CertificateError::wrong("a formula is about something else than the state"));
                }
            }
        }
        let parts_of_edge = self.parts_of_edge();
        let tasks = self.graph.edges().flat_map(|(_, edge)| (0..parts_of_edge).map(move |at| (edge, at)));
        for (edge, at) in tasks.skip(part).step_by(self.parts()) {
            self.check_edge(store, edge, at, budget)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use shem_base::StopToken;
    use shem_chc::{Script, VertexId, normalise};
    use shem_term::Term;

    use super::*;

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
        let vertex = graph.vertices().find(|&v| v != VertexId::FALSE).expect("a vertex");
        let x = graph.vertex(vertex).state()[0];
        let mut interpretation = Interpretation::new();
        if let Some(formula) = make(&mut store, x) {
            interpretation.insert(vertex, formula);
        }
        let model = InductiveModel { graph, interpretation };
        let found = model.check(&mut store, &mut Budget::unlimited());
        assert_eq!(found, expected.map_err(CertificateError::wrong));
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
        check(
            |store, x| {
                let other = store.variable("other", store.sort(x));
                Some(store.le(other, x))
            },
            Err("a formula is about something else than the state"),
        );
    }
}
