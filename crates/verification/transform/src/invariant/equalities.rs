//! Affine equalities of the numbers of a state, and of its truth values as zero and one.
//!
//! The two are kept apart: what relates a truth value and a number is seldom affine. An equality of truth values is
//! written as clauses over few variables: constants, equivalences, "exactly one of three". Wide equalities are left out,
//! but for two numbers that differ by a constant everywhere.

use std::collections::BTreeMap;

use shem_base::Rat;
use shem_chc::{Graph, VertexId};
use shem_term::{Sort, Store, Term, Value};

use crate::domain::{Determined, Domain, Subspace, equality};

/// The bits that entries may have; beyond, a set has no constraints.
const MAX_BITS: u64 = 64;
/// The most variables of an equality of numbers.
const MAX_SUMMANDS: usize = 6;
/// The most truth values in an equality, which becomes up to two to the power of it clauses.
const MAX_TRUTHS: usize = 4;
/// The most variables on the right-hand side of a definition that takes the place of an argument.
const MAX_DEFINITION: usize = 2;

/// What of a state are coordinates.
struct Coordinates {
    /// Positions of the numbers, and of the truth values.
    numbers: Vec<usize>,
    truths: Vec<usize>,
    state: Vec<Term>,
}

/// The domain.
pub(super) struct Equalities {
    /// By vertex.
    coordinates: Vec<Coordinates>,
}

/// The affine hulls of some states; `None` if the entries became too large.
pub(super) struct AffineHulls {
    numbers: Option<Subspace>,
    truths: Option<Subspace>,
}

/// An argument that the others determine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Definition {
    /// The position of the argument.
    pub(super) at: usize,
    /// What it is, over those variables of the state that have no definition.
    pub(super) term: Term,
}

/// What holds of all states of a hull.
struct Relation {
    formula: Term,
    definition: Option<Definition>,
}

impl Equalities {
    /// The domain for the vertices of a graph.
    pub(super) fn new(store: &Store, graph: &Graph) -> Equalities {
        let coordinates = |at| {
            let state = graph.vertex(VertexId::new(at)).state().to_vec();
            let of = |wanted: &[Sort]| -> Vec<usize> {
                (0..state.len()).filter(|&at| wanted.contains(&store.sort(state[at]))).collect()
            };
            Coordinates { numbers: of(&[Sort::Int, Sort::Real]), truths: of(&[Sort::Bool]), state }
        };
        Equalities { coordinates: (0..graph.vertex_bound()).map(coordinates).collect() }
    }

    /// The arguments that others determine in all states of a hull.
    pub(super) fn definitions(
        &self,
        store: &mut Store,
        vertex: VertexId,
        hulls: &AffineHulls,
    ) -> Vec<Definition> {
        self.relations(store, vertex, hulls).into_iter().filter_map(|relation| relation.definition).collect()
    }

    fn relations(&self, store: &mut Store, vertex: VertexId, hulls: &AffineHulls) -> Vec<Relation> {
        let Coordinates { numbers, truths, state } = &self.coordinates[vertex.index()];
        let mut found = Vec::new();
        if let Some(hull) = &hulls.numbers {
            for determined in sparse(hull, MAX_SUMMANDS) {
                found.push(relation_of_numbers(store, state, numbers, determined));
            }
        }
        if let Some(hull) = &hulls.truths {
            for determined in sparse(hull, MAX_TRUTHS) {
                found.push(relation_of_truths(store, state, truths, &determined));
            }
        }
        found
    }
}

impl Domain for Equalities {
    type Element = AffineHulls;
    // Wide equalities are left out.
    const IS_MONOTONE: bool = false;

    fn is_empty(&self) -> bool {
        self.coordinates.iter().all(|own| own.numbers.is_empty() && own.truths.is_empty())
    }

    fn of_state(&self, _: &Store, vertex: VertexId, state: &[Value]) -> Option<AffineHulls> {
        let Coordinates { numbers, truths, .. } = &self.coordinates[vertex.index()];
        let [numbers, truths] = [numbers, truths].map(|at| point(at, state).map(Subspace::of_point));
        Some(AffineHulls { numbers: Some(numbers?), truths: Some(truths?) })
    }

    fn join(&self, _: &Store, vertex: VertexId, hulls: &mut AffineHulls, state: &[Value]) -> bool {
        let Coordinates { numbers, truths, .. } = &self.coordinates[vertex.index()];
        let mut grown = false;
        for (positions, part) in [(numbers, &mut hulls.numbers), (truths, &mut hulls.truths)] {
            if let (Some(space), Some(point)) = (part.as_mut(), point(positions, state)) {
                grown |= space.join_point(&point);
                if space.bits() > MAX_BITS {
                    *part = None;
                    grown = true;
                }
            }
        }
        grown
    }

    fn constraints(&self, store: &mut Store, vertex: VertexId, hulls: &AffineHulls) -> Vec<Term> {
        self.relations(store, vertex, hulls).into_iter().map(|relation| relation.formula).collect()
    }
}

/// The coordinates at these positions; `None` if one has another sort.
fn point(positions: &[usize], state: &[Value]) -> Option<Vec<Rat>> {
    let coordinate = |&at: &usize| match &state[at] {
        Value::Num(number) => Some(number.clone()),
        Value::Bool(truth) => Some(if *truth { Rat::ONE } else { Rat::ZERO }),
        _ => None,
    };
    positions.iter().map(coordinate).collect()
}

/// The equalities of a hull that have few variables.
fn sparse(hull: &Subspace, most: usize) -> Vec<Determined> {
    let mut found = Vec::new();
    // The first coordinate that is a sum of many others, by the summands.
    let mut wide: BTreeMap<Vec<(usize, Rat)>, (usize, Rat)> = BTreeMap::new();
    for (column, terms, constant) in hull.determined() {
        if terms.len() < most {
            found.push((column, terms, constant));
        } else if let Some((first, value)) = wide.get(&terms) {
            let constant = &constant - value;
            found.push((column, vec![(*first, Rat::ONE)], constant));
        } else {
            wide.insert(terms, (column, constant));
        }
    }
    found
}

/// An equality of numbers. What has a definition is nowhere else on the right: there are coordinates that nothing
/// determines, or that have many summands.
fn relation_of_numbers(
    store: &mut Store,
    state: &[Term],
    positions: &[usize],
    (column, terms, constant): Determined,
) -> Relation {
    let variable = state[positions[column]];
    let sort = store.sort(variable);
    let others: Vec<(Rat, Term)> = terms.iter().map(|(at, c)| (c.clone(), state[positions[*at]])).collect();
    let mut all: Vec<(Rat, Term)> = others.iter().map(|(c, term)| (-c, *term)).collect();
    all.push((Rat::ONE, variable));
    let formula = equality(store, &all, &constant);
    let is_whole = constant.is_integer()
        && others.iter().all(|(c, term)| c.is_integer() && store.sort(*term) == Sort::Int);
    let definition = (others.len() <= MAX_DEFINITION && (sort == Sort::Real || is_whole)).then(|| {
        let sum: Vec<(Rat, Term)> = others
            .into_iter()
            .map(|(c, term)| (c, if sort == Sort::Real { store.to_real(term) } else { term }))
            .collect();
        Definition { at: positions[column], term: store.linear(&sum, &constant, sort) }
    });
    Relation { formula, definition }
}

/// An equality of truth values.
fn relation_of_truths(
    store: &mut Store,
    state: &[Term],
    positions: &[usize],
    (column, terms, constant): &Determined,
) -> Relation {
    let variable = state[positions[*column]];
    let others: Vec<Term> = terms.iter().map(|(at, _)| state[positions[*at]]).collect();
    // What the others are, as bits, in all cases: the variable is the sum, which is neither zero nor one in cases that
    // there are not.
    let mut clauses = Vec::new();
    let mut values = Vec::new();
    for case in 0..1usize << terms.len() {
        let holds = |at: usize| case >> at & 1 == 1;
        let mut sum = constant.clone();
        for (at, (_, coefficient)) in terms.iter().enumerate() {
            if holds(at) {
                sum = &sum + coefficient;
            }
        }
        let mut clause: Vec<Term> =
            others.iter().enumerate().map(|(at, &other)| other.xor(holds(at))).collect();
        if sum.is_zero() || sum.is_one() {
            clause.push(variable.xor(sum.is_zero()));
        }
        values.push(sum);
        clauses.push(store.or(&clause));
    }
    let definition = match (&others[..], &values[..]) {
        ([], [value]) if value.is_zero() || value.is_one() => Some(Term::from_bool(value.is_one())),
        ([other], [a, b]) if a.is_zero() && b.is_one() => Some(*other),
        ([other], [a, b]) if a.is_one() && b.is_zero() => Some(!*other),
        _ => None,
    };
    let definition = definition.map(|term| Definition { at: positions[*column], term });
    Relation { formula: store.and(&clauses), definition }
}
