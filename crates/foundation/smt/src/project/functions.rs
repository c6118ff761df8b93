//! Arguments of functions, and of whatever else stays as it is: the rule that always finds something to do.
//!
//! An arithmetic argument with a variable to eliminate is equated with a term without one that has the same value in
//! the model, or with that value. A variable of another sort is replaced by such a term; otherwise one of a datatype
//! is replaced by its constructor, and an array by its value. For a function `f` this is congruence: among the terms
//! with the same value, arguments of other applications of `f` in the same position are preferred, so that what is
//! known of `f` there carries over.
//!
//! Elements of declared sorts have no names: without a term of the same value the projection is refused.

use shem_term::{Role, Sort, Symbol, Term, Value, View};

use super::datatypes::expand;
use super::rewrite::Rewriting;
use super::unsupported::Unsupported;

/// The number of parts of a value up to which it is searched for elements of declared sorts.
const VALUE_LIMIT: usize = 100_000;

/// Replaces one argument, or one operand of an equality.
pub(super) fn rewrite(rewriting: &mut Rewriting<'_>) -> Result<bool, Unsupported> {
    if let Some((var, position)) = find_variable(rewriting) {
        instantiate(rewriting, var, position)?;
        return Ok(true);
    }
    let Some((application, position)) = find_number(rewriting) else { return Ok(false) };
    equate_argument(rewriting, application, position)?;
    Ok(true)
}

/// An argument position of a symbol.
type Position = (Symbol, usize);

/// A variable to eliminate that is neither a number nor a formula. The arrays that are read from and written to come
/// last, since a read goes away with its index.
fn find_variable(rewriting: &Rewriting<'_>) -> Option<(Term, Option<Position>)> {
    let is_wanted =
        |term: Term| rewriting.valuation.is_eliminated(term) && !rewriting.store.sort(term).is_basic();
    let mut accessed = None;
    for term in rewriting.open_terms() {
        match rewriting.store.view(term) {
            View::App(symbol, args) => {
                let access = matches!(rewriting.store.role(symbol), Role::Select | Role::Store);
                for (at, &arg) in args.iter().enumerate().filter(|entry| is_wanted(*entry.1)) {
                    if !access || at > 0 {
                        return Some((arg, Some((symbol, at))));
                    }
                    accessed = accessed.or(Some((arg, Some((symbol, at)))));
                }
            }
            View::Equal(a, b) => {
                if let Some(operand) = [a, b].into_iter().find(|&operand| is_wanted(operand)) {
                    accessed = accessed.or(Some((operand, None)));
                }
            }
            _ => {}
        }
    }
    accessed
}

/// An innermost application and the position of an arithmetic argument with a variable to eliminate.
fn find_number(rewriting: &Rewriting<'_>) -> Option<(Term, usize)> {
    rewriting.open_terms().into_iter().find_map(|term| {
        let (_, _, args) = rewriting.store.as_app(term)?;
        let is_wanted =
            |&arg: &Term| rewriting.store.sort(arg).is_arithmetic() && rewriting.valuation.mentions(arg);
        args.iter().position(is_wanted).map(|at| (term, at))
    })
}

/// Replaces a variable by a term of the same value.
fn instantiate(
    rewriting: &mut Rewriting<'_>,
    var: Term,
    position: Option<Position>,
) -> Result<(), Unsupported> {
    let value = rewriting.value(var)?;
    let sort = rewriting.store.sort(var);
    let term = match find_term(rewriting, sort, &value, position) {
        Some(term) => term,
        None if sort.is_datatype() => return expand(rewriting, var),
        None if may_have_element(&value) => return Err(Unsupported::DeclaredSort),
        None => rewriting.store.value_term(&value, sort),
    };
    rewriting.choose();
    rewriting.replace(&[(var, term)]);
    Ok(())
}

/// Equates an argument with a term of the same value or with the value, and puts that in its place.
fn equate_argument(rewriting: &mut Rewriting<'_>, application: Term, at: usize) -> Result<(), Unsupported> {
    let Some((symbol, _, args)) = rewriting.store.as_app(application) else {
        unreachable!("an application is expected")
    };
    let mut args = args.to_vec();
    let (arg, sort) = (args[at], rewriting.store.sort(args[at]));
    let value = rewriting.value(arg)?;
    let number = value.as_num().ok_or(Unsupported::NotAModel)?;
    // A factor or divisor becomes a number, so that the product or quotient becomes linear.
    let becomes_linear = match rewriting.store.role(symbol) {
        Role::Product => true,
        Role::RealQuotient | Role::IntQuotient | Role::Remainder => at == 1,
        _ => false,
    };
    let found = if becomes_linear { None } else { find_term(rewriting, sort, &value, Some((symbol, at))) };
    let term = match found {
        Some(term) => term,
        None => rewriting.store.numeral(number, sort),
    };
    rewriting.choose();
    if rewriting.valuation.is_eliminated(arg) {
        rewriting.replace(&[(arg, term)]);
        return Ok(());
    }
    args[at] = term;
    let image = rewriting.store.apply(symbol, &args);
    rewriting.replace(&[(application, image)]);
    let equality = rewriting.store.eq(arg, term);
    rewriting.require(equality);
    Ok(())
}

/// A term without variables to eliminate that has this value: an argument in the same position of the same symbol, a
/// variable, or any term that is not a number.
fn find_term(
    rewriting: &Rewriting<'_>,
    sort: Sort,
    value: &Value,
    position: Option<Position>,
) -> Option<Term> {
    let store = &*rewriting.store;
    let roots = [rewriting.formulas, rewriting.literals()].concat();
    let terms = store.subterms(&roots);
    let fits = |&term: &Term| {
        store.sort(term) == sort
            && !rewriting.valuation.mentions(term)
            && rewriting.valuation.value_ref(term) == Some(value)
    };
    if let Some((symbol, at)) = position {
        let argument = |&term: &Term| match store.view(term) {
            View::App(other, args) if other == symbol => args.get(at).copied(),
            _ => None,
        };
        if let Some(term) = terms.iter().filter_map(argument).find(fits) {
            return Some(term);
        }
    }
    let rank = |term: Term| match store.view(term) {
        View::Var(_) => Some(0),
        View::App(..) => Some(1),
        View::Num(_) => None,
        _ => Some(2),
    };
    let candidates = terms.into_iter().filter(fits).filter_map(|term| Some((rank(term)?, term)));
    candidates.min().map(|(_, term)| term)
}

/// Whether an element of a declared sort may occur in a value. Values share parts, so the walk is limited.
pub(super) fn may_have_element(value: &Value) -> bool {
    let mut stack = vec![value];
    for _ in 0..VALUE_LIMIT {
        match stack.pop() {
            None => return false,
            Some(Value::Element(..)) => return true,
            Some(value) => stack.extend(value.parts()),
        }
    }
    true
}
