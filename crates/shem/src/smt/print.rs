//! Values as SMT-LIB writes them.

use std::fmt::Write;

use shem_term::{Sort, Store, Symbol, Value, quote_symbol};

/// Appends a value of this sort: `true`, `(- 5)`, `(/ 1.0 3.0)`.
pub(super) fn write_value(text: &mut String, store: &Store, value: &Value, sort: Sort) {
    write!(text, "{}", store.display_value(value, sort)).expect("a string takes all that is written");
}

/// Appends the line of a model that gives a constant its value, or a predicate the same value everywhere.
pub(super) fn write_definition(text: &mut String, store: &Store, symbol: Symbol, value: &Value) {
    let signature = store.signature(symbol);
    let sort = signature.result;
    let params = signature
        .args
        .iter()
        .enumerate()
        .map(|(position, &sort)| format!("(x!{position} {})", store.display_sort(sort)));
    let params = params.collect::<Vec<_>>().join(" ");
    write!(
        text,
        "  (define-fun {} ({params}) {} ",
        quote_symbol(store.name(symbol)),
        store.display_sort(sort)
    )
    .expect("a string takes all that is written");
    write_value(text, store, value, sort);
    text.push_str(")\n");
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
        let predicate = store.declare("P", &[Sort::Int, Sort::Bool], Sort::Bool);
        write_definition(&mut text, &store, predicate, &Value::Bool(false));
        assert_eq!(text, "  (define-fun P ((x!0 Int) (x!1 Bool)) Bool false)\n");
        text.clear();
        write_value(&mut text, &store, &Value::Num(Rat::from(-5)), Sort::Int);
        write_value(&mut text, &store, &Value::Bool(true), Sort::Bool);
        assert_eq!(text, "(- 5)true");
    }
}
