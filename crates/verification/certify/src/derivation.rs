//! Derivations as Alethe proofs.
//!
//! The proof begins with the assertions that are used, as they stand in the input, and ends with the empty clause. Each
//! step of the derivation becomes a few steps of the proof ([`crate::explain`]) and is forgotten; repetitions are
//! written out round by round.

use std::collections::BTreeMap;
use std::io;

use shem_alethe::{Apply, StepName, Writer};
use shem_base::Budget;
use shem_base::Rat;
use shem_chc::{Clause, ClauseId, Derivation, Node, RunEvaluator, System};
use shem_check::StepInstances;
use shem_term::{Sort, Store, Value, quote_symbol};

use crate::assertion::Assertion;
use crate::error::ProofError;
use crate::evaluate::evaluate;
use crate::explain::{Fact, Situation, Truths, explain};
use crate::read::Definitions;

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
) -> Result<(), ProofError> {
    let mut proof = Writer::new(out);
    let definitions = Definitions::read(text, system)?;
    let mut rules: Vec<Option<Rule>> = system.clauses.iter().map(|_| None).collect();
    let mut assertions: Vec<Assertion> = Vec::new();
    let mut by_place: BTreeMap<u32, usize> = BTreeMap::new();
    let mut used: Vec<ClauseId> = derivation.steps().map(|(_, step)| step.rule).collect();
    for node in derivation.nodes() {
        if let Node::Run(_, _, run) = node {
            used.extend(run.cases.iter().map(|case| case.rule));
        }
    }
    used.sort_unstable();
    used.dedup();
    for id in used {
        let clause = system.clause(id);
        let assertion = match by_place.get(&clause.span.start) {
            Some(&known) => known,
            None => {
                let (text, formula, root) = definitions.assertion(clause.span)?;
                let number = assertions.len();
                let name = format!("@h{number}");
                let step = proof.assume(&format!("(! {text} :named {name})"))?;
                assertions.push(Assertion::new(formula, root, number, step, name, system));
                by_place.insert(clause.span.start, number);
                number
            }
        };
        let variables = variables_of(store, clause, &assertions[assertion]);
        let instances = StepInstances::new(store, clause);
        rules[id.index()] = Some(Rule { assertion, instances, variables });
    }
    let yes = proof.step("true", &[&"true"], &[], &[])?;
    let no = proof.step("false", &[&"(not false)"], &[], &[])?;
    for assertion in &assertions {
        assertion.define(&mut proof)?;
    }
    let mut writing = Writing {
        proof,
        store,
        system,
        assertions,
        rules,
        truths: Truths { yes, no },
        values: Vec::new(),
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
                        return Err(ProofError::Step(writing.number));
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

/// Which variables of the clause the variables of its assertion are: those of the same name, in their order. Variables
/// that the clause does not have may have any value.
fn variables_of(store: &Store, clause: &Clause, assertion: &Assertion) -> Vec<Option<usize>> {
    let mut positions: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (position, &variable) in clause.variables.iter().enumerate().rev() {
        let name = store.name(store.as_var(variable).expect("a variable"));
        positions.entry(name).or_default().push(position);
    }
    let variables = &assertion.formula.variables;
    let unquoted = |name: &str| name.trim_matches('|').to_owned();
    let found = variables.iter().map(|variable| {
        let same = positions.get_mut(unquoted(&variable.name).as_str())?;
        if same.len() > 1 { same.pop() } else { same.last().copied() }
    });
    found.collect()
}

/// A proof being written.
struct Writing<'a, W> {
    proof: Writer<W>,
    store: &'a mut Store,
    system: &'a System,
    assertions: Vec<Assertion>,
    rules: Vec<Option<Rule>>,
    truths: Truths,
    values: Vec<Option<Value>>,
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
    ) -> Result<StepName, ProofError> {
        let number = self.number;
        self.number += 1;
        let head = self.system.clause(rule).head.as_ref().map(|head| head.predicate.index() as u32);
        let predicate_of = |rule: ClauseId| {
            let head = self.system.clause(rule).head.as_ref().ok_or(ProofError::Step(number))?;
            Ok::<u32, ProofError>(head.predicate.index() as u32)
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
            return Err(ProofError::Step(number));
        };
        let assertion = &self.assertions[*assertion];
        let arguments = premises.iter().flat_map(|&(_, values, _)| values).chain(values);
        let Some(found) = instances.find(self.store, arguments, budget)? else {
            return Err(ProofError::Step(number));
        };
        let formula = &assertion.formula;
        let any = |sort: Sort| if sort == Sort::Bool { Value::Bool(false) } else { Value::Num(Rat::ONE) };
        let of_variables: Vec<Value> = variables
            .iter()
            .zip(&formula.variables)
            .map(|(position, variable)| position.map_or_else(|| any(variable.sort), |at| found[at].clone()))
            .collect();
        let literals: Vec<String> = of_variables
            .iter()
            .zip(&formula.variables)
            .map(|(value, variable)| self.store.display_value(value, variable.sort).to_string())
            .collect();
        let is = |of: &[Value], args: &[&Value]| of.iter().eq(args.iter().copied());
        let atom = |predicate: u32, args: &[&Value]| {
            let mut facts = premises.iter().zip(&texts);
            if facts.any(|((_, of, _), (known, _))| *known == predicate && is(of, args)) {
                return Some(true);
            }
            (head == Some(predicate) && is(values, args)).then_some(false)
        };
        evaluate(formula, &of_variables, atom, &mut self.values);
        let head_text = head.map(|predicate| self.fact(predicate, values));
        let premises: Vec<(Fact<'_>, StepName)> = premises
            .iter()
            .zip(&texts)
            .map(|(&(_, values, name), (predicate, text))| {
                (Fact { predicate: *predicate, values, text }, name)
            })
            .collect();
        let head = head.zip(head_text.as_deref()).map(|(predicate, text)| Fact { predicate, values, text });
        let assertion = &self.assertions[self.rules[rule.index()].as_ref().map_or(0, |rule| rule.assertion)];
        let situation = Situation {
            store: self.store,
            assertion,
            values: &self.values,
            literals: &literals,
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
