//! Products and quotients in which the clause fixes an operand.
//!
//! Front ends name every subexpression: `2 * x` becomes `e1 = 2 ∧ e2 = x ∧ e3 = e1 * e2`. As read, that is a product of
//! variables, for which solvers have approximations only, and answers about it have to be confirmed by evaluation. The
//! clause says what `e1` is, so the product is linear after all: values that conjuncts of the constraint give to
//! variables take their place in the other conjuncts. The equations stay; the clause means what it meant.
//!
//! Only constraints with such terms are touched; others stay letter by letter what was read.

use shem_base::{Rat, StampSet};
use shem_term::{PolyTerm, Role, Sort, Store, Substitution, Symbol, Term, View};

/// How often values that were found are put in; each round follows a chain of equations by one step.
const ROUNDS: usize = 8;

/// The constraint with the values that it gives to variables in its products and quotients.
/// Applications of the symbol, if there is one, count as such.
pub(super) fn fix_operands(
    store: &mut Store,
    constraint: Term,
    open: Option<Symbol>,
    seen: &mut StampSet,
) -> Term {
    let mut constraint = constraint;
    let mut fixed: Vec<Term> = Vec::new();
    for _ in 0..ROUNDS {
        let members = match store.view(constraint) {
            View::And(members) if !constraint.is_negated() => members.to_vec(),
            _ => break,
        };
        if !has_open_operation(store, constraint, open, seen) {
            break;
        }
        let mut values = Substitution::new();
        let (mut equations, mut others) = (Vec::new(), Vec::new());
        for member in members {
            match value_of_variable(store, member) {
                // Of two values of a variable the second stays, as a conjunct that is false.
                Some((symbol, _)) if values.get(symbol).is_some() => others.push(member),
                Some((symbol, value)) => {
                    values.insert(symbol, value);
                    equations.push(member);
                }
                None => others.push(member),
            }
        }
        if equations.is_empty() {
            break;
        }
        for other in &mut others {
            *other = store.substitute(*other, &values);
        }
        fixed.append(&mut equations);
        constraint = store.and(&others);
    }
    if fixed.is_empty() {
        return constraint;
    }
    fixed.push(constraint);
    store.and(&fixed)
}

/// Whether there is a product, or a quotient or remainder, of terms that are not numbers.
fn has_open_operation(store: &Store, root: Term, open: Option<Symbol>, seen: &mut StampSet) -> bool {
    seen.clear();
    let mut stack = vec![root.positive()];
    while let Some(term) = stack.pop() {
        if !seen.insert(term.index()) {
            continue;
        }
        if let View::App(symbol, _) = store.view(term)
            && (open == Some(symbol)
                || matches!(
                    store.role(symbol),
                    Role::Product | Role::RealQuotient | Role::IntQuotient | Role::Remainder
                ))
        {
            return true;
        }
        store.for_each_child(term, |child| stack.push(child.positive()));
    }
    false
}

/// The variable to which a conjunct gives a value, and the value.
fn value_of_variable(store: &mut Store, conjunct: Term) -> Option<(Symbol, Term)> {
    if conjunct.is_negated() {
        return None;
    }
    let View::Eq(poly, value) = store.view(conjunct) else { return None };
    let [PolyTerm { leaf, coeff }] = store.poly_terms(poly) else { return None };
    let (symbol, sort) = (store.as_var(*leaf)?, store.sort(*leaf));
    let value = value / &Rat::from(coeff.clone());
    match sort {
        Sort::Int if value.is_integer() => Some((symbol, store.int(value.numer()))),
        Sort::Real => Some((symbol, store.real(value))),
        _ => None,
    }
}
