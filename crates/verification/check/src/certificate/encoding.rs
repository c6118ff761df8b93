//! How a linear graph with several vertices is one transition system.
//!
//! A state has a Boolean for each vertex, its *location*, and positions that hold the arguments of the vertices. The
//! *image* of a fact `v(x)` is the state in which only the location of `v` is true, each argument is at its position, and
//! all other positions have a default. The encoding, which is part of the certificate, says which position each argument
//! has; the system is made here, of the edges of the graph that the checker was given:
//!
//! - an edge from `s` to `t` is a step from states at location `s` alone to images of `t`, with its label about the
//!   arguments at their positions;
//! - facts give initial states, images of their targets; edges to falsehood give bad states, at location `s` alone.
//!
//! **Why that suffices.** Whatever positions are chosen, as long as no two arguments of a vertex share one: by induction
//! over derivations the image of every fact is reached, since the image of `s(x)` is at location `s` alone and the label
//! holds of `x` and `y` there. So if no bad state is reached, falsehood is not derived. Nothing has to be known of the
//! transformation that the engine has used.

use std::collections::{BTreeMap, BTreeSet};

use shem_chc::{Edge, Graph, TransitionSystem, VertexId};
use shem_term::{Sort, Store, Term};

use super::error::CertificateError;

/// Where the vertices and their arguments are in a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoding {
    /// The variables of a state; the first ones are the locations.
    pub state: Vec<Term>,
    /// The variables of the state after a step.
    pub next: Vec<Term>,
    /// All vertices in the order of their locations, with the positions of their arguments.
    pub positions: Vec<(VertexId, Vec<usize>)>,
}

/// Labels by target and source.
type Labels = BTreeMap<VertexId, BTreeMap<Option<VertexId>, Vec<Term>>>;

impl Encoding {
    /// The transition system that the graph is by this encoding. Edges from true to false are left out.
    pub(super) fn system(
        &self,
        store: &mut Store,
        graph: &Graph,
    ) -> Result<TransitionSystem, CertificateError> {
        self.check_form(store, graph)?;
        let mut graph = graph.clone();
        let edges: Vec<Edge> = graph.edges().map(|(_, edge)| edge.clone()).collect();
        let (mut initial, mut transition, mut bad) = (Labels::new(), Labels::new(), Labels::new());
        for edge in edges {
            let source = edge.sources.first().copied();
            let (kind, after) = match (source, edge.target == VertexId::FALSE) {
                (None, true) => continue,
                (None, false) => (&mut initial, &self.state),
                (Some(_), false) => (&mut transition, &self.next),
                (Some(_), true) => (&mut bad, &self.next),
            };
            let from = source.map(|vertex| self.arguments(vertex, &self.state));
            let from: Vec<&[Term]> = from.iter().map(|terms| &terms[..]).collect();
            let to = self.arguments(edge.target, after);
            let label = graph.instantiate(store, &edge, &from, &to);
            kind.entry(edge.target).or_default().entry(source).or_default().push(label);
        }
        Ok(TransitionSystem {
            initial: self.union(store, initial, &self.state),
            transition: self.union(store, transition, &self.next),
            bad: self.union(store, bad, &self.next),
            state: self.state.clone(),
            next: self.next.clone(),
        })
    }

    /// Every vertex has a location, every argument a position of its own and of its sort, and nothing has two meanings.
    fn check_form(&self, store: &Store, graph: &Graph) -> Result<(), CertificateError> {
        let wrong = |what: &'static str| Err(CertificateError::wrong(what));
        if graph.edges().any(|(_, edge)| !edge.is_linear()) {
            return wrong("the graph is not linear");
        }
        let all: BTreeSet<Term> = self.state.iter().chain(&self.next).copied().collect();
        let are_variables = all.iter().all(|&v| store.as_var(v).is_some() && !v.is_negated());
        if !are_variables || all.len() != 2 * self.state.len() || self.next.len() != self.state.len() {
            return wrong("the variables of the states are not distinct");
        }
        let sorts: Vec<Sort> = self.state.iter().map(|&v| store.sort(v)).collect();
        if !self.next.iter().map(|&v| store.sort(v)).eq(sorts.iter().copied()) {
            return wrong("a variable changes its sort");
        }
        let locations = self.positions.len();
        if !self.positions.iter().map(|place| place.0).eq(graph.vertices())
            || sorts.len() < locations
            || sorts[..locations].iter().any(|&sort| sort != Sort::Bool)
        {
            return wrong("a vertex has no location");
        }
        if sorts.iter().any(|&sort| store.has_elements(sort)) {
            return wrong("a sort has no default");
        }
        for (vertex, positions) in &self.positions {
            let own: BTreeSet<usize> = positions.iter().copied().collect();
            let fits = |(&at, &sort): (&usize, &Sort)| at >= locations && sorts.get(at) == Some(&sort);
            let expected = graph.vertex(*vertex).sorts();
            if own.len() != positions.len()
                || positions.len() != expected.len()
                || !positions.iter().zip(expected).all(fits)
            {
                return wrong("an argument has no position");
            }
        }
        Ok(())
    }

    /// The number of a vertex's location; none for falsehood.
    fn location(&self, vertex: VertexId) -> Option<usize> {
        self.positions.binary_search_by_key(&vertex, |place| place.0).ok()
    }

    /// The variables that hold the arguments of a vertex.
    fn arguments(&self, vertex: VertexId, variables: &[Term]) -> Vec<Term> {
        let positions = self.location(vertex).map_or(&[][..], |at| &self.positions[at].1);
        positions.iter().map(|&position| variables[position]).collect()
    }

    /// The steps of all labels, to images that these variables describe.
    fn union(&self, store: &mut Store, labels: Labels, after: &[Term]) -> Term {
        let literals = |at: usize, variables: &[Term]| -> Vec<Term> {
            (0..self.positions.len()).map(|other| variables[other].xor(other != at)).collect()
        };
        let mut by_target = Vec::new();
        for (target, labels) in labels {
            let mut by_source = Vec::new();
            for (source, labels) in labels {
                let mut conjuncts = vec![store.or(&labels)];
                if let Some(at) = source.and_then(|vertex| self.location(vertex)) {
                    conjuncts.extend(literals(at, &self.state));
                }
                by_source.push(store.and(&conjuncts));
            }
            let mut conjuncts = vec![store.or(&by_source)];
            if let Some(at) = self.location(target) {
                conjuncts.extend(literals(at, after));
                for (position, &variable) in after.iter().enumerate().skip(self.positions.len()) {
                    if !self.positions[at].1.contains(&position) {
                        let sort = store.sort(variable);
                        let default = store.default_value(sort);
                        let default = store.value_term(&default, sort);
                        conjuncts.push(store.eq(variable, default));
                    }
                }
            }
            by_target.push(store.and(&conjuncts));
        }
        store.or(&by_target)
    }
}

#[cfg(test)]
mod tests {
    use shem_base::{Budget, StopToken};
    use shem_chc::{Script, normalise};

    use super::*;
    use crate::certificate::{Argument, Certificate, FiniteDiameter, LoopCertificate};

    /// From `p(0, 1)` follows `q(1)`, and nothing else; `q` of a number above the bound is bad.
    fn check(
        bound: i64,
        more: &str,
        change: impl Fn(&mut Store, &mut Encoding),
        expected: Result<(), &'static str>,
    ) {
        let mut store = Store::new();
        let text = format!(
            "(declare-fun p (Int Int) Bool) (declare-fun q (Int) Bool)
            (assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 1)) (p x y))))
            (assert (forall ((x Int) (y Int)) (=> (p x y) (q y))))
            (assert (forall ((x Int)) (=> (and (q x) (> x {bound})) false))) {more}"
        );
        let script = Script::read(&mut store, &text, &StopToken::new()).expect("a script");
        let graph = normalise(&mut store, &script.system);
        let vertices: Vec<VertexId> = graph.vertices().collect();
        let mut variables =
            || [Sort::Bool, Sort::Bool, Sort::Int, Sort::Int].map(|sort| store.variable("v", sort)).to_vec();
        let mut encoding = Encoding {
            state: variables(),
            next: variables(),
            positions: vec![(vertices[0], vec![2, 3]), (vertices[1], vec![2])],
        };
        change(&mut store, &mut encoding);
        let certificate = Argument::FiniteDiameter(FiniteDiameter::plain(2)).into();
        let certificate =
            Certificate::Loop(Box::new(LoopCertificate { encoding: Some(encoding), certificate }));
        let found = certificate.check(&mut store, &graph, &mut Budget::unlimited());
        assert_eq!(found, expected.map_err(CertificateError::wrong));
    }

    #[test]
    fn encodings() {
        let position = Err("an argument has no position");
        check(1, "", |_, _| {}, Ok(()));
        check(1, "", |_, own| own.positions[1].1 = vec![3], Ok(()));
        check(0, "", |_, _| {}, Err("the unrolling reaches a bad state"));
        let direct = "(assert (forall ((x Int)) (=> (= x 3) false)))";
        check(1, direct, |_, _| {}, Err("falsehood is derived in one step"));
        // Two arguments at one position would have to be equal, so that there were no facts left.
        check(0, "", |_, own| own.positions[0].1 = vec![2, 2], position);
        check(0, "", |_, own| own.positions[0].1 = vec![2], position);
        check(0, "", |_, own| own.positions[0].1 = vec![1, 2], position);
        check(0, "", |_, own| own.positions[0].1 = vec![2, 4], position);
        check(0, "", |_, own| drop(own.positions.pop()), Err("a vertex has no location"));
        check(0, "", |_, own| own.positions.swap(0, 1), Err("a vertex has no location"));
        let distinct = Err("the variables of the states are not distinct");
        check(0, "", |_, own| own.next[2] = own.state[2], distinct);
        check(0, "", |_, own| own.state[0] = !own.state[1], distinct);
        check(0, "", |store, own| own.state[2] = store.int(0), distinct);
        check(0, "", |_, own| own.next.swap(1, 2), Err("a variable changes its sort"));
    }
}
