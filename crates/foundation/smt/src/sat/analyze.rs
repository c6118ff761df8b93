//! Conflict analysis: the clause to learn, where to go back to, and how the clause was derived.
//!
//! The clause that is false is resolved with the reasons of its literals of the highest level, latest first,
//! until one of them is left (first unique implication point; Marques-Silva and Sakallah, 1996). Literals
//! that the others imply through their reasons are then taken out (recursive minimisation; Sörensson and
//! Biere, 2009), with an explicit stack.
//!
//! Differently from most solvers the clause carries its *scope*, the maximum over all clauses of its
//! derivation, and the derivation itself is reported as one linear resolution: the false clause, then the
//! reasons in falling order of the trail position of the literal they imply, then the unit clauses of the
//! facts. That order makes every step have exactly one pivot: once a literal is resolved away, no later
//! reason contains its negation again, as reasons contain earlier literals only. Reasons used by
//! minimisation belong to literals of lower levels, hence come after those of the first part.
//!
//! Reasons of the theory are asked for when they are needed and are kept on the trail from then on.
//! Minimisation does not ask for them: an unexplained literal counts as if it were decided.

use super::arena::{ClauseHead, ClauseRef};
use super::core::{Fact, Sat};
use super::propositional::Propositional;
use super::trail::{Antecedent, FALSE, Reason};
use crate::theory::Theory;
use shem_base::{Lit, Var, add_work};
use shem_proof::{ClauseId, ProofSink};

/// What analysis knows of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// Not met.
    None,
    /// Its literal is in the clause or was resolved away.
    Seen,
    /// Its literal is implied by literals of the clause.
    Implied,
    /// Its literal is not implied by literals of the clause.
    Needed,
    /// Its literal is implied, and its reason belongs to the derivation.
    Resolved,
}

/// Buffers of conflict analysis. Between calls all marks are `None`.
#[derive(Default)]
pub(super) struct Analysis {
    marks: Vec<Mark>,
    /// The variables with a mark.
    marked: Vec<Var>,
    /// The clause being learnt; the asserting literal comes first.
    pub learnt: Vec<Lit>,
    /// The derivation so far, as the identities of its antecedents.
    pub chain: Vec<ClauseId>,
    /// The maximum of the scopes of the antecedents.
    pub scope: u32,
    /// The variables of level 0 whose facts belong to the derivation.
    facts: Vec<Var>,
    /// The variables whose reasons minimisation adds to the derivation.
    resolved: Vec<Var>,
    /// In focused mode: the variables that take part in the conflict.
    bumped: Vec<Var>,
    /// The literals taken out by minimisation.
    removed: Vec<Var>,
    /// The stack of minimisation: a variable and how many literals of its reason have been looked at.
    stack: Vec<(Var, u32)>,
    /// By level: the stamp of the last clause with a literal of that level.
    level_stamps: Vec<u64>,
    stamp: u64,
}

impl Analysis {
    /// Adds the next variable.
    pub fn add_var(&mut self) {
        self.marks.push(Mark::None);
    }

    /// Removes the variables from `count` on.
    pub fn truncate_vars(&mut self, count: usize) {
        self.marks.truncate(count);
    }

    #[inline]
    pub fn mark(&self, var: Var) -> Mark {
        self.marks[var.index()]
    }

    #[inline]
    pub fn set_mark(&mut self, var: Var, mark: Mark) {
        if self.marks[var.index()] == Mark::None {
            self.marked.push(var);
        }
        self.marks[var.index()] = mark;
    }

    /// Begins a derivation.
    pub fn start(&mut self) {
        debug_assert!(self.marked.is_empty());
        self.chain.clear();
        self.scope = 0;
        self.facts.clear();
        self.learnt.clear();
        self.bumped.clear();
    }

    /// Adds an antecedent to the derivation.
    #[inline]
    pub fn add_antecedent(&mut self, id: ClauseId, scope: u32) {
        self.chain.push(id);
        self.scope = self.scope.max(scope);
    }

    /// Notes that the fact of a variable of level 0 is needed.
    #[inline]
    pub fn need_fact(&mut self, var: Var) {
        if self.marks[var.index()] == Mark::None {
            self.set_mark(var, Mark::Seen);
            self.facts.push(var);
        }
    }

    /// Clears all marks.
    pub fn clear_marks(&mut self) {
        for var in self.marked.drain(..) {
            self.marks[var.index()] = Mark::None;
        }
    }

    /// The number of different levels given.
    fn count_levels(&mut self, levels: impl Iterator<Item = u32>) -> u32 {
        self.stamp += 1;
        let mut count = 0;
        for level in levels {
            let level = level as usize;
            if self.level_stamps.len() <= level {
                self.level_stamps.resize(level + 1, 0);
            }
            if self.level_stamps[level] != self.stamp {
                self.level_stamps[level] = self.stamp;
                count += 1;
            }
        }
        count
    }

    /// Whether all buffers are as they should be between calls.
    #[cfg(test)]
    pub fn is_idle(&self) -> bool {
        self.marked.is_empty() && self.marks.iter().all(|&mark| mark == Mark::None)
    }
}

impl<T: Theory, P: ProofSink> Sat<T, P> {
    /// The highest level of the literals of a clause.
    pub(super) fn highest_level(&self, antecedent: Antecedent) -> u32 {
        let (arena, clause) = match antecedent {
            Antecedent::Clause(clause) => (&self.clauses, clause),
            Antecedent::Lemma(clause) => (&self.explanations, clause),
        };
        arena.lits(clause).map(|lit| self.trail.level_of(lit.var())).max().unwrap_or(0)
    }

    /// Why a variable has its value; asks the theory if it has to. `None` for decisions.
    pub(super) fn antecedent(&mut self, lit: Lit) -> Option<Antecedent> {
        match self.trail.reason(lit.var()) {
            Reason::None => None,
            Reason::Implied(antecedent) => Some(antecedent),
            Reason::Theory => {
                let antecedent = self.explain(lit);
                self.trail.set_reason(lit.var(), Reason::Implied(antecedent));
                Some(antecedent)
            }
        }
    }

    /// Learns from a clause that is false at the current level, which is positive: goes back to the level
    /// at which the learnt clause is unit and propagates it.
    pub(super) fn learn(&mut self, conflict: Antecedent) {
        self.analysis.start();
        self.resolve_to_implication_point(conflict);
        self.minimise();
        let id = self.finish_derivation();
        if self.propositional.is_focused() {
            self.bump_in_queue();
        } else {
            self.heap.decay();
        }
        self.statistics.learnt_clauses += 1;
        self.statistics.learnt_literals += self.analysis.learnt.len() as u64;
        self.add_learnt(id);
    }

    /// Moves the variables that took part in the conflict to the end of the queue, in their order.
    fn bump_in_queue(&mut self) {
        let queue = &mut self.propositional.queue;
        self.analysis.bumped.sort_unstable_by_key(|&var| queue.stamp(var));
        for &var in &self.analysis.bumped {
            queue.bump(var);
        }
    }

    /// Adds the facts needed to the derivation, reports it and clears the marks.
    pub(super) fn finish_derivation(&mut self) -> ClauseId {
        let analysis = &mut self.analysis;
        for &var in &analysis.facts {
            let fact = self.vars[var.index()].fact;
            analysis.chain.push(fact.id);
            analysis.scope = analysis.scope.max(fact.scope);
        }
        analysis.clear_marks();
        match analysis.chain[..] {
            [id] => id,
            _ => self.proof.derive(&analysis.chain),
        }
    }

    /// The first part of analysis: fills `learnt` with the asserting literal and those of lower levels.
    fn resolve_to_implication_point(&mut self, conflict: Antecedent) {
        let level = self.trail.level();
        let mut open = 0;
        let mut position = self.trail.len();
        let mut antecedent = conflict;
        // Reserved for the asserting literal, which is found last.
        self.analysis.learnt.push(Lit::from_code(0));
        loop {
            let (arena, clause) = match antecedent {
                Antecedent::Clause(clause) => (&self.clauses, clause),
                Antecedent::Lemma(clause) => (&self.explanations, clause),
            };
            let learnt = arena.is_learnt(clause) && matches!(antecedent, Antecedent::Clause(_));
            let analysis = &mut self.analysis;
            analysis.add_antecedent(arena.id(clause), arena.scope(clause));
            add_work(2 * arena.codes(clause).len());
            for lit in arena.lits(clause) {
                let var = lit.var();
                if analysis.mark(var) != Mark::None {
                    continue;
                }
                let lit_level = self.trail.level_of(var);
                if lit_level == 0 {
                    analysis.need_fact(var);
                    continue;
                }
                debug_assert_eq!(self.trail.value(lit), FALSE);
                analysis.set_mark(var, Mark::Seen);
                match self.propositional.is_focused() {
                    true => analysis.bumped.push(var),
                    false => self.heap.bump(var),
                }
                if lit_level == level {
                    open += 1;
                } else {
                    analysis.learnt.push(lit);
                }
            }
            if learnt {
                self.bump_clause(clause);
                if self.propositional.active {
                    self.use_clause(clause);
                }
            }
            let lit = loop {
                position -= 1;
                let lit = self.trail.lit(position);
                if self.analysis.mark(lit.var()) == Mark::Seen {
                    break lit;
                }
            };
            open -= 1;
            if open == 0 {
                self.analysis.learnt[0] = !lit;
                return;
            }
            antecedent = self.antecedent(lit).expect("only the first literal of a level is decided");
        }
    }

    /// The second part: takes out the literals that the others imply.
    fn minimise(&mut self) {
        let mut learnt = std::mem::take(&mut self.analysis.learnt);
        let before = learnt.len();
        self.analysis.removed.clear();
        let mut kept = 1;
        for index in 1..learnt.len() {
            let lit = learnt[index];
            if self.is_implied(lit.var()) {
                self.analysis.removed.push(lit.var());
            } else {
                learnt[kept] = lit;
                kept += 1;
            }
        }
        learnt.truncate(kept);
        if kept < before {
            self.statistics.minimised_literals += (before - kept) as u64;
            self.add_minimisation();
        }
        self.analysis.learnt = learnt;
    }

    /// Whether the literal of a variable in the clause is implied by others of the clause.
    fn is_implied(&mut self, var: Var) -> bool {
        let Reason::Implied(_) = self.trail.reason(var) else {
            return false;
        };
        let analysis = &mut self.analysis;
        analysis.stack.clear();
        analysis.stack.push((var, 0));
        while let Some(&(current, looked)) = analysis.stack.last() {
            let Reason::Implied(antecedent) = self.trail.reason(current) else {
                unreachable!("only implied variables are on the stack");
            };
            let (arena, clause) = match antecedent {
                Antecedent::Clause(clause) => (&self.clauses, clause),
                Antecedent::Lemma(clause) => (&self.explanations, clause),
            };
            let mut index = looked as usize;
            let codes = arena.codes(clause);
            let mut descend = None;
            let mut failed = false;
            while index < codes.len() {
                let next = Lit::from_code(codes[index]).var();
                index += 1;
                if next == current || self.trail.level_of(next) == 0 {
                    continue;
                }
                match analysis.mark(next) {
                    Mark::Seen | Mark::Implied => {}
                    Mark::Needed => failed = true,
                    _ if matches!(self.trail.reason(next), Reason::Implied(_)) => descend = Some(next),
                    _ => {
                        analysis.set_mark(next, Mark::Needed);
                        failed = true;
                    }
                }
                if failed || descend.is_some() {
                    break;
                }
            }
            if failed {
                // Nothing on the stack can be shown to be implied. The variable at the bottom is in the
                // clause and keeps its mark.
                while let Some((blocked, _)) = analysis.stack.pop() {
                    if blocked != var {
                        analysis.set_mark(blocked, Mark::Needed);
                    }
                }
                return false;
            }
            let top = analysis.stack.last_mut().expect("the stack is not empty");
            top.1 = index as u32;
            match descend {
                Some(next) => analysis.stack.push((next, 0)),
                None => {
                    analysis.stack.pop();
                    if current != var {
                        analysis.set_mark(current, Mark::Implied);
                    }
                }
            }
        }
        true
    }

    /// Adds the reasons that minimisation used to the derivation: those of the literals taken out, and of
    /// the implied ones that these need. A literal that was taken out keeps its mark `Seen`, so that it may
    /// be used as one of the clause by others; its own reason is added here in any case.
    fn add_minimisation(&mut self) {
        let analysis = &mut self.analysis;
        analysis.resolved.clear();
        for index in 0..analysis.removed.len() {
            let var = analysis.removed[index];
            analysis.marks[var.index()] = Mark::Resolved;
            analysis.resolved.push(var);
        }
        let mut next = 0;
        while next < analysis.resolved.len() {
            let Reason::Implied(antecedent) = self.trail.reason(analysis.resolved[next]) else {
                unreachable!("only implied literals are taken out");
            };
            next += 1;
            let (arena, clause) = match antecedent {
                Antecedent::Clause(clause) => (&self.clauses, clause),
                Antecedent::Lemma(clause) => (&self.explanations, clause),
            };
            for lit in arena.lits(clause) {
                let var = lit.var();
                if self.trail.level_of(var) == 0 {
                    analysis.need_fact(var);
                } else if analysis.mark(var) == Mark::Implied {
                    analysis.set_mark(var, Mark::Resolved);
                    analysis.resolved.push(var);
                }
            }
        }
        let trail = &self.trail;
        analysis.resolved.sort_unstable_by_key(|&var| std::cmp::Reverse(trail.position(var)));
        for index in 0..analysis.resolved.len() {
            let Reason::Implied(antecedent) = trail.reason(analysis.resolved[index]) else {
                unreachable!("only implied literals are taken out");
            };
            let (arena, clause) = match antecedent {
                Antecedent::Clause(clause) => (&self.clauses, clause),
                Antecedent::Lemma(clause) => (&self.explanations, clause),
            };
            analysis.add_antecedent(arena.id(clause), arena.scope(clause));
        }
    }

    /// Goes back to the level at which the learnt clause is unit, keeps the clause and propagates it.
    fn add_learnt(&mut self, id: ClauseId) {
        let scope = self.analysis.scope;
        let mut learnt = std::mem::take(&mut self.analysis.learnt);
        let asserting = learnt[0];
        if learnt.len() == 1 {
            self.backtrack(0);
            self.send_learnt(&learnt, 1, id);
            self.assign_fact(asserting, Fact { id, scope });
        } else {
            let glue = self.analysis.count_levels(learnt.iter().map(|lit| self.trail.level_of(lit.var())));
            let latest = (1..learnt.len())
                .max_by_key(|&index| self.trail.level_of(learnt[index].var()))
                .expect("there are two literals");
            learnt.swap(1, latest);
            self.send_learnt(&learnt, glue, id);
            self.backtrack(self.trail.level_of(learnt[1].var()));
            let clause = self.clauses.add(&learnt, ClauseHead { id, scope, learnt: true, glue });
            self.clauses.set_used(clause, Propositional::rounds_of_use(glue));
            self.propositional.add_glue(glue);
            self.learnts.push(clause);
            self.attach(clause, true);
            self.bump_clause(clause);
            self.trail.assign(asserting, Reason::Implied(Antecedent::Clause(clause)));
        }
        self.analysis.learnt = learnt;
    }

    /// Notes that a learnt clause takes part in a conflict, and its glue if that is lower now.
    fn use_clause(&mut self, clause: ClauseRef) {
        let mut glue = self.clauses.glue(clause);
        if glue > 2 {
            let levels = self.clauses.lits(clause).map(|lit| self.trail.level_of(lit.var()));
            let now = self.analysis.count_levels(levels);
            if now < glue {
                glue = now;
                self.clauses.set_glue(clause, now);
            }
        }
        self.clauses.set_used(clause, Propositional::rounds_of_use(glue));
    }

    /// Rewards a learnt clause for its part in a conflict.
    pub(super) fn bump_clause(&mut self, clause: ClauseRef) {
        let activity = self.clauses.activity(clause) + self.limits.clause_gain;
        self.clauses.set_activity(clause, activity);
        if activity > 1e20 {
            for index in 0..self.learnts.len() {
                let learnt = self.learnts[index];
                self.clauses.set_activity(learnt, self.clauses.activity(learnt) * 1e-20);
            }
            self.limits.clause_gain *= 1e-20;
        }
    }
}
