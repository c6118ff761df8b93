//! Machine integers as if they never wrapped around (*ideal integers*).
//!
//! After `int-blast`, labels tell by cases whether a sum leaves its range: comparisons with numbers near a power of two,
//! equations that differ by one, remainders modulo one. Programs seldom count that far, so each of these is a *wrap*
//! that is replaced by what holds of numbers which are small against the power: a comparison is true or false, an
//! equation false, a remainder the number itself. What is found of the graph that is left is a guess, right or wrong
//! where some number is large: derivations and invariants have to be tried on the graph itself, and the wraps whose
//! value was another one there are kept from then on.
//!
//! What every step of an edge says, the ranges of its variables above all, is no wrap. The exponents are those of these
//! ranges.

use std::collections::{BTreeMap, BTreeSet};

use shem_base::Int;
use shem_chc::{EdgeId, Graph, Interpretation, VertexId};
use shem_term::{Assignment, Store, Term, View};

/// The least exponent of a range that is taken for that of a machine integer.
const LEAST_EXPONENT: u32 = 2;

/// A number up to 2^n times this is compared with multiples of 2^n.
const GREATEST_MULTIPLE: u32 = 16;

/// The wraps of a graph that are replaced.
#[derive(Clone, Debug, Default)]
pub struct Wraps {
    /// By edge, each wrap with what it is replaced by, subterms before the terms they are in.
    edges: BTreeMap<EdgeId, BTreeMap<Term, Term>>,
}

impl Wraps {
    /// All wraps of a graph.
    pub fn of(store: &mut Store, graph: &Graph) -> Wraps {
        let exponents = exponents(store, graph);
        let mut wraps = Wraps::default();
        for (id, edge) in graph.edges() {
            let always: BTreeSet<Term> =
                store.conjuncts(edge.label).into_iter().map(Term::positive).collect();
            let subterms = store.subterms(&[edge.label]);
            let others = subterms.into_iter().filter(|term| !always.contains(term));
            let own: BTreeMap<Term, Term> =
                others.filter_map(|term| Some((term, ideal(store, &exponents, term)?))).collect();
            if !own.is_empty() {
                wraps.edges.insert(id, own);
            }
        }
        wraps
    }

    /// The number of wraps that are replaced.
    pub fn count(&self) -> usize {
        self.edges.values().map(BTreeMap::len).sum()
    }

    /// The graph with all wraps replaced, and with these formulas, which hold of all facts, in the labels.
    pub fn replaced(&self, store: &mut Store, graph: &Graph, known: &Interpretation) -> Graph {
        let mut result = graph.clone();
        for (id, edge) in graph.edges() {
            let mut pairs: Vec<(Term, Term)> = Vec::new();
            for (&wrap, &ideal) in self.edges.get(&id).into_iter().flatten() {
                let ideal = if ideal.is_truth_constant() { ideal } else { store.replace(ideal, &pairs) };
                pairs.push((wrap, ideal));
            }
            let mut parts = vec![store.replace(edge.label, &pairs)];
            let sources = edge.sources.iter().enumerate();
            let sources = sources.map(|(at, &source)| (source, graph.source_variables(edge, at)));
            for (vertex, arguments) in sources.chain([(edge.target, graph.vertex(edge.target).target())]) {
                // Falsehood is what is to be excluded.
                if let Some(formula) = known.get(vertex).filter(|_| vertex != VertexId::FALSE) {
                    parts.push(store.rename(formula, graph.vertex(vertex).state(), arguments));
                }
            }
            let label = store.and(&parts);
            result.set_label(id, label);
        }
        result
    }

    /// The wraps of an edge that have another value than what they are replaced by.
    pub fn wrong(&self, store: &Store, edge: EdgeId, values: &impl Assignment) -> Vec<(Term, Term)> {
        let own = self.edges.get(&edge).into_iter().flatten();
        let differs =
            |&(&wrap, &ideal): &(&Term, &Term)| store.evaluate(wrap, values) != store.evaluate(ideal, values);
        own.filter(differs).map(|(&wrap, &ideal)| (wrap, ideal)).collect()
    }

    /// Keeps a wrap of an edge.
    pub fn keep(&mut self, edge: EdgeId, wrap: Term) {
        if let Some(own) = self.edges.get_mut(&edge) {
            own.remove(&wrap);
        }
    }

    /// Keeps all wraps of an edge; `false` if there are none.
    pub fn keep_all(&mut self, edge: EdgeId) -> bool {
        self.edges.remove(&edge).is_some_and(|own| !own.is_empty())
    }
}

/// The exponents n of the ranges from 0 or -2^n to 2^n - 1 that labels give their variables.
fn exponents(store: &Store, graph: &Graph) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    for (_, edge) in graph.edges() {
        let mut ranges: BTreeMap<Term, [Option<Int>; 2]> = BTreeMap::new();
        for conjunct in store.conjuncts(edge.label) {
            let View::Le(poly, bound) = store.view(conjunct.positive()) else { continue };
            let [part] = store.poly_terms(poly) else { continue };
            if !store.poly_is_integral(poly) || !part.coeff.abs().is_one() {
                continue;
            }
            // The negation of x <= b is x >= b + 1; with the coefficient -1 it is the other way round.
            let is_upper = part.coeff.is_one() != conjunct.is_negated();
            let bound = bound.floor();
            let bound = match (part.coeff.is_one(), conjunct.is_negated()) {
                (true, false) => bound,
                (true, true) => &bound + &Int::ONE,
                (false, false) => -&bound,
                (false, true) => &-&bound - &Int::ONE,
            };
            ranges.entry(part.leaf).or_default()[usize::from(is_upper)] = Some(bound);
        }
        for [low, high] in ranges.into_values() {
            let (Some(low), Some(high)) = (low, high) else { continue };
            let above = &high + &Int::ONE;
            let exponent = u32::try_from(above.bits()).unwrap_or(0).saturating_sub(1);
            let is_whole = low.is_zero() || low == -&above;
            if exponent >= LEAST_EXPONENT && is_whole && above == Int::from(2).pow(exponent) {
                found.insert(exponent);
            }
        }
    }
    found
}

/// The sign of a number that is near a multiple of a power of two; `None` if it is near none, or near zero. Common
/// factors of a comparison are divided out, so quarters of the power count, too.
fn sign_of_bound(exponents: &BTreeSet<u32>, number: &Int) -> Option<bool> {
    let is_near = |&exponent: &u32| {
        let (quarter, distance) = (Int::from(2).pow(exponent - 2), Int::from(2).pow(exponent / 2 - 1));
        let above = number + &distance;
        let is_multiple = above.rem_floor(&quarter) <= &distance + &distance;
        let times = above.div_floor(&quarter).abs();
        is_multiple && !times.is_zero() && times <= Int::from(4 * GREATEST_MULTIPLE)
    };
    exponents.iter().any(is_near).then(|| number.is_positive())
}

/// What a term is if all numbers are small; `None` if it is no wrap.
fn ideal(store: &mut Store, exponents: &BTreeSet<u32>, term: Term) -> Option<Term> {
    match store.view(term) {
        View::Le(poly, bound) if store.poly_is_integral(poly) => {
            sign_of_bound(exponents, &bound.floor()).map(Term::from_bool)
        }
        View::Eq(poly, value) if store.poly_is_integral(poly) => {
            sign_of_bound(exponents, &value.floor()).map(|_| Term::FALSE)
        }
        View::Div(whole, modulus) | View::Mod(whole, modulus) => {
            let modulus = modulus.clone();
            if modulus < Int::from(2).pow(*exponents.last()?) {
                return None;
            }
            let is_quotient = matches!(store.view(term), View::Div(..));
            let offset = match store.view(whole) {
                View::Linear(_, _, offset) => offset.floor(),
                _ => Int::ZERO,
            };
            let quotient = offset.div_floor(&modulus);
            if is_quotient {
                return Some(store.int(quotient));
            }
            let multiple = store.int(&quotient * &modulus);
            Some(store.sub(whole, multiple))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use shem_base::StopToken;
    use shem_chc::{Script, normalise};

    use super::*;

    /// A counter of eight bits, with a sign, as `int-blast` writes it.
    const COUNTER: &str = "(declare-fun p (Int) Bool)
        (assert (p 0))
        (assert (forall ((x Int) (y Int)) (=> (and (p x) (<= (- 128) x 127) (<= (- 128) y 127) (<= x 100)
            (or (= y (+ x 3)) (= y (- x 253)))) (p y))))
        (assert (forall ((x Int)) (=> (and (p x) (< (ite (<= x 126) (+ x 1) (- x 255)) 0)) false)))";

    #[test]
    fn what_is_left_never_wraps_around() {
        let mut store = Store::new();
        let script = Script::read(&mut store, COUNTER, &StopToken::new()).expect("a script");
        let graph = normalise(&mut store, &script.system);
        let mut wraps = Wraps::of(&mut store, &graph);
        let none = Interpretation::new();
        let replaced = wraps.replaced(&mut store, &graph, &none);
        let labels: Vec<(EdgeId, Term)> = replaced.edges().map(|(id, edge)| (id, edge.label)).collect();
        // The equation that wraps, the condition, and nothing of the ranges.
        assert_eq!(wraps.count(), 2);
        let text = |term: Term| store.display(term).to_string();
        let step = text(labels[1].1);
        assert!(step.contains("127") && !step.contains("253") && !step.contains("255"), "{step}");
        assert!(!text(labels[2].1).contains("ite"), "{}", text(labels[2].1));
        // What is kept stays as it is.
        for (id, _) in graph.edges() {
            wraps.keep_all(id);
        }
        let same = wraps.replaced(&mut store, &graph, &none);
        assert!(graph.edges().zip(same.edges()).all(|(before, after)| before.1.label == after.1.label));
    }

    #[test]
    fn numbers_near_powers_are_told_from_others() {
        let exponents = BTreeSet::from([7, 31]);
        for (number, expected) in [
            (0_i64, None),
            (3, None),
            (-3, None),
            (110, None),
            (127, Some(true)),
            (-129, Some(false)),
            (253, Some(true)),
            (1 << 31, Some(true)),
            (5 - (1 << 31), Some(false)),
            ((1 << 30) + 3, Some(true)),
            (1_000_000, None),
        ] {
            assert_eq!(sign_of_bound(&exponents, &Int::from(number)), expected, "{number}");
        }
    }
}
