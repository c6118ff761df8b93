//! Terms for the variables of an instance.
//!
//! Values of the bound variables make a body false in a model. An instance with these very values would exclude the
//! model and little else, so each value becomes a term: the nearest boundary, where an inequality of the body changes
//! its truth value, plus a constant distance (Reynolds, King and Kuncak 2017). There are finitely many boundaries, and
//! distances can be kept below the least common multiple of all moduli (Cooper 1972). Divisions are treated as if they
//! were exact, and the evaluator decides whether the shorter distance can be used. In a body with quantifiers, the
//! boundaries are those of the body after elimination. The choice of terms matters for termination only, not for
//! soundness.

use std::collections::BTreeSet;

use shem_base::{Budget, Effort, Int, Rat};
use shem_smt::project::eliminate_quantifiers;
use shem_term::{Poly, Sort, Store, Substitution, Symbol, Term, Value, View};

/// The effort for the elimination of quantifiers inside a body.
const ELIMINATION_EFFORT: Effort = Effort { conflicts: 5_000, pivots: 50_000, splits: 500 };

/// An instance of the body, false under the values that make the body false, with terms in place of the variables.
pub(crate) fn instantiate(
    store: &mut Store,
    vars: &[Term],
    body: Term,
    value: &impl Fn(&Store, Symbol) -> Value,
    budget: &Budget,
) -> Term {
    let mut body = body;
    // Terms are chosen for an equivalent body without quantifiers, if elimination is not too hard.
    let mut quantifier_free = body;
    if store.has_quantifier(body) {
        let mut own = Budget {
            conflicts: ELIMINATION_EFFORT.conflicts,
            pivots: ELIMINATION_EFFORT.pivots,
            splits: ELIMINATION_EFFORT.splits,
            ..Budget::until(budget.stop.clone())
        };
        quantifier_free = eliminate_quantifiers(store, body, &mut own).unwrap_or(body);
    }
    for &variable in vars.iter().rev() {
        let symbol = store.as_var(variable).expect("a bound variable is a variable");
        let term = match value(store, symbol) {
            Value::Bool(truth) => Term::from_bool(truth),
            Value::Num(number) => choose(store, quantifier_free, variable, &number, value),
            other => store.value_term(&other, store.sort(variable)),
        };
        let mut substitution = Substitution::new();
        substitution.insert(symbol, term);
        body = store.substitute(body, &substitution);
        quantifier_free = store.substitute(quantifier_free, &substitution);
    }
    body
}

/// A term for the variable, whose value is the number.
fn choose(
    store: &mut Store,
    body: Term,
    variable: Term,
    number: &Rat,
    value: &impl Fn(&Store, Symbol) -> Value,
) -> Term {
    let symbol = store.as_var(variable).expect("a variable");
    let sort = store.sort(variable);
    let (boundaries, period) = boundaries(store, body, variable, value);
    let mut below: Option<(Rat, Term)> = None;
    let mut above: Option<(Rat, Term)> = None;
    for boundary in boundaries {
        let Some(Value::Num(at)) = store.evaluate(boundary, &|symbol| Some(value(store, symbol))) else {
            continue;
        };
        if at <= *number {
            if below.as_ref().is_none_or(|(best, _)| at > *best) {
                below = Some((at, boundary));
            }
        } else if above.as_ref().is_none_or(|(best, _)| at < *best) {
            above = Some((at, boundary));
        }
    }
    // Whether the body is false where the variable has this value.
    let is_false = |store: &Store, at: &Rat| {
        let assignment =
            |other: Symbol| Some(if other == symbol { Value::Num(at.clone()) } else { value(store, other) });
        store.evaluate(body, &assignment) == Some(Value::Bool(false))
    };
    let (base, boundary) = match (&below, &above) {
        (Some((at, boundary)), _) if at == number => return *boundary,
        (Some((low, first)), Some((high, second))) if sort == Sort::Real => {
            let half = Rat::new(1, 2);
            let middle = &(low + high) * &half;
            if is_false(store, &middle) {
                return store.linear(&[(half.clone(), *first), (half, *second)], &Rat::ZERO, sort);
            }
            (low.clone(), *first)
        }
        (Some((at, boundary)), _) | (None, Some((at, boundary))) => (at.clone(), *boundary),
        (None, None) => (Rat::ZERO, store.numeral(&Rat::ZERO, sort)),
    };
    let distance = number - &base;
    let short = shorten(&distance, &period);
    let distance = if is_false(store, &(&base + &short)) { short } else { distance };
    store.linear(&[(Rat::ONE, boundary)], &distance, sort)
}

/// The least distance in the same direction, but not none, that differs by a multiple of the period.
fn shorten(distance: &Rat, period: &Int) -> Rat {
    let size = distance.abs();
    if size.is_zero() {
        return size;
    }
    let period = Rat::from(period.clone());
    let rest = &(&size - &Rat::ONE) / &period;
    let short = if size < Rat::ONE { size } else { &size - &(&Rat::from(rest.floor()) * &period) };
    if distance.is_negative() { -short } else { short }
}

/// The boundaries: terms without the variable at which an inequality of the body changes its truth value; and the least
/// common multiple of the moduli under which the variable stands.
fn boundaries(
    store: &mut Store,
    body: Term,
    variable: Term,
    value: &impl Fn(&Store, Symbol) -> Value,
) -> (Vec<Term>, Int) {
    let subterms = store.subterms(&[body]);
    // What is bound inside the body cannot occur in a term for the variable.
    let mut forbidden: BTreeSet<Term> = BTreeSet::from([variable]);
    for &term in &subterms {
        if let View::Forall(vars, _) = store.view(term) {
            forbidden.extend(vars);
        }
    }
    // The terms that mention the variable, and those that mention anything forbidden.
    let (mut mentions, mut with_bound_variables) = (BTreeSet::from([variable]), forbidden);
    let mut period = Int::ONE;
    let mut atoms = Vec::new();
    for &term in &subterms {
        let (mut inside, mut bad) = (mentions.contains(&term), with_bound_variables.contains(&term));
        store.for_each_child(term, |child| {
            inside |= mentions.contains(&child.positive());
            bad |= with_bound_variables.contains(&child.positive());
        });
        if bad {
            with_bound_variables.insert(term);
        }
        if !inside {
            continue;
        }
        mentions.insert(term);
        match store.view(term) {
            View::Le(poly, bound) | View::Lt(poly, bound) | View::Eq(poly, bound) => {
                atoms.push((poly, bound.clone()));
            }
            View::Divisible(modulus, ..) | View::Div(_, modulus) | View::Mod(_, modulus) => {
                period = period.lcm(modulus);
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    for (poly, bound) in atoms {
        if let Some(boundary) =
            boundary(store, poly, &bound, variable, &mentions, &with_bound_variables, value)
        {
            found.push(boundary);
        }
    }
    found.sort_unstable();
    found.dedup();
    (found, period)
}

/// The term for the variable at which the polynomial equals the bound, rounded down for an integer.
fn boundary(
    store: &mut Store,
    poly: Poly,
    bound: &Rat,
    variable: Term,
    mentions: &BTreeSet<Term>,
    with_bound_variables: &BTreeSet<Term>,
    value: &impl Fn(&Store, Symbol) -> Value,
) -> Option<Term> {
    let mut factor = Rat::ZERO;
    let mut rest: Vec<(Rat, Term)> = Vec::new();
    let mut constant = Rat::ZERO;
    let mut stack: Vec<(Term, Rat)> =
        store.poly_terms(poly).iter().map(|t| (t.leaf, Rat::from(t.coeff.clone()))).collect();
    while let Some((term, coeff)) = stack.pop() {
        if term == variable {
            factor += &coeff;
            continue;
        }
        if !mentions.contains(&term) {
            if with_bound_variables.contains(&term) {
                return None;
            }
            rest.push((coeff, term));
            continue;
        }
        match store.view(term) {
            View::Linear(scale, poly, offset) => {
                constant.add_mul(&coeff, offset);
                let scale = &coeff * scale;
                stack.extend(store.poly_terms(poly).iter().map(|t| (t.leaf, scale.mul_int(&t.coeff))));
            }
            View::Div(inner, modulus) => stack.push((inner, coeff.div_int(modulus))),
            View::ToInt(inner) => stack.push((inner, coeff)),
            View::Mod(..) => {}
            View::Ite(condition, then, otherwise) => {
                let assignment = |symbol: Symbol| Some(value(store, symbol));
                let truth = store.evaluate(condition, &assignment)?.as_bool()?;
                stack.push((if truth { then } else { otherwise }, coeff));
            }
            _ => return None,
        }
    }
    if factor.is_zero() {
        return None;
    }
    // The variable is (bound - constant - rest) / factor.
    let offset = &(bound - &constant) / &factor;
    let terms: Vec<(Rat, Term)> = rest.into_iter().map(|(c, t)| (-(&c / &factor), t)).collect();
    if store.sort(variable) == Sort::Real {
        return Some(store.linear(&terms, &offset, Sort::Real));
    }
    if terms.iter().any(|(_, term)| store.sort(*term) != Sort::Int) {
        let real = store.linear(&terms, &offset, Sort::Real);
        return Some(store.to_int(real));
    }
    let denominator = terms.iter().fold(offset.denom(), |lcm, (c, _)| lcm.lcm(&c.denom()));
    let scaled: Vec<(Rat, Term)> = terms.into_iter().map(|(c, t)| (c.mul_int(&denominator), t)).collect();
    let sum = store.linear(&scaled, &offset.mul_int(&denominator), Sort::Int);
    Some(if denominator.is_one() { sum } else { store.int_div(sum, &denominator) })
}
