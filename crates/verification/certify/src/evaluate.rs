//! The values of an assertion's parts for given values of its variables and given facts.
//!
//! What has no predicate and no quantifier is computed from its parts as a checker does it: all of them need a value.
//! What has predicates has a value if the known atoms decide it; a universal formula is false if its body is false for
//! the values at hand, an existential one true if its body is.

use shem_base::Rat;
use shem_term::Value;

use crate::formula::{Formula, Head, NodeId, Operator};

/// Computes the values of all nodes. Nodes without a value have `None`.
pub(crate) fn evaluate(
    formula: &Formula,
    variables: &[Value],
    atom: impl Fn(u32, &[&Value]) -> Option<bool>,
    values: &mut Vec<Option<Value>>,
) {
    values.clear();
    for node in formula.nodes() {
        let children = formula.children(node);
        let child = |i: usize| values[children[i].index()].as_ref();
        let value = match formula.head(node) {
            Head::Constant(index) => Some(formula.constants[index as usize].value.clone()),
            Head::Variable(variable) => Some(variables[variable.index()].clone()),
            Head::Predicate(predicate) => {
                let args: Option<Vec<&Value>> = (0..children.len()).map(child).collect();
                args.and_then(|args| atom(predicate, &args)).map(Value::Bool)
            }
            Head::Quantifier(index) => {
                let decisive = !formula.quantifiers[index as usize].universal;
                child(0).filter(|value| **value == Value::Bool(decisive)).cloned()
            }
            Head::Operator(operator) if formula.is_mixed(node) => {
                let truths: Vec<Option<bool>> =
                    children.iter().map(|c| truth(values[c.index()].as_ref())).collect();
                decide(operator, &truths).map(Value::Bool)
            }
            Head::Operator(operator) => {
                let args: Option<Vec<&Value>> = (0..children.len()).map(child).collect();
                args.and_then(|args| compute(operator, &args))
            }
        };
        values.push(value);
    }
}

/// The truth value of a value.
pub(crate) fn truth(value: Option<&Value>) -> Option<bool> {
    match value {
        Some(Value::Bool(truth)) => Some(*truth),
        _ => None,
    }
}

/// What known parts say of a formula.
fn decide(operator: Operator, parts: &[Option<bool>]) -> Option<bool> {
    let any = |wanted: bool| parts.contains(&Some(wanted));
    let all = |wanted: bool| parts.iter().all(|part| *part == Some(wanted));
    match (operator, parts) {
        (Operator::Not, &[part]) => part.map(|truth| !truth),
        (Operator::And, _) if any(false) => Some(false),
        (Operator::And, _) if all(true) => Some(true),
        (Operator::Or, _) if any(true) => Some(true),
        (Operator::Or, _) if all(false) => Some(false),
        (Operator::Implies, [premises @ .., conclusion]) => {
            if *conclusion == Some(true) || premises.contains(&Some(false)) {
                return Some(true);
            }
            let fails = *conclusion == Some(false) && premises.iter().all(|p| *p == Some(true));
            fails.then_some(false)
        }
        (Operator::Equal, &[a, b]) => Some(a? == b?),
        (Operator::Xor | Operator::Distinct, &[a, b]) => Some(a? != b?),
        (Operator::Ite, &[condition, then, other]) => {
            if condition? {
                then
            } else {
                other
            }
        }
        _ => None,
    }
}

/// The value of an operator, or `None` if it divides by zero.
fn compute(operator: Operator, args: &[&Value]) -> Option<Value> {
    use Operator::{
        Absolute, Add, And, Distinct, Divide, Equal, Greater, GreaterEqual, Implies, IntDivide, IsInt, Ite,
        Less, LessEqual, Modulo, Multiply, Not, Or, Subtract, ToInt, ToReal, Xor,
    };
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
        Not => truth(!bool(args[0])),
        And => truth(args.iter().all(|arg| bool(arg))),
        Or => truth(args.iter().any(|arg| bool(arg))),
        Implies => {
            let (last, before) = args.split_last()?;
            truth(bool(last) || before.iter().any(|arg| !bool(arg)))
        }
        Xor => truth(args.iter().filter(|arg| bool(arg)).count() % 2 == 1),
        Equal => truth(args.windows(2).all(|pair| pair[0] == pair[1])),
        Distinct => truth((1..args.len()).all(|i| args[..i].iter().all(|before| before != &args[i]))),
        Ite => Some(if bool(args[0]) { args[1] } else { args[2] }.clone()),
        Add => fold(|a, b| Some(a + b)),
        Subtract if args.len() == 1 => number(args[0]).map(|value| Value::Num(-value)),
        Subtract => fold(|a, b| Some(a - b)),
        Multiply => fold(|a, b| Some(a * b)),
        Divide => fold(|a, b| (!b.is_zero()).then(|| a / b)),
        IntDivide => fold(quotient),
        Modulo => fold(|a, b| Some(a.clone() - quotient(a, b.clone())? * b)),
        Absolute => number(args[0]).map(|value| Value::Num(value.abs())),
        LessEqual => chain(|a, b| a <= b),
        Less => chain(|a, b| a < b),
        GreaterEqual => chain(|a, b| a >= b),
        Greater => chain(|a, b| a > b),
        ToReal => Some(args[0].clone()),
        ToInt => number(args[0]).map(|value| Value::Num(Rat::from(value.floor()))),
        IsInt => number(args[0]).map(|value| Value::Bool(value.is_integer())),
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

/// The value of a node that has one.
pub(crate) fn value_of(values: &[Option<Value>], node: NodeId) -> Option<&Value> {
    values[node.index()].as_ref()
}
