//! Properties as Horn clauses.
//!
//! An invariant property asks whether a state that violates it can be reached: one predicate for the states that can.
//!
//! A live property says that its formula p holds from some point on, on every infinite run. Two reductions to safety:
//!
//! - [`Reduction::Lasso`]: if the states are finitely many, a run on which p fails again and again comes back to a state
//!   with a failure of p since. So one state of the run is saved, and it must not be met again after p has failed
//!   (A. Biere, C. Artho, V. Schuppan, Liveness Checking as Safety Checking, FMICS 2002). Where theirs doubles the state
//!   of one transition system, ours has two predicates, one for the run up to the saved state: clauses need no flag for
//!   that, and a model of the first is an invariant of the system itself. A state that is met again is a
//!   counterexample whether the states are finitely many or not; that none is shows nothing if they are not.
//! - [`Reduction::Count`]: p fails at most so many times on any run (K. Claessen, N. Sörensson, A Liveness Checking
//!   Algorithm that Counts, FMCAD 2012). Then it holds from some point on, however many states there are. A run with
//!   more failures shows nothing.
//!
//! - [`Vmt::failing_runs`]: p fails again and again on no run, as a question whether all runs of clauses end.
//!
//! Runs that end do not matter: all reductions look at steps, and a count over runs that end counts more than needed.

use std::sync::Arc;

use shem_chc::{Atom, BuildError, Clause, PredicateId, System, SystemBuilder};
use shem_term::smtlib::Span;
use shem_term::{Sort, Store, Term};

use crate::names::Names;
use crate::system::{Property, PropertyKind, Vmt};

/// The number of the predicate of a lasso, after that of the states that can be reached.
pub const LASSO: usize = 1;

/// How a property becomes a question of safety.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// No state that violates the formula can be reached. The predicate has the state variables.
    Invariant,
    /// No state is met again after the formula has failed. The first predicate has the state variables; the second one
    /// a saved state, the current one, and whether the formula has failed since.
    Lasso,
    /// The formula fails at most so many times. The predicate has the state variables and the number of failures.
    Count(u64),
}

impl Reduction {
    /// The reduction that decides a property, if the states are finitely many. A formula of temporal logic has become the live
    /// property of a product ([`Vmt::product`]).
    pub fn of(kind: PropertyKind) -> Reduction {
        match kind {
            PropertyKind::Invariant => Reduction::Invariant,
            PropertyKind::Live | PropertyKind::Ltl => Reduction::Lasso,
        }
    }
}

/// A property as clauses over the terms of the store that the file was read into.
#[derive(Clone, Debug)]
pub struct Encoding {
    /// The clauses: the system is safe if and only if the question is answered by yes.
    pub system: Arc<System>,
    /// The question.
    pub reduction: Reduction,
}

impl Vmt {
    /// A property as clauses.
    ///
    /// # Errors
    /// If a formula is too large to be a clause.
    pub fn clauses(
        &self,
        store: &mut Store,
        property: &Property,
        reduction: Reduction,
    ) -> Result<Encoding, BuildError> {
        let mut names = self.names(store);
        let mut builder = SystemBuilder::new();
        match reduction {
            Reduction::Invariant => self.invariant(store, &mut builder, &mut names, property)?,
            Reduction::Lasso => self.lasso(store, &mut builder, &mut names, property)?,
            Reduction::Count(bound) => self.count(store, &mut builder, &mut names, property, bound)?,
        }
        Ok(Encoding { system: Arc::clone(builder.system()), reduction })
    }

    /// The runs of the system as clauses, without a property. They are made as clauses, not as formulas: that a step leads from a
    /// state to itself is no formula that says anything.
    ///
    /// # Errors
    /// If a formula is too large to be a clause.
    pub fn runs(&self, store: &mut Store) -> Result<Arc<System>, BuildError> {
        let mut builder = SystemBuilder::new();
        let (now, then) = (self.current(), self.next());
        builder.declare(store, "state", &self.sorts(store))?;
        let mut system = System::clone(builder.system());
        let state = |args: &[Term]| Atom { predicate: PredicateId::new(0), args: args.into() };
        for (body, constraint, head) in
            [(None, self.init, state(&now)), (Some(state(&now)), self.trans, state(&then))]
        {
            let args = body.iter().chain([&head]).flat_map(|atom: &Atom| atom.args.iter().copied());
            let old = store.free_variables(&args.chain([constraint]).collect::<Vec<Term>>());
            let fresh: Vec<Term> = old
                .iter()
                .map(|&variable| {
                    let name = store.name(store.as_var(variable).expect("a variable")).to_owned();
                    let sort = store.sort(variable);
                    store.variable(&name, sort)
                })
                .collect();
            let mut renamed = |atom: Atom| Atom {
                predicate: atom.predicate,
                args: atom.args.iter().map(|&arg| store.rename(arg, &old, &fresh)).collect(),
            };
            let (body, head) = (body.map(&mut renamed), Some(renamed(head)));
            let (body, premises, span) = (body.into_iter().collect(), [].into(), Span::new(0, 0));
            let constraint = store.rename(constraint, &old, &fresh);
            system.clauses.push(Clause { variables: fresh.into(), constraint, body, premises, head, span });
        }
        Ok(Arc::new(system))
    }

    /// Clauses all of whose runs end if and only if a live property holds. The states have one number more, which says how
    /// many steps there may be at most before the formula fails again: it goes down in each step in which the formula
    /// holds, is never negative, and is chosen anew when the formula fails. So a run is infinite if and only if the
    /// formula fails again and again on it.
    ///
    /// With a fixed `pause` the number that is chosen is the same each time, another argument that stays what it is. Then
    /// an infinite run shows that the property does not hold, and that there is none shows nothing.
    ///
    /// # Errors
    /// If a formula is too large to be a clause.
    pub fn failing_runs(
        &self,
        store: &mut Store,
        property: &Property,
        pause: bool,
    ) -> Result<Arc<System>, BuildError> {
        let mut names = self.names(store);
        let [wait, later, most] =
            ["wait", "wait.next", "pause"].map(|name| store.variable(&names.fresh(name), Sort::Int));
        let mut builder = SystemBuilder::new();
        let mut sorts = self.sorts(store);
        let (mut now, mut then) = (self.current(), self.next());
        sorts.push(Sort::Int);
        now.push(wait);
        then.push(later);
        if pause {
            sorts.push(Sort::Int);
            now.push(most);
            then.push(most);
        }
        let state = builder.declare(store, &names.fresh("state"), &sorts)?;
        let (here, there) = (builder.apply(store, state, &now)?, builder.apply(store, state, &then)?);
        let (zero, one) = (store.int(0), store.int(1));
        let (begins, goes_on) = (store.ge(wait, zero), store.ge(later, zero));
        let less = store.sub(wait, one);
        let counts = store.eq(later, less);
        let anew = if pause { store.eq(later, most) } else { Term::TRUE };
        let step = store.ite(property.formula, counts, anew);
        builder.clause(store, &[self.init, begins], here)?;
        builder.clause(store, &[here, self.trans, step, goes_on], there)?;
        Ok(Arc::clone(builder.system()))
    }

    fn sorts(&self, store: &Store) -> Vec<Sort> {
        self.states.iter().map(|state| store.sort(state.current)).collect()
    }

    fn invariant(
        &self,
        store: &mut Store,
        builder: &mut SystemBuilder,
        names: &mut Names,
        property: &Property,
    ) -> Result<(), BuildError> {
        let (now, then) = (self.current(), self.next());
        let state = builder.declare(store, &names.fresh("state"), &self.sorts(store))?;
        let (here, there) = (builder.apply(store, state, &now)?, builder.apply(store, state, &then)?);
        builder.clause(store, &[self.init], here)?;
        builder.clause(store, &[here, self.trans], there)?;
        let violated = !property.formula;
        builder.clause(store, &[here, violated], Term::FALSE)
    }

    fn lasso(
        &self,
        store: &mut Store,
        builder: &mut SystemBuilder,
        names: &mut Names,
        property: &Property,
    ) -> Result<(), BuildError> {
        let (now, then) = (self.current(), self.next());
        let saved: Vec<Term> = self
            .states
            .iter()
            .map(|state| {
                let name = names.fresh(&format!("{}!saved", state.name));
                let sort = store.sort(state.current);
                store.variable(&name, sort)
            })
            .collect();
        let failed = store.variable(&names.fresh("failed"), Sort::Bool);
        let sorts = self.sorts(store);
        let state = builder.declare(store, &names.fresh("state"), &sorts)?;
        let twice = [&sorts[..], &sorts[..], &[Sort::Bool]].concat();
        let lasso = builder.declare(store, &names.fresh("lasso"), &twice)?;
        let (here, there) = (builder.apply(store, state, &now)?, builder.apply(store, state, &then)?);
        let failure = !property.formula;
        let since = store.or2(failed, failure);
        let begun = builder.apply(store, lasso, &[&now[..], &then[..], &[failure]].concat())?;
        let before = builder.apply(store, lasso, &[&saved[..], &now[..], &[failed]].concat())?;
        let after = builder.apply(store, lasso, &[&saved[..], &then[..], &[since]].concat())?;
        let closed = builder.apply(store, lasso, &[&now[..], &now[..], &[Term::TRUE]].concat())?;
        builder.clause(store, &[self.init], here)?;
        builder.clause(store, &[here, self.trans], there)?;
        builder.clause(store, &[here, self.trans], begun)?;
        builder.clause(store, &[before, self.trans], after)?;
        builder.clause(store, &[closed], Term::FALSE)
    }

    fn count(
        &self,
        store: &mut Store,
        builder: &mut SystemBuilder,
        names: &mut Names,
        property: &Property,
        bound: u64,
    ) -> Result<(), BuildError> {
        let (now, then) = (self.current(), self.next());
        let failures = store.variable(&names.fresh("failures"), Sort::Int);
        let sorts = [&self.sorts(store)[..], &[Sort::Int]].concat();
        let state = builder.declare(store, &names.fresh("state"), &sorts)?;
        let (zero, one) = (store.int(0), store.int(1));
        let more = store.add(&[failures, one]);
        let more = store.ite(property.formula, failures, more);
        let first = builder.apply(store, state, &[&now[..], &[zero]].concat())?;
        let here = builder.apply(store, state, &[&now[..], &[failures]].concat())?;
        let there = builder.apply(store, state, &[&then[..], &[more]].concat())?;
        let bound = store.int(bound);
        let many = store.gt(failures, bound);
        builder.clause(store, &[self.init], first)?;
        builder.clause(store, &[here, self.trans], there)?;
        builder.clause(store, &[here, many], Term::FALSE)
    }
}
