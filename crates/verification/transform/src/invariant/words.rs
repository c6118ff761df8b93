//! What is found of integers, said of bit-vectors.
//!
//! Engines for bits see no sums, and find that two words are equal, or that one is at most another, only bit by bit. So
//! their graph is turned into one of integers ([`IntBlast`]), for the sake of what arcs and the domains of
//! [`Invariants`] show there: arcs, equalities, congruences and bounds. It goes back as formulas about bit-vectors, like
//! any interpretation of integers, and into the labels of the graph of bits, which stays what it was otherwise.
//!
//! *Cost.* That of the two passes. Graphs with large labels, and those that `int-blast` cannot translate, are left alone.

use shem_chc::Interpretation;
use shem_term::{Sort, Term};

use super::{Found, Invariants};
use crate::int_blast::IntBlast;
use crate::pass::{After, Back, Pass, PassDescription, Work};
use crate::scan::Scan;

/// Finds invariants of the integers that bit-vectors stand for, and puts them into labels about bit-vectors.
#[derive(Clone, Debug)]
pub struct WordInvariants {
    /// How invariants of integers are found.
    pub invariants: Invariants,
    /// The subterms of all labels, at most, of graphs that are looked at.
    pub most_subterms: usize,
}

impl Default for WordInvariants {
    fn default() -> WordInvariants {
        WordInvariants { invariants: Invariants::default(), most_subterms: 20_000 }
    }
}

impl Pass for WordInvariants {
    fn description(&self) -> PassDescription {
        let summary = "finds invariants of words as integers, and puts them into labels about bits";
        PassDescription::new("word-invariants", summary)
    }

    fn apply(&self, Work { store, graph, statistics, budget }: Work<'_>) -> Option<Box<dyn Back>> {
        let labels: Vec<Term> = graph.edges().map(|(_, edge)| edge.label).collect();
        let mut size = 0;
        Scan::default().each(store, &labels, |_| size += 1);
        if size > self.most_subterms {
            return None;
        }
        let mut integers = graph.clone();
        let back = IntBlast.apply(Work::new(store, &mut integers, statistics, budget))?;
        let mut interpretation = Interpretation::new();
        let found = self
            .invariants
            .size(store, &integers, budget)
            .and_then(|size| self.invariants.find(store, &integers, size, statistics, budget));
        if let Some(Found { known, .. }) = found {
            for vertex in integers.vertices() {
                let formula = known[vertex.index()].as_ref().map_or(Term::FALSE, |known| store.and(known));
                interpretation.insert(vertex, formula);
            }
        }
        let mut interpretation =
            back.interpretation(After::new(store, &integers, budget), interpretation).ok()?;
        // Formulas are closed under edges together, so if one needs integers, arcs alone are left.
        let formulas: Vec<Term> = graph.vertices().filter_map(|vertex| interpretation.get(vertex)).collect();
        if store.subterms(&formulas).iter().any(|&term| store.sort(term) == Sort::Int) {
            let none = Interpretation::new();
            interpretation = back.interpretation(After::new(store, &integers, budget), none).ok()?;
        }
        let mut known = vec![Some(Vec::new()); graph.vertex_bound()];
        for vertex in graph.vertices() {
            let formula = interpretation.get(vertex).unwrap_or(Term::TRUE);
            known[vertex.index()] = (formula != Term::FALSE).then(|| store.conjuncts(formula));
        }
        let definitions = vec![Vec::new(); graph.vertex_bound()];
        Found { known, definitions, blocked: Vec::new() }.apply(store, graph, statistics, budget)
    }
}
