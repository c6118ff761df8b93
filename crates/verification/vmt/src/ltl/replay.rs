//! Formulas on runs that come back to a state, without automata.

use std::collections::BTreeMap;

use shem_term::{Store, Symbol, Term, Value, View};

use super::operator::{Operator, temporal_subterms};
use super::product::Product;
use crate::witness::{Run, SortedValue};

impl Product {
    /// The value of the formula on a run of the product that repeats itself; nothing if the values of the run mean nothing to the
    /// store of the formula, or the run does not repeat itself.
    pub fn replay(&self, store: &Store, run: &Run) -> Option<bool> {
        let first = run.repeats?;
        // The last state is the first one of the repetition.
        let count = run.steps.len().checked_sub(1).filter(|&count| first < count)?;
        let mut moments: Vec<BTreeMap<Symbol, Value>> = Vec::with_capacity(count);
        for pair in run.steps.windows(2) {
            let [here, there] = pair else { return None };
            let mut values = BTreeMap::new();
            let mut set = |variable: Term, value: &Option<SortedValue>| -> Option<()> {
                let symbol = store.as_var(variable)?;
                let value = match value {
                    Some((value @ (Value::Bool(_) | Value::Num(_) | Value::Bits(_)), _)) => value.clone(),
                    Some(_) => return None,
                    // It does not matter.
                    None => store.default_value(store.sort(variable)),
                };
                values.insert(symbol, value);
                Some(())
            };
            for (at, state) in self.vmt.states.iter().enumerate() {
                set(state.next, &there.state.get(at).cloned())?;
                set(state.current, &here.state.get(at).cloned())?;
            }
            for (at, (_, input)) in self.vmt.inputs.iter().enumerate() {
                set(*input, &there.inputs.get(at).cloned().flatten())?;
            }
            moments.push(values);
        }
        let temporal = temporal_subterms(store, self.formula);
        let mut known: BTreeMap<Term, Vec<bool>> = BTreeMap::new();
        for term in temporal {
            let mut children = Vec::new();
            store.for_each_child(term, |child| children.push(child));
            let parts: Option<Vec<Vec<bool>>> =
                children.into_iter().map(|child| values(store, &known, &moments, child)).collect();
            let found = over_time(store, term, &parts?, first)?;
            known.insert(term, found);
        }
        values(store, &known, &moments, self.formula)?.first().copied()
    }
}

/// The values of a formula at each moment.
fn values(
    store: &Store,
    known: &BTreeMap<Term, Vec<bool>>,
    moments: &[BTreeMap<Symbol, Value>],
    formula: Term,
) -> Option<Vec<bool>> {
    if let Some(values) = known.get(&formula.positive()) {
        return Some(values.iter().map(|value| value ^ formula.is_negated()).collect());
    }
    let value = |moment: &BTreeMap<Symbol, Value>| {
        let assignment = |symbol: Symbol| moment.get(&symbol).cloned();
        store.evaluate(formula, &assignment)?.as_bool()
    };
    moments.iter().map(value).collect()
}

/// The values of a connective or an operator of the future from those of its parts, by its fixed point: twice around the repetition is enough,
/// since after the first time each value at its end is right or depends on nothing after it.
fn over_time(store: &Store, term: Term, parts: &[Vec<bool>], first: usize) -> Option<Vec<bool>> {
    let count = parts.first()?.len();
    let after = |at: usize| if at + 1 == count { first } else { at + 1 };
    let operator = Operator::of_term(store, term).map(|(operator, _)| operator);
    let Some(operator) = operator else {
        let value = |at: usize| match store.view(term) {
            View::And(_) => Some(parts.iter().all(|part| part[at])),
            View::Iff(..) => Some(parts[0][at] == parts[1][at]),
            View::Ite(..) => Some(if parts[0][at] { parts[1][at] } else { parts[2][at] }),
            _ => None,
        };
        return (0..count).map(value).collect();
    };
    let last = &parts[parts.len() - 1];
    if operator == Operator::Next {
        return Some((0..count).map(|at| last[after(at)]).collect());
    }
    let greatest = matches!(operator, Operator::Globally | Operator::Release);
    let mut found = vec![greatest; count];
    for at in (0..count).rev().chain((0..count).rev()) {
        let later = found[after(at)];
        found[at] = match operator {
            Operator::Finally => last[at] || later,
            Operator::Globally => last[at] && later,
            Operator::Until => last[at] || parts[0][at] && later,
            Operator::Release => last[at] && (parts[0][at] || later),
            _ => return None,
        };
    }
    Some(found)
}
