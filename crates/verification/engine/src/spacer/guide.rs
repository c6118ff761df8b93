//! Global guidance: new lemmas and obligations from the lemmas found so far.
//!
//! A lemma is made from one obligation alone, and in a loop that counts there is one obligation, and one lemma,
//! for each value of the counter. Krishnan, Chen, Shoham and Gurfinkel (2020) group lemmas with the same pattern
//! into clusters and use four rules when a cluster grows:
//!
//! - *subsume*: the numerals of the cluster have a hull; the pattern over all of the hull is one cube that
//!   contains all of the lemmas' cubes, and its negation is tried as a lemma;
//! - *conjecture*: if lemmas bound one polynomial further and further, obligations are tried without that bound;
//! - *concretise*: if the coefficients of obligations keep changing, obligations are restricted to boxes;
//! - *restrain*: if the lemma for an obligation would only be the next of such a series, the negation of the whole
//!   obligation is learnt instead, so that the cluster of whole obligations grows.
//!
//! What is conjectured need not be true. Ours asks first whether it is inductive relative to the lemmas below,
//! which is one query; otherwise it becomes a *tentative* obligation, with a limit on the effort (gas) for it and
//! its descendants. Its lemmas and facts are proved like all others; if it can be derived, it is dropped. The widest
//! cube, with no bound on the range of the numerals, is tried first; the one that just covers the numerals seen so
//! far is tried last.

use shem_base::{Budget, Rat, UnknownReason};
use shem_chc::VertexId;
use shem_smt::project::simplify_cube;
use shem_smt::{Answer, Model, Solver};
use shem_term::{Sort, Store, Substitution, Term, Value, View};

use super::cluster_hull::{ClusterHull, RangeEnds};
use super::obligation::ObligationId;
use super::pattern::{LiteralPattern, Relation, excluded_cube, sort_of, split_numeral};
use super::search::SpacerSearch;

/// From this number on, lemmas that bound the same polynomial count as a series that does not end.
const SERIES_LENGTH: usize = 3;

/// The points whose hulls are looked at: all of them, the last three, the last one with each of the two that are
/// nearest to it.
fn samples(rows: &[Vec<Rat>]) -> Vec<Vec<Vec<Rat>>> {
    let (last, others) = rows.split_last().expect("a point");
    let mut samples = vec![rows.to_vec()];
    if rows.len() > 3 {
        samples.push(rows[rows.len() - 3..].to_vec());
    }
    let distance = |row: &Vec<Rat>| row.iter().zip(last).fold(Rat::ZERO, |sum, (a, b)| &sum + &(a - b).abs());
    let mut near: Vec<&Vec<Rat>> = others.iter().collect();
    near.sort_by_cached_key(|row| distance(row));
    if rows.len() > 2 {
        samples.extend(near.into_iter().take(2).map(|row| vec![row.clone(), last.clone()]));
    }
    samples
}

impl SpacerSearch<'_> {
    /// Whether the lemma for a cube would only be the next one of a series, and the negation of the cube should be
    /// learnt instead. Cubes with divisibilities are left out: hulls do not describe them. This happens a limited
    /// number of times for each bound; after that the series goes on, since a long derivation may need it.
    pub(super) fn is_next_of_series(
        &mut self,
        store: &Store,
        vertex: VertexId,
        lemma: Term,
        cube: &[Term],
    ) -> bool {
        if cube.iter().any(|&literal| matches!(store.view(literal), View::Divisible(..))) {
            return false;
        }
        let Some(cube) = excluded_cube(store, lemma) else { return false };
        let [literal] = cube[..] else { return false };
        let (literal_pattern, _) = split_numeral(store, literal);
        self.clusters[vertex.index()].restrains(
            literal_pattern,
            SERIES_LENGTH,
            self.bound,
            self.settings.restraints,
        )
    }

    /// Looks at the clusters after a lemma was learnt for an obligation.
    pub(super) fn guide(
        &mut self,
        store: &mut Store,
        id: ObligationId,
        lemma: Term,
        level: usize,
        budget: &mut Budget,
    ) -> Result<(), UnknownReason> {
        let vertex = self.obligations.get(id).vertex;
        let Some(cube) = excluded_cube(store, lemma) else { return Ok(()) };
        let clusters = &mut self.clusters[vertex.index()];
        let Some(at) = clusters.insert(store, &cube, self.settings.cluster_gas) else { return Ok(()) };
        if self.settings.subsume {
            self.subsume(store, vertex, at, level, budget)?;
        }
        if self.settings.conjecture {
            self.conjecture(store, id, level, budget)?;
        }
        Ok(())
    }

    /// Tries the obligation without the literals that lemmas bound further and further.
    fn conjecture(
        &mut self,
        store: &mut Store,
        id: ObligationId,
        level: usize,
        budget: &mut Budget,
    ) -> Result<(), UnknownReason> {
        let obligation = self.obligations.get(id);
        let vertex = obligation.vertex;
        let clusters = &self.clusters[vertex.index()];
        let mut cube = obligation.cube.clone();
        cube.retain(|&literal| {
            clusters.single_literal_lemmas(split_numeral(store, literal).0) < SERIES_LENGTH
        });
        if !cube.is_empty() && cube.len() < obligation.cube.len() {
            self.counters.conjectures += 1;
            self.propose(store, vertex, cube, level, true, budget)?;
        }
        Ok(())
    }

    /// Tries the pattern of a cluster over the hull of its numerals.
    fn subsume(
        &mut self,
        store: &mut Store,
        vertex: VertexId,
        at: usize,
        level: usize,
        budget: &mut Budget,
    ) -> Result<(), UnknownReason> {
        let cluster = self.clusters[vertex.index()].get(at);
        let count = cluster.rows.len();
        if count < 2 || cluster.gas == 0 {
            return Ok(());
        }
        cluster.gas -= 1;
        let (pattern, rows) = (cluster.pattern.clone(), cluster.rows.clone());
        let mut sorts = pattern.iter().filter_map(|literal_pattern| match literal_pattern {
            LiteralPattern::Comparison(poly, _) => Some(sort_of(store, *poly)),
            LiteralPattern::Fixed(_) => None,
        });
        let sort = sorts.next().expect("a numeral");
        if sorts.any(|other| other != sort) {
            return Ok(());
        }
        let coordinates = self.coordinates(store, sort, rows[0].len());
        let mut slots = coordinates.iter();
        let mut literals = Vec::with_capacity(pattern.len());
        for literal_pattern in &pattern {
            literals.push(match literal_pattern {
                LiteralPattern::Fixed(literal) => *literal,
                LiteralPattern::Comparison(..) => {
                    literal_pattern.fill(store, *slots.next().expect("a coordinate"))
                }
            });
        }
        let fixes = pattern
            .iter()
            .any(|literal_pattern| matches!(literal_pattern, LiteralPattern::Comparison(_, Relation::Eq)));
        for points in samples(&rows) {
            let hull = ClusterHull::new(&points);
            // Divisibility is of integers, even if all numerals of a cluster of reals happen to be integers.
            let has_residues = sort == Sort::Int && hull.residues.iter().any(Option::is_some);
            // Without equations, ends matter only if they widen a literal.
            if (hull.equations.is_empty() && !has_residues && !fixes) || !hull.is_plausible() {
                continue;
            }
            let sides: &[RangeEnds] = if hull.is_line() {
                &[RangeEnds::None, RangeEnds::Low, RangeEnds::High, RangeEnds::Both]
            } else {
                &[RangeEnds::None, RangeEnds::Both]
            };
            for residues in [false, true] {
                if residues && !has_residues {
                    continue;
                }
                for &ends in sides {
                    let mut formulas = literals.clone();
                    formulas.extend(hull.constraints(store, &coordinates, ends, residues));
                    let row = &rows[count - 1];
                    let Some(mut cube) = self.project_cluster(store, formulas, &coordinates, row, budget)?
                    else {
                        continue;
                    };
                    // Divisibilities that projection adds only make the cube smaller.
                    if !residues {
                        cube.retain(|&l| !matches!(store.view(l), View::Divisible(..)));
                    }
                    if cube.is_empty() {
                        continue;
                    }
                    self.counters.subsumptions += 1;
                    let as_obligation = matches!(ends, RangeEnds::None | RangeEnds::Both);
                    if self.propose(store, vertex, cube, level, as_obligation, budget)? {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    /// Variables for numerals.
    fn coordinates(&mut self, store: &mut Store, sort: Sort, count: usize) -> Vec<Term> {
        let known = &mut self.numerals[usize::from(sort == Sort::Real)];
        while known.len() < count {
            known.push(store.variable(&format!("numeral {}", known.len()), sort));
        }
        known[..count].to_vec()
    }

    /// The formulas with the coordinates eliminated, in a model where they have these values.
    fn project_cluster(
        &mut self,
        store: &mut Store,
        formulas: Vec<Term>,
        coordinates: &[Term],
        row: &[Rat],
        budget: &mut Budget,
    ) -> Result<Option<Vec<Term>>, UnknownReason> {
        let mut here = Substitution::new();
        let mut model = Model::default();
        for (&coordinate, value) in coordinates.iter().zip(row) {
            let symbol = store.as_var(coordinate).expect("a variable");
            let numeral = store.numeral(value, store.sort(coordinate));
            here.insert(symbol, numeral);
            model.insert(symbol, Value::Num(value.clone()));
        }
        let mut solver = Solver::with_proof(Default::default(), shem_proof::NoProof);
        for &formula in &formulas {
            let formula = store.substitute(formula, &here);
            solver.assert(store, formula);
        }
        let mut small = budget.at_most(self.optional_effort);
        let state = match solver.check(store, &mut small) {
            Answer::Sat(mut solution) => solution.model(),
            Answer::Unknown(UnknownReason::Stopped) => return Err(UnknownReason::Stopped),
            _ => return Ok(None),
        };
        for variable in store.free_variables(&formulas) {
            let symbol = store.as_var(variable).expect("a variable");
            if !coordinates.contains(&variable) {
                model.insert(symbol, state.value_or_default(store, symbol));
            }
        }
        match self.projector.project(store, &formulas, &model, coordinates) {
            Ok(cube) if cube.is_empty() => Ok(None),
            Ok(cube) => Ok(Some(cube)),
            Err(_) => Ok(None),
        }
    }

    /// Tries to exclude a cube: by one query, or, if that fails and `as_obligation` holds, by a tentative obligation.
    /// Returns whether the query has excluded it.
    fn propose(
        &mut self,
        store: &mut Store,
        vertex: VertexId,
        mut cube: Vec<Term>,
        level: usize,
        as_obligation: bool,
        budget: &mut Budget,
    ) -> Result<bool, UnknownReason> {
        simplify_cube(store, &mut cube);
        if cube.contains(&Term::FALSE) || !self.tried.insert((vertex, cube.clone())) {
            return Ok(false);
        }
        let mut small = budget.at_most(self.optional_effort);
        match self.summaries[vertex.index()].find_fact(store, &cube, &mut small) {
            Ok(None) => {}
            Err(UnknownReason::Stopped) => return Err(UnknownReason::Stopped),
            Ok(Some(_)) | Err(_) => return Ok(false),
        }
        let conjunction = store.and(&cube);
        let extra = self.induction_hypothesis(store, vertex, !conjunction);
        let summary = &mut self.summaries[vertex.index()];
        let answer = summary.ask_may(store, &cube, &extra, level, &mut small);
        match answer {
            Answer::Unsat(refutation) => {
                let failed = refutation.failed_assumptions();
                let mut core = summary.core(store, &cube, &failed);
                self.shrink(store, vertex, &mut core, level, budget)?;
                let lemma = !store.and(&core);
                self.counters.guided += 1;
                self.learn(store, vertex, lemma, level, budget)?;
                Ok(true)
            }
            Answer::Unknown(UnknownReason::Stopped) => Err(UnknownReason::Stopped),
            _ => {
                if as_obligation {
                    // Down to height 0 and back there are two steps for each height.
                    let gas = self.settings.gas + 2 * u32::try_from(level).unwrap_or(u32::MAX / 4);
                    self.counters.tentative += 1;
                    self.obligations.add_tentative(vertex, cube, level, gas);
                }
                Ok(false)
            }
        }
    }

    /// Cuts a cube over the state of a vertex down to a box around a state, if obligations like it keep
    /// changing their coefficients.
    pub(super) fn concretise(
        &mut self,
        store: &mut Store,
        vertex: VertexId,
        cube: &mut Vec<Term>,
        state: &Model,
    ) {
        if !self.clusters[vertex.index()].diverges(store, cube, SERIES_LENGTH, self.settings.cluster_gas) {
            return;
        }
        self.counters.concretised += 1;
        let mut literals = Vec::new();
        for &literal in cube.iter() {
            let (LiteralPattern::Comparison(poly, relation), _) = split_numeral(store, literal) else {
                literals.push(literal);
                continue;
            };
            let terms = store.poly_terms(poly).to_vec();
            if terms.len() < 2 || terms.iter().any(|term| store.as_var(term.leaf).is_none()) {
                literals.push(literal);
                continue;
            }
            for term in terms {
                let symbol = store.as_var(term.leaf).expect("a variable");
                let Value::Num(value) = state.value_or_default(store, symbol) else {
                    unreachable!("a number has a numeric value")
                };
                let numeral = store.numeral(&value, store.sort(term.leaf));
                let upper = term.coeff.is_positive() == matches!(relation, Relation::Le | Relation::Lt);
                literals.push(match relation {
                    Relation::Eq => store.eq(term.leaf, numeral),
                    _ if upper => store.le(term.leaf, numeral),
                    _ => store.ge(term.leaf, numeral),
                });
            }
        }
        simplify_cube(store, &mut literals);
        *cube = literals;
    }
}
