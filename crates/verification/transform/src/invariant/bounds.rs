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
use super::search::Domain;
use crate::domain;
use crate::scan::{Scan, source_variables};

/// The most forms of a vertex.
const MAX_FORMS: usize = 48;
/// The most summands of a form that labels compare.
const MAX_SUMMANDS: usize = 4;
/// The most numbers of labels at which bounds stop.
const MAX_NUMBERS: usize = 40;
/// How often a bound may move.
const MOVES: u8 = 6;

/// A linear form over the arguments, sorted by argument, without a common divisor, the first factor positive.
type Form = Vec<(usize, Int)>;

/// What of a state has bounds.
#[derive(Default)]
struct Frame {
    state: Vec<Term>,
    forms: Vec<Form>,
}

/// The domain.
pub(super) struct Bounds {
    /// By vertex.
    frames: Vec<Frame>,
    /// Where bounds stop, sorted.
    thresholds: Vec<Rat>,
}

/// An end of an interval that moves outwards.
struct End {
    value: Option<Rat>,
    moves: u8,
}

/// The bounds of each form.
pub(super) struct Intervals(Vec<(End, End)>);

impl Bounds {
    /// The domain for the vertices of a graph, with the definitions of arguments by vertex.
    pub(super) fn new(store: &Store, graph: &Graph, definitions: &[Vec<Definition>]) -> Bounds {
        let (collected, numbers) = Collected::of(store, graph, definitions);
        let offsets = [Rat::ZERO, Rat::ONE, Rat::MINUS_ONE];
        let moved = |number: &Rat| offsets.each_ref().map(|offset| number + offset);
        let numbers = numbers.iter().take(MAX_NUMBERS).flat_map(moved).flat_map(|n| [-&n, n]);
        let thresholds: BTreeSet<Rat> = numbers.collect();
        let frame = |(at, collected): (usize, Collected)| Frame {
            state: graph.vertex(VertexId::new(at)).state().to_vec(),
            forms: collected.into_forms(),
        };
        let frames = collected.into_iter().enumerate().map(frame).collect();
        Bounds { frames, thresholds: thresholds.into_iter().collect() }
    }
}

impl Domain for Bounds {
    type Element = Intervals;

    fn is_empty(&self) -> bool {
        self.frames.iter().all(|frame| frame.forms.is_empty())
    }

    fn of_state(&self, vertex: VertexId, state: &[Value]) -> Option<Intervals> {
        let end = |value: Option<Rat>| End { value, moves: 0 };
        let interval = |form: &Form| {
            let value = value(form, state)?;
            let (low, high) =
                (domain::below(&self.thresholds, &value), domain::above(&self.thresholds, &value));
            Some((end(low), end(high)))
        };
        Some(Intervals(self.frames[vertex.index()].forms.iter().map(interval).collect::<Option<Vec<_>>>()?))
    }

    fn join(&self, vertex: VertexId, element: &mut Intervals, state: &[Value]) -> bool {
        let mut grown = false;
        for (form, (low, high)) in self.frames[vertex.index()].forms.iter().zip(&mut element.0) {
            let Some(value) = value(form, state) else { continue };
            if low.value.as_ref().is_some_and(|low| value < *low) {
                low.move_to(domain::below(&self.thresholds, &value));
                grown = true;
            }
            if high.value.as_ref().is_some_and(|high| value > *high) {
                high.move_to(domain::above(&self.thresholds, &value));
                grown = true;
            }
        }
        grown
    }

    fn constraints(&self, store: &mut Store, vertex: VertexId, element: &Intervals) -> Vec<Term> {
        let Frame { state, forms } = &self.frames[vertex.index()];
        let mut found = Vec::new();
        let mut single: BTreeMap<usize, (Option<&Rat>, Option<&Rat>)> = BTreeMap::new();
        for (form, (low, high)) in forms.iter().zip(&element.0) {
            if let [(at, _)] = form[..] {
                single.insert(at, (low.value.as_ref(), high.value.as_ref()));
            }
        }
        for (form, (low, high)) in forms.iter().zip(&element.0) {
            let (mut low, mut high) = (low.value.as_ref(), high.value.as_ref());
            // What the bounds of single arguments say already is left out.
            if form.len() > 1 {
                let (least, greatest) = range(form, &single);
                low = low.filter(|low| least.is_none_or(|least| least < **low));
                high = high.filter(|high| greatest.is_none_or(|greatest| greatest > **high));
            }
            found.extend(domain::bounds_of(store, form, state, (low, high)));
        }
        found
    }
}

impl End {
    fn move_to(&mut self, value: Option<Rat>) {
        self.moves += 1;
        self.value = value.filter(|_| self.moves <= MOVES);
    }
}

/// The value of a form in a state.
fn value(form: &Form, state: &[Value]) -> Option<Rat> {
    let mut sum = Rat::ZERO;
    for (at, coefficient) in form {
        sum.add_mul_int(coefficient, state[*at].as_num()?);
    }
    Some(sum)
}

/// What a form can be, by the bounds of its arguments.
fn range(form: &Form, single: &BTreeMap<usize, (Option<&Rat>, Option<&Rat>)>) -> (Option<Rat>, Option<Rat>) {
    let (mut least, mut greatest) = (Some(Rat::ZERO), Some(Rat::ZERO));
    for (at, coefficient) in form {
        let (mut low, mut high) = single.get(at).copied().unwrap_or_default();
        if coefficient.is_negative() {
            (low, high) = (high, low);
        }
        let add = |sum: Option<Rat>, end: Option<&Rat>| {
            let (mut sum, end) = (sum?, end?);
            sum.add_mul_int(coefficient, end);
            Some(sum)
        };
        (least, greatest) = (add(least, low), add(greatest, high));
    }
    (least, greatest)
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
                        own.compared.extend(normal(form));
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

/// A form by its one representation; `None` if an argument occurs twice.
fn normal(mut form: Form) -> Option<Form> {
    form.sort();
    if form.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        return None;
    }
    let common = form.iter().fold(Int::ZERO, |common, (_, c)| common.gcd(c));
    let flip = form[0].1.is_negative();
    for (_, coefficient) in &mut form {
        *coefficient = coefficient.div_exact(&common);
        if flip {
            *coefficient = -&*coefficient;
        }
    }
    Some(form)
}
