//! Models and derivations as text, and text as models and derivations.
//!
//! A verdict travels with its witness and is worth nothing without it. What is read here is a candidate: whether it
//! is a witness of the system, only the judge says.

use shem_base::Rat;
use shem_chc::{
    ClauseId, Course, Definition, Derivation, Model, Node, Progression, Run, RunCase, StepId, System,
    functional,
};
use shem_term::{Store, Term, Value};

use crate::note::{Definitions, SentNode, SentStep, SentWitness};
use crate::value::{read_value, write_value};
use shem_term::pack::Naming;
use shem_term::pack::{Formula, FormulaLimits};

/// The definitions of a model as text, without those that are true; `None` if one exceeds the limits.
pub fn write_model(
    store: &mut Store,
    system: &System,
    model: &Model,
    limits: FormulaLimits,
) -> Option<Definitions> {
    let mut definitions = Vec::new();
    for (predicate, definition) in system.predicates.iter().zip(&model.definitions) {
        if definition.body != Term::TRUE {
            let naming = Naming::new(store, &definition.parameters, &[]);
            definitions.push((predicate.name.clone(), naming.export(store, definition.body, limits)?));
        }
    }
    Some(definitions)
}

/// Reads the definitions of a model; a predicate that is missing means truth. The error says which one cannot be read.
pub fn read_model(store: &mut Store, system: &System, received: &Definitions) -> Result<Model, String> {
    let mut definitions = Vec::with_capacity(system.predicates.len());
    for predicate in &system.predicates {
        let variable = |(at, &sort)| store.variable(&format!("x{at}"), sort);
        let parameters = predicate.sorts.iter().enumerate().map(variable).collect();
        definitions.push(Definition { parameters, body: Term::TRUE });
    }
    for (name, formula) in received {
        let at = system.predicates.iter().position(|predicate| predicate.name == *name);
        let at = at.ok_or_else(|| format!("there is no predicate {name}"))?;
        let Definition { parameters, body } = &mut definitions[at];
        let read = Naming::new(store, parameters, &[]).import_quantified(store, formula);
        *body = read.ok_or_else(|| format!("the definition of {name} is not over its arguments"))?;
    }
    Ok(Model { definitions })
}

/// A formula that is inductive at this depth, over the variables of a state, as text; `None` if it exceeds the limits.
pub fn write_inductive(
    store: &mut Store,
    state: &[Term],
    k: usize,
    formula: Term,
    limits: FormulaLimits,
) -> Option<SentWitness> {
    Some(SentWitness::Inductive(k, Naming::new(store, state, &[]).export(store, formula, limits)?))
}

/// Reads such a formula over the variables of a state; `None` if it is not over them.
pub fn read_inductive(store: &mut Store, state: &[Term], formula: &Formula) -> Option<Term> {
    Naming::new(store, state, &[]).import(store, formula)
}

/// The steps of a derivation as text.
pub fn write_derivation(store: &Store, derivation: &Derivation<ClauseId>) -> Vec<SentStep> {
    let value = |value: &Value| {
        let mut text = String::new();
        write_value(store, value, &mut text);
        text.into()
    };
    let step = |step: shem_chc::Step<'_, ClauseId>| {
        let premises = step.premises.iter().map(|premise| premise.index() as u32).collect();
        (step.rule.index() as u32, premises, step.values.iter().map(value).collect())
    };
    derivation.steps().map(|(_, found)| step(found)).collect()
}

/// The parts of a derivation with repetitions as text.
/// `None` if a formula of a run exceeds the limits.
pub fn write_repeating(
    store: &mut Store,
    derivation: &Derivation<ClauseId>,
    limits: FormulaLimits,
) -> Option<Vec<SentNode>> {
    let mut steps = write_derivation(store, derivation).into_iter();
    let mut nodes = Vec::new();
    for node in derivation.nodes() {
        match node {
            Node::Step(..) => nodes.extend(steps.next().map(SentNode::Step)),
            Node::Run(_, step, run) => {
                let (_, _, values) = steps.next().expect("a step for each");
                let mut cases = Vec::with_capacity(run.cases.len());
                for case in &run.cases {
                    let (rule, formula) = write_case(store, run, case, limits)?;
                    cases.push((rule, formula.text().into()));
                }
                nodes.push(SentNode::Run(step.premises[0].index() as u32, run.steps, cases, values));
            }
            Node::Repetition(repetition) => {
                let text = |course: &Course| match course {
                    Course::Truth(truth) => vec![truth.to_string().into()],
                    Course::Number(progression) => {
                        progression.coefficients().iter().map(|c| c.to_string().into()).collect()
                    }
                };
                let mut word = Vec::with_capacity(repetition.length());
                for position in 0..repetition.length() {
                    steps.next();
                    let courses = repetition.courses(position).iter().map(text).collect();
                    word.push((repetition.rule(position).index() as u32, courses));
                }
                let premise = repetition.premise().index() as u32;
                nodes.push(SentNode::Repeat(premise, repetition.rounds(), word));
            }
        }
    }
    Some(nodes)
}

/// A case of a run as a formula over the arguments of a fact and of the next.
fn write_case(
    store: &mut Store,
    run: &Run<ClauseId>,
    case: &RunCase<ClauseId>,
    limits: FormulaLimits,
) -> Option<(u32, Formula)> {
    let mut later = Vec::with_capacity(case.next.len());
    let mut parts = vec![case.guard];
    for &term in &case.next {
        let variable = store.variable("y", store.sort(term));
        parts.push(store.eq(variable, term));
        later.push(variable);
    }
    let formula = store.and(&parts);
    let formula = Naming::new(store, &run.arguments, &later).export(store, formula, limits)?;
    Some((case.rule.index() as u32, formula))
}

/// Reads the cases of a run, whose clauses have heads of the same predicate.
fn read_run(
    store: &mut Store,
    system: &System,
    steps: u64,
    cases: &[(u32, Box<str>)],
) -> Result<Run<ClauseId>, &'static str> {
    let clause = |number: u32| system.clauses.get(number as usize);
    let (number, _) = cases.first().ok_or("is a run of nothing")?;
    let head = clause(*number).and_then(|clause| clause.head.as_ref()).ok_or("is by no clause")?;
    let sorts = &system.predicate(head.predicate).sorts;
    let mut variables = |name: &str| -> Vec<Term> {
        sorts.iter().enumerate().map(|(at, &sort)| store.variable(&format!("{name}{at}"), sort)).collect()
    };
    let (arguments, later) = (variables("x"), variables("y"));
    let mut naming = Naming::new(store, &arguments, &later);
    let mut run = Run { arguments, cases: Vec::with_capacity(cases.len()), steps };
    for (number, text) in cases {
        clause(*number).ok_or("is by no clause")?;
        let formula = Formula::new(text, FormulaLimits::NONE).map_err(|_| "has a malformed case")?;
        let formula = naming.import(store, &formula).ok_or("has a case that is not over its arguments")?;
        let function = functional(store, formula, &run.arguments, &later);
        let (guard, next) = function.ok_or("has a case that is no function")?;
        run.cases.push(RunCase { rule: ClauseId::new(*number as usize), guard, next });
    }
    Ok(run)
}

/// Reads the parts of a derivation with repetitions. The error says which step cannot be read.
pub fn read_repeating(
    store: &mut Store,
    system: &System,
    received: &[SentNode],
) -> Result<Derivation<ClauseId>, String> {
    let mut derivation = Derivation::new();
    for node in received {
        let number = derivation.len();
        match node {
            SentNode::Step(step) => read_step(store, system, &mut derivation, step)?,
            SentNode::Run(premise, steps, cases, values) => {
                let unreadable = |what: &str| format!("step {} {what}", number + 1);
                if *premise as usize >= number || *steps == 0 {
                    return Err(unreadable("is a run of nothing"));
                }
                let run = read_run(store, system, *steps, cases).map_err(unreadable)?;
                let sorts = run.arguments.iter().map(|&v| store.sort(v));
                if sorts.len() != values.len() {
                    return Err(unreadable("has too many or too few values"));
                }
                let values = values.iter().zip(sorts).map(|(text, sort)| read_value(store, text, sort));
                let values: Option<Vec<Value>> = values.collect();
                let values = values.ok_or_else(|| unreadable("has a value of another sort"))?;
                derivation.push_run(StepId::new(*premise as usize), run, values);
            }
            SentNode::Repeat(premise, rounds, word) => {
                let unreadable = |what: &str| format!("step {} {what}", number + 1);
                if *premise as usize >= number || *rounds == 0 || word.is_empty() {
                    return Err(unreadable("is a repetition of nothing"));
                }
                let mut steps = Vec::with_capacity(word.len());
                for (clause, texts) in word {
                    let courses: Option<Vec<Course>> = texts.iter().map(|text| read_course(text)).collect();
                    let courses = courses.ok_or_else(|| unreadable("has a value of another sort"))?;
                    steps.push((ClauseId::new(*clause as usize), courses));
                }
                derivation.push_repetition(StepId::new(*premise as usize), *rounds, &steps);
            }
        }
    }
    Ok(derivation)
}

fn read_course(texts: &[Box<str>]) -> Option<Course> {
    match texts {
        [word] if &**word == "true" => Some(Course::Truth(true)),
        [word] if &**word == "false" => Some(Course::Truth(false)),
        _ => {
            let coefficients: Option<Vec<Rat>> = texts.iter().map(|text| text.parse().ok()).collect();
            Some(Course::Number(Progression::new(coefficients?)))
        }
    }
}

/// Reads the steps of a derivation. The error says which one cannot be read.
pub fn read_derivation(
    store: &Store,
    system: &System,
    received: &[SentStep],
) -> Result<Derivation<ClauseId>, String> {
    let mut derivation = Derivation::new();
    for step in received {
        read_step(store, system, &mut derivation, step)?;
    }
    Ok(derivation)
}

/// Reads a step and adds it.
fn read_step(
    store: &Store,
    system: &System,
    derivation: &mut Derivation<ClauseId>,
    (clause, premises, texts): &SentStep,
) -> Result<(), String> {
    let number = derivation.len();
    let unreadable = |what: &str| format!("step {} {what}", number + 1);
    let rule = system.clauses.get(*clause as usize).ok_or_else(|| unreadable("is by no clause"))?;
    if premises.iter().any(|&premise| premise as usize >= number) {
        return Err(unreadable("has a premise that is not earlier"));
    }
    let premises: Vec<StepId> = premises.iter().map(|&id| StepId::new(id as usize)).collect();
    let sorts = rule.head.as_ref().map_or(&[][..], |head| &system.predicate(head.predicate).sorts);
    if sorts.len() != texts.len() {
        return Err(unreadable("has too many or too few values"));
    }
    let values = texts.iter().zip(sorts).map(|(text, &sort)| read_value(store, text, sort));
    let values: Option<Vec<Value>> = values.collect();
    let values = values.ok_or_else(|| unreadable("has a value of another sort"))?;
    derivation.push(ClauseId::new(*clause as usize), &premises, values);
    Ok(())
}

#[cfg(test)]
mod tests {
    use shem_base::StopToken;
    use shem_chc::Script;
    use shem_term::Sort;

    use super::*;

    const TEXT: &str = "(set-logic HORN)(declare-fun p (Int Bool) Bool)
        (assert (p 1 true))
        (assert (forall ((x Int) (b Bool)) (=> (and (p x b) (< x 50)) (p (+ (* 2 x) 1) (not b)))))
        (assert (forall ((x Int) (b Bool)) (=> (and (p x b) (>= x 50)) (p (mod (* 7 x) 11) b))))
        (assert (forall ((x Int) (b Bool)) (=> (p x b) false)))";

    /// A derivation with a run goes from store to store and stands for the same steps.
    #[test]
    fn runs_go_from_store_to_store() {
        let read = |store: &mut Store| Script::read(store, TEXT, &StopToken::new()).expect("a script").system;
        let mut one = Store::new();
        read(&mut one);
        let (x, b) = (one.variable("x", Sort::Int), one.variable("b", Sort::Bool));
        let fifty = one.int(50);
        let small = one.lt(x, fifty);
        let double = one.linear(&[(2.into(), x)], &1.into(), Sort::Int);
        let seven = one.scale(&7.into(), x);
        let rest = one.int_mod(seven, &11.into());
        let cases = vec![
            RunCase { rule: ClauseId::new(1), guard: small, next: vec![double, !b] },
            RunCase { rule: ClauseId::new(2), guard: !small, next: vec![rest, b] },
        ];
        let run = Run { arguments: vec![x, b], cases, steps: 1000 };
        let mut derivation: Derivation<ClauseId> = Derivation::new();
        let first = derivation.push(ClauseId::new(0), &[], [Value::Num(1.into()), Value::Bool(true)]);
        let mut end = Vec::new();
        let mut trial = derivation.clone();
        trial.push_run(first, run.clone(), [Value::Num(0.into()), Value::Bool(true)]);
        let done: Result<(), ()> = trial.visit_steps(&one, |step| {
            end = step.values.to_vec();
            Ok(())
        });
        done.expect("no step fails");
        let last = derivation.push_run(first, run, end);
        derivation.push(ClauseId::new(3), &[last], []);
        let sent = write_repeating(&mut one, &derivation, FormulaLimits::LEMMA).expect("small formulas");

        let mut two = Store::new();
        two.variable("something else", Sort::Real);
        let system = read(&mut two);
        let found = read_repeating(&mut two, &system, &sent).expect("a derivation");
        assert_eq!(found.step_count(), 1002);
        assert_eq!(found.expanded(&two, 2000), derivation.expanded(&one, 2000));
        let again = write_repeating(&mut two, &found, FormulaLimits::LEMMA).expect("small formulas");
        assert_eq!(read_repeating(&mut one, &system, &again).map(|d| d.step_count()), Ok(1002));

        let SentNode::Run(premise, steps, cases, values) = &sent[1] else { panic!("{sent:?}") };
        let with = |cases: Vec<(u32, Box<str>)>, values: &[Box<str>]| {
            vec![sent[0].clone(), SentNode::Run(*premise, *steps, cases, values.to_vec())]
        };
        let wrong = [
            with(vec![], values),
            with(vec![(9, cases[0].1.clone())], values),
            with(vec![(3, cases[0].1.clone())], values),
            with(vec![(1, "(< x0 y0)".into())], values),
            with(vec![(1, "(= y0 (+ x0 y1))".into())], values),
            with(cases.clone(), &values[..1]),
            with(cases.clone(), &[values[1].clone(), values[0].clone()]),
        ];
        for nodes in wrong {
            assert!(read_repeating(&mut two, &system, &nodes).is_err(), "{nodes:?}");
        }
    }
}
