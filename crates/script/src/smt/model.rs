//! What may be asked of a model: all definitions, values of terms, truth values of named formulas.

use std::collections::BTreeSet;
use std::fmt::Write;

use shem_smt::FunctionTable;
use shem_term::smtlib::{NamedTerm, Span};
use shem_term::{Sort, Value, quote_symbol};

use super::interpreter::Interpreter;
use super::last::Last;
use super::print::{list, write_definition, write_function, write_value};
use super::respond::out_of_place;
use crate::conversation::Halt;

impl Interpreter<'_> {
    /// The definitions of all constants and functions in force. The elements of declared sorts that they mention are
    /// listed in comments.
    pub(super) fn model_text(&self, last: &mut Last<'_>, span: Span) -> Result<String, Halt> {
        let (store, model) = (&self.store, last.model(span)?);
        let mut definitions = String::new();
        let mut elements = BTreeSet::new();
        for symbol in self.reader.declarations().iter().map(|declaration| declaration.symbol) {
            let signature = store.signature(symbol);
            if signature.args.is_empty() {
                let value = model.value_or_default(store, symbol);
                collect_elements(&value, &mut elements);
                write_definition(&mut definitions, store, symbol, &value);
                continue;
            }
            let any = FunctionTable::new(store.default_value(signature.result));
            let table = model.function(symbol).unwrap_or(&any);
            for (place, value) in table.entries() {
                place.iter().chain([value]).for_each(|value| collect_elements(value, &mut elements));
            }
            collect_elements(table.default(), &mut elements);
            write_function(&mut definitions, store, symbol, table);
        }
        let mut text = String::from("(\n");
        let mut sort_before = None;
        for (sort, number) in elements {
            if sort_before != Some(sort) {
                if sort_before.is_some() {
                    text.push('\n');
                }
                write!(text, "  ; elements of {}:", store.display_sort(sort))
                    .expect("a string takes all that is written");
                sort_before = Some(sort);
            }
            text.push(' ');
            write_value(&mut text, store, &Value::Element(sort, number), sort);
        }
        if sort_before.is_some() {
            text.push('\n');
        }
        text.push_str(&definitions);
        text.push(')');
        Ok(text)
    }

    /// The terms, as they were written, with their values.
    pub(super) fn value_text(
        &self,
        last: &mut Last<'_>,
        terms: &[NamedTerm<'_>],
        span: Span,
    ) -> Result<String, Halt> {
        let (store, model) = (&self.store, last.model(span)?);
        let assignment = model.completed(store);
        let pair = |&NamedTerm { term, text: written }: &NamedTerm<'_>| {
            let unknown = || out_of_place(span, format!("the term {written} has no value in the model"));
            let mut text = format!("({written} ");
            let value = store.evaluate(term, &assignment).ok_or_else(unknown)?;
            write_value(&mut text, store, &value, store.sort(term));
            Ok(text + ")")
        };
        Ok(list(terms.iter().map(pair).collect::<Result<Vec<String>, Halt>>()?, "\n "))
    }

    /// The names of formulas with their truth values.
    pub(super) fn assignment_text(&self, last: &mut Last<'_>, span: Span) -> Result<String, Halt> {
        let (store, model) = (&self.store, last.model(span)?);
        let assignment = model.completed(store);
        let labels = self.reader.labels().iter().filter(|label| store.sort(label.1) == Sort::Bool);
        let pairs = labels.filter_map(|&(name, term)| {
            let value = store.evaluate(term, &assignment)?.as_bool()?;
            Some(format!("({} {value})", quote_symbol(self.reader.name(name))))
        });
        Ok(list(pairs, " "))
    }
}

/// Adds the elements of declared sorts that a value mentions.
fn collect_elements(value: &Value, elements: &mut BTreeSet<(Sort, u32)>) {
    let mut stack = vec![value];
    while let Some(value) = stack.pop() {
        if let Value::Element(sort, number) = value {
            elements.insert((*sort, *number));
        }
        stack.extend(value.parts());
    }
}
