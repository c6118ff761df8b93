//! The judge of repetitions.
//!
//! A repetition is right if each step of its word is an instance of its clause in every round. The clause is evaluated
//! once for all rounds, with the courses of the arguments in its slots (see `rounds`). Variables of the clause that the
//! arguments determine get courses by the same equations as values in a single step (`instance`); for others, values
//! are found in the first rounds, and it is tried whether they go on in the same way. Where this does not decide, the
//! rounds are looked at one by one, if there are not too many.

use shem_base::{Budget, UnknownReason};
use shem_chc::{ClauseId, Course, Derivation, Repetition, StepId, System};
use shem_term::{Sort, Store, Term, Value};

use crate::derivation::check_facts;
use crate::instance::{InstanceSearch, Instances};
use crate::rounds::Rounds;
use crate::validity::{Defect, Halt};

/// The steps up to which a repetition is looked at round by round. Nothing is kept of a round.
const MOST_SINGLE_STEPS: u64 = 5_000_000;

/// How often a number of rounds is reduced before it is given up.
const MOST_CHANGES: usize = 16;

/// Why a repetition is not judged.
const UNDECIDED: UnknownReason = UnknownReason::Incomplete("a repetition was neither confirmed nor refuted");

/// Checks a repetition.
pub(crate) fn check_repetition(
    store: &mut Store,
    system: &System,
    derivation: &Derivation<ClauseId>,
    repetition: &Repetition<'_, ClauseId>,
    instances: &mut [Option<Instances>],
    budget: &mut Budget,
) -> Result<(), Halt> {
    let first = repetition.first();
    let length = repetition.length();
    let id = |position: usize| StepId::new(first.index() + position);
    let mut courses = Vec::with_capacity(length);
    for position in 0..length {
        let clause =
            system.clauses.get(repetition.rule(position).index()).ok_or(Defect::Rule(id(position)))?;
        check_facts(store, system, derivation, clause, id(position), &derivation.step(id(position)))?;
        let own = repetition.courses(position);
        let head = clause.head.as_ref().ok_or(Defect::Values(id(position)))?;
        let sorts = &system.predicate(head.predicate).sorts;
        if !own.iter().zip(sorts).all(|(course, &sort)| fits(course, sort)) {
            return Err(Defect::Values(id(position)).into());
        }
        courses.push(own);
    }
    // From the second round on, the first step has the last one as its premise.
    let last = &courses[length - 1];
    let first_body = &system.clause(repetition.rule(0)).body[0];
    let last_head = system.clause(repetition.rule(length - 1)).head.as_ref();
    if last_head.is_none_or(|head| head.predicate != first_body.predicate) {
        return Err(Defect::Premise(first, 0).into());
    }
    let before: Vec<Course> = last.iter().map(Course::previous).collect();
    let premise = derivation.step(repetition.premise()).values;
    if before.iter().map(|course| course.at(0)).ne(premise.iter().cloned()) {
        return Err(Defect::Instance(first).into());
    }
    let mut change = None;
    let mut undecided = false;
    for position in 0..length {
        budget.check_stop()?;
        let rule = repetition.rule(position);
        let ready = instances[rule.index()].get_or_insert_with(|| Instances::new(store, system.clause(rule)));
        let body = if position == 0 { &before } else { &courses[position - 1] };
        let slots: Vec<Course> = body.iter().chain(&courses[position]).cloned().collect();
        let mut rounds = Rounds::new(repetition.rounds());
        if !ready.holds_in_rounds(store, &slots, &mut rounds, repetition.rounds(), budget)? {
            undecided = true;
            change = change.or(rounds.change());
        }
    }
    if !undecided {
        return Ok(());
    }
    let all = repetition.rounds().saturating_mul(length as u64) <= MOST_SINGLE_STEPS;
    let some = [0, change.unwrap_or(0), repetition.rounds() - 1];
    let count = if all { repetition.rounds() } else { some.len() as u64 };
    for at in 0..count {
        budget.check_stop()?;
        let round = if all { at } else { some[at as usize] };
        for position in 0..length {
            let rule = repetition.rule(position);
            let body = if position == 0 { &before } else { &courses[position - 1] };
            let slots: Vec<Value> =
                body.iter().chain(&courses[position]).map(|course| course.at(round)).collect();
            let ready = instances[rule.index()].as_mut().expect("made above");
            match ready.search(store, slots.iter(), budget)? {
                InstanceSearch::Found => {}
                InstanceSearch::Absent => return Err(Defect::Instance(id(position)).into()),
            }
        }
    }
    if all { Ok(()) } else { Err(UNDECIDED.into()) }
}

/// A clause made ready for the question for how many rounds it has instances. The judge asks it about repetitions; a way
/// back may ask it before.
pub struct RoundCheck {
    instances: Instances,
}

impl RoundCheck {
    /// Makes a clause ready, of which these are the arguments, body first, the constraint and all variables.
    pub fn new(store: &mut Store, arguments: &[Term], constraint: Term, variables: &[Term]) -> RoundCheck {
        RoundCheck { instances: Instances::of(store, arguments, constraint, variables) }
    }

    /// For how many rounds, at most `limit`, the clause is known to have instances with these courses of the arguments,
    /// body first.
    pub fn extent(
        &mut self,
        store: &mut Store,
        slots: &[Course],
        limit: u64,
        budget: &mut Budget,
    ) -> Result<u64, UnknownReason> {
        let mut limit = limit;
        for _ in 0..MOST_CHANGES {
            let mut rounds = Rounds::new(limit);
            if limit == 0 || self.instances.holds_in_rounds(store, slots, &mut rounds, limit, budget)? {
                return Ok(limit);
            }
            match rounds.change() {
                Some(change) if change < limit => limit = change,
                _ => return Ok(0),
            }
        }
        Ok(0)
    }
}

/// Whether a course gives values of the sort in all rounds.
pub(crate) fn fits(course: &Course, sort: Sort) -> bool {
    match (course, sort) {
        (Course::Truth(_), Sort::Bool) | (Course::Number(_), Sort::Real) => true,
        (Course::Number(progression), Sort::Int) => progression.is_integral(),
        _ => false,
    }
}
