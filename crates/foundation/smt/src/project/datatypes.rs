//! Datatypes: the model's constructors.
//!
//! Bjørner and Janota (2015): a variable to eliminate is replaced by the constructor that its value has, applied to
//! new variables for the fields, as far as a selector, a tester or an equality asks for it; the builders of terms
//! reduce what is applied to constructors. An equality of a constructor term with another term is taken apart by
//! the tester and the selectors of the other one, which is exact. A disequality is the negated tester if the model
//! has another constructor there, or a field that differs.
//!
//! A selector of another constructor's value stays: it is a function like others. The number of expansions follows
//! the depth of the model's values; the size of the rewriting bounds it.

use shem_term::{Role, Term, Value};

use super::rewrite::Rewriting;
use super::unsupported::Unsupported;

/// Takes an equality of a constructor term apart, or a variable.
pub(super) fn rewrite(rewriting: &mut Rewriting<'_>) -> Result<bool, Unsupported> {
    for literal in rewriting.literals().to_vec() {
        let Some((a, b)) = rewriting.as_equality(literal) else { continue };
        if is_constructed(rewriting, a) {
            return take_apart(rewriting, literal, a, b).map(|()| true);
        }
        if is_constructed(rewriting, b) {
            return take_apart(rewriting, literal, b, a).map(|()| true);
        }
    }
    let Some(var) = find_variable(rewriting) else { return Ok(false) };
    expand(rewriting, var)?;
    Ok(true)
}

/// Whether the term is a constructor applied to fields. An equality with a constant stays: it says the same as the
/// tester.
fn is_constructed(rewriting: &Rewriting<'_>, term: Term) -> bool {
    matches!(rewriting.store.as_app(term), Some((_, Role::Constructor { .. }, [_, ..])))
}

/// Replaces an equality or disequality of a constructor term with a term that is not one.
fn take_apart(
    rewriting: &mut Rewriting<'_>,
    literal: Term,
    constructed: Term,
    other: Term,
) -> Result<(), Unsupported> {
    let (symbol, fields) = match rewriting.store.as_app(constructed) {
        Some((symbol, _, args)) => (symbol, args.to_vec()),
        None => unreachable!("a constructor term is expected"),
    };
    let constructor = rewriting.store.constructor(symbol).clone();
    let is_made_by = rewriting.store.apply(constructor.tester, &[other]);
    let selected: Vec<Term> =
        constructor.selectors.iter().map(|&selector| rewriting.store.apply(selector, &[other])).collect();
    rewriting.remove(literal);
    if !literal.is_negated() {
        rewriting.require(is_made_by);
        for (field, part) in fields.into_iter().zip(selected) {
            let equality = rewriting.store.eq(field, part);
            rewriting.require(equality);
        }
        return Ok(());
    }
    rewriting.value_term(is_made_by);
    if !rewriting.truth(is_made_by)? {
        rewriting.choose();
        rewriting.require(!is_made_by);
        return Ok(());
    }
    // One field that differs will do; one without a variable to eliminate leaves the others alone.
    let mut choice: Option<(Term, bool)> = None;
    for (field, part) in fields.into_iter().zip(selected) {
        let equality = rewriting.store.eq(field, part);
        rewriting.value_term(equality);
        let open = rewriting.valuation.mentions(equality);
        if !rewriting.truth(equality)? && choice.is_none_or(|(_, other)| other && !open) {
            choice = Some((equality, open));
        }
    }
    let (equality, _) = choice.ok_or(Unsupported::NotAModel)?;
    rewriting.choose();
    rewriting.require(is_made_by);
    rewriting.require(!equality);
    Ok(())
}

/// A variable to eliminate that a selector, a tester or an equality is applied to.
fn find_variable(rewriting: &Rewriting<'_>) -> Option<Term> {
    let is_wanted =
        |term: Term| rewriting.store.sort(term).is_datatype() && rewriting.valuation.is_eliminated(term);
    rewriting.open_terms().into_iter().find_map(|term| match rewriting.store.as_app(term) {
        Some((_, Role::Selector { .. } | Role::Tester { .. }, &[whole])) => is_wanted(whole).then_some(whole),
        Some(_) => None,
        None => {
            let (a, b) = rewriting.as_equality(term)?;
            [a, b].into_iter().find(|&operand| is_wanted(operand))
        }
    })
}

/// Replaces a variable by its constructor, applied to new variables.
pub(super) fn expand(rewriting: &mut Rewriting<'_>, var: Term) -> Result<(), Unsupported> {
    let Value::Data(data) = rewriting.value(var)? else { return Err(Unsupported::NotAModel) };
    let symbol = data.constructor();
    let Role::Constructor { datatype, .. } = rewriting.store.role(symbol) else {
        return Err(Unsupported::NotAModel);
    };
    if rewriting.store.datatype(datatype).constructors().len() > 1 {
        rewriting.choose();
    }
    let sorts = rewriting.store.signature(symbol).args.clone();
    let fields: Vec<Term> = data
        .fields()
        .iter()
        .zip(&sorts)
        .map(|(value, &sort)| rewriting.introduce(sort, value.clone()))
        .collect();
    let term = rewriting.store.construct(symbol, &fields);
    rewriting.value_term(term);
    rewriting.replace(&[(var, term)]);
    Ok(())
}
