//! Literals that a variable to eliminate drops out with.
//!
//! An equality of the variable with a term without it is a substitution, and so is a linear equation where the
//! variable stands in an argument. A variable of an infinite sort of which nothing but disequalities are required
//! always has a value, and so has a number in a single linear literal. All of this is exact.

use shem_base::Rat;
use shem_term::{Sort, Store, Term, View};

use super::rewrite::Rewriting;
use super::unsupported::Unsupported;

/// Replaces a variable by what a literal says it is.
pub(super) fn substitute(rewriting: &mut Rewriting<'_>) -> Result<bool, Unsupported> {
    if let Some((literal, var, definition)) = find_equality(rewriting) {
        rewriting.remove(literal);
        rewriting.replace(&[(var, definition)]);
        return Ok(true);
    }
    let Some((literal, var)) = find_equation(rewriting) else { return Ok(false) };
    let (definition, condition) = solve(rewriting.store, literal, var);
    rewriting.remove(literal);
    rewriting.replace(&[(var, definition)]);
    rewriting.require(condition);
    Ok(true)
}

/// A literal, a variable to eliminate that is an operand of it, and the other operand.
fn find_equality(rewriting: &Rewriting<'_>) -> Option<(Term, Term, Term)> {
    rewriting.literals().iter().filter(|literal| !literal.is_negated()).find_map(|&literal| {
        let (a, b) = rewriting.as_equality(literal)?;
        let defines = |&(var, other): &(Term, Term)| {
            rewriting.valuation.is_eliminated(var) && !rewriting.occurs(var, other)
        };
        [(a, b), (b, a)].into_iter().find(defines).map(|(var, other)| (literal, var, other))
    })
}

/// A linear equation and a variable to eliminate in it that occurs in an argument elsewhere, but not in another leaf
/// of the equation.
fn find_equation(rewriting: &Rewriting<'_>) -> Option<(Term, Term)> {
    let mut equations = rewriting.literals().iter().copied();
    let is_equation = |t: &Term| !t.is_negated() && matches!(rewriting.store.view(*t), View::Eq(..));
    if !equations.any(|t| is_equation(&t)) {
        return None;
    }
    let mut inside = rewriting.open_terms();
    inside.retain(|&term| matches!(rewriting.store.view(term), View::App(..)));
    let inside = rewriting.store.subterms(&inside);
    rewriting.literals().iter().copied().filter(is_equation).find_map(|literal| {
        let View::Eq(poly, _) = rewriting.store.view(literal) else { return None };
        let (integral, leaves) = (rewriting.store.poly_is_integral(poly), rewriting.store.poly_terms(poly));
        let found = leaves.iter().find(|t| {
            rewriting.valuation.is_eliminated(t.leaf)
                && (integral || rewriting.store.sort(t.leaf) == Sort::Real)
                && inside.binary_search(&t.leaf).is_ok()
                && !leaves.iter().any(|other| other.leaf != t.leaf && rewriting.occurs(t.leaf, other.leaf))
        });
        found.map(|t| (literal, t.leaf))
    })
}

/// What an equation says the variable is, and what else it says: that an integer is divisible.
fn solve(store: &mut Store, equation: Term, var: Term) -> (Term, Term) {
    let View::Eq(poly, value) = store.view(equation) else { unreachable!("an equation is expected") };
    let coeff = store.poly_terms(poly).iter().find(|t| t.leaf == var).map(|t| t.coeff.clone());
    let coeff = coeff.expect("the variable is a leaf of the equation");
    let sort = store.sort(var);
    // c x = value - rest, with the sign of c taken over to the right side.
    let divisor = if sort == Sort::Int { coeff.abs() } else { coeff.clone() };
    let scale = if sort == Sort::Int && coeff.is_negative() { Rat::MINUS_ONE } else { Rat::ONE };
    let rest: Vec<(Rat, Term)> = store
        .poly_terms(poly)
        .iter()
        .filter(|t| t.leaf != var)
        .map(|t| (-(&scale * &Rat::from(&t.coeff)), t.leaf))
        .collect();
    let constant = &scale * value;
    let right = store.linear(&rest, &constant, sort);
    if sort == Sort::Real {
        let factor = Rat::ONE.div_int(&divisor);
        return (store.scale(&factor, right), Term::TRUE);
    }
    if divisor.is_one() {
        return (right, Term::TRUE);
    }
    (store.int_div(right, &divisor), store.divisible(&divisor, right))
}

/// Drops the disequalities of a variable of an infinite sort that occurs nowhere else.
pub(super) fn drop_disequalities(rewriting: &mut Rewriting<'_>) -> Result<bool, Unsupported> {
    let terms = rewriting.open_terms();
    let free = terms.iter().copied().find(|&var| {
        let sort = rewriting.store.sort(var);
        rewriting.valuation.is_eliminated(var)
            && !sort.is_basic()
            && rewriting.store.is_infinite(sort)
            && terms.iter().all(|&term| {
                let mut times = 0;
                rewriting.store.for_each_child(term, |child| times += usize::from(child == var));
                times == 0 || matches!(rewriting.store.view(term), View::Equal(..))
            })
            && rewriting.literals().iter().all(|&literal| match rewriting.as_equality(literal) {
                Some((a, b)) if a == var || b == var => {
                    literal.is_negated() && !rewriting.occurs(var, if a == var { b } else { a })
                }
                _ => true,
            })
    });
    let Some(var) = free else { return Ok(false) };
    for literal in rewriting.literals().to_vec() {
        if rewriting.as_equality(literal).is_some_and(|(a, b)| a == var || b == var) {
            rewriting.remove(literal);
        }
    }
    Ok(true)
}

/// Drops a linear literal with arguments to eliminate that some value of a number, which occurs nowhere else, makes
/// true whatever the arguments are.
pub(super) fn drop_free_numbers(rewriting: &mut Rewriting<'_>) -> Result<bool, Unsupported> {
    let terms = rewriting.open_terms();
    let store = &*rewriting.store;
    let occurs_once = |var: Term| {
        let mut times = 0;
        for &term in &terms {
            store.for_each_child(term, |child| times += usize::from(child == var));
        }
        times == 1
    };
    let is_free = |&literal: &Term| {
        let (poly, is_equation) = match store.view(literal) {
            View::Le(poly, _) | View::Lt(poly, _) => (poly, false),
            View::Eq(poly, _) => (poly, !literal.is_negated()),
            _ => return false,
        };
        let leaves = store.poly_terms(poly);
        let is_argument =
            |leaf: Term| rewriting.valuation.mentions(leaf) && !rewriting.valuation.is_eliminated(leaf);
        leaves.iter().any(|t| is_argument(t.leaf))
            && leaves.iter().any(|t| {
                let solvable = store.sort(t.leaf) == Sort::Real
                    || store.poly_is_integral(poly) && t.coeff.abs().is_one();
                rewriting.valuation.is_eliminated(t.leaf) && (!is_equation || solvable) && occurs_once(t.leaf)
            })
    };
    let Some(literal) = rewriting.literals().iter().copied().find(is_free) else { return Ok(false) };
    rewriting.remove(literal);
    Ok(true)
}
