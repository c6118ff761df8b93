//! Applications: checks the number and the sorts of the arguments and calls the builders.
//!
//! An integer term beside a real one, or where a real is asked for, is taken as a real, as is common
//! practice. Chainable relations (`(< a b c)`) hold between neighbours; `-`, `/`, `div`, `mod` and `xor`
//! associate to the left, `=>` to the right.

use shem_base::{Int, Rat, counted};

use super::error::ErrorKind;
use super::symbol_table::{Macro, Operator};
use crate::{Sort, Store, Substitution, Symbol, Term};

/// A wrong application: which argument is wrong, if it is one, and why.
#[derive(Clone, Debug)]
pub(super) struct ArgumentError {
    pub(super) argument: Option<usize>,
    pub(super) kind: ErrorKind,
    pub(super) message: String,
}

impl ArgumentError {
    #[cold]
    pub(super) fn new(kind: ErrorKind, argument: Option<usize>, message: impl Into<String>) -> ArgumentError {
        ArgumentError { argument, kind, message: message.into() }
    }

    /// A term of one sort where another is expected.
    #[cold]
    pub(super) fn sort(store: &Store, argument: Option<usize>, expected: &str, found: Sort) -> ArgumentError {
        let found = store.sort_text(found);
        let message = format!("expected a term of sort {expected}, found one of sort {found}");
        ArgumentError::new(ErrorKind::IllSorted, argument, message)
    }

    /// A wrong number of arguments.
    #[cold]
    pub(super) fn arity(symbol: &str, expected: &str, found: usize) -> ArgumentError {
        let message = format!("{symbol} takes {expected}, not {found}");
        ArgumentError::new(ErrorKind::IllSorted, None, message)
    }
}

/// The largest number of arguments of `distinct`, which is written out as pairs.
const DISTINCT_LIMIT: usize = 2_000;

/// The application of a theory symbol to its arguments, which are used up.
pub(super) fn apply(store: &mut Store, operator: Operator, args: &mut [Term]) -> Result<Term, ArgumentError> {
    check_arity(operator, args.len())?;
    match operator {
        Operator::Not => {
            check_bool(store, args)?;
            Ok(!args[0])
        }
        Operator::And => {
            check_bool(store, args)?;
            Ok(store.and(args))
        }
        Operator::Or => {
            check_bool(store, args)?;
            Ok(store.or(args))
        }
        Operator::Xor => {
            check_bool(store, args)?;
            Ok(args[1..].iter().fold(args[0], |left, &right| store.xor(left, right)))
        }
        Operator::Implies => {
            check_bool(store, args)?;
            // a => b => c is the disjunction of not a, not b and c.
            let last = args.len() - 1;
            for premise in &mut args[..last] {
                *premise = !*premise;
            }
            Ok(store.or(args))
        }
        Operator::Equal => {
            unify(store, args)?;
            chain(store, args, Store::eq)
        }
        Operator::Distinct => {
            unify(store, args)?;
            if args.len() > DISTINCT_LIMIT {
                let message = format!("distinct takes at most {DISTINCT_LIMIT} arguments");
                return Err(ArgumentError::new(ErrorKind::Unsupported, None, message));
            }
            Ok(store.distinct(args))
        }
        Operator::Ite => {
            check_bool(store, &args[..1])?;
            unify(store, &mut args[1..]).map_err(|error| shifted(error, 1))?;
            Ok(store.ite(args[0], args[1], args[2]))
        }
        Operator::Add => {
            unify_numbers(store, args)?;
            Ok(store.add(args))
        }
        Operator::Subtract => {
            unify_numbers(store, args)?;
            match args {
                [single] => Ok(store.neg(*single)),
                [left, right] => Ok(store.sub(*left, *right)),
                _ => {
                    let subtracted = store.add(&args[1..]);
                    Ok(store.sub(args[0], subtracted))
                }
            }
        }
        Operator::Multiply => {
            unify_numbers(store, args)?;
            Ok(store.product(args))
        }
        Operator::Divide => {
            for (position, arg) in args.iter_mut().enumerate() {
                *arg = to_real(store, *arg, position)?;
            }
            Ok(fold_quotient(store, args, Store::real_quotient))
        }
        Operator::Quotient => {
            check_int(store, args)?;
            Ok(fold_quotient(store, args, Store::int_quotient))
        }
        Operator::Remainder => {
            check_int(store, args)?;
            Ok(fold_quotient(store, args, Store::remainder))
        }
        Operator::SignedRemainder => {
            check_int(store, args)?;
            let divisor = args[1];
            let zero = store.int(0);
            let is_negative = store.lt(divisor, zero);
            let remainder = fold_quotient(store, args, Store::remainder);
            let opposite = store.neg(remainder);
            Ok(store.ite(is_negative, opposite, remainder))
        }
        Operator::Select => {
            let (index, _) = array_parts(store, args[0])?;
            args[1] = coerce(store, args[1], index).map_err(|error| shifted(error, 1))?;
            Ok(store.select(args[0], args[1]))
        }
        Operator::Store => {
            let (index, element) = array_parts(store, args[0])?;
            args[1] = coerce(store, args[1], index).map_err(|error| shifted(error, 1))?;
            args[2] = coerce(store, args[2], element).map_err(|error| shifted(error, 2))?;
            Ok(store.store_at(args[0], args[1], args[2]))
        }
        Operator::Absolute => {
            check_numbers(store, args)?;
            Ok(store.abs(args[0]))
        }
        Operator::LessEqual => compare(store, args, Store::le),
        Operator::Less => compare(store, args, Store::lt),
        Operator::GreaterEqual => compare(store, args, Store::ge),
        Operator::Greater => compare(store, args, Store::gt),
        Operator::ToReal => to_real(store, args[0], 0),
        Operator::ToInt => {
            check_numbers(store, args)?;
            Ok(store.to_int(args[0]))
        }
        Operator::IsInt => {
            let term = to_real(store, args[0], 0)?;
            Ok(store.is_int(term))
        }
    }
}

/// The application of a symbol with a signature.
pub(super) fn apply_function(
    store: &mut Store,
    symbol: Symbol,
    args: &mut [Term],
) -> Result<Term, ArgumentError> {
    let expected = store.signature(symbol).args.len();
    if expected != args.len() {
        return Err(ArgumentError::arity(store.name(symbol), &counted(expected, "argument"), args.len()));
    }
    for (position, arg) in args.iter_mut().enumerate() {
        let sort = store.signature(symbol).args[position];
        *arg = coerce(store, *arg, sort).map_err(|error| shifted(error, position))?;
    }
    Ok(store.apply(symbol, args))
}

/// The use of a definition with parameters.
pub(super) fn apply_macro(
    store: &mut Store,
    name: &str,
    definition: &Macro,
    args: &[Term],
) -> Result<Term, ArgumentError> {
    let Macro { params, body, .. } = definition;
    if params.len() != args.len() {
        return Err(ArgumentError::arity(name, &counted(params.len(), "argument"), args.len()));
    }
    let mut substitution = Substitution::new();
    for (position, (&param, &arg)) in params.iter().zip(args).enumerate() {
        let arg = coerce(store, arg, store.sort(param)).map_err(|error| shifted(error, position))?;
        if let Some(symbol) = store.as_var(param) {
            substitution.insert(symbol, arg);
        }
    }
    Ok(store.substitute(*body, &substitution))
}

/// `((_ divisible k) t)`; the arguments are `k` and `t`.
pub(super) fn apply_divisible(store: &mut Store, args: &[Term]) -> Result<Term, ArgumentError> {
    let &[modulus, term] = args else {
        return Err(ArgumentError::arity("divisible", "one argument", args.len() - 1));
    };
    check_int(store, args)?;
    let modulus = store.as_num(modulus).map_or(Int::ONE, Rat::numer);
    Ok(store.divisible(&modulus, term))
}

/// Whether at most, or at least, so many formulas hold; the number is the first argument.
pub(super) fn apply_cardinality(
    store: &mut Store,
    at_most: bool,
    args: &[Term],
) -> Result<Term, ArgumentError> {
    let (&bound, formulas) = args.split_first().expect("the number is on the stack");
    check_bool(store, formulas)?;
    let (zero, one) = (store.int(0), store.int(1));
    let counted: Vec<Term> = formulas.iter().map(|&formula| store.ite(formula, one, zero)).collect();
    let count = store.add(&counted);
    Ok(if at_most { store.le(count, bound) } else { store.ge(count, bound) })
}

/// The constant array of this sort.
pub(super) fn apply_constant_array(
    store: &mut Store,
    sort: Sort,
    args: &[Term],
) -> Result<Term, ArgumentError> {
    let (&[element], Some((_, expected))) = (args, store.array_parts(sort)) else {
        return Err(ArgumentError::arity("const", "one argument", args.len()));
    };
    let element = coerce(store, element, expected)?;
    Ok(store.constant_array(sort, element))
}

/// The application of a tester.
pub(super) fn apply_tester(store: &mut Store, tester: Symbol, args: &[Term]) -> Result<Term, ArgumentError> {
    let &[arg] = args else {
        return Err(ArgumentError::arity("a tester", "one argument", args.len()));
    };
    let arg = coerce(store, arg, store.signature(tester).args[0])?;
    Ok(store.test(tester, arg))
}

/// The term as one of this sort: itself, or an integer taken as a real.
pub(super) fn coerce(store: &mut Store, term: Term, sort: Sort) -> Result<Term, ArgumentError> {
    match (store.sort(term), sort) {
        (found, expected) if found == expected => Ok(term),
        (Sort::Int, Sort::Real) => Ok(store.to_real(term)),
        (found, expected) => Err(ArgumentError::sort(store, Some(0), &store.sort_text(expected), found)),
    }
}

pub(super) fn shifted(mut error: ArgumentError, by: usize) -> ArgumentError {
    error.argument = error.argument.map(|argument| argument + by);
    error
}

fn check_arity(operator: Operator, found: usize) -> Result<(), ArgumentError> {
    let (least, most, words) = match operator {
        Operator::Not | Operator::Absolute | Operator::ToReal | Operator::ToInt | Operator::IsInt => {
            (1, 1, "one argument")
        }
        Operator::Ite | Operator::Store => (3, 3, "three arguments"),
        Operator::Select | Operator::SignedRemainder => (2, 2, "two arguments"),
        Operator::And | Operator::Or | Operator::Add | Operator::Subtract | Operator::Multiply => {
            (1, usize::MAX, "at least one argument")
        }
        _ => (2, usize::MAX, "at least two arguments"),
    };
    if (least..=most).contains(&found) {
        Ok(())
    } else {
        Err(ArgumentError::arity(operator.symbol(), words, found))
    }
}

fn check_bool(store: &Store, args: &[Term]) -> Result<(), ArgumentError> {
    for (position, &arg) in args.iter().enumerate() {
        if store.sort(arg) != Sort::Bool {
            return Err(ArgumentError::sort(store, Some(position), "Bool", store.sort(arg)));
        }
    }
    Ok(())
}

fn check_int(store: &Store, args: &[Term]) -> Result<(), ArgumentError> {
    for (position, &arg) in args.iter().enumerate() {
        if store.sort(arg) != Sort::Int {
            return Err(ArgumentError::sort(store, Some(position), "Int", store.sort(arg)));
        }
    }
    Ok(())
}

fn check_numbers(store: &Store, args: &[Term]) -> Result<(), ArgumentError> {
    for (position, &arg) in args.iter().enumerate() {
        if !store.sort(arg).is_arithmetic() {
            return Err(ArgumentError::sort(store, Some(position), "Int or Real", store.sort(arg)));
        }
    }
    Ok(())
}

/// Brings numbers to one sort: if one is a real, all are.
fn unify_numbers(store: &mut Store, args: &mut [Term]) -> Result<(), ArgumentError> {
    check_numbers(store, args)?;
    let first = store.sort(args[0]);
    if args[1..].iter().any(|&arg| store.sort(arg) != first) {
        for arg in args {
            *arg = store.to_real(*arg);
        }
    }
    Ok(())
}

/// Brings terms to one sort: all numbers, or all of the same sort.
pub(super) fn unify(store: &mut Store, args: &mut [Term]) -> Result<(), ArgumentError> {
    match store.sort(args[0]) {
        Sort::Int | Sort::Real => unify_numbers(store, args),
        first => {
            for (position, &arg) in args.iter().enumerate() {
                if store.sort(arg) != first {
                    let expected = store.sort_text(first);
                    return Err(ArgumentError::sort(store, Some(position), &expected, store.sort(arg)));
                }
            }
            Ok(())
        }
    }
}

fn to_real(store: &mut Store, term: Term, position: usize) -> Result<Term, ArgumentError> {
    match store.sort(term) {
        Sort::Int | Sort::Real => Ok(store.to_real(term)),
        other => Err(ArgumentError::sort(store, Some(position), "Real", other)),
    }
}

/// The relation between each term and the next.
fn chain(
    store: &mut Store,
    args: &mut [Term],
    relation: impl Fn(&mut Store, Term, Term) -> Term,
) -> Result<Term, ArgumentError> {
    if let &mut [left, right] = args {
        return Ok(relation(store, left, right));
    }
    let last = args.len() - 1;
    for position in 0..last {
        args[position] = relation(store, args[position], args[position + 1]);
    }
    Ok(store.and(&args[..last]))
}

fn compare(
    store: &mut Store,
    args: &mut [Term],
    relation: impl Fn(&mut Store, Term, Term) -> Term,
) -> Result<Term, ArgumentError> {
    unify_numbers(store, args)?;
    chain(store, args, relation)
}

/// The first argument divided by the others, one after the other.
fn fold_quotient(store: &mut Store, args: &[Term], divide: impl Fn(&mut Store, Term, Term) -> Term) -> Term {
    args[1..].iter().fold(args[0], |result, &divisor| divide(store, result, divisor))
}

/// The index sort and the element sort of an array.
fn array_parts(store: &Store, array: Term) -> Result<(Sort, Sort), ArgumentError> {
    let sort = store.sort(array);
    store.array_parts(sort).ok_or_else(|| ArgumentError::sort(store, Some(0), "Array", sort))
}
