//! What may be asked of a model: all definitions, values of terms, truth values of named formulas.

use std::collections::BTreeSet;
use std::fmt::Write;

use shem_base::UnknownReason;
use shem_smt::{FunctionTable, Model};
use shem_term::smtlib::{NamedTerm, Span};
use shem_term::{Sort, Store, Substitution, Term, Value, View, quote_symbol};

use super::interpreter::Interpreter;
use super::last::Last;
use super::logic::Logic;
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
        &mut self,
        last: &mut Last<'_>,
        terms: &[NamedTerm<'_>],
        span: Span,
    ) -> Result<String, Halt> {
        let model = last.model(span)?;
        let mut pairs = Vec::with_capacity(terms.len());
        for &NamedTerm { term, text: written } in terms {
            let sort = self.store.sort(term);
            let quantified = |reason| format!("the quantifiers of {written} cannot be eliminated: {reason}");
            let term = self.without_quantifiers(model, term);
            let term = term.map_err(|reason| out_of_place(span, quantified(reason)))?;
            let unknown = || out_of_place(span, format!("the term {written} has no value in the model"));
            let store = &self.store;
            let value = store.evaluate(term, &model.completed(store)).ok_or_else(unknown)?;
            let mut text = format!("({written} ");
            write_value(&mut text, store, &value, sort);
            pairs.push(text + ")");
        }
        Ok(list(pairs, "\n "))
    }

    /// A term with the same value in the model, without quantifiers, unless the logic does not interpret these: once
    /// constants have their values, quantified formulas are closed, and eliminating the quantifiers decides them.
    fn without_quantifiers(&mut self, model: &Model, term: Term) -> Result<Term, UnknownReason> {
        let eliminates = self.logic.as_ref().is_none_or(Logic::eliminates_quantifiers);
        if !eliminates || !self.store.has_quantifier(term) {
            return Ok(term);
        }
        let mut values = Substitution::new();
        for variable in self.store.free_variables(&[term]) {
            let store = &mut self.store;
            let symbol = store.as_var(variable).expect("a variable");
            let value = model.value_or_default(store, symbol);
            let value = store.value_term(&value, store.sort(variable));
            values.bind(store, &[variable], &[value]);
        }
        let term = self.store.substitute(term, &values);
        let mut pairs = Vec::new();
        for formula in outermost_quantifiers(&self.store, term) {
            pairs.push((formula, self.eliminated(formula)?));
        }
        Ok(self.store.replace(term, &pairs))
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

/// The quantified formulas of a term that are in no other one.
fn outermost_quantifiers(store: &Store, term: Term) -> Vec<Term> {
    let mut seen = BTreeSet::new();
    let (mut stack, mut found) = (vec![term.positive()], Vec::new());
    while let Some(term) = stack.pop() {
        if !seen.insert(term) {
            continue;
        }
        match store.view(term) {
            View::Forall(..) => found.push(term),
            _ => store.for_each_child(term, |child| stack.push(child.positive())),
        }
    }
    found
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
