//! Bounds of linear forms of integers: arguments, sums and differences of two, and what the labels compare.
//!
//! With all sums and differences of two arguments these are octagons (Miné 2006, "The octagon abstract domain"). Here a
//! vertex has a list of forms, at most so many: forms that labels compare, single arguments, then pairs, those first
//! whose arguments occur together in an atom. No closure is computed, since the solver sees all bounds together when it
//! is asked for a step that leaves one. A bound that moves stops at a number of the labels, a few times, and then goes.

use std::collections::{BTreeMap, BTreeSet};

use shem_base::{Int, Rat};
use shem_chc::{Graph, VertexId};
use shem_term::{Sort, Store, Term, Value, View};

use super::equalities::Definition;
use crate::domain::{Domain, Form, Interval, Thresholds, bounds_of, normal_form, value_of};
use crate::scan::{Scan, source_variables};

/// The most forms of a vertex.
const MAX_FORMS: usize = 48;
/// The most summands of a form that labels compare.
const MAX_SUMMANDS: usize = 4;
/// The most numbers of labels at which bounds stop.
const MAX_NUMBERS: usize = 40;
/// How often a bound may move.
const MOVES: u8 = 6;

/// What of the states of a vertex has bounds.
#[derive(Default)]
struct Bounded {
    state: Vec<Term>,
    /// Linear forms over the arguments.
    forms: Vec<Form>,
}

/// The domain.
pub(super) struct Bounds {
    /// By vertex.
    bounded: Vec<Bounded>,
    /// Where bounds stop.
    thresholds: Thresholds,
}

/// The bounds of a form, and how often its lower and its upper bound have moved.
pub(super) struct MovingInterval {
    interval: Interval,
    moves: (u8, u8),
}

impl Bounds {
    /// The domain for the vertices of a graph, with the definitions of arguments by vertex.
    pub(super) fn new(store: &Store, graph: &Graph, definitions: &[Vec<Definition>]) -> Bounds {
        let (collected, numbers) = Collected::of(store, graph, definitions);
        let thresholds = Thresholds::around(numbers.iter().take(MAX_NUMBERS));
        let bounded = |(at, collected): (usize, Collected)| Bounded {
            state: graph.vertex(VertexId::new(at)).state().to_vec(),
            forms: collected.into_forms(),
        };
        Bounds { bounded: collected.into_iter().enumerate().map(bounded).collect(), thresholds }
    }
}

impl Domain for Bounds {
    /// By form.
    type Element = Vec<MovingInterval>;
    // Bounds of sums that follow from those of the summands are left out.
    const IS_MONOTONE: bool = false;

    fn is_empty(&self) -> bool {
        self.bounded.iter().all(|bounded| bounded.forms.is_empty())
    }

    fn of_state(&self, _: &Store, vertex: VertexId, state: &[Value]) -> Option<Vec<MovingInterval>> {
        let interval = |form: &Form| {
            let value = value_of(form, |at| state[at].as_num())?;
            let (low, high) = (self.thresholds.below(&value), self.thresholds.above(&value));
            Some(MovingInterval { interval: Interval { low, high }, moves: (0, 0) })
        };
        self.bounded[vertex.index()].forms.iter().map(interval).collect()
    }

    fn join(&self, _: &Store, vertex: VertexId, element: &mut Vec<MovingInterval>, state: &[Value]) -> bool {
        let mut grown = false;
        for (form, MovingInterval { interval, moves }) in
            self.bounded[vertex.index()].forms.iter().zip(element)
        {
            let Some(value) = value_of(form, |at| state[at].as_num()) else { continue };
            let moved = interval.join_value(
                &value,
                |value| self.thresholds.below(value).filter(|_| moves.0 < MOVES),
                |value| self.thresholds.above(value).filter(|_| moves.1 < MOVES),
            );
            moves.0 += u8::from(moved.0);
            moves.1 += u8::from(moved.1);
            grown |= moved.0 || moved.1;
        }
        grown
    }

    fn constraints(&self, store: &mut Store, vertex: VertexId, element: &Vec<MovingInterval>) -> Vec<Term> {
        let Bounded { state, forms } = &self.bounded[vertex.index()];
        let mut found = Vec::new();
        let mut single: BTreeMap<usize, &Interval> = BTreeMap::new();
        for (form, MovingInterval { interval, .. }) in forms.iter().zip(element) {
            if let [(at, _)] = form[..] {
                single.insert(at, interval);
            }
        }
        for (form, MovingInterval { interval, .. }) in forms.iter().zip(element) {
            let mut interval = interval.clone();
            // What the bounds of single arguments say already is left out.
            if form.len() > 1 {
                let implied = range(form, &single);
                interval.low = interval.low.filter(|low| implied.low.is_none_or(|least| least < *low));
                interval.high = interval.high.filter(|high| implied.high.is_none_or(|most| most > *high));
            }
            found.extend(bounds_of(store, form, state, &interval));
        }
        found
    }
}

/// What a form can be, by the bounds of its arguments.
fn range(form: &Form, single: &BTreeMap<usize, &Interval>) -> Interval {
    form.iter().fold(Interval::point(Rat::ZERO), |sum, (at, coefficient)| match single.get(at) {
        Some(interval) => sum.add(&interval.scale(&Rat::from(coefficient))),
        None => Interval::default(),
    })
}

/// What labels say about one vertex.
#[derive(Default)]
struct Collected {
    /// The integers that have no definition.
    free: Vec<usize>,
    compared: BTreeSet<Form>,
    /// Pairs of arguments that occur together.
    pairs: BTreeSet<(usize, usize)>,
}

impl Collected {
    /// What the labels of a graph compare, by vertex, and the numbers in them.
    fn of(store: &Store, graph: &Graph, definitions: &[Vec<Definition>]) -> (Vec<Collected>, BTreeSet<Rat>) {
        let mut found: Vec<Collected> = Vec::with_capacity(graph.vertex_bound());
        for (index, known) in definitions.iter().enumerate() {
            let vertex = graph.vertex(VertexId::new(index));
            let is_integer = |at: &usize| vertex.sorts()[*at] == Sort::Int;
            let is_free = |at: &usize| known.iter().all(|definition| definition.at != *at);
            let free = (0..vertex.sorts().len()).filter(is_integer).filter(is_free).collect();
            found.push(Collected { free, ..Collected::default() });
        }
        let mut numbers = BTreeSet::from([Rat::ZERO]);
        let mut scan = Scan::default();
        for (_, edge) in graph.edges() {
            let mut owners: BTreeMap<Term, (VertexId, usize)> = BTreeMap::new();
            let sources = edge.sources.iter().copied().zip(source_variables(graph, &edge.sources));
            let target = (edge.target, graph.vertex(edge.target).target().to_vec());
            for (vertex, variables) in sources.chain([target]) {
                owners.extend(variables.into_iter().enumerate().map(|(at, v)| (v, (vertex, at))));
            }
            scan.each(store, &[edge.label], |term| {
                let (View::Le(poly, value)
                | View::Lt(poly, value)
                | View::Eq(poly, value)
                | View::Linear(_, poly, value)) = store.view(term)
                else {
                    return;
                };
                numbers.insert(value.clone());
                let is_comparison = !matches!(store.view(term), View::Linear(..));
                let terms = store.poly_terms(poly);
                if terms.len() > MAX_SUMMANDS {
                    return;
                }
                let mut by_vertex: BTreeMap<VertexId, Form> = BTreeMap::new();
                for part in terms {
                    if let Some(&(vertex, at)) = owners.get(&part.leaf)
                        && found[vertex.index()].free.contains(&at)
                    {
                        by_vertex.entry(vertex).or_default().push((at, part.coeff.clone()));
                    }
                }
                for (vertex, form) in by_vertex {
                    let own = &mut found[vertex.index()];
                    for (number, (a, _)) in form.iter().enumerate() {
                        own.pairs.extend(form[..number].iter().map(|(b, _)| (*a.min(b), *a.max(b))));
                    }
                    if is_comparison && form.len() == terms.len() && form.len() > 1 {
                        own.compared.extend(normal_form(form));
                    }
                }
            });
        }
        (found, numbers)
    }

    /// The forms that are given bounds.
    fn into_forms(self) -> Vec<Form> {
        let Collected { free, compared, mut pairs } = self;
        pairs.retain(|(a, b)| a != b);
        let mut forms: Vec<Form> = Vec::new();
        let mut add = |form: Form| {
            if forms.len() < MAX_FORMS && !forms.contains(&form) {
                forms.push(form);
            }
        };
        compared.into_iter().take(MAX_FORMS / 4).for_each(&mut add);
        for &at in &free {
            add(vec![(at, Int::ONE)]);
        }
        let all = free.iter().enumerate().flat_map(|(n, &b)| free[..n].iter().map(move |&a| (a, b)));
        let all: Vec<(usize, usize)> = pairs.iter().copied().chain(all).collect();
        for &(a, b) in &all {
            add(vec![(a, Int::ONE), (b, Int::MINUS_ONE)]);
        }
        for &(a, b) in &all {
            add(vec![(a, Int::ONE), (b, Int::ONE)]);
        }
        forms
    }
}
