//! From a blocked obligation to a lemma.
//!
//! First literals are dropped from the cube, as long as its negation stays inductive relative to the lemmas
//! below: the negation may be assumed of the sources that are the vertex itself, since it is proved for smaller
//! heights by the same query. Then an interpolant of the edges and the rest of the cube takes the place of the
//! negation, if this is wanted: it may say more than the cube's literals can. An interpolant may be any formula;
//! clauses are pushed one by one and have patterns, so it is weakened to clauses where that is possible.

use shem_base::{Budget, Rat, UnknownReason};
use shem_chc::VertexId;
use shem_smt::Answer;
use shem_smt::interpolate::{ItpError, Partition};
use shem_term::{Store, Term, View};

use super::pattern::{LiteralPattern, Relation, is_literal, simplify_excluded, sort_of, split_numeral};
use super::search::SpacerSearch;
use super::settings::LemmaStyle;

/// How many constants are tried in place of one.
const CONSTANTS_TRIED: usize = 3;

/// The members of a conjunction or of a disjunction; the formula itself, if it is none.
fn members(store: &Store, formula: Term, disjunction: bool) -> Vec<Term> {
    match store.view(formula) {
        View::And(parts) if formula.is_negated() == disjunction => {
            parts.iter().map(|part| part.xor(disjunction)).collect()
        }
        _ => vec![formula],
    }
}

impl SpacerSearch<'_> {
    /// A formula that holds of all facts up to the height and excludes the cube, which the last query of the
    /// vertex's summary has shown to be blocked by these of its formulas.
    pub(super) fn generalise(
        &mut self,
        store: &mut Store,
        vertex: VertexId,
        core: Vec<Term>,
        level: usize,
        budget: &mut Budget,
    ) -> Result<Term, UnknownReason> {
        let mut cube = core;
        self.shrink(store, vertex, &mut cube, level, budget)?;
        let conjunction = store.and(&cube);
        if self.settings.lemmas == LemmaStyle::Core || cube.is_empty() {
            return Ok(!conjunction);
        }
        // A formula that is inductive by itself needs no interpolant.
        if self.is_invariant(store, vertex, !conjunction, budget)? {
            return Ok(!conjunction);
        }
        let extra = self.induction_hypothesis(store, vertex, !conjunction);
        let summary = &mut self.summaries[vertex.index()];
        summary.open_scope(store, &extra);
        let Answer::Unsat(mut refutation) = summary.ask_may(store, &cube, &[], level, budget) else {
            summary.close_scope();
            return Ok(!conjunction);
        };
        let mut partition = Partition::new(2);
        for number in 0..refutation.solver().assertion_count() {
            partition.assign(number, 0);
        }
        // The assumptions about the cube come last.
        let controls = refutation.assumptions().len() - cube.len();
        for control in refutation.assumptions().take(controls) {
            partition.assign_assumption(control, 0);
        }
        let found = refutation.path_interpolants(store, &partition, &self.settings.interpolation, budget);
        summary.close_scope();
        match found {
            Ok(found) => {
                self.counters.interpolants += 1;
                let found = self.summaries[vertex.index()].unprimed(store, found[0]);
                if !self.settings.clauses {
                    return Ok(found);
                }
                let weaker = self.weaken_to_clauses(store, found, &cube, budget)?;
                self.counters.weakened_to_clauses += u64::from(weaker != Some(found));
                Ok(weaker.unwrap_or(!conjunction))
            }
            Err(ItpError::Unknown(UnknownReason::Stopped)) => Err(UnknownReason::Stopped),
            Err(_) => Ok(!conjunction),
        }
    }

    /// A conjunction of clauses that the interpolant implies and that excludes the cube as well. In place of
    /// a conjunction inside a clause stands a member that excludes the cube by itself, if there is one.
    fn weaken_to_clauses(
        &mut self,
        store: &mut Store,
        interpolant: Term,
        cube: &[Term],
        budget: &mut Budget,
    ) -> Result<Option<Term>, UnknownReason> {
        let mut clauses = Vec::new();
        for part in members(store, interpolant, false) {
            let mut literals = Vec::new();
            for disjunct in members(store, part, true) {
                let mut chosen = is_literal(store, disjunct).then_some(disjunct);
                if chosen.is_none() {
                    for member in members(store, disjunct, false) {
                        if is_literal(store, member) && self.excludes(store, member, cube, budget)? {
                            chosen = Some(member);
                            break;
                        }
                    }
                }
                let Some(literal) = chosen else { return Ok(None) };
                literals.push(!literal);
            }
            simplify_excluded(store, &mut literals);
            clauses.push(!store.and(&literals));
        }
        Ok(Some(store.and(&clauses)))
    }

    /// Whether no state of the cube satisfies the literal.
    fn excludes(
        &mut self,
        store: &mut Store,
        literal: Term,
        cube: &[Term],
        budget: &mut Budget,
    ) -> Result<bool, UnknownReason> {
        let mut all = cube.to_vec();
        all.push(literal);
        match self.state_solver.check_assuming(store, &all, &mut budget.at_most(self.optional_effort)) {
            Answer::Unknown(UnknownReason::Stopped) => Err(UnknownReason::Stopped),
            answer => Ok(answer.is_unsat()),
        }
    }

    /// The formula about all sources that are the vertex itself. It says nothing of a source that no edge of the query
    /// uses: a formula that holds of no state would exclude all other edges, too.
    pub(super) fn induction_hypothesis(
        &self,
        store: &mut Store,
        vertex: VertexId,
        formula: Term,
    ) -> Vec<Term> {
        let summary = &self.summaries[vertex.index()];
        let state = self.graph.vertex(vertex).state();
        let own = summary.slots.iter().filter(|slot| slot.vertex == vertex);
        // An edge without such a source is not concerned, even if the formula is false.
        own.map(|slot| {
            let formula = store.rename(formula, state, &slot.variables);
            store.implies(slot.may, formula)
        })
        .collect()
    }

    /// Generalises a cube that is blocked, inductively: without literals, and with wider bounds.
    pub(super) fn shrink(
        &mut self,
        store: &mut Store,
        vertex: VertexId,
        cube: &mut Vec<Term>,
        level: usize,
        budget: &mut Budget,
    ) -> Result<(), UnknownReason> {
        self.drop_literals(store, vertex, cube, level, budget)?;
        self.weaken_bounds(store, vertex, cube, level, budget)
    }

    /// Moves bounds outwards, to constants of the system: the farthest that keeps the cube blocked.
    fn weaken_bounds(
        &mut self,
        store: &mut Store,
        vertex: VertexId,
        cube: &mut [Term],
        level: usize,
        budget: &mut Budget,
    ) -> Result<(), UnknownReason> {
        for at in 0..cube.len() {
            let (LiteralPattern::Comparison(poly, relation), Some(value)) = split_numeral(store, cube[at])
            else {
                continue;
            };
            let upper = matches!(relation, Relation::Le | Relation::Lt);
            if relation == Relation::Eq {
                continue;
            }
            let wider: Vec<Rat> = if upper {
                self.constants
                    .iter()
                    .rev()
                    .take_while(|c| **c > value)
                    .take(CONSTANTS_TRIED)
                    .cloned()
                    .collect()
            } else {
                self.constants.iter().take_while(|c| **c < value).take(CONSTANTS_TRIED).cloned().collect()
            };
            for constant in wider {
                budget.check_stop()?;
                if store.poly_is_integral(poly) && !constant.is_integer() {
                    continue;
                }
                let numeral = store.numeral(&constant, sort_of(store, poly));
                let old = cube[at];
                cube[at] = LiteralPattern::Comparison(poly, relation).fill(store, numeral);
                let conjunction = store.and(cube);
                let extra = self.induction_hypothesis(store, vertex, !conjunction);
                let summary = &mut self.summaries[vertex.index()];
                if summary
                    .ask_may(store, cube, &extra, level, &mut budget.at_most(self.optional_effort))
                    .is_unsat()
                {
                    self.counters.weakened += 1;
                    break;
                }
                cube[at] = old;
            }
        }
        Ok(())
    }

    fn drop_literals(
        &mut self,
        store: &mut Store,
        vertex: VertexId,
        cube: &mut Vec<Term>,
        level: usize,
        budget: &mut Budget,
    ) -> Result<(), UnknownReason> {
        let mut at = cube.len();
        while at > 0 && cube.len() > 1 {
            at -= 1;
            budget.check_stop()?;
            let dropped = cube.remove(at);
            let conjunction = store.and(cube);
            let extra = self.induction_hypothesis(store, vertex, !conjunction);
            let summary = &mut self.summaries[vertex.index()];
            if summary
                .ask_may(store, cube, &extra, level, &mut budget.at_most(self.optional_effort))
                .is_unsat()
            {
                self.counters.dropped += 1;
            } else {
                cube.insert(at, dropped);
            }
        }
        Ok(())
    }
}
