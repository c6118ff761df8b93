//! Elimination of variables for the rest of one solve.
//!
//! A variable goes by replacing its clauses by all their resolvents on it (Davis and Putnam, 1960), if these are not more
//! (Eén and Biere, 2005). If some of the clauses define the variable as a function of few others, only resolvents of one
//! that defines and one that does not are needed. Circuits have mostly such variables: on unrollings two thirds of them
//! go, and with them most of the work of propagation.
//!
//! Differently from other solvers nothing is removed for good, so that scopes, assumptions and derivations need to know
//! nothing of it. The clauses of an eliminated variable are *detached*: they stay where they are but are not watched.
//! Resolvents are derived clauses, learnt ones that no reduction removes. When the solve ends, detached clauses are watched
//! again. When everything is decided, the values of eliminated variables are computed from those of the others, all values
//! become phases, detached clauses are watched again, and the search goes on: it decides that model, which the theory then
//! looks at.
//!
//! Atoms of the theory, assumptions, guards and dormant variables are not eliminated.

use super::arena::{ClauseHead, ClauseRef};
use super::core::{Fact, Sat};
use super::trail::{Antecedent, FALSE, OPEN, TRUE};
use crate::theory::Theory;
use shem_base::{Lit, Var, add_work};
use shem_proof::ProofSink;

/// A variable is not eliminated if one of its literals is in more clauses.
const MOST_OCCURRENCES: usize = 24;
/// A variable is not eliminated if a resolvent has more literals.
const MOST_LITERALS: usize = 30;
/// How often all variables are looked at.
const ROUNDS: usize = 4;
/// The literals that may be looked at, for each literal of the clauses.
const EFFORT: usize = 40;
/// The glue of resolvents.
const GLUE: u32 = 1;

/// The variables that are eliminated.
#[derive(Default)]
pub(super) struct Elimination {
    /// By variable. Empty if there are none.
    gone: Vec<bool>,
    /// In the order of elimination: a literal, and the number of the clauses with it.
    literals: Vec<(Lit, u32)>,
    /// The ends of these clauses.
    ends: Vec<u32>,
    lits: Vec<Lit>,
}

impl Elimination {
    /// Whether some variables are eliminated.
    #[inline]
    pub fn is_active(&self) -> bool {
        !self.gone.is_empty()
    }

    /// Whether the variable is eliminated.
    #[inline]
    pub fn is_gone(&self, var: Var) -> bool {
        self.gone.get(var.index()).is_some_and(|&gone| gone)
    }

    /// Gives values to the eliminated variables, the last one first: a literal is false unless one of its clauses needs it.
    fn extend(&self, values: &mut [bool]) {
        let holds = |values: &[bool], lit: Lit| values[lit.var().index()] == lit.is_positive();
        let mut clauses = self.ends.len();
        for &(lit, count) in self.literals.iter().rev() {
            values[lit.var().index()] = !lit.is_positive();
            for _ in 0..count {
                clauses -= 1;
                let start = clauses.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
                let clause = &self.lits[start..self.ends[clauses] as usize];
                if !clause.iter().any(|&other| holds(values, other)) {
                    values[lit.var().index()] = lit.is_positive();
                }
            }
        }
    }
}

/// The clauses of literals, while variables are eliminated.
struct Occurrences {
    /// By literal: clauses with it that a model has to satisfy.
    lists: Vec<Vec<ClauseRef>>,
    /// By literal: whether it is in the clause that is looked at. All false in between.
    marks: Vec<bool>,
    /// How many literals may still be looked at.
    effort: usize,
}

impl<T: Theory, P: ProofSink> Sat<T, P> {
    /// Goes back to level 0 and eliminates variables. There may be a contradiction afterwards.
    pub(super) fn eliminate(&mut self) {
        self.backtrack(0);
        self.propagate_facts();
        if self.contradiction.is_some() {
            return;
        }
        self.elimination.gone.resize(self.vars.len(), false);
        let mut occurrences = self.occurrences();
        let mut candidates = self.candidates();
        for _ in 0..ROUNDS {
            let before = self.elimination.literals.len();
            candidates.retain(|&var| !self.elimination.is_gone(var) && self.trail.is_open(var));
            candidates.sort_by_cached_key(|var| {
                let [positive, negative] =
                    [var.positive(), var.negative()].map(|lit| occurrences.lists[lit.index()].len());
                (positive * negative, *var)
            });
            for &var in &candidates {
                if occurrences.effort == 0 || self.contradiction.is_some() {
                    break;
                }
                if self.trail.is_open(var) {
                    self.eliminate_var(var, &mut occurrences);
                }
            }
            if self.elimination.literals.len() < before + candidates.len() / 100 + 1 {
                break;
            }
        }
        self.finish_elimination();
    }

    /// The clauses of each literal, but those that facts satisfy.
    fn occurrences(&self) -> Occurrences {
        let mut lists = vec![Vec::new(); 2 * self.vars.len()];
        let mut effort = 0;
        let resolvents = self.learnts.iter().filter(|&&clause| self.clauses.is_resolvent(clause));
        for &clause in self.inputs.iter().chain(resolvents) {
            if self.clauses.is_detached(clause) || self.is_satisfied(clause) {
                continue;
            }
            effort += EFFORT * self.clauses.size(clause);
            for lit in self.clauses.lits(clause) {
                lists[lit.index()].push(clause);
            }
        }
        Occurrences { lists, marks: vec![false; 2 * self.vars.len()], effort }
    }

    /// The variables that may be eliminated.
    fn candidates(&self) -> Vec<Var> {
        let mut frozen = vec![false; self.vars.len()];
        for lit in self.assumptions.iter().chain(&self.splits) {
            frozen[lit.var().index()] = true;
        }
        let may_go = |&var: &Var| {
            let state = &self.vars[var.index()];
            !frozen[var.index()] && state.uses > 0 && !state.is_theory && !state.is_wanted
        };
        (0..self.vars.len() as u32).map(Var::new).filter(may_go).collect()
    }

    /// At level 0: whether a fact satisfies the clause.
    fn is_satisfied(&self, clause: ClauseRef) -> bool {
        self.clauses.lits(clause).any(|lit| self.trail.value(lit) == TRUE)
    }

    /// Eliminates a variable if that makes no more clauses.
    fn eliminate_var(&mut self, var: Var, occurrences: &mut Occurrences) {
        let [positive, negative] = [var.positive(), var.negative()].map(|lit| {
            let mut list = std::mem::take(&mut occurrences.lists[lit.index()]);
            list.retain(|&clause| !self.clauses.is_detached(clause) && !self.is_satisfied(clause));
            list
        });
        let pairs = self.resolvable_pairs(var, &positive, &negative, occurrences);
        let Some(pairs) = pairs else {
            occurrences.lists[var.positive().index()] = positive;
            occurrences.lists[var.negative().index()] = negative;
            return;
        };
        for (a, b) in pairs {
            self.add_resolvent(var, a, b, occurrences);
        }
        let (lit, list) = match positive.len() <= negative.len() {
            true => (var.positive(), &positive),
            false => (var.negative(), &negative),
        };
        let elimination = &mut self.elimination;
        for &clause in list {
            elimination.lits.extend(self.clauses.lits(clause));
            elimination.ends.push(elimination.lits.len() as u32);
        }
        elimination.literals.push((lit, list.len() as u32));
        elimination.gone[var.index()] = true;
        for clause in positive.into_iter().chain(negative) {
            self.clauses.set_detached(clause, true);
        }
        self.statistics.eliminated_vars += 1;
    }

    /// The pairs of clauses whose resolvents replace all clauses of the variable; none if they are too many or too long.
    fn resolvable_pairs(
        &self,
        var: Var,
        positive: &[ClauseRef],
        negative: &[ClauseRef],
        occurrences: &mut Occurrences,
    ) -> Option<Vec<(ClauseRef, ClauseRef)>> {
        if positive.len() > MOST_OCCURRENCES || negative.len() > MOST_OCCURRENCES {
            return None;
        }
        let most = positive.len() + negative.len();
        let definition = self.definition(var, positive, negative);
        let mut pairs = Vec::new();
        let mut is_refused = false;
        for &a in positive {
            for lit in self.clauses.lits(a) {
                occurrences.marks[lit.index()] = true;
            }
            for &b in negative {
                let is_needed = definition
                    .as_ref()
                    .is_none_or(|inputs| self.is_within(a, var, inputs) != self.is_within(b, var, inputs));
                if !is_needed {
                    continue;
                }
                occurrences.effort = occurrences.effort.saturating_sub(self.clauses.size(b));
                let mut size = self.clauses.size(a) - 1;
                let mut is_tautology = false;
                for lit in self.clauses.lits(b).filter(|lit| lit.var() != var) {
                    is_tautology |= occurrences.marks[(!lit).index()];
                    size += usize::from(!occurrences.marks[lit.index()]);
                }
                if !is_tautology {
                    pairs.push((a, b));
                    is_refused = pairs.len() > most || size > MOST_LITERALS;
                    if is_refused {
                        break;
                    }
                }
            }
            for lit in self.clauses.lits(a) {
                occurrences.marks[lit.index()] = false;
            }
            if is_refused {
                return None;
            }
        }
        let total: usize = pairs.iter().map(|&(a, b)| self.clauses.size(a) + self.clauses.size(b)).sum();
        add_work(total);
        Some(pairs)
    }

    /// At most three variables of which some of the clauses make the variable a function.
    fn definition(&self, var: Var, positive: &[ClauseRef], negative: &[ClauseRef]) -> Option<Vec<Var>> {
        let others =
            |clause: ClauseRef| self.clauses.lits(clause).map(Lit::var).filter(move |&other| other != var);
        let ternary: Vec<ClauseRef> = positive
            .iter()
            .chain(negative)
            .copied()
            .filter(|&clause| self.clauses.size(clause) == 3)
            .collect();
        let mut tried: Vec<Vec<Var>> = Vec::new();
        for (at, &clause) in ternary.iter().enumerate().take(8) {
            for &next in ternary[at..].iter().take(4) {
                let mut inputs: Vec<Var> = others(clause).chain(others(next)).collect();
                inputs.sort_unstable();
                inputs.dedup();
                if inputs.len() <= 3 && !tried.contains(&inputs) {
                    if self.is_function(var, &inputs, positive, negative) {
                        return Some(inputs);
                    }
                    tried.push(inputs);
                }
            }
        }
        None
    }

    /// Whether all variables of the clause are the variable or among the inputs.
    fn is_within(&self, clause: ClauseRef, var: Var, inputs: &[Var]) -> bool {
        self.clauses.size(clause) <= inputs.len() + 1
            && self.clauses.lits(clause).all(|lit| lit.var() == var || inputs.contains(&lit.var()))
    }

    /// Whether the clauses over the inputs leave the variable just one value, whatever those of the inputs.
    fn is_function(&self, var: Var, inputs: &[Var], positive: &[ClauseRef], negative: &[ClauseRef]) -> bool {
        let rows = 1_u32 << inputs.len();
        // By row, as a bit: whether some clause says that the variable is true, or false.
        let [is_true, is_false] = [positive, negative].map(|list| {
            let mut forced = 0_u32;
            for &clause in list.iter().filter(|&&clause| self.is_within(clause, var, inputs)) {
                for row in 0..rows {
                    let value = |other: Var| {
                        inputs.iter().position(|&input| input == other).map(|at| row >> at & 1 == 1)
                    };
                    let is_false = |lit: Lit| value(lit.var()).is_none_or(|value| value != lit.is_positive());
                    if self.clauses.lits(clause).all(is_false) {
                        forced |= 1 << row;
                    }
                }
            }
            forced
        });
        let all = if rows == 32 { u32::MAX } else { (1 << rows) - 1 };
        is_true & is_false == 0 && is_true | is_false == all
    }

    /// Derives the resolvent of two clauses on a variable and adds it.
    fn add_resolvent(&mut self, var: Var, a: ClauseRef, b: ClauseRef, occurrences: &mut Occurrences) {
        let mut resolvent = std::mem::take(&mut self.buffer);
        resolvent.clear();
        resolvent.extend(self.clauses.lits(a).chain(self.clauses.lits(b)).filter(|lit| lit.var() != var));
        resolvent.sort_unstable();
        resolvent.dedup();
        if self.contradiction.is_none() && !resolvent.iter().any(|&lit| self.trail.value(lit) == TRUE) {
            let id = self.proof.derive(&[self.clauses.id(a), self.clauses.id(b)]);
            let scope = self.clauses.scope(a).max(self.clauses.scope(b));
            let fact = self.drop_refuted(&mut resolvent, Fact { id, scope });
            match resolvent[..] {
                [] => self.contradiction = Some(fact),
                [lit] => self.assign_fact(lit, fact),
                _ => {
                    let head = ClauseHead { id: fact.id, scope: fact.scope, learnt: true, glue: GLUE };
                    let clause = self.clauses.add(&resolvent, head);
                    self.clauses.set_resolvent(clause, true);
                    self.learnts.push(clause);
                    self.attach(clause, true);
                    for lit in &resolvent {
                        occurrences.lists[lit.index()].push(clause);
                    }
                }
            }
        }
        self.buffer = resolvent;
    }

    /// Takes detached clauses out of the watch lists and removes learnt clauses with eliminated variables.
    fn finish_elimination(&mut self) {
        for &clause in &self.learnts {
            let is_stale = !self.clauses.is_detached(clause)
                && self.clauses.lits(clause).any(|lit| self.elimination.is_gone(lit.var()));
            if is_stale {
                self.clauses.mark_removed(clause);
            }
        }
        self.compact();
        // Variables were skipped because of clauses that are detached now.
        for index in 0..self.vars.len() {
            if self.vars[index].uses > 0 {
                self.heap.insert(Var::new(index as u32));
            }
        }
        self.propagate_facts();
    }

    /// Everything being decided: makes the values, with those of eliminated variables, phases and restores the latter.
    pub(super) fn adopt_model(&mut self) {
        let lits = (0..self.vars.len() as u32).map(|index| Var::new(index).positive());
        let mut values: Vec<bool> = lits.map(|lit| self.model_value(lit)).collect();
        self.elimination.extend(&mut values);
        for (state, value) in self.vars.iter_mut().zip(values) {
            if !state.is_wanted {
                state.phase = Some(value);
            }
        }
        self.propositional.forget_target();
        self.restore_eliminated();
    }

    /// Goes back to level 0 and takes eliminated variables and detached clauses back into the search.
    pub(super) fn restore_eliminated(&mut self) {
        self.backtrack(0);
        for &clause in &self.learnts {
            if self.clauses.is_detached(clause) {
                self.clauses.mark_removed(clause);
            } else if self.clauses.is_resolvent(clause) {
                self.clauses.set_resolvent(clause, false);
                self.clauses.set_glue(clause, self.clauses.size(clause) as u32);
            }
        }
        self.compact();
        for index in 0..self.inputs.len() {
            let clause = self.inputs[index];
            if self.clauses.is_detached(clause) {
                self.clauses.set_detached(clause, false);
                self.attach_among_facts(clause);
            }
        }
        for (index, gone) in std::mem::take(&mut self.elimination.gone).into_iter().enumerate() {
            if gone && self.vars[index].uses > 0 {
                self.heap.insert(Var::new(index as u32));
            }
        }
        self.elimination = Elimination::default();
        self.propagate_facts();
    }

    /// At level 0: watches a clause at the literals that got values last, or are open. Then closing scopes leaves no
    /// unit clause unnoticed: it takes back or propagates again all facts since the scope was opened, and the clause
    /// was watched when it was.
    fn attach_among_facts(&mut self, clause: ClauseRef) {
        for place in 0..2 {
            let lateness = |at: usize| {
                let lit = self.clauses.lit(clause, at);
                if self.trail.value(lit) == OPEN { u32::MAX } else { self.trail.position(lit.var()) }
            };
            let latest = (place..self.clauses.size(clause)).max_by_key(|&at| lateness(at)).unwrap_or(place);
            self.clauses.codes_mut(clause).swap(place, latest);
        }
        self.attach(clause, false);
        let [first, second] = [0, 1].map(|at| self.clauses.lit(clause, at));
        if self.trail.value(second) == OPEN || self.is_satisfied(clause) {
            return;
        }
        debug_assert_eq!(self.trail.value(second), FALSE);
        let antecedent = Antecedent::Clause(clause);
        if self.trail.value(first) == OPEN {
            self.imply(first, antecedent);
        } else if self.contradiction.is_none() {
            self.contradiction = Some(self.resolve_with_facts(antecedent, None));
        }
    }
}
