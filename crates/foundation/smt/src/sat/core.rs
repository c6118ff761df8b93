//! The state of the core, its variables, and what can be asked of it between solves.

use super::analyze::Analysis;
use super::arena::{ClauseArena, ClauseRef};
use super::eliminate::Elimination;
use super::failure::Failure;
use super::heap::VarHeap;
use super::propositional::Propositional;
use super::scope::Scope;
use super::share::Sharing;
use super::statistics::SatStatistics;
use super::trail::{FALSE, TRUE, Trail};
use super::watch::WatchLists;
use crate::theory::Theory;
use shem_base::{Lit, Rng, Var, add_work};
use shem_proof::{ClauseId, Lemma, Origin, ProofSink};

/// The unit clause behind a literal of level 0, or the empty clause behind a contradiction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fact {
    /// Its identity in the derivation.
    pub id: ClauseId,
    /// The depth below which it is not valid any more.
    pub scope: u32,
}

/// What is known of a variable beside its value.
#[derive(Clone, Copy, Debug)]
pub(super) struct VarState {
    /// The depth at which it was created.
    pub scope: u32,
    /// How many uses it has; a variable without any is dormant.
    pub uses: u32,
    /// Why it has its value; meaningful while it has one of level 0.
    pub fact: Fact,
    /// The value it had last.
    pub phase: Option<bool>,
    /// Whether it is an atom of the theory.
    pub is_theory: bool,
    /// Whether the theory takes it for active; meaningful if it is an atom.
    pub is_active: bool,
    /// Whether it is decided whatever its clauses say; its phase is the value to be refuted.
    pub is_wanted: bool,
    /// Whether others determine it, so that it need not be decided: it may be if it took part in a recent conflict, or is
    /// watched in place of another one.
    pub is_output: bool,
    /// Whether it is in `later`.
    pub is_later: bool,
    /// How often its literals, the positive one first, occur in input clauses with at least two literals.
    pub occurrences: [u32; 2],
}

impl VarState {
    /// The value of the variable in a model if it is open and no theory atom: the one that satisfies all
    /// its clauses if there is such a one.
    #[inline]
    pub fn default(&self) -> bool {
        self.occurrences[0] > 0 && self.occurrences[1] == 0
    }
}

/// How far the theory follows the trail.
#[derive(Default)]
pub(super) struct TheoryLink {
    /// The theory has been told of the theory literals before this position of the trail.
    pub head: usize,
    /// The positions in the trail of the literals told.
    pub told: Vec<u32>,
    /// Whether literals were told since the last successful check.
    pub unchecked: bool,
}

/// A solver for clauses over propositional variables and atoms of the theory `T`, which reports its
/// derivations to `P`.
///
/// # Scopes
/// [`Sat::push`] opens a scope; variables and clauses made afterwards live until the matching
/// [`Sat::pop`]. The indices of variables are dense and are used again.
///
/// # Models
/// After "sat" some variables may be open. Those that are no theory atoms have the value that
/// [`Sat::model_value`] says; open atoms have the value that the theory's model gives them (see `decide`).
///
/// # Guards
/// A guard ([`Sat::new_guard`]) switches clauses on: it is a variable that occurs in input clauses only
/// negatively and is true only if it is assumed; the search never decides it. Clauses cost nothing while
/// their guard is not assumed, and neither do variables that occur in such clauses only, apart from a look
/// at each after it was assigned.
///
/// # Dormant variables
/// The search decides only variables with a positive number of uses ([`Sat::retain`], [`Sat::release`]).
/// A dormant variable may still be assumed or propagated. The caller promises that an input clause with a
/// dormant variable holds in every model: it contains the negation of a guard, and the variables of its clauses
/// are retained while the guard is assumed; or it can be satisfied by a choice of its dormant variables
/// whatever the values of the others and of the theory's atoms, as definitions can.
pub struct Sat<T, P> {
    pub(super) theory: T,
    pub(super) proof: P,
    pub(super) vars: Vec<VarState>,
    pub(super) trail: Trail,
    /// The consequences of the literals before this position of the trail have been propagated.
    pub(super) head: usize,
    pub(super) link: TheoryLink,
    pub(super) clauses: ClauseArena,
    /// Lemmas of the theory that are conflicts or reasons at the moment.
    pub(super) explanations: ClauseArena,
    pub(super) watches: WatchLists,
    /// The input clauses with at least two literals, in the order of the arena.
    pub(super) inputs: Vec<ClauseRef>,
    /// The learnt clauses with at least two literals, in the order of the arena.
    pub(super) learnts: Vec<ClauseRef>,
    pub(super) heap: VarHeap,
    /// Decides where the search follows a seed.
    pub(super) rng: Option<Rng>,
    /// By level: the variables that need no decision while that level stands (see `decide`).
    pub(super) skipped: Vec<Vec<Var>>,
    /// Variables that are decided only if the theory's model leaves one of their clauses false (see `later`).
    pub(super) later: Vec<Var>,
    /// Where to go on in `later`, modulo its length.
    pub(super) next_late: usize,
    pub(super) scopes: Vec<Scope>,
    /// The empty clause, if it has been derived. Nothing is propagated or added while it stands.
    pub(super) contradiction: Option<Fact>,
    /// The assumptions of the last solve: the decision of level `i + 1` is assumption `i`.
    pub(super) assumptions: Vec<Lit>,
    pub(super) failure: Failure,
    pub(super) analysis: Analysis,
    /// The buffer that the theory fills.
    pub(super) lemma: Lemma,
    /// A buffer for literals of a clause to be added.
    pub(super) buffer: Vec<Lit>,
    /// A buffer for clauses that move, with their activities.
    pub(super) moves: Vec<(ClauseRef, f32)>,
    /// The variables that are in use during this solve because the theory added lemmas on them.
    pub(super) awake: Vec<Var>,
    /// The literals that the theory wants to be decided next, the last one first.
    pub(super) splits: Vec<Lit>,
    /// Whether dormant variables are left alone (see [`Sat::leave_dormant_alone`]).
    pub(super) leaves_dormant: bool,
    pub(super) limits: super::search::Limits,
    pub(super) propositional: Propositional,
    pub(super) elimination: Elimination,
    /// What is shared with other solvers of the same formulas.
    pub(super) sharing: Option<Box<Sharing>>,
    pub(super) statistics: SatStatistics,
    /// The counters when the last solve began.
    pub(super) before: SatStatistics,
}

impl<T: Theory, P: ProofSink> Sat<T, P> {
    /// A core without variables and clauses.
    pub fn new(theory: T, proof: P) -> Self {
        Sat {
            theory,
            proof,
            vars: Vec::new(),
            trail: Trail::default(),
            head: 0,
            link: TheoryLink::default(),
            clauses: ClauseArena::default(),
            explanations: ClauseArena::default(),
            watches: WatchLists::default(),
            inputs: Vec::new(),
            learnts: Vec::new(),
            heap: VarHeap::new(),
            rng: None,
            skipped: vec![Vec::new()],
            later: Vec::new(),
            next_late: 0,
            scopes: Vec::new(),
            contradiction: None,
            assumptions: Vec::new(),
            failure: Failure::default(),
            analysis: Analysis::default(),
            lemma: Lemma::default(),
            buffer: Vec::new(),
            moves: Vec::new(),
            awake: Vec::new(),
            splits: Vec::new(),
            leaves_dormant: false,
            limits: super::search::Limits::default(),
            propositional: Propositional::default(),
            elimination: Elimination::default(),
            sharing: None,
            statistics: SatStatistics::default(),
            before: SatStatistics::default(),
        }
    }

    /// From now on clauses with dormant variables are not propagated, except by facts. The caller promises that they can
    /// be satisfied by a choice of the dormant variables, all of them together, whatever the values of the others:
    /// guards are not used.
    pub fn leave_dormant_alone(&mut self) {
        self.leaves_dormant = true;
    }

    /// Lets the search follow a seed from now on: variables that come have activities of it and values of it at first,
    /// and some decisions are random. Without randomness if it is 0.
    pub fn set_seed(&mut self, seed: u64) {
        self.rng = (seed != 0).then(|| Rng::new(seed));
    }

    /// The theory.
    pub fn theory(&self) -> &T {
        &self.theory
    }

    /// The theory, to register atoms. Literals are told to it by the core alone.
    pub fn theory_mut(&mut self) -> &mut T {
        &mut self.theory
    }

    /// The record of derivations.
    pub fn proof(&self) -> &P {
        &self.proof
    }

    /// The counters.
    pub fn statistics(&self) -> &SatStatistics {
        &self.statistics
    }

    /// The number of variables: the index of the next one.
    pub fn num_vars(&self) -> usize {
        self.vars.len()
    }

    /// The number of open scopes.
    pub fn depth(&self) -> u32 {
        self.scopes.len() as u32
    }

    /// A new propositional variable, with one use.
    pub fn new_var(&mut self) -> Var {
        self.add_var(1, false)
    }

    /// A new variable that is an atom of the theory, with one use. Its meaning is to be registered with
    /// the theory before the next solve.
    pub fn new_theory_var(&mut self) -> Var {
        self.add_var(1, true)
    }

    /// A new dormant variable that is an atom which the theory has registered, for a case split: it occurs in
    /// no clause yet.
    pub(super) fn new_split_var(&mut self) {
        let var = self.add_var(0, true);
        self.set_active(var, false);
    }

    /// A new dormant variable that is no theory atom.
    pub fn new_dormant_var(&mut self) -> Var {
        self.add_var(0, false)
    }

    /// A new dormant variable whose value follows by propagation from those of others, if these are in use and have one.
    pub fn new_dormant_output(&mut self) -> Var {
        let var = self.add_var(0, false);
        self.vars[var.index()].is_output = true;
        var
    }

    /// A new guard: a variable that occurs in input clauses only negatively and switches them on when it
    /// is assumed.
    pub fn new_guard(&mut self) -> Var {
        self.add_var(0, false)
    }

    /// Makes a guard false for good: its clauses are removed when the next scope is opened.
    pub fn retire_guard(&mut self, guard: Lit) {
        self.add_clause(&[!guard], Origin::Definition);
        self.limits.stale = true;
    }

    fn add_var(&mut self, uses: u32, is_theory: bool) -> Var {
        let var = Var::new(u32::try_from(self.vars.len()).expect("fewer than 2^31 variables"));
        let fact = Fact { id: ClauseId(0), scope: 0 };
        self.vars.push(VarState {
            scope: self.depth(),
            uses,
            fact,
            phase: None,
            is_theory,
            is_active: true,
            is_wanted: false,
            is_output: false,
            is_later: false,
            occurrences: [0; 2],
        });
        self.trail.add_var();
        self.heap.add_var(self.rng.as_mut().map(Rng::next_u64));
        self.watches.resize(self.vars.len());
        self.analysis.add_var();
        if uses > 0 {
            self.heap.insert(var);
        }
        var
    }

    /// Has a variable decided, before others and although no clause may need it, so that the literal is false: the
    /// literal is known to follow from the clauses, and the search will learn it.
    pub fn refute_first(&mut self, lit: Lit) {
        let state = &mut self.vars[lit.var().index()];
        state.is_wanted = true;
        state.phase = Some(!lit.is_positive());
        self.heap.bump(lit.var());
    }

    /// Adds a use to a variable, which is no guard: the search may decide it.
    pub fn retain(&mut self, var: Var) {
        let state = &mut self.vars[var.index()];
        state.uses += 1;
        if state.uses == 1 {
            self.set_active(var, true);
            self.queue(var);
        }
    }

    /// Puts a variable in use among those that may be decided.
    #[inline]
    fn queue(&mut self, var: Var) {
        if !self.vars[var.index()].is_output || self.heap.is_recent(var) {
            self.heap.insert(var);
        }
    }

    /// Tells the theory whether propagations to an atom are of use.
    #[inline]
    pub(super) fn set_active(&mut self, var: Var, active: bool) {
        let state = &mut self.vars[var.index()];
        if state.is_theory && state.is_active != active {
            state.is_active = active;
            self.theory.set_active(var, active);
        }
    }

    /// Takes a use from a variable; without any it is dormant.
    pub fn release(&mut self, var: Var) {
        let state = &mut self.vars[var.index()];
        state.uses = state.uses.checked_sub(1).expect("a variable is released as often as retained");
        if state.uses == 0 {
            self.set_active(var, false);
        }
    }

    /// The value of a literal in the current assignment: after "sat", in the partial model; after adding
    /// anything, no more than what is left of the trail.
    #[inline]
    pub fn value(&self, lit: Lit) -> Option<bool> {
        match self.trail.value(lit) {
            TRUE => Some(true),
            FALSE => Some(false),
            _ => None,
        }
    }

    /// After "sat": the value in the model of a literal that is no theory atom's.
    pub fn model_value(&self, lit: Lit) -> bool {
        self.value(lit).unwrap_or_else(|| self.vars[lit.var().index()].default() == lit.is_positive())
    }

    /// Takes back all levels above `level`.
    pub(super) fn backtrack(&mut self, level: u32) {
        let current = self.trail.level();
        if level >= current {
            return;
        }
        let target = self.trail.len_below(level + 1);
        add_work(2 * (self.trail.len() - target));
        while self.trail.len() > target {
            let lit = self.trail.unassign_last();
            let state = &mut self.vars[lit.var().index()];
            if !state.is_wanted {
                state.phase = Some(lit.is_positive());
            }
            if state.uses > 0 {
                self.queue(lit.var());
            }
            if self.propositional.active {
                self.propositional.queue.reopen(lit.var());
            }
        }
        self.trail.close_levels(level);
        for skipped in self.skipped.iter_mut().take(current as usize + 1).skip(level as usize + 1) {
            for var in skipped.drain(..) {
                if self.vars[var.index()].uses > 0 {
                    self.heap.insert(var);
                }
            }
        }
        self.head = self.head.min(target);
        self.retract(target);
    }

    /// Takes back from the theory the literals from position `target` of the trail on.
    pub(super) fn retract(&mut self, target: usize) {
        let told = self.link.told.len();
        while self.link.told.last().is_some_and(|&position| position as usize >= target) {
            self.link.told.pop();
        }
        if self.link.told.len() < told {
            self.theory.backtrack(self.link.told.len());
        }
        self.link.head = self.link.head.min(target);
    }
}
