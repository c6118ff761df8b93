//! Elimination by definitions: a variable that a conjunct equates with a term without it is replaced by the
//! term. This is exact, needs no model, and leaves the shape of the formula as it is.

use shem_base::{Int, Rat};
use shem_term::{Sort, Store, Substitution, Term, View};

use super::bits::solve as solve_bits;

/// Replaces variables that are defined by a conjunct until there is none; they leave the list.
pub(super) fn substitute_definitions(store: &mut Store, mut formula: Term, vars: &mut Vec<Term>) -> Term {
    while let Some((var, conjunct, definition)) = find_definition(store, formula, vars) {
        vars.retain(|&v| v != var);
        let mut substitution = Substitution::new();
        substitution.insert(store.as_var(var).expect("a variable"), definition);
        let mut rest = store.conjuncts(formula);
        rest.retain(|&t| t != conjunct);
        let rest = store.and(&rest);
        formula = store.substitute(rest, &substitution);
    }
    formula
}

/// A variable, the conjunct that defines it and the term that it equals.
fn find_definition(store: &mut Store, formula: Term, vars: &[Term]) -> Option<(Term, Term, Term)> {
    for conjunct in store.conjuncts(formula) {
        let sign = conjunct.is_negated();
        match store.view(conjunct) {
            View::Var(_) if vars.contains(&conjunct.positive()) => {
                return Some((conjunct.positive(), conjunct, Term::from_bool(!sign)));
            }
            View::Iff(a, b) => {
                for (var, other) in [(a, b), (b, a)] {
                    if vars.contains(&var) && !occurs(store, var, other) {
                        return Some((var, conjunct, other.xor(sign)));
                    }
                }
            }
            View::Equal(a, b) if !sign => {
                for (var, other) in [(a, b), (b, a)] {
                    if vars.contains(&var) && !occurs(store, var, other) {
                        return Some((var, conjunct, other));
                    }
                }
                if store.sort(a).bit_width().is_some() {
                    let solved = vars.iter().find_map(|&var| Some((var, solve_bits(store, a, b, var)?)));
                    if let Some((var, definition)) = solved {
                        return Some((var, conjunct, definition));
                    }
                }
            }
            View::Eq(poly, _) if !sign => {
                let integral = store.poly_is_integral(poly);
                let defined = store.poly_terms(poly).iter().find(|t| {
                    let solvable = match store.sort(t.leaf) {
                        Sort::Int => integral && t.coeff.abs().is_one(),
                        _ => true,
                    };
                    let elsewhere =
                        |o: &shem_term::PolyTerm| o.leaf != t.leaf && occurs(store, t.leaf, o.leaf);
                    solvable && vars.contains(&t.leaf) && !store.poly_terms(poly).iter().any(elsewhere)
                });
                if let Some(defined) = defined {
                    let (var, coeff) = (defined.leaf, defined.coeff.clone());
                    return Some((var, conjunct, solve(store, conjunct, var, &coeff)));
                }
            }
            _ => {}
        }
    }
    None
}

/// What an equality says the variable is.
fn solve(store: &mut Store, equality: Term, var: Term, coeff: &Int) -> Term {
    let View::Eq(poly, value) = store.view(equality) else { unreachable!("an equality is expected") };
    let constant = value.div_int(coeff);
    let rest: Vec<(Rat, Term)> = store
        .poly_terms(poly)
        .iter()
        .filter(|t| t.leaf != var)
        .map(|t| (-Rat::from(&t.coeff).div_int(coeff), t.leaf))
        .collect();
    let sort = store.sort(var);
    store.linear(&rest, &constant, sort)
}

fn occurs(store: &Store, var: Term, term: Term) -> bool {
    match store.view(term) {
        View::Var(_) => var == term,
        _ => store.subterms(&[term]).binary_search(&var).is_ok(),
    }
}
