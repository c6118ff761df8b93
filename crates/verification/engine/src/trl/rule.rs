//! Rules: what a step of the unrolling may be, and what makes a step or several steps superfluous.

use shem_smt::Template;
use shem_term::{Sort, Store, Term};

use super::relation::Vocabulary;

/// What a step may be: the transition itself, which is rule 0, or a relation that was learnt.
#[derive(Debug)]
pub(super) struct Rule {
    /// A formula over a state, the next one and the auxiliaries.
    pub formula: Term,
    pub auxiliaries: Vec<Term>,
    /// The formula if the rule is chosen, over a state, the next one, the auxiliaries and the choice.
    pub chosen: Template,
}

impl Rule {
    pub(super) fn new(store: &mut Store, vocabulary: &Vocabulary, formula: Term, choice: Term) -> Rule {
        let mut auxiliaries = store.free_variables(&[formula]);
        auxiliaries.retain(|v| !vocabulary.state.contains(v) && !vocabulary.next.contains(v));
        let formals = [&vocabulary.state[..], &vocabulary.next[..], &auxiliaries[..], &[choice]].concat();
        let guarded = store.implies(choice, formula);
        let chosen = Template::new(store, guarded, &formals);
        Rule { formula, auxiliaries, chosen }
    }
}

/// Pairs of states that a rule relates, so that one step is enough from the first to the second.
#[derive(Debug)]
pub(super) struct Shortcut {
    pub rule: usize,
    /// A formula over a state and the next one that implies the rule for some values of its auxiliaries.
    pub formula: Term,
    /// That two states are no such pair.
    pub excluded: Template,
    /// That two states are no such pair unless the third formal, a truth value, is true.
    pub excluded_unless: Template,
}

impl Shortcut {
    pub(super) fn new(
        store: &mut Store,
        vocabulary: &Vocabulary,
        rule: usize,
        formula: Term,
        choice: Term,
    ) -> Shortcut {
        let mut formals = [&vocabulary.state[..], &vocabulary.next[..]].concat();
        let excluded = Template::new(store, !formula, &formals);
        formals.push(choice);
        let unless = store.implies(formula, choice);
        let excluded_unless = Template::new(store, unless, &formals);
        Shortcut { rule, formula, excluded, excluded_unless }
    }
}

/// Clauses about the choice of rules.
#[derive(Debug)]
pub(super) struct Choices {
    /// A variable for templates.
    pub variable: Term,
    /// It is true.
    pub holds: Template,
    /// The first implies the second or the third.
    pub either: Template,
    /// The first implies the second.
    pub implied: Template,
    /// Not both.
    pub excluded: Template,
}

impl Choices {
    pub(super) fn new(store: &mut Store) -> Choices {
        let [a, b, c] = ["a@choice", "b@choice", "c@choice"].map(|name| store.variable(name, Sort::Bool));
        let either = store.or(&[!a, b, c]);
        let implied = store.or2(!a, b);
        let excluded = store.or2(!a, !b);
        Choices {
            variable: a,
            holds: Template::new(store, a, &[a]),
            either: Template::new(store, either, &[a, b, c]),
            implied: Template::new(store, implied, &[a, b]),
            excluded: Template::new(store, excluded, &[a, b]),
        }
    }
}
