//! Bit-vectors as integers (*int-blasting*): arguments of width w become integers of a range of 2^w numbers.
//!
//! First, an abstract interpretation finds an [arc](crate::domain::Arc) of the circle of bit-vectors for each argument
//! that has its value in all facts ([`Propagate`]). Each argument is read with or without a sign (see `reading`), and so
//! is each variable of a label. Labels are rewritten by [`Store::bits_as_integers`], exactly: a sum that may leave its
//! range is told apart by cases. What the arcs and the comparisons of a label say about the ranges of its variables is
//! used, so that most sums need none. A label says that the integers of its target are in these ranges, and those of
//! variables that it mentions; so the facts after the pass are the images of those before.
//!
//! The pass does nothing if it cannot translate some label: where there are arrays of bit-vectors, or common bits of two
//! terms that are no numbers.
//!
//! *Back.* A formula about integers is written by bit-vectors again, by [`Store::integers_as_bits`]; where that is not
//! possible, the integers are conversions. Labels before and after the pass agree on facts within the arcs alone, which
//! are closed under the edges, so the arcs are added. A derivation is taken over step by step, with numbers converted.

mod reading;

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use shem_chc::{Derivation, EdgeId, Graph, Interpretation, VertexId};
use shem_term::{BitInteger, CommonBits, IntegerBits, Sort, Store, Substitution, Term};

use crate::domain::Arc;
use crate::interval::{Environment, Intervals, Propagate, describe, enter};
use crate::pass::{After, Back, Pass, PassDescription, Returned, Work};
use crate::rewired::{End, Rewired};
use crate::scan::fresh_of;
use reading::Readings;

/// How arcs are found: with more steps down than intervals, since they are widened to numbers that are far away.
const ARCS: Propagate = Propagate { widening_delay: 4, effort: 2_000_000, descents: 4, for_products: false };

/// Turns bit-vectors into integers.
#[derive(Clone, Copy, Debug, Default)]
pub struct IntBlast;

struct IntBlasted {
    rewired: Rewired,
    /// By old vertex, whether arguments have a sign.
    signs: BTreeMap<VertexId, Vec<bool>>,
    /// What holds of all facts of an old vertex, over its state.
    arcs: Vec<(VertexId, Term)>,
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
        let arcs = ARCS.analyse(store, graph, budget);
        if arcs.is_none() {
            budget.check_stop().ok()?;
            statistics.add("without-arcs", 1);
        }
        let readings = Readings::of(store, graph, arcs.as_ref());
        let mut variables = Variables::default();
        let mut labels: BTreeMap<EdgeId, Term> = BTreeMap::new();
        let edges: Vec<EdgeId> = graph.edges().map(|(id, _)| id).collect();
        for &id in &edges {
            budget.check_stop().ok()?;
            let Ok(label) = translated(store, graph, id, &readings, arcs.as_ref(), &mut variables) else {
                statistics.add("given-up", 1);
                return None;
            };
            labels.insert(id, label);
        }
        let described = arcs.map_or_else(Vec::new, |arcs| {
            let vertices: Vec<VertexId> = graph.vertices().collect();
            vertices.into_iter().map(|vertex| (vertex, describe(store, graph, &arcs, vertex))).collect()
        });
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
            // What was replaced has another id now.
            if graph.get_edge(id).is_some_and(|edge| edge.label != labels[&id]) {
                graph.set_label(id, labels[&id]);
            }
        }
        let rewired = rewired.unwrap_or_default();
        Some(Box::new(IntBlasted { rewired, signs, arcs: described }))
    }
}

/// The label of an edge about integers.
fn translated(
    store: &mut Store,
    graph: &Graph,
    id: EdgeId,
    readings: &Readings,
    arcs: Option<&Intervals>,
    variables: &mut Variables,
) -> Result<Term, &'static str> {
    let edge = graph.edge(id);
    let entered = arcs.map_or_else(|| Some(Environment::default()), |arcs| enter(graph, arcs, edge));
    // A source without facts, or a label that contradicts the arcs.
    let Some(entered) = entered else { return Ok(Term::FALSE) };
    let mut environment = entered.clone();
    if environment.assume(store, edge.label).is_err() {
        return Ok(Term::FALSE);
    }
    let mut known: FxHashMap<Term, BitInteger> = FxHashMap::default();
    let own = &readings.variables[&id];
    for (&variable, &has_sign) in own {
        let range = environment.arc_of(store, variable).range(has_sign);
        let term = variables.integer(store, variable, has_sign);
        known.insert(variable, BitInteger { term, range: Some(range) });
    }
    let label = store.bits_as_integers(edge.label, &known, &mut CommonBits::Refused)?;
    let mentioned = store.free_variables(&[label]);
    let target = graph.vertex(edge.target).target();
    let mut parts = vec![label];
    for (variable, &has_sign) in own {
        let BitInteger { term: integer, range: Some(range) } = &known[variable] else { continue };
        // What the label is translated under, other than what is known of the sources, it has to say.
        let is_narrowed = entered.arc_of(store, *variable).range(has_sign) != *range;
        if target.contains(variable) || is_narrowed || mentioned.binary_search(integer).is_ok() {
            let (least, greatest) = (store.int(range.0.clone()), store.int(range.1.clone()));
            parts.extend([store.le(least, *integer), store.le(*integer, greatest)]);
        }
    }
    Ok(store.and(&parts))
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
            let mut parts = Vec::new();
            for conjunct in store.conjuncts(formula) {
                parts.push(match store.integers_as_bits(conjunct, &bits) {
                    Some(part) => store.substitute(part, &renaming),
                    None => store.rename(conjunct, after, arguments),
                });
            }
            interpretation.insert(old, store.and(&parts));
        }
        for &(vertex, arcs) in &self.arcs {
            let formula = interpretation.get(vertex).unwrap_or(Term::TRUE);
            let both = store.and2(formula, arcs);
            interpretation.insert(vertex, both);
        }
        Ok(interpretation)
    }

    /// What cannot be said about integers is left out.
    fn forward(
        &self,
        store: &mut Store,
        graph: &Graph,
        mut interpretation: Interpretation,
    ) -> Interpretation {
        for (old, new, _) in self.rewired.vertices() {
            let Some(formula) = interpretation.get(old) else { continue };
            let (before, after) = (graph.vertex(old).state(), graph.vertex(new).state());
            let mut integers = FxHashMap::default();
            let mut renaming = Substitution::new();
            for ((&before, &after), &has_sign) in before.iter().zip(after).zip(&self.signs[&old]) {
                match store.sort(before).bit_width() {
                    Some(width) => {
                        let range = Some(Arc::all(width).range(has_sign));
                        integers.insert(before, BitInteger { term: after, range });
                    }
                    None => renaming.bind(store, &[before], &[after]),
                }
            }
            let mut parts = Vec::new();
            for conjunct in store.conjuncts(formula) {
                let part = store.bits_as_integers(conjunct, &integers, &mut CommonBits::Refused);
                parts.extend(part.map(|part| store.substitute(part, &renaming)));
            }
            interpretation.insert(new, store.and(&parts));
        }
        interpretation
    }

    fn derivation(&self, after: After<'_>, derivation: Derivation<EdgeId>) -> Returned<Derivation<EdgeId>> {
        self.rewired.derivation(after, derivation)
    }
}
