//! Values of terms, from the values of their parts.

use shem_base::Rat;
use shem_term::Value;

/// The truth value of a value.
pub(crate) fn truth(value: Option<&Value>) -> Option<bool> {
    match value {
        Some(Value::Bool(truth)) => Some(*truth),
        _ => None,
    }
}

/// What parts say of a formula, if some of them are known.
pub(crate) fn decide(connective: &str, parts: &[Option<bool>]) -> Option<bool> {
    let any = |wanted: bool| parts.contains(&Some(wanted));
    let all = |wanted: bool| parts.iter().all(|part| *part == Some(wanted));
    match (connective, parts) {
        ("not", &[part]) => part.map(|truth| !truth),
        ("and", _) if any(false) => Some(false),
        ("and", _) if all(true) => Some(true),
        ("or", _) if any(true) => Some(true),
        ("or", _) if all(false) => Some(false),
        ("=>", [premises @ .., conclusion]) => {
            if *conclusion == Some(true) || premises.contains(&Some(false)) {
                return Some(true);
            }
            let fails = *conclusion == Some(false) && premises.iter().all(|p| *p == Some(true));
            fails.then_some(false)
        }
        ("=", &[a, b]) => Some(a? == b?),
        ("xor" | "distinct", &[a, b]) => Some(a? != b?),
        ("ite", &[condition, then, other]) => {
            if condition? {
                then
            } else {
                other
            }
        }
        _ => None,
    }
}

/// The value of an operator of the core and arithmetic theories; `None` if it divides by zero or is another one.
pub(crate) fn compute(operator: &str, args: &[&Value]) -> Option<Value> {
    let bool = |value: &Value| matches!(value, Value::Bool(true));
    let number = |value: &Value| match value {
        Value::Num(number) => Some(number.clone()),
        _ => None,
    };
    let chain = |holds: fn(&Rat, &Rat) -> bool| {
        let numbers: Option<Vec<Rat>> = args.iter().map(|arg| number(arg)).collect();
        Some(Value::Bool(numbers?.windows(2).all(|pair| holds(&pair[0], &pair[1]))))
    };
    let fold = |combine: fn(Rat, Rat) -> Option<Rat>| {
        let mut numbers = args.iter().map(|arg| number(arg));
        let first = numbers.next()??;
        numbers.try_fold(first, |sum, next| combine(sum, next?)).map(Value::Num)
    };
    let truth = |truth: bool| Some(Value::Bool(truth));
    match operator {
        "true" => truth(true),
        "false" => truth(false),
        "not" => truth(!bool(args[0])),
        "and" => truth(args.iter().all(|arg| bool(arg))),
        "or" => truth(args.iter().any(|arg| bool(arg))),
        "=>" => {
            let (last, before) = args.split_last()?;
            truth(bool(last) || before.iter().any(|arg| !bool(arg)))
        }
        "xor" => truth(args.iter().filter(|arg| bool(arg)).count() % 2 == 1),
        "=" => truth(args.windows(2).all(|pair| pair[0] == pair[1])),
        "distinct" => truth((1..args.len()).all(|i| args[..i].iter().all(|before| before != &args[i]))),
        "ite" => Some(if bool(args[0]) { args[1] } else { args[2] }.clone()),
        "+" => fold(|a, b| Some(a + b)),
        "-" if args.len() == 1 => number(args[0]).map(|value| Value::Num(-value)),
        "-" => fold(|a, b| Some(a - b)),
        "*" => fold(|a, b| Some(a * b)),
        "/" => fold(|a, b| (!b.is_zero()).then(|| a / b)),
        "div" => fold(quotient),
        "mod" => fold(|a, b| Some(a.clone() - quotient(a, b.clone())? * b)),
        "abs" => number(args[0]).map(|value| Value::Num(value.abs())),
        "<=" => chain(|a, b| a <= b),
        "<" => chain(|a, b| a < b),
        ">=" => chain(|a, b| a >= b),
        ">" => chain(|a, b| a > b),
        "to_real" => Some(args[0].clone()),
        "to_int" => number(args[0]).map(|value| Value::Num(Rat::from(value.floor()))),
        "is_int" => number(args[0]).map(|value| Value::Bool(value.is_integer())),
        _ => None,
    }
}

/// The quotient of SMT-LIB's `div`: the remainder is never negative.
fn quotient(dividend: Rat, divisor: Rat) -> Option<Rat> {
    if divisor.is_zero() {
        return None;
    }
    let quotient = &dividend / &divisor;
    Some(Rat::from(if divisor.is_negative() { quotient.ceil() } else { quotient.floor() }))
}
