//! Derivations as Alethe proofs.
//!
//! The proof begins with the assertions that are used, as they stand in the input, and ends with the empty clause. Each
//! step of the derivation becomes a few steps of the proof ([`super::explain`]) and is forgotten; repetitions are
//! written out round by round.

use std::collections::BTreeMap;
use std::io;

use shem_base::{Budget, Rat};
use shem_chc::{Clause, ClauseId, Derivation, Node, RunEvaluator, System};
use shem_check::StepInstances;
use shem_term::smtlib::{Lexer, TokenKind};
use shem_term::{Sort as StoreSort, Store, Value, quote_symbol};

use super::explain::{Fact, Situation, Truths, explain, not_following};
use super::formulas::{Assertion, Formulas};
use crate::error::{ProofError, Result, malformed, unsupported};
use crate::writer::{Apply, StepName, Writer};
use crate::written::{Script, Sort, skip};

/// A clause that the derivation uses.
struct Rule {
    /// Its assertion, by position.
    assertion: usize,
    instances: StepInstances,
    /// By variable of the assertion, the position among those of the clause.
    variables: Vec<Option<usize>>,
}

/// Writes a derivation of falsehood from the clauses of a script as an Alethe proof of the script's unsatisfiability.
pub fn write_alethe(
    out: &mut impl io::Write,
    text: &str,
    store: &mut Store,
    system: &System,
    derivation: &Derivation<ClauseId>,
    budget: &mut Budget,
) -> Result<()> {
    let mut proof = Writer::new(out);
    let mut used: Vec<ClauseId> = derivation.steps().map(|(_, step)| step.rule).collect();
    for node in derivation.nodes() {
        if let Node::Run(_, _, run) = node {
            used.extend(run.cases.iter().map(|case| case.rule));
        }
    }
    used.sort_unstable();
    used.dedup();
    let by_place = used.iter().map(|&id| (system.clause(id).span.start, 0)).collect();
    let (formulas, by_place) = assume(&mut proof, text, system, by_place)?;
    let mut rules: Vec<Option<Rule>> = system.clauses.iter().map(|_| None).collect();
    for id in used {
        let clause = system.clause(id);
        let assertion = by_place[&clause.span.start];
        let variables = variables_of(store, clause, &formulas, &formulas.assertions[assertion]);
        let instances = StepInstances::new(store, clause);
        rules[id.index()] = Some(Rule { assertion, instances, variables });
    }
    let yes = proof.step("true", &[&"true"], &[], &[])?;
    let no = proof.step("false", &[&"(not false)"], &[], &[])?;
    formulas.define(&mut proof)?;
    let mut writing = Writing {
        proof,
        store,
        system,
        formulas,
        rules,
        truths: Truths { yes, no },
        values: Vec::new(),
        literals: Vec::new(),
        number: 0,
    };
    // The steps of the proof by stored step, in a repetition those of the last round.
    let mut names: Vec<StepName> = Vec::with_capacity(derivation.len());
    for node in derivation.nodes() {
        match node {
            Node::Step(_, step) => {
                let premises: Vec<(ClauseId, &[Value], StepName)> = step
                    .premises
                    .iter()
                    .map(|&id| {
                        let premise = derivation.step(id);
                        (premise.rule, premise.values, names[id.index()])
                    })
                    .collect();
                names.push(writing.write(step.rule, &premises, step.values, budget)?);
            }
            Node::Repetition(repetition) => {
                let start = derivation.step(repetition.premise());
                let mut before = (start.rule, start.values.to_vec(), names[repetition.premise().index()]);
                let first = names.len();
                for round in 0..repetition.rounds() {
                    names.truncate(first);
                    for position in 0..repetition.length() {
                        let rule = repetition.rule(position);
                        let values = repetition.values(position, round);
                        let premise = (before.0, &before.1[..], before.2);
                        let name = writing.write(rule, &[premise], &values, budget)?;
                        names.push(name);
                        before = (rule, values, name);
                    }
                }
            }
            Node::Run(_, step, run) => {
                let start = step.premises[0];
                let premise = derivation.step(start);
                let mut before = (premise.rule, premise.values.to_vec(), names[start.index()]);
                let mut evaluator = RunEvaluator::new(writing.store, run);
                for _ in 0..run.steps {
                    let Some((case, values)) = evaluator.step(writing.store, &before.1) else {
                        return not_following(writing.number);
                    };
                    let rule = run.cases[case].rule;
                    let premise = (before.0, &before.1[..], before.2);
                    let name = writing.write(rule, &[premise], &values, budget)?;
                    before = (rule, values, name);
                }
                names.push(before.2);
            }
        }
    }
    Ok(())
}

/// Reads a script up to the last assertion that is used, and assumes those that are. They are given by the places of their
/// commands, for which their positions are returned.
fn assume<W: io::Write>(
    proof: &mut Writer<W>,
    text: &str,
    system: &System,
    mut by_place: BTreeMap<u32, usize>,
) -> Result<(Formulas, BTreeMap<u32, usize>)> {
    let (mut script, mut assertions) = (Script::default(), Vec::new());
    let mut lexer = Lexer::new(text).map_err(|error| ProofError::Malformed(error.to_string()))?;
    while assertions.len() < by_place.len() {
        let start = lexer.next_token();
        if start.kind != TokenKind::Open {
            return malformed("the text does not have the assertions of the derivation");
        }
        let mut inside = lexer.clone();
        let word = inside.next_token();
        match (inside.slice(word.span()), by_place.get_mut(&start.start)) {
            ("assert", Some(position)) => {
                *position = assertions.len();
                let root = script.formula(&mut inside)?;
                let text = text[word.end as usize..inside.offset() as usize].trim();
                let name = format!("@h{position}");
                let step = proof.assume(&format!("(! {text} :named {name})"))?;
                assertions.push(Assertion::new(root, step, name));
            }
            (other, Some(_)) => {
                return unsupported(format!("clauses of the command {other}, which are no assertions"));
            }
            ("assert" | "check-sat-assuming", None) => {}
            (_, None) => {
                // Names that proofs do not know are refused where they are used.
                script.command(&mut lexer.clone()).ok();
            }
        }
        skip(&mut lexer)?;
    }
    Ok((Formulas::new(script, assertions, system)?, by_place))
}

/// Which variables of the clause the variables of its assertion are: those of the same name, in their order. Variables
/// that the clause does not have may have any value.
fn variables_of(
    store: &Store,
    clause: &Clause,
    formulas: &Formulas,
    assertion: &Assertion,
) -> Vec<Option<usize>> {
    let mut positions: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (position, &variable) in clause.variables.iter().enumerate().rev() {
        let name = store.name(store.as_var(variable).expect("a variable"));
        positions.entry(name).or_default().push(position);
    }
    let found = assertion.variables.iter().map(|&variable| {
        let same = positions.get_mut(formulas.terms.variable(variable).name.as_str())?;
        if same.len() > 1 { same.pop() } else { same.last().copied() }
    });
    found.collect()
}

/// The sort of a value: proofs are about variables of these sorts.
pub(super) fn store_sort(sort: &Sort) -> StoreSort {
    match sort {
        Sort::Int => StoreSort::Int,
        Sort::Real => StoreSort::Real,
        _ => StoreSort::Bool,
    }
}

/// A proof being written.
struct Writing<'a, W> {
    proof: Writer<W>,
    store: &'a mut Store,
    system: &'a System,
    formulas: Formulas,
    rules: Vec<Option<Rule>>,
    truths: Truths,
    /// By term of the formulas; those of the assertion of the present step are valid.
    values: Vec<Option<Value>>,
    /// The texts of values, by variable of the formulas, likewise.
    literals: Vec<String>,
    number: u64,
}

impl<W: io::Write> Writing<'_, W> {
    /// Writes a step; gives the one of the proof that says its fact.
    fn write(
        &mut self,
        rule: ClauseId,
        premises: &[(ClauseId, &[Value], StepName)],
        values: &[Value],
        budget: &mut Budget,
    ) -> Result<StepName> {
        let number = self.number;
        self.number += 1;
        let head = self.system.clause(rule).head.as_ref().map(|head| head.predicate.index() as u32);
        let predicate_of = |rule: ClauseId| match &self.system.clause(rule).head {
            Some(head) => Ok(head.predicate.index() as u32),
            None => not_following(number),
        };
        let mut texts = Vec::with_capacity(premises.len());
        for &(rule, values, _) in premises {
            let predicate = predicate_of(rule)?;
            texts.push((predicate, self.fact(predicate, values)));
        }
        // What follows from itself needs no proof.
        let repeated = premises
            .iter()
            .zip(&texts)
            .find(|((_, old, _), (predicate, _))| head == Some(*predicate) && *old == values);
        if let Some(((_, _, name), _)) = repeated {
            return Ok(*name);
        }
        let Some(Rule { assertion, instances, variables }) = self.rules[rule.index()].as_mut() else {
            return not_following(number);
        };
        let formulas = &self.formulas;
        let assertion = &formulas.assertions[*assertion];
        let arguments = premises.iter().flat_map(|&(_, values, _)| values).chain(values);
        let Some(found) = instances.find(self.store, arguments, budget)? else {
            return not_following(number);
        };
        let mut of_variables = Vec::with_capacity(variables.len());
        self.literals.resize(formulas.terms.variable_count(), String::new());
        for (&variable, position) in assertion.variables.iter().zip(&*variables) {
            let sort = store_sort(&formulas.terms.variable(variable).sort);
            let value = match position {
                Some(at) => found[*at].clone(),
                None if sort == StoreSort::Bool => Value::Bool(false),
                None => Value::Num(Rat::ONE),
            };
            self.literals[variable.index()] = self.store.display_value(&value, sort).to_string();
            of_variables.push(value);
        }
        let is = |of: &[Value], args: &[&Value]| of.iter().eq(args.iter().copied());
        let atom = |predicate: u32, args: &[&Value]| {
            let mut facts = premises.iter().zip(&texts);
            if facts.any(|((_, of, _), (known, _))| *known == predicate && is(of, args)) {
                return Some(true);
            }
            (head == Some(predicate) && is(values, args)).then_some(false)
        };
        formulas.evaluate(assertion, &of_variables, atom, &mut self.values);
        let head_text = head.map(|predicate| self.fact(predicate, values));
        let premises: Vec<(Fact<'_>, StepName)> = premises
            .iter()
            .zip(&texts)
            .map(|(&(_, values, name), (predicate, text))| {
                (Fact { predicate: *predicate, values, text }, name)
            })
            .collect();
        let head = head.zip(head_text.as_deref()).map(|(predicate, text)| Fact { predicate, values, text });
        let situation = Situation {
            store: self.store,
            formulas,
            assertion,
            values: &self.values,
            literals: &self.literals,
            premises: &premises,
            head,
            number,
            truths: self.truths,
        };
        explain(&mut self.proof, &situation)
    }

    /// The text of a fact.
    fn fact(&self, predicate: u32, values: &[Value]) -> String {
        let predicate = &self.system.predicates[predicate as usize];
        let args: Vec<String> = values
            .iter()
            .zip(&predicate.sorts)
            .map(|(value, &sort)| self.store.display_value(value, sort).to_string())
            .collect();
        Apply(&quote_symbol(&predicate.name), &args).to_string()
    }
}
