//! Bit-vectors as integers (*int-blasting*): arguments of width w become integers of a range of 2^w numbers.
//!
//! Each argument is read with or without a sign (see `reading`), and so is each variable of a label. Labels are
//! rewritten by [`Store::bits_as_integers`], exactly: a sum that may leave its range is told apart by cases. What the
//! comparisons of a label say about the ranges of its variables is used, so that most sums need none. A label says that
//! the integers of its target are in their ranges, and those of variables that it mentions; so the facts after the pass
//! are the images of those before.
//!
//! The pass does nothing if it cannot translate some label: where there are arrays of bit-vectors, or common bits of two
//! terms that are no numbers.
//!
//! *Back.* A formula about integers is written by bit-vectors again, by [`Store::integers_as_bits`]; where that is not
//! possible, the integers are conversions. A derivation is taken over step by step, with numbers converted.

mod reading;

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use shem_base::Int;
use shem_chc::{Derivation, EdgeId, Graph, Interpretation, VertexId};
use shem_term::{BitInteger, BitOp, CommonBits, IntegerBits, Sort, Store, Substitution, Term, View};

use crate::pass::{After, Back, Pass, PassDescription, Returned, Work};
use crate::rewired::{End, Rewired};
use crate::scan::fresh_of;
use reading::Readings;

/// How often the comparisons of a label are gone through for ranges.
const RANGE_ROUNDS: usize = 4;

/// Turns bit-vectors into integers.
#[derive(Clone, Copy, Debug, Default)]
pub struct IntBlast;

struct IntBlasted {
    rewired: Rewired,
    /// By old vertex, whether arguments have a sign.
    signs: BTreeMap<VertexId, Vec<bool>>,
}

/// Integers in the place of bit-vectors.
#[derive(Default)]
struct Variables {
    /// By bit-vector, with and without a sign: auxiliary variables may be read differently by different labels.
    integers: FxHashMap<(Term, bool), Term>,
}

impl Variables {
    fn integer(&mut self, store: &mut Store, variable: Term, has_sign: bool) -> Term {
        *self.integers.entry((variable, has_sign)).or_insert_with(|| fresh_of(store, Sort::Int))
    }
}

/// The least and the greatest number of this width.
fn full_range(width: u32, has_sign: bool) -> (Int, Int) {
    let half = Int::from(2).pow(width - 1);
    match has_sign {
        true => (-&half, &half - &Int::ONE),
        false => (Int::ZERO, &(&half + &half) - &Int::ONE),
    }
}

fn is_bits(store: &Store, term: Term) -> bool {
    store.sort(term).bit_width().is_some()
}

impl Pass for IntBlast {
    fn description(&self) -> PassDescription {
        let summary = "turns bit-vectors into integers of a range, with sums that wrap around as cases";
        PassDescription::new("int-blast", summary).before_abstraction()
    }

    fn apply(&self, Work { store, graph, statistics, budget }: Work<'_>) -> Option<Box<dyn Back>> {
        if !store.has_bit_vectors() {
            return None;
        }
        let labels: Vec<Term> = graph.edges().map(|(_, edge)| edge.label).collect();
        let in_arguments = |v| graph.vertex(v).sorts().iter().any(|sort| sort.bit_width().is_some());
        if !graph.vertices().any(in_arguments) && !store.subterms(&labels).iter().any(|&t| is_bits(store, t))
        {
            return None;
        }
        let readings = Readings::of(store, graph);
        let mut variables = Variables::default();
        let mut labels: BTreeMap<EdgeId, Term> = BTreeMap::new();
        let edges: Vec<EdgeId> = graph.edges().map(|(id, _)| id).collect();
        for &id in &edges {
            budget.check_stop().ok()?;
            let Ok(label) = translated(store, graph, id, &readings, &mut variables) else {
                statistics.add("given-up", 1);
                return None;
            };
            labels.insert(id, label);
        }
        let mut rewired = Rewired::default();
        let old: Vec<VertexId> = graph.vertices().filter(|&vertex| in_arguments(vertex)).collect();
        let mut signs = BTreeMap::new();
        for vertex in old {
            let own = readings.arguments[&vertex].clone();
            let state = graph.vertex(vertex).state().to_vec();
            let mut integers = Vec::with_capacity(state.len());
            for (&variable, &has_sign) in state.iter().zip(&own) {
                integers.push(match (is_bits(store, variable), has_sign) {
                    (false, _) => variable,
                    (true, true) => store.bv_to_signed_int(variable),
                    (true, false) => store.bv_to_int(variable),
                });
            }
            statistics.add("arguments", state.iter().filter(|&&v| is_bits(store, v)).count() as u64);
            rewired.replace(store, graph, vertex, integers, |store, new| {
                let widths = state.iter().map(|&old| store.sort(old).bit_width()).collect::<Vec<_>>();
                let converted = new.iter().zip(widths).map(|(&new, width)| match width {
                    Some(width) => Some(store.int_to_bv(width, new)),
                    None => Some(new),
                });
                converted.collect()
            });
            signs.insert(vertex, own);
        }
        statistics.add("vertices", signs.len() as u64);
        let rewired = rewired.apply(store, graph, budget, |store, _, (id, _), ends| {
            let mut renaming = Substitution::new();
            for End { old, before, after } in ends {
                // Vertices without bit-vectors keep their variables.
                let own = signs.get(old);
                for (at, (&before, &after)) in before.iter().zip(after).enumerate() {
                    let from = match own {
                        Some(own) if is_bits(store, before) => variables.integer(store, before, own[at]),
                        _ => before,
                    };
                    if from != after {
                        renaming.bind(store, &[from], &[after]);
                    }
                }
            }
            store.substitute(labels[&id], &renaming)
        });
        if rewired.is_none() && budget.check_stop().is_err() {
            return None;
        }
        for id in edges {
            // What was replaced has another id now. Of the others only auxiliaries change, which no witness knows.
            if graph.get_edge(id).is_some_and(|edge| edge.label != labels[&id]) {
                graph.set_label(id, labels[&id]);
            }
        }
        Some(Box::new(IntBlasted { rewired: rewired?, signs }))
    }
}

/// The label of an edge about integers.
fn translated(
    store: &mut Store,
    graph: &Graph,
    id: EdgeId,
    readings: &Readings,
    variables: &mut Variables,
) -> Result<Term, &'static str> {
    let edge = graph.edge(id);
    let mut known: FxHashMap<Term, BitInteger> = FxHashMap::default();
    let own = &readings.variables[&id];
    for (&variable, &has_sign) in own {
        let range = full_range(store.width(variable), has_sign);
        let term = variables.integer(store, variable, has_sign);
        known.insert(variable, BitInteger { term, range: Some(range) });
    }
    narrow(store, edge.label, &mut known);
    let label = store.bits_as_integers(edge.label, &known, &mut CommonBits::Refused)?;
    let mentioned = store.free_variables(&[label]);
    let target = graph.vertex(edge.target).target();
    let mut parts = vec![label];
    for (&variable, &has_sign) in own {
        let integer = known[&variable].term;
        if target.contains(&variable) || mentioned.binary_search(&integer).is_ok() {
            let (least, greatest) = full_range(store.width(variable), has_sign);
            let (least, greatest) = (store.int(least), store.int(greatest));
            parts.extend([store.le(least, integer), store.le(integer, greatest)]);
        }
    }
    Ok(store.and(&parts))
}

/// Narrows the ranges of variables by the comparisons of a label.
fn narrow(store: &Store, label: Term, known: &mut FxHashMap<Term, BitInteger>) {
    let mut comparisons: Vec<(Term, Term, bool, bool)> = Vec::new();
    for conjunct in store.conjuncts(label) {
        if let Some((op @ (BitOp::SignedLessEqual | BitOp::LessEqual), &[a, b])) =
            store.as_bit_op(conjunct.positive())
        {
            let (a, b, is_strict) = if conjunct.is_negated() { (b, a, true) } else { (a, b, false) };
            comparisons.push((a, b, is_strict, op == BitOp::SignedLessEqual));
        } else if let View::Equal(a, b) = store.view(conjunct)
            && !conjunct.is_negated()
            && (store.as_bit_vector(a).is_some() || store.as_bit_vector(b).is_some())
        {
            for has_sign in [true, false] {
                comparisons.extend([(a, b, false, has_sign), (b, a, false, has_sign)]);
            }
        }
    }
    let range = |known: &FxHashMap<Term, BitInteger>, term: Term, has_sign: bool| -> Option<(Int, Int)> {
        if let Some(number) = store.as_bit_vector(term) {
            let number = if has_sign { number.to_signed() } else { number.to_int() };
            return Some((number.clone(), number));
        }
        let range = known.get(&term)?.range.clone()?;
        let (least, greatest) = full_range(store.width(term), has_sign);
        // Otherwise it is read differently.
        (range.0 >= least && range.1 <= greatest).then_some(range)
    };
    for _ in 0..RANGE_ROUNDS {
        let mut has_changed = false;
        for &(a, b, is_strict, has_sign) in &comparisons {
            let (Some(low), Some(high)) = (range(known, a, has_sign), range(known, b, has_sign)) else {
                continue;
            };
            let step = Int::from(i64::from(is_strict));
            let (greatest, least) = (&high.1 - &step, &low.0 + &step);
            if let Some(BitInteger { range: Some(own), .. }) = known.get_mut(&a)
                && greatest < own.1
                && greatest >= own.0
            {
                own.1 = greatest;
                has_changed = true;
            }
            if let Some(BitInteger { range: Some(own), .. }) = known.get_mut(&b)
                && least > own.0
                && least <= own.1
            {
                own.0 = least;
                has_changed = true;
            }
        }
        if !has_changed {
            break;
        }
    }
}

impl Back for IntBlasted {
    fn interpretation(
        &self,
        After { store, graph, budget }: After<'_>,
        mut interpretation: Interpretation,
    ) -> Returned<Interpretation> {
        for (old, new, arguments) in self.rewired.vertices() {
            budget.check_stop()?;
            let formula = interpretation.get(new).unwrap_or(Term::TRUE);
            let (before, after) = (graph.vertex(old).state(), graph.vertex(new).state());
            let mut bits = FxHashMap::default();
            let mut renaming = Substitution::new();
            for ((&before, &after), &has_sign) in before.iter().zip(after).zip(&self.signs[&old]) {
                if is_bits(store, before) {
                    bits.insert(after, IntegerBits { bits: before, has_sign });
                } else {
                    renaming.bind(store, &[after], &[before]);
                }
            }
            let formula = match store.integers_as_bits(formula, &bits) {
                Some(formula) => store.substitute(formula, &renaming),
                None if interpretation.get(new).is_some() => {
                    interpretation.apply(store, graph, new, arguments)
                }
                None => Term::TRUE,
            };
            interpretation.insert(old, formula);
        }
        Ok(interpretation)
    }

    fn derivation(&self, after: After<'_>, derivation: Derivation<EdgeId>) -> Returned<Derivation<EdgeId>> {
        self.rewired.derivation(after, derivation)
    }
}
