//! The product of a transition system and the automaton of a formula.

use std::collections::BTreeMap;

use shem_term::{Sort, Store, Term, View};
use thiserror::Error;

use super::automaton::{Automaton, Location, TooLarge};
use super::operator::{Operator, temporal_subterms};
use crate::names::Names;
use crate::system::{Property, PropertyKind, StateVariable, Vmt};

/// A transition system with a formula about its runs as one with a live property.
#[derive(Clone, Debug)]
pub struct Product {
    /// The system: the state variables of the original one, truth values that say what was before (if the formula has operators
    /// of the past), and the location of the automaton.
    pub vmt: Vmt,
    /// That the location is an accepting one finitely often. It has the kind, the number and the name of the formula.
    pub property: Property,
    /// The formula over the variables of the product, without operators of the past.
    pub(super) formula: Term,
}

/// Why there is no product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NoProduct {
    /// The automaton is too large.
    #[error("the automaton of the formula is too large")]
    TooLarge,
    /// An operator of the past stands around one of the future.
    #[error("an operator of the past stands around one of the future, which is not supported")]
    PastOfFuture,
}

impl From<TooLarge> for NoProduct {
    fn from(_: TooLarge) -> NoProduct {
        NoProduct::TooLarge
    }
}

impl Vmt {
    /// The product with the automaton that accepts the runs on which the formula of a property is false: the property holds if and
    /// only if its live property does.
    ///
    /// # Errors
    /// If the formula is not supported.
    pub fn product(&self, store: &mut Store, property: &Property) -> Result<Product, NoProduct> {
        debug_assert_eq!(property.kind, PropertyKind::Ltl);
        let mut names = self.names(store);
        let mut vmt = Vmt { properties: Vec::new(), ..self.clone() };
        let formula = vmt.remember_past(store, &mut names, property.formula)?;
        let automaton = Automaton::of(store, !formula)?;
        let accepting = vmt.add_automaton(store, &mut names, &automaton);
        let property = Property { formula: !accepting, ..property.clone() };
        Ok(Product { vmt, property, formula })
    }

    /// A formula with state variables for its operators of the past. Each operator has one, for its value before the last step,
    /// which gives its value now; that of `ltl.Y` is the value of what it is applied to.
    fn remember_past(
        &mut self,
        store: &mut Store,
        names: &mut Names,
        formula: Term,
    ) -> Result<Term, NoProduct> {
        let mut replaced: BTreeMap<Term, Term> = BTreeMap::new();
        let mut future: Vec<Term> = Vec::new();
        for term in temporal_subterms(store, formula) {
            let mut children = Vec::new();
            store.for_each_child(term, |child| children.push(child));
            let has_future = children.iter().any(|child| future.contains(&child.positive()));
            let parts: Vec<Term> = children
                .iter()
                .map(|child| {
                    let new = replaced.get(&child.positive()).copied().unwrap_or(child.positive());
                    new.xor(child.is_negated())
                })
                .collect();
            let operator = Operator::of_term(store, term).map(|(operator, _)| operator);
            let is_past = operator.is_some_and(Operator::is_past);
            if is_past && has_future {
                return Err(NoProduct::PastOfFuture);
            }
            if has_future || operator.is_some() && !is_past {
                future.push(term);
            }
            let new = match store.view(term) {
                View::And(_) => store.and(&parts),
                View::Iff(..) => store.iff(parts[0], parts[1]),
                View::Ite(..) => store.ite(parts[0], parts[1], parts[2]),
                View::App(symbol, _) if !is_past => store.apply(symbol, &parts),
                _ => self.remember(store, names, operator.expect("a temporal operator"), &parts),
            };
            replaced.insert(term, new);
        }
        let new = replaced.get(&formula.positive()).copied().unwrap_or(formula.positive());
        Ok(new.xor(formula.is_negated()))
    }

    /// The value of an operator of the past, with a new state variable for what was before.
    fn remember(&mut self, store: &mut Store, names: &mut Names, operator: Operator, parts: &[Term]) -> Term {
        let (before, after) = self.add_state(store, names, "before", Sort::Bool);
        let last = parts[parts.len() - 1];
        let (at_start, value, kept) = match operator {
            Operator::WeakYesterday => (Term::TRUE, before, last),
            Operator::Once => {
                let value = store.or2(last, before);
                (Term::FALSE, value, value)
            }
            Operator::Historically => {
                let value = store.and2(last, before);
                (Term::TRUE, value, value)
            }
            Operator::Since => {
                let since = store.and2(parts[0], before);
                let value = store.or2(last, since);
                (Term::FALSE, value, value)
            }
            Operator::Triggered => {
                let since = store.or2(parts[0], before);
                let value = store.and2(last, since);
                (Term::TRUE, value, value)
            }
            _ => (Term::FALSE, before, last),
        };
        let (start, keeps) = (store.iff(before, at_start), store.iff(after, kept));
        self.init = store.and2(self.init, start);
        self.trans = store.and2(self.trans, keeps);
        value
    }

    /// Adds the location of an automaton; gives the formula that it is an accepting one. It is an integer, a program counter that
    /// the search for ranking functions tells apart, unless all other variables are truth values or bit-vectors.
    fn add_automaton(&mut self, store: &mut Store, names: &mut Names, automaton: &Automaton) -> Term {
        let count = automaton.locations.len();
        let is_plain =
            |state: &StateVariable| matches!(store.sort(state.current), Sort::Bool | Sort::BitVec(_));
        let plain = self.states.iter().all(is_plain);
        let mut bits = Vec::new();
        if plain {
            while 1 << bits.len() < count {
                bits.push(self.add_state(store, names, "automaton", Sort::Bool));
            }
        } else if count > 1 {
            bits.push(self.add_state(store, names, "automaton", Sort::Int));
        }
        let at = |store: &mut Store, number: usize, next: bool| {
            let mut parts = Vec::new();
            for (place, &(before, after)) in bits.iter().enumerate() {
                let variable = if next { after } else { before };
                parts.push(if plain {
                    variable.xor(number >> place & 1 == 0)
                } else {
                    let number = store.int(number as i64);
                    store.eq(variable, number)
                });
            }
            store.and(&parts)
        };
        let start = at(store, 0, false);
        self.init = store.and2(self.init, start);
        let (mut steps, mut accepting) = (Vec::new(), Vec::new());
        for (number, Location { accepting: accepts, edges }) in automaton.locations.iter().enumerate() {
            let here = at(store, number, false);
            if *accepts {
                accepting.push(here);
            }
            for (&target, &guard) in edges {
                let there = at(store, target, true);
                steps.push(store.and(&[here, guard, there]));
            }
        }
        let mut parts = vec![self.trans, store.or(&steps)];
        if !plain && let &[(before, _)] = &bits[..] {
            // Known to be so already; said so that the variable is seen to have finitely many values.
            let (least, most) = (store.int(0), store.int(count as i64 - 1));
            parts.extend([store.ge(before, least), store.le(before, most)]);
        }
        self.trans = store.and(&parts);
        store.or(&accepting)
    }

    fn add_state(&mut self, store: &mut Store, names: &mut Names, name: &str, sort: Sort) -> (Term, Term) {
        let name = names.fresh(name);
        let current = store.variable(&name, sort);
        let next = store.variable(&names.fresh(&format!("{name}.next")), sort);
        self.states.push(StateVariable { name: name.into(), current, next });
        (current, next)
    }
}
