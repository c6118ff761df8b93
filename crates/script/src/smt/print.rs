//! Values and definitions as SMT-LIB writes them.

use std::fmt::{Display, Write};

use shem_smt::FunctionTable;
use shem_term::{Sort, Store, Symbol, Value, quote_symbol};

/// Appends a value of this sort: `true`, `(- 5)`, `(/ 1.0 3.0)`.
pub(super) fn write_value(text: &mut String, store: &Store, value: &Value, sort: Sort) {
    write!(text, "{}", store.display_value(value, sort)).expect("a string takes all that is written");
}

/// A list in parentheses.
pub(super) fn list<T: Display>(items: impl IntoIterator<Item = T>, separator: &str) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    format!("({})", items.join(separator))
}

/// Appends the line of a model that gives a constant its value.
pub(super) fn write_definition(text: &mut String, store: &Store, symbol: Symbol, value: &Value) {
    let mut body = String::new();
    write_value(&mut body, store, value, store.signature(symbol).result);
    write_line(text, store, symbol, "x!", &body);
}

/// Appends the line of a model that defines a function: conditionals over the places where it has another value than
/// the default.
pub(super) fn write_function(text: &mut String, store: &Store, symbol: Symbol, table: &FunctionTable) {
    let signature = store.signature(symbol);
    let shown = |value: &Value, sort: Sort| store.display_value(value, sort).to_string();
    let mut cases = Vec::new();
    for (place, value) in table.entries().filter(|(_, value)| *value != table.default()) {
        let args: Vec<String> =
            place.iter().zip(&signature.args).map(|(arg, &sort)| shown(arg, sort)).collect();
        cases.push((args, shown(value, signature.result)));
    }
    // A constructor may have the name of a parameter, and would be hidden by it.
    let mut prefix = String::from("x!");
    while cases.iter().any(|(args, value)| args.iter().chain([value]).any(|text| text.contains(&prefix))) {
        prefix.push('!');
    }
    let mut body = String::new();
    for (args, value) in &cases {
        let equations: Vec<String> =
            args.iter().enumerate().map(|(position, arg)| format!("(= {prefix}{position} {arg})")).collect();
        let condition = match &equations[..] {
            [equation] => equation.clone(),
            equations => format!("(and {})", equations.join(" ")),
        };
        write!(body, "(ite {condition} {value} ").expect("a string takes all that is written");
    }
    body.push_str(&shown(table.default(), signature.result));
    body.extend(cases.iter().map(|_| ')'));
    write_line(text, store, symbol, &prefix, &body);
}

fn write_line(text: &mut String, store: &Store, symbol: Symbol, prefix: &str, body: &str) {
    let signature = store.signature(symbol);
    let params = signature
        .args
        .iter()
        .enumerate()
        .map(|(position, &sort)| format!("({prefix}{position} {})", store.display_sort(sort)));
    let params = params.collect::<Vec<_>>().join(" ");
    let (name, sort) = (quote_symbol(store.name(symbol)), store.display_sort(signature.result));
    writeln!(text, "  (define-fun {name} ({params}) {sort} {body})")
        .expect("a string takes all that is written");
}

#[cfg(test)]
mod tests {
    use super::*;
    use shem_base::Rat;

    #[test]
    fn values_and_definitions() {
        let mut store = Store::new();
        let symbol = store.declare("a b", &[], Sort::Real);
        let mut text = String::new();
        write_definition(&mut text, &store, symbol, &Value::Num(Rat::new(-1, 3)));
        assert_eq!(text, "  (define-fun |a b| () Real (- (/ 1.0 3.0)))\n");
        text.clear();
        write_value(&mut text, &store, &Value::Num(Rat::from(-5)), Sort::Int);
        write_value(&mut text, &store, &Value::Bool(true), Sort::Bool);
        assert_eq!(text, "(- 5)true");
    }

    #[test]
    fn functions_are_conditionals() {
        let mut store = Store::new();
        let predicate = store.declare("P", &[Sort::Int, Sort::Bool], Sort::Bool);
        let mut table = FunctionTable::new(Value::Bool(false));
        let shown = |table: &FunctionTable| {
            let mut text = String::new();
            write_function(&mut text, &store, predicate, table);
            text
        };
        assert_eq!(shown(&table), "  (define-fun P ((x!0 Int) (x!1 Bool)) Bool false)\n");
        let place = |number: i64| vec![Value::Num(Rat::from(number)), Value::Bool(true)];
        table.set(place(1), Value::Bool(true));
        table.set(place(2), Value::Bool(false));
        table.set(place(-3), Value::Bool(true));
        assert_eq!(
            shown(&table),
            "  (define-fun P ((x!0 Int) (x!1 Bool)) Bool (ite (and (= x!0 1) (= x!1 true)) true \
             (ite (and (= x!0 (- 3)) (= x!1 true)) true false)))\n"
        );
    }
}
