//! The heights of lemmas: a new lemma is lifted, all are pushed.
//!
//! A lemma holds up to a height. A new one is tried one height up as long as it holds there, and at the bound it is
//! asked whether it is inductive by itself: then it holds of all facts, and is asserted for good. After each bound, the
//! lemmas are pushed from the lowest height to the highest; if none stays behind at some height, the
//! lemmas above are a model.

use shem_base::{Budget, UnknownReason};
use shem_chc::VertexId;
use shem_smt::Answer;
use shem_term::{Store, Term, View};

use super::search::SpacerSearch;
use super::summary::{INFINITE_HEIGHT, Lemma};

impl SpacerSearch<'_> {
    /// Learns a formula that holds of all facts up to a height: each of its conjuncts is a lemma, and is lifted
    /// as far as it holds.
    pub(super) fn learn(
        &mut self,
        store: &mut Store,
        vertex: VertexId,
        formula: Term,
        level: usize,
        budget: &mut Budget,
    ) -> Result<(), UnknownReason> {
        let parts = match store.view(formula) {
            View::And(parts) if !formula.is_negated() => parts.to_vec(),
            _ => vec![formula],
        };
        for formula in parts {
            if self.summaries[vertex.index()].level_of(formula).is_some_and(|old| old >= level) {
                continue;
            }
            let lemma = Lemma { formula, level };
            self.add_lemma(store, vertex, lemma);
            if vertex != VertexId::FALSE {
                self.lift(store, vertex, lemma, budget)?;
            }
        }
        Ok(())
    }

    /// Whether a formula is inductive by itself, with the lemmas that hold of all facts.
    pub(super) fn is_invariant(
        &mut self,
        store: &mut Store,
        vertex: VertexId,
        formula: Term,
        budget: &Budget,
    ) -> Result<bool, UnknownReason> {
        self.holds_at(store, vertex, formula, INFINITE_HEIGHT, budget)
    }

    /// Raises the height of a new lemma as far as it holds. What holds relative to the lemmas at some height holds
    /// at all smaller ones, too, so the steps grow as long as they succeed.
    fn lift(
        &mut self,
        store: &mut Store,
        vertex: VertexId,
        lemma: Lemma,
        budget: &mut Budget,
    ) -> Result<(), UnknownReason> {
        let Lemma { formula, level } = lemma;
        let (mut best, mut step) = (level, 1);
        while best < self.bound {
            let next = (best + step).min(self.bound);
            if self.holds_at(store, vertex, formula, next, budget)? {
                // At the first success it is worth asking for all of them.
                if best == level
                    && self.bound > level + 1
                    && self.is_invariant(store, vertex, formula, budget)?
                {
                    best = INFINITE_HEIGHT;
                    break;
                }
                best = next;
                step *= 2;
            } else if step > 1 {
                step /= 2;
            } else {
                break;
            }
        }
        if best >= self.bound
            && best != INFINITE_HEIGHT
            && self.is_invariant(store, vertex, formula, budget)?
        {
            best = INFINITE_HEIGHT;
        }
        if best == INFINITE_HEIGHT {
            self.counters.invariants += 1;
        }
        if best > level {
            self.counters.lifted += 1;
            self.add_lemma(store, vertex, Lemma { formula, level: best });
        }
        Ok(())
    }

    /// Whether a formula that holds below a height is inductive relative to the lemmas there.
    pub(super) fn holds_at(
        &mut self,
        store: &mut Store,
        vertex: VertexId,
        formula: Term,
        level: usize,
        budget: &Budget,
    ) -> Result<bool, UnknownReason> {
        let extra = self.induction_hypothesis(store, vertex, formula);
        let summary = &mut self.summaries[vertex.index()];
        let answer =
            summary.ask_may(store, &[!formula], &extra, level, &mut budget.at_most(self.optional_effort));
        match answer {
            Answer::Unknown(UnknownReason::Stopped) => Err(UnknownReason::Stopped),
            answer => Ok(answer.is_unsat()),
        }
    }

    pub(super) fn add_lemma(&mut self, store: &mut Store, vertex: VertexId, lemma: Lemma) {
        self.counters.lemmas += 1;
        if !self.summaries[vertex.index()].add_lemma(lemma) {
            return;
        }
        self.add_to_successors(store, vertex, lemma);
        let forgotten = self.summaries[vertex.index()].forget_implied(store, lemma);
        self.counters.forgotten += forgotten.len() as u64;
        for successor in self.successors[vertex.index()].clone() {
            let state = self.graph.vertex(vertex).state();
            for &formula in &forgotten {
                self.summaries[successor.index()].remove_source_lemma(store, vertex, state, formula);
            }
        }
    }

    /// Adds a lemma of a vertex to the solvers of the successors.
    fn add_to_successors(&mut self, store: &mut Store, vertex: VertexId, lemma: Lemma) {
        self.announced[vertex.index()].push(lemma);
        for successor in self.successors[vertex.index()].clone() {
            let state = self.graph.vertex(vertex).state();
            self.summaries[successor.index()].add_source_lemma(store, vertex, state, lemma);
        }
    }

    /// Pushes lemmas up to this height; a height at which no lemma stays behind, if there is one.
    pub(super) fn push(
        &mut self,
        store: &mut Store,
        level: usize,
        budget: &mut Budget,
    ) -> Result<Option<usize>, UnknownReason> {
        // The lemmas by height: the vertex and the index in its list.
        let mut heights: Vec<Vec<(usize, usize)>> = vec![Vec::new(); level + 2];
        for (index, summary) in self.summaries.iter().enumerate() {
            for (at, lemma) in summary.lemmas.iter().enumerate() {
                if lemma.level <= level {
                    heights[lemma.level].push((index, at));
                }
            }
        }
        for from in 0..=level {
            let mut stays = false;
            let mut here = std::mem::take(&mut heights[from]);
            here.sort_unstable();
            for (index, at) in here {
                budget.check_stop()?;
                let vertex = VertexId::new(index);
                let lemma = self.summaries[index].lemmas[at];
                if self.has_push_counterexample(store, vertex, lemma) {
                    self.counters.still_stuck += 1;
                    stays = true;
                    continue;
                }
                let summary = &mut self.summaries[index];
                match summary.ask_may(store, &[!lemma.formula], &[], from + 1, budget) {
                    Answer::Unknown(reason) => return Err(reason),
                    Answer::Sat(mut solution) => {
                        stays = true;
                        let model = solution.model();
                        self.remember_push_counterexample(store, vertex, lemma, &model);
                    }
                    Answer::Unsat(_) => {
                        self.counters.pushed += 1;
                        let lemma = Lemma { level: from + 1, ..lemma };
                        self.summaries[index].lemmas[at] = lemma;
                        heights[from + 1].push((index, at));
                        self.add_to_successors(store, vertex, lemma);
                    }
                }
            }
            if !stays {
                return Ok(Some(from));
            }
        }
        Ok(None)
    }

    /// The conjunction of the lemmas of a vertex that hold up to a height.
    pub(super) fn invariant_at(&self, store: &mut Store, vertex: VertexId, level: usize) -> Term {
        let lemmas = self.summaries[vertex.index()].lemmas.iter();
        let formulas: Vec<Term> = lemmas.filter(|l| l.level >= level).map(|l| l.formula).collect();
        store.and(&formulas)
    }
}
