//! Steps that call other predicates: from abstract steps to real ones.
//!
//! The relation of a loop whose steps have calls is known only from outside: what is known of all facts of the callee
//! (*may*) is part of the relation. So an abstract path of single steps may be none, even at level 0. It is real if
//! the callees' states are among those that have been derived (*must*). If no such states will do, the calls are taken
//! in order: those before the first for which there are none keep their derived states, those after it what may be;
//! the states of that call, by projection, are a [`Question`]. Either one of them is derived, and the next attempt
//! gets further, or it is shown that none can be, and the relation becomes smaller: as obligations are made in Spacer
//! (Komuravelli, Gurfinkel and Chaki 2016).
//!
//! The question ends the attempt ([`Halt`]). The sequences and the sets that were reached are kept, so that the next one
//! finds its way back quickly.

use shem_base::{Budget, UnknownReason};
use shem_proof::NoProof;
use shem_smt::project::Projector;
use shem_smt::{Answer, Model, Solver};
use shem_term::{Store, Term, Value};

use super::component::{Call, Step};
use super::copies::{Copies, FIRST, LAST};
use super::sequence::{Link, SequenceKind};

/// Whether states of a component, some of which a call needs, can be derived.
#[derive(Clone, Copy, Debug)]
pub(super) struct Question {
    /// The number of the component.
    pub component: usize,
    /// Over its state.
    pub states: Term,
}

/// Why a search for a path ends without an answer.
#[derive(Debug)]
pub(super) enum Halt {
    /// A limit, or a gap of the method.
    Unknown(UnknownReason),
    /// This has to be answered first.
    Open(Question),
}

impl From<UnknownReason> for Halt {
    fn from(reason: UnknownReason) -> Halt {
        Halt::Unknown(reason)
    }
}

impl From<Halt> for UnknownReason {
    fn from(halt: Halt) -> UnknownReason {
        match halt {
            Halt::Unknown(reason) => reason,
            Halt::Open(_) => UnknownReason::Incomplete("a call without a summary"),
        }
    }
}

/// What is known of the callees of a loop.
#[derive(Clone, Debug)]
pub(super) struct Guide {
    pub entries: Vec<Step>,
    /// All steps; those that the relation does not have occur in no model.
    pub loops: Vec<Step>,
    /// The states with which the loop may be entered, as the searches have them for their source.
    pub initial: Term,
    /// By component: a formula that holds of all its facts.
    pub may: Vec<Term>,
    /// By component: the states that have been derived.
    pub must: Vec<Term>,
    /// The number of facts, of all components, that these are.
    pub facts: usize,
}

/// Where a chain of real steps begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Near {
    /// With one of these states.
    States(Term),
    /// By the entry with this number.
    Entry(usize),
}

/// A chain of real steps.
#[derive(Clone, Debug)]
pub(super) struct StepChain {
    pub near: Near,
    /// The numbers of the steps.
    pub steps: Box<[usize]>,
    /// How many facts there were: calls are of these.
    pub facts: usize,
}

/// A call of a chain.
pub(super) struct CallInstance<'a> {
    call: &'a Call,
    arguments: Vec<Term>,
    may: Term,
    must: Term,
}

impl CallInstance<'_> {
    /// That the call is of a state that has been derived.
    pub(super) fn must(&self) -> Term {
        self.must
    }
}

impl Guide {
    /// A call between two copies of the state, or of an entry.
    fn instance<'a>(
        &self,
        store: &mut Store,
        call: &'a Call,
        mut place: impl FnMut(&mut Store, Term) -> Term,
    ) -> CallInstance<'a> {
        let [may, must] = [&self.may, &self.must].map(|known| known[call.component]);
        let [may, must] = [may, must].map(|formula| call.instance(store, formula));
        let arguments = call.arguments.iter().map(|&argument| place(store, argument)).collect();
        let [may, must] = [may, must].map(|formula| place(store, formula));
        CallInstance { call, arguments, may, must }
    }

    /// The entry by which the model enters, as a formula and with its calls.
    pub(super) fn entry<'a>(
        &'a self,
        store: &mut Store,
        model: &Model,
    ) -> Option<(usize, Term, Vec<CallInstance<'a>>)> {
        let taken = |entry: &Step| holds(store, model, entry.choice) && holds(store, model, entry.formula);
        let at = self.entries.iter().position(taken)?;
        let entry = &self.entries[at];
        let calls = entry.calls.iter().map(|call| self.instance(store, call, |_, term| term)).collect();
        Some((at, entry.formula, calls))
    }

    /// The step that the model takes by a link, as a formula and with its calls; `None` if it takes none.
    fn step<'a>(
        &'a self,
        store: &mut Store,
        copies: &mut Copies,
        link: Link,
        model: &Model,
    ) -> Option<(usize, Term, Vec<CallInstance<'a>>)> {
        let mut place = |store: &mut Store, term: Term| copies.relation(store, term, link.from, link.to);
        let at = self.loops.iter().position(|step| {
            [step.choice, step.formula].into_iter().all(|term| {
                let term = place(store, term);
                holds(store, model, term)
            })
        })?;
        let step = &self.loops[at];
        let formula = place(store, step.formula);
        let calls = step.calls.iter().map(|call| self.instance(store, call, &mut place)).collect();
        Some((at, formula, calls))
    }

    /// A set of states, with at least one of the target, that are all reached from the source: by the steps that the
    /// model takes along the chain of exact elements, or by other calls of the same steps.
    #[expect(clippy::too_many_arguments, reason = "the parts of one query")]
    pub(super) fn follow(
        &self,
        store: &mut Store,
        copies: &mut Copies,
        projector: &mut Projector,
        chain: &[Link],
        [source, target]: [Term; 2],
        model: Model,
        budget: &mut Budget,
    ) -> Result<(Term, StepChain), Halt> {
        let lost = UnknownReason::Incomplete("a step of a model that no clause allows");
        let (mut formulas, mut calls, mut steps) = (Vec::new(), Vec::new(), Vec::new());
        let near = if source == self.initial {
            let (at, formula, own) = self.entry(store, &model).ok_or(lost)?;
            formulas.push(formula);
            calls.extend(own);
            Near::Entry(at)
        } else {
            formulas.push(source);
            Near::States(source)
        };
        let identity = copies.identity(store);
        for &link in chain {
            let stays = copies.relation(store, identity, link.from, link.to);
            let may_stay = link.kind != SequenceKind::Equal;
            if may_stay && holds(store, &model, stays) {
                formulas.push(stays);
                continue;
            }
            let (at, formula, own) = self.step(store, copies, link, &model).ok_or(lost)?;
            formulas.push(formula);
            calls.extend(own);
            steps.push(at);
        }
        let goal = copies.state(store, target, LAST);
        let model = settle(store, &formulas, goal, &calls, model, projector, budget)?;
        formulas.extend(calls.iter().map(|call| call.must));
        let keep = copies.variables(LAST);
        let cube = projector.project_onto(store, &formulas, &model, keep).map_err(UnknownReason::from)?;
        let states = super::reach::with_constants(store, cube);
        let states = copies.shift(store, states, LAST, FIRST);
        Ok((states, StepChain { near, steps: steps.into(), facts: self.facts }))
    }
}

/// Whether a formula is true in a model.
pub(super) fn holds(store: &Store, model: &Model, formula: Term) -> bool {
    store.evaluate(formula, &model.completed(store)) == Some(Value::Bool(true))
}

/// A model of the formulas and the goal in which all calls are of derived states; otherwise the question for the first
/// call that cannot be. The given model is one in which they are of states that may be derived.
pub(super) fn settle(
    store: &mut Store,
    formulas: &[Term],
    goal: Term,
    calls: &[CallInstance<'_>],
    mut model: Model,
    projector: &mut Projector,
    budget: &mut Budget,
) -> Result<Model, Halt> {
    if calls.is_empty() {
        return Ok(model);
    }
    let mut solver = Solver::with_proof(Default::default(), NoProof);
    for &formula in formulas.iter().chain([&goal]) {
        solver.assert(store, formula);
    }
    let mut assumed: Vec<Term> = calls.iter().map(|call| call.must).collect();
    match solver.check_assuming(store, &assumed, budget) {
        Answer::Sat(mut solution) => return Ok(solution.model()),
        Answer::Unknown(reason) => return Err(reason.into()),
        Answer::Unsat(_) => {}
    }
    for (at, call) in calls.iter().enumerate() {
        assumed.truncate(at);
        assumed.push(call.must);
        assumed.extend(calls[at + 1..].iter().map(|call| call.may));
        match solver.check_assuming(store, &assumed, budget) {
            Answer::Sat(mut solution) => model = solution.model(),
            Answer::Unknown(reason) => return Err(reason.into()),
            Answer::Unsat(_) => {
                assumed.remove(at);
                assumed.extend_from_slice(formulas);
                assumed.push(goal);
                let cube = projector.project_onto(store, &assumed, &model, &call.arguments);
                let states = store.and(&cube.map_err(UnknownReason::from)?);
                let states = store.rename(states, &call.arguments, &call.call.places);
                let states = store.and2(states, call.call.location);
                return Err(Halt::Open(Question { component: call.call.component, states }));
            }
        }
    }
    Err(UnknownReason::Incomplete("calls that can each be settled, but not all").into())
}
