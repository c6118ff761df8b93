//! What the SAT core asks of a theory.
//!
//! The core tells the theory of every theory literal that becomes true, in the order of the trail, asks for
//! consistency once unit propagation has come to rest, and takes back literals from the end. The theory
//! answers with lemmas: clauses that are valid in the theory, with their certificates.

use shem_base::{Budget, Lit, UnknownReason, Var};
use shem_proof::Lemma;

/// The outcome of a consistency check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Consistency {
    /// No contradiction was found (in a final check: the theory has a model of what is asserted).
    Consistent,
    /// The lemma passed in holds a clause whose literals are all false.
    Conflict,
    /// A limit was reached.
    Unknown(UnknownReason),
}

/// New variables that are no atoms of a theory, and the clauses that define them, on their way to the search.
#[derive(Clone, Debug)]
pub struct Definitions {
    first_var: u32,
    vars: u32,
    lits: Vec<Lit>,
    /// The end of each clause.
    ends: Vec<u32>,
}

impl Definitions {
    /// Nothing yet; new variables are numbered from this one on.
    pub fn new(first_var: Var) -> Definitions {
        Definitions { first_var: first_var.index() as u32, vars: 0, lits: Vec::new(), ends: Vec::new() }
    }

    /// The literal of a new variable.
    pub fn fresh(&mut self) -> Lit {
        self.vars += 1;
        Var::new(self.first_var + self.vars - 1).positive()
    }

    /// Adds a clause.
    pub fn clause(&mut self, lits: &[Lit]) {
        self.lits.extend_from_slice(lits);
        self.ends.push(self.lits.len() as u32);
    }

    /// How many variables are new.
    pub fn vars(&self) -> u32 {
        self.vars
    }

    /// The number of literals in the clauses.
    pub fn size(&self) -> usize {
        self.lits.len()
    }

    /// The clauses.
    pub fn clauses(&self) -> impl Iterator<Item = &[Lit]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let clause = &self.lits[start..end as usize];
            start = end as usize;
            clause
        })
    }
}

/// What a theory adds to the problem in the middle of a search. Nothing of it restricts the models: the lemmas
/// are valid in the theory.
#[derive(Clone, Debug, Default)]
pub struct Additions {
    /// How many variables are new. They are numbered from the `next_var` of the call on, and each is a theory atom
    /// that the theory has registered already. They belong to the innermost scope.
    pub vars: u32,
    /// Variables that are no atoms, and clauses that define them. If there are any, they are all that is new. They
    /// belong to the innermost scope, and the variables are in use as long as it is open.
    pub definitions: Option<Definitions>,
    /// Clauses over old and new variables. They go with the innermost scope.
    pub lemmas: Vec<Lemma>,
    /// Variables that the search may decide and the theory may propagate to during the rest of this solve, even
    /// if they are dormant. Those of the lemmas and of the splits are meant anyhow.
    pub awake: Vec<Var>,
    /// The literals to decide next, one after the other, each if it is open then.
    pub splits: Vec<Lit>,
}

/// The outcome of a final check.
#[derive(Clone, Debug)]
pub enum FinalCheck {
    /// The theory has a model of all literals asserted.
    Model,
    /// The lemma passed in holds a clause whose literals are all false.
    Conflict,
    /// The theory asks for a case split: decide this literal next. If its variable is the first unused one
    /// (the `next_var` of the call), it is new: a theory atom that the theory has registered already.
    Split(Lit),
    /// The theory adds variables and lemmas, and has to be asked again when the search has taken note of them.
    Extend(Box<Additions>),
    /// A limit was reached.
    Unknown(UnknownReason),
}

/// A decision procedure for conjunctions of literals.
pub trait Theory {
    /// Takes note that a solve begins.
    fn start(&mut self) {}

    /// Takes note that the first `count` literals asserted will not be taken back. Called after a check that found no
    /// conflict.
    fn settle(&mut self, _count: usize) {}

    /// Takes note that `lit`, whose variable is a theory atom, is true. Cheap; on an immediate
    /// contradiction fills `lemma` with a clause whose literals are all false and returns `false`; the
    /// literal then counts as not asserted.
    fn assert_lit(&mut self, lit: Lit, lemma: &mut Lemma) -> bool;

    /// Checks the consistency of the literals asserted (over the rationals); called when unit propagation
    /// is at rest.
    fn check(&mut self, lemma: &mut Lemma, budget: &mut Budget) -> Consistency;

    /// The next literal that follows from what is asserted and that the theory wants to propagate, if any.
    /// The caller skips literals that are true already and treats a false one as a conflict with
    /// [`Theory::explain`] as its clause.
    fn next_propagation(&mut self) -> Option<Lit>;

    /// Fills `lemma` with a clause that contains `lit`, which this theory propagated, and otherwise only
    /// literals that were false when it did.
    fn explain(&mut self, lit: Lit, lemma: &mut Lemma);

    /// Tells which literals are true, before a complete check.
    fn read_assignment(&mut self, _is_true: &dyn Fn(Lit) -> bool) {}

    /// A complete check, called when every clause is satisfied by the current assignment.
    fn final_check(&mut self, next_var: Var, lemma: &mut Lemma, budget: &mut Budget) -> FinalCheck;

    /// Takes back the most recently asserted literals until `count` are left. Pending propagations are
    /// forgotten.
    fn backtrack(&mut self, count: usize);

    /// The truth value for `var`, a theory atom, that fits the current candidate model.
    fn suggest_phase(&self, var: Var) -> Option<bool>;

    /// Whether the search may leave `var`, a theory atom, open for as long as each of its clauses has a literal that
    /// [`Theory::holds_in_model`].
    fn may_wait(&self, _var: Var) -> bool {
        false
    }

    /// Whether a literal of an open atom is true in the current candidate model; after a final check that gave a
    /// model, in that one. `false` if that cannot be said yet.
    fn holds_in_model(&self, _lit: Lit) -> bool {
        false
    }

    /// Says whether `var`, a theory atom, is in use: dormant atoms are not worth a propagation (one is
    /// harmless). Atoms are active from the start.
    fn set_active(&mut self, _var: Var, _active: bool) {}

    /// The depth below which a lemma of the theory is not valid any more although its variables are, because its
    /// certificate mentions something that goes with a scope.
    fn lemma_scope(&self, _lemma: &Lemma) -> u32 {
        0
    }

    /// Opens a scope: atoms, variables and rows created from now on go with [`Theory::pop`].
    fn push(&mut self);

    /// Closes the innermost scope. All literals over its atoms have been taken back before. Atoms of
    /// variables with an index of `first_var` or more are gone.
    fn pop(&mut self, first_var: Var);
}

/// The theory of nothing: for problems of clauses alone, none of whose variables is an atom.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTheory;

impl Theory for NoTheory {
    fn assert_lit(&mut self, _: Lit, _: &mut Lemma) -> bool {
        unreachable!("no variable is an atom")
    }

    fn check(&mut self, _: &mut Lemma, _: &mut Budget) -> Consistency {
        Consistency::Consistent
    }

    fn next_propagation(&mut self) -> Option<Lit> {
        None
    }

    fn explain(&mut self, _: Lit, _: &mut Lemma) {
        unreachable!("nothing is propagated")
    }

    fn final_check(&mut self, _: Var, _: &mut Lemma, _: &mut Budget) -> FinalCheck {
        FinalCheck::Model
    }

    fn backtrack(&mut self, _: usize) {}

    fn suggest_phase(&self, _: Var) -> Option<bool> {
        None
    }

    fn push(&mut self) {}

    fn pop(&mut self, _: Var) {}
}
