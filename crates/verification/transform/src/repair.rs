//! The way back for interpretations: formulas for eliminated vertices, by interpolation.
//!
//! Let `A(x)` say that some edge to a vertex can derive it for the arguments `x`, with the interpretation of
//! the edge's sources, and let `B(x)` say that an edge from it, with the interpretation of its other sources,
//! leads outside the interpretation of its target. If the edges were composed, then `A(x) ∧ B(x)` has no
//! solution, since the interpretation fits the composed edges. A Craig interpolant of the two follows from
//! `A`, so it fits the edges to the vertex, and excludes `B`, so it fits the edge from it; it is a formula
//! over `x` without quantifiers. The conjunction of the interpolants for all edges from the vertex fits them
//! all.
//!
//! An edge in which the vertex is several times among the sources is done one occurrence after the other: the
//! first interpolant is that of `A(x1)` and `A(x2) ∧ B(x1, x2)`, the next that of `A(x2)` and `I1(x1) ∧ B(x1,
//! x2)`, and so on. Each follows from `A`, and together they exclude `B`; hence so does the conjunction of all
//! of them, put for every occurrence.
//!
//! Where the refutation takes long, it need not be found. If definitions eliminate all other variables of `B`, as where
//! the edge is a call that passes its arguments on, its negation is over `x`, excludes `B`, and follows from `A`, since the
//! interpretation fits the composed edges. If not, and `B` says that some of `x` are constants, they are put into `A` as
//! well, where a shift by any number becomes one by a number that is known. What is then an interpolant `I'` over the
//! others gives one of the two: that `I'` holds if these of `x` have these values.
//!
//! Where the theories give no interpolant, `∃ A` over all other variables takes its place, or the negation of `∃ B`, if
//! quantifiers can be eliminated there.
//!
//! The vertex may also stay, when only some of the edges from it were composed (see `inline`): then the
//! interpolants are added to the formula that it has. What it has fits the edges to it, and strengthening a
//! source keeps every other edge valid; an edge from the vertex to itself is covered, too, as its premise
//! only grows stronger.

use shem_base::{Budget, Effort};
use shem_chc::{Derivation, Edge, EdgeId, Graph, Interpretation, VertexId};
use shem_smt::interpolate::{ItpError, ItpOptions};
use shem_smt::project::eliminate;
use shem_smt::{Answer, Solver};
use shem_term::{Store, Substitution, Term};

use crate::pass::{After, Back, BackError, Returned};
use crate::reduce::{DEPTH, Reducer};
use crate::replay::Replay;
use crate::scan::{Scan, constants, fresh_all, source_variables};

/// The effort for the elimination of variables where there is no interpolant.
const ELIMINATION: Effort = Effort { conflicts: 20_000, pivots: 200_000, splits: 5_000 };

/// The effort for the refutation of both sides as they are, before there is another way.
const FIRST_TRY: Effort = Effort { conflicts: 500, pivots: 5_000, splits: 16 };

/// A vertex whose formula has to be found, or to be made stronger.
#[derive(Clone, Debug)]
pub(crate) struct Repair {
    pub(crate) vertex: VertexId,
    /// Whether the vertex is still there, so that it has a formula.
    pub(crate) stays: bool,
    /// All edges to the vertex as they were.
    pub(crate) incoming: Vec<Edge>,
    /// The edges from the vertex that were removed.
    pub(crate) outgoing: Vec<Edge>,
}

/// The way back of a pass that composes edges: repairs of vertices, and how a composed step is replayed.
#[derive(Default)]
pub(crate) struct Composed {
    pub(crate) replay: Replay,
    pub(crate) repairs: Vec<Repair>,
}

impl Back for Composed {
    fn interpretation(&self, at: After<'_>, mut interpretation: Interpretation) -> Returned<Interpretation> {
        let After { store, graph, budget } = at;
        repair_all(&self.repairs, store, graph, &mut interpretation, budget)?;
        Ok(interpretation)
    }

    /// Vertices that were removed have no formula.
    fn backward(&self, _: After<'_>, interpretation: Interpretation) -> Returned<Interpretation> {
        Ok(interpretation)
    }

    fn derivation(&self, at: After<'_>, derivation: Derivation<EdgeId>) -> Returned<Derivation<EdgeId>> {
        self.replay.derivation(at, derivation)
    }
}

/// Repairs, in the order in which the pass made them necessary; the last is done first.
fn repair_all(
    repairs: &[Repair],
    store: &mut Store,
    graph: &Graph,
    interpretation: &mut Interpretation,
    budget: &mut Budget,
) -> Returned<()> {
    let mut scan = Scan::default();
    for repair in repairs.iter().rev() {
        budget.check_stop()?;
        let mut parts = Vec::with_capacity(repair.outgoing.len() + 1);
        if repair.stays {
            parts.extend(interpretation.get(repair.vertex));
        }
        for edge in &repair.outgoing {
            let part = repair.exclude(store, &mut scan, graph, interpretation, edge, budget)?;
            parts.push(part);
        }
        let formula = store.and(&parts);
        interpretation.insert(repair.vertex, formula);
    }
    Ok(())
}

/// The interpretation of a vertex about these terms; what has no formula stands for truth.
fn apply(
    store: &mut Store,
    graph: &Graph,
    interpretation: &Interpretation,
    vertex: VertexId,
    terms: &[Term],
) -> Term {
    match interpretation.get(vertex) {
        Some(_) => interpretation.apply(store, graph, vertex, terms),
        None => Term::TRUE,
    }
}

impl Repair {
    /// A formula over the state of the vertex that follows from the edges to it and fits this edge from it.
    fn exclude(
        &self,
        store: &mut Store,
        scan: &mut Scan,
        graph: &Graph,
        interpretation: &Interpretation,
        edge: &Edge,
        budget: &mut Budget,
    ) -> Returned<Term> {
        let variables = source_variables(graph, &edge.sources);
        let target = graph.vertex(edge.target).target();
        let mut rest = vec![edge.label];
        let mut occurrences = Vec::new();
        for (&source, variables) in edge.sources.iter().zip(&variables) {
            if source == self.vertex {
                occurrences.push(&variables[..]);
            } else {
                rest.push(apply(store, graph, interpretation, source, variables));
            }
        }
        rest.push(!apply(store, graph, interpretation, edge.target, target));
        let mut derivable = Vec::with_capacity(occurrences.len());
        for variables in &occurrences {
            derivable.push(self.derivable(store, scan, graph, interpretation, variables));
        }
        let state = graph.vertex(self.vertex).state();
        let mut found = Vec::with_capacity(occurrences.len());
        for (at, variables) in occurrences.iter().enumerate() {
            let (first, others) = (derivable[at], &derivable[at + 1..]);
            let second = [&rest[..], others].concat();
            let mut tried = budget.within(FIRST_TRY, |budget| {
                self.interpolant(store, scan, graph, first, &second, variables, budget)
            });
            if matches!(tried, Err(BackError::Unknown(_))) && budget.can_go_on() {
                let known = Constants::of(store, &second, variables);
                tried = match weakest(store, &second, variables) {
                    Some(weakest) => Ok(weakest),
                    None => {
                        let first = known.put_into(store, first);
                        self.interpolant(store, scan, graph, first, &second, variables, budget)
                            .map(|interpolant| known.implying(store, interpolant))
                    }
                };
            }
            let interpolant = tried?;
            rest.push(interpolant);
            found.push(store.rename(interpolant, variables, state));
        }
        Ok(store.and(&found))
    }

    /// An interpolant of a formula and others, over these variables.
    #[expect(clippy::too_many_arguments, reason = "the two sides and what they have in common")]
    fn interpolant(
        &self,
        store: &mut Store,
        scan: &mut Scan,
        graph: &Graph,
        first: Term,
        second: &[Term],
        variables: &[Term],
        budget: &mut Budget,
    ) -> Returned<Term> {
        let mut solver = Solver::new(Default::default());
        let a = solver.assert(store, first);
        for &formula in second {
            solver.assert(store, formula);
        }
        let mut refutation = match solver.check(store, budget) {
            Answer::Unsat(refutation) => refutation,
            Answer::Unknown(reason) => return Err(reason.into()),
            Answer::Sat(_) => {
                let name = graph.vertex(self.vertex).name();
                return Err(BackError::Broken(format!("no interpretation of {name} fits")));
            }
        };
        match refutation.interpolant(store, &[a], &ItpOptions::default(), budget) {
            Ok(interpolant) => Ok(interpolant),
            Err(ItpError::Unknown(reason)) => {
                budget.check_stop()?;
                Ok(separate(store, scan, first, second, variables, budget).ok_or(reason)?)
            }
            Err(error) => Err(BackError::Broken(error.to_string())),
        }
    }

    /// Says that an edge derives the vertex for these terms.
    fn derivable(
        &self,
        store: &mut Store,
        scan: &mut Scan,
        graph: &Graph,
        interpretation: &Interpretation,
        terms: &[Term],
    ) -> Term {
        let mut ways = Vec::with_capacity(self.incoming.len());
        for edge in &self.incoming {
            let mut parts = Vec::with_capacity(edge.sources.len() + 1);
            let mut sources = Vec::with_capacity(edge.sources.len());
            for &source in &edge.sources {
                let variables = fresh_all(store, graph.vertex(source).state());
                parts.push(apply(store, graph, interpretation, source, &variables));
                sources.push(variables);
            }
            parts.push(scan.instance(store, graph, edge, &sources, terms));
            ways.push(store.and(&parts));
        }
        store.or(&ways)
    }
}

/// The weakest formula over the variables that excludes the others, if definitions and the like eliminate all other
/// variables of these.
fn weakest(store: &mut Store, formulas: &[Term], variables: &[Term]) -> Option<Term> {
    let mut reducer = Reducer::default();
    let formula = store.and(formulas);
    let mut local = reducer.scan.variables(store, &[formula]);
    local.retain(|v| !variables.contains(v));
    let found = reducer.reduce(store, formula, &local, DEPTH);
    let is_over_them = reducer.scan.variables(store, &[found]).iter().all(|v| variables.contains(v));
    is_over_them.then_some(!found)
}

/// Variables that one side gives a value.
struct Constants {
    variables: Vec<Term>,
    values: Vec<Term>,
}

impl Constants {
    /// What the conjuncts of these formulas say of the variables.
    fn of(store: &mut Store, formulas: &[Term], variables: &[Term]) -> Constants {
        let mut found = Constants { variables: Vec::new(), values: Vec::new() };
        let formula = store.and(formulas);
        for (at, value) in constants(store, formula, variables) {
            let sort = store.sort(variables[at]);
            found.variables.push(variables[at]);
            found.values.push(store.value_term(&value, sort));
        }
        found
    }

    /// A formula with the values in place of the variables.
    fn put_into(&self, store: &mut Store, formula: Term) -> Term {
        let mut substitution = Substitution::new();
        substitution.bind(store, &self.variables, &self.values);
        store.substitute(formula, &substitution)
    }

    /// The formula holds if the variables have the values.
    fn implying(&self, store: &mut Store, formula: Term) -> Term {
        let mut cases = vec![formula];
        for (&variable, &value) in self.variables.iter().zip(&self.values) {
            cases.push(!store.eq(variable, value));
        }
        store.or(&cases)
    }
}

/// A formula over the variables between `first` and the others, where there is no interpolant: all other variables of
/// one side are eliminated. `None` if neither side allows it.
fn separate(
    store: &mut Store,
    scan: &mut Scan,
    first: Term,
    second: &[Term],
    variables: &[Term],
    budget: &mut Budget,
) -> Option<Term> {
    let second = store.and(second);
    for (formula, negated) in [(first, false), (second, true)] {
        let mut local = scan.variables(store, &[formula]);
        local.retain(|v| !variables.contains(v));
        if let Ok(found) = eliminate(store, &local, formula, &mut budget.at_most(ELIMINATION)) {
            return Some(found.xor(negated));
        }
    }
    None
}
