//! Which clauses follow from an assertion, and which from what a variable means.

use std::rc::Rc;

use hashbrown::{HashMap, HashSet};
use rustc_hash::FxBuildHasher;
use shem_base::Rat;
use shem_term::{Term, View};

use crate::linear::{Leaf, Linear};
use crate::literal::{Literal, Statement, Statements};
use crate::translation::{Assertion, Translation};
use crate::value::Value;

type Map<K, V> = HashMap<K, V, FxBuildHasher>;

/// A clause without false literals and repetitions, SORTED; `None` if it is always true.
pub(crate) fn normal(mut literals: Vec<Literal>) -> Option<Box<[Literal]>> {
    literals.retain(|&literal| literal != Literal::FALSE);
    literals.sort_unstable();
    literals.dedup();
    // A literal and its negation are neighbours.
    let valid = literals.contains(&Literal::TRUE) || literals.windows(2).any(|pair| pair[0] == !pair[1]);
    (!valid).then(|| literals.into())
}

/// The clauses that a formula or the meaning of a variable gives.
#[derive(Debug, Default)]
struct Clauses(Vec<Box<[Literal]>>);

impl Clauses {
    fn add(&mut self, literals: impl Into<Vec<Literal>>) {
        self.0.extend(normal(literals.into()));
    }

    fn contains(&self, clause: &[Literal]) -> bool {
        self.0.iter().any(|known| **known == *clause)
    }
}

/// What the clauses of a judgement may follow from, as far as it has been asked for.
#[derive(Default)]
pub(crate) struct Consequences {
    /// By number of assertion.
    assertions: Map<u32, HashSet<Box<[Literal]>, FxBuildHasher>>,
    /// By formula of a gate. Of a conjunction, only the clause in which it is not negated.
    gates: Map<Term, Rc<Clauses>>,
    /// By conjunction: the literals of its members, SORTED.
    members: Map<Term, Rc<[Literal]>>,
    /// By leaf that is a conditional or an integer part.
    leaves: Map<u32, Rc<Clauses>>,
    /// By value that is a conditional.
    values: Map<u32, Rc<Clauses>>,
}

/// The clauses of a gate that is no conjunction, and those of leaves, have at most so many literals.
const LONGEST: usize = 3;

impl Consequences {
    /// Whether the clause is one of those that opening the top connectives of the assertion gives.
    pub(crate) fn follows_from_assertion<T: Translation>(
        &mut self,
        statements: &mut Statements<'_, T>,
        number: u32,
        assertion: Assertion,
        clause: &[Literal],
    ) -> bool {
        let known = self.assertions.entry(number).or_insert_with(|| open(statements, assertion));
        known.contains(clause)
    }

    /// Whether the clause states one direction of what one of its variables means.
    pub(crate) fn follows_from_meaning<T: Translation>(
        &mut self,
        statements: &mut Statements<'_, T>,
        clause: &[Literal],
    ) -> bool {
        clause.iter().any(|&literal| {
            let statement = statements.statement(literal).clone();
            match &*statement {
                Statement::Truth | Statement::Free(_) | Statement::FreeNode(_) => false,
                Statement::Bit(..) => false,
                Statement::Gate(gate) => gate.implies(literal, clause),
                Statement::Application(symbol, args) => {
                    statements.ties_comparison(literal, *symbol, args, clause)
                }
                Statement::Equal(a, b) => {
                    clause.len() <= LONGEST
                        && [*a, *b].iter().any(|&side| self.of_value(statements, side).contains(clause))
                        || statements.ties_equation(literal, [*a, *b], clause)
                }
                Statement::Formula(formula) => self.is_gate(statements, *formula, literal, clause),
                Statement::Inequality { form, .. } => {
                    clause.len() <= LONGEST
                        && form.iter().any(|(leaf, _)| self.of_leaf(statements, *leaf).contains(clause))
                }
            }
        })
    }

    fn is_gate<T: Translation>(
        &mut self,
        statements: &mut Statements<'_, T>,
        formula: Term,
        literal: Literal,
        clause: &[Literal],
    ) -> bool {
        match statements.store.view(formula) {
            View::And(_) if literal.is_negated() => {
                // The conjunction implies each member.
                let member = match clause {
                    [_] => Literal::FALSE,
                    [one, other] => {
                        if *one == literal {
                            *other
                        } else {
                            *one
                        }
                    }
                    _ => return false,
                };
                self.members(statements, formula).binary_search(&member).is_ok()
            }
            View::And(members) => {
                clause.len() <= members.len() + 1 && self.of_gate(statements, formula).contains(clause)
            }
            View::Iff(..) | View::Ite(..) | View::Eq(..) => {
                clause.len() <= LONGEST && self.of_gate(statements, formula).contains(clause)
            }
            _ => false,
        }
    }

    fn members<T: Translation>(
        &mut self,
        statements: &mut Statements<'_, T>,
        conjunction: Term,
    ) -> Rc<[Literal]> {
        if let Some(known) = self.members.get(&conjunction) {
            return known.clone();
        }
        let View::And(members) = statements.store.view(conjunction) else { unreachable!("a conjunction") };
        let members = members.to_vec();
        let mut literals: Vec<Literal> =
            members.iter().map(|&member| statements.of_formula(member)).collect();
        literals.sort_unstable();
        let literals: Rc<[Literal]> = literals.into();
        self.members.insert(conjunction, literals.clone());
        literals
    }

    fn of_gate<T: Translation>(&mut self, statements: &mut Statements<'_, T>, formula: Term) -> Rc<Clauses> {
        if let Some(known) = self.gates.get(&formula) {
            return known.clone();
        }
        let mut clauses = Clauses::default();
        let gate = statements.of_formula(formula);
        match statements.store.view(formula) {
            View::And(_) => {
                let mut clause: Vec<Literal> =
                    self.members(statements, formula).iter().map(|&member| !member).collect();
                clause.push(gate);
                clauses.add(clause);
            }
            View::Iff(a, b) => {
                let (a, b) = (statements.of_formula(a), statements.of_formula(b));
                clauses.add([!gate, !a, b]);
                clauses.add([!gate, a, !b]);
                clauses.add([gate, !a, !b]);
                clauses.add([gate, a, b]);
            }
            View::Ite(condition, then, otherwise) => {
                let condition = statements.of_formula(condition);
                let (then, otherwise) = (statements.of_formula(then), statements.of_formula(otherwise));
                clauses.add([!gate, !condition, then]);
                clauses.add([!gate, condition, otherwise]);
                clauses.add([gate, !condition, !then]);
                clauses.add([gate, condition, !otherwise]);
            }
            View::Eq(poly, value) => {
                let value = value.clone();
                let at_most = statements.comparison(poly, &value, false);
                let at_least = !statements.comparison(poly, &value, true);
                clauses.add([!gate, at_most]);
                clauses.add([!gate, at_least]);
                clauses.add([gate, !at_most, !at_least]);
            }
            _ => {}
        }
        let clauses = Rc::new(clauses);
        self.gates.insert(formula, clauses.clone());
        clauses
    }

    fn of_value<T: Translation>(&mut self, statements: &mut Statements<'_, T>, value: u32) -> Rc<Clauses> {
        if let Some(known) = self.values.get(&value) {
            return known.clone();
        }
        let mut clauses = Clauses::default();
        if let Value::Conditional(term) = **statements.values.get(value) {
            let View::Ite(condition, then, otherwise) = statements.store.view(term) else {
                unreachable!("a conditional")
            };
            let condition = statements.of_formula(condition);
            for (premise, branch) in [(!condition, then), (condition, otherwise)] {
                let branch = statements.value_of_term(branch);
                let equal = statements.equation(value, branch);
                clauses.add([premise, equal]);
            }
        }
        let clauses = Rc::new(clauses);
        self.values.insert(value, clauses.clone());
        clauses
    }

    fn of_leaf<T: Translation>(&mut self, statements: &mut Statements<'_, T>, leaf: u32) -> Rc<Clauses> {
        if let Some(known) = self.leaves.get(&leaf) {
            return known.clone();
        }
        let mut clauses = Clauses::default();
        match &*statements.forms.leaf(leaf).clone() {
            Leaf::Symbol(_) | Leaf::Application(..) | Leaf::Free(_) => {}
            Leaf::Digit(literal) => {
                let mut at_most = |bound: i64| {
                    let form = Linear { terms: vec![(leaf, Rat::ONE)], constant: Rat::from(-bound) };
                    statements.inequality(form, false)
                };
                let [negative, zero, one] = [at_most(-1), at_most(0), at_most(1)];
                clauses.add([!negative]);
                clauses.add([one]);
                clauses.add([*literal, zero]);
                clauses.add([!*literal, !zero]);
            }
            Leaf::Conditional(term) => {
                let View::Ite(condition, then, otherwise) = statements.store.view(*term) else {
                    unreachable!("a conditional")
                };
                let condition = statements.of_formula(condition);
                for (premise, branch) in [(!condition, then), (condition, otherwise)] {
                    for sign in [Rat::ONE, -Rat::ONE] {
                        // The leaf less the branch is neither more nor less than 0.
                        let branch = statements.form(branch);
                        let branch = branch.expect("branches of an arithmetic conditional are arithmetic");
                        let mut difference = Linear::default();
                        difference.add(&branch, &-&sign);
                        difference.terms.push((leaf, sign));
                        difference.add_up();
                        let literal = statements.inequality(difference, false);
                        clauses.add([premise, literal]);
                    }
                }
            }
            Leaf::Floor(form) => {
                // 0 <= form - leaf < 1
                let mut rest = form.clone();
                rest.terms.push((leaf, -Rat::ONE));
                rest.add_up();
                let negative = statements.inequality(rest.clone(), true);
                rest.constant = &rest.constant - &Rat::ONE;
                let below_one = statements.inequality(rest, true);
                clauses.add([!negative]);
                clauses.add([below_one]);
            }
        }
        if let Some(sum) = statements.sum_of_bits(leaf) {
            let at_most = statements.inequality(sum.clone(), false);
            let below = statements.inequality(sum, true);
            clauses.add([at_most]);
            clauses.add([!below]);
        }
        let clauses = Rc::new(clauses);
        self.leaves.insert(leaf, clauses.clone());
        clauses
    }
}

/// The clauses that opening the top connectives of an assertion gives.
fn open<T: Translation>(
    statements: &mut Statements<'_, T>,
    assertion: Assertion,
) -> HashSet<Box<[Literal]>, FxBuildHasher> {
    let mut found = HashSet::default();
    // Under a guard that means something else, too, nothing follows.
    let guard = match assertion.guard.map(|guard| statements.of_guard(guard)) {
        None => Literal::FALSE,
        Some(Some(guard)) => !guard,
        Some(None) => return found,
    };
    let mut opened: HashSet<Term, FxBuildHasher> = HashSet::default();
    let mut stack = vec![assertion.formula];
    let mut add = |literals: &[Literal]| {
        let mut clause = Vec::with_capacity(literals.len() + 1);
        clause.push(guard);
        clause.extend_from_slice(literals);
        found.extend(normal(clause));
    };
    while let Some(formula) = stack.pop() {
        if !opened.insert(formula) {
            continue;
        }
        let negated = formula.is_negated();
        match statements.store.view(formula) {
            View::And(members) if !negated => stack.extend_from_slice(members),
            View::And(members) => {
                let members = members.to_vec();
                let clause: Vec<Literal> = members.iter().map(|&m| statements.of_formula(!m)).collect();
                add(&clause);
            }
            View::Iff(a, b) => {
                let (a, b) = (statements.of_formula(a), statements.of_formula(b.xor(negated)));
                add(&[!a, b]);
                add(&[a, !b]);
            }
            View::Ite(condition, then, otherwise) => {
                let condition = statements.of_formula(condition);
                let then = statements.of_formula(then.xor(negated));
                let otherwise = statements.of_formula(otherwise.xor(negated));
                add(&[!condition, then]);
                add(&[condition, otherwise]);
            }
            View::Eq(poly, value) => {
                let value = value.clone();
                if let Some(lifted) = statements.lifted(formula, poly) {
                    stack.push(lifted);
                    continue;
                }
                let at_most = statements.comparison(poly, &value, false);
                let at_least = !statements.comparison(poly, &value, true);
                if negated {
                    add(&[!at_most, !at_least]);
                } else {
                    add(&[at_most]);
                    add(&[at_least]);
                }
            }
            _ => add(&[statements.of_formula(formula)]),
        }
    }
    found
}
