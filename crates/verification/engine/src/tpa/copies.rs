//! Copies of the state variables, and formulas about them.
//!
//! Relations are kept as formulas over copy 0, the variables of a state, and copy 1, those of the state after
//! it. A chain of relations runs from copy 0 through copies 2, 3, … to copy 1, so that an interpolant between
//! the two ends of a chain is a relation as it stands. The auxiliary variables of the transition relation are
//! renamed in every instance, those of the initial and the bad states are not: a query has each once.

use std::collections::{BTreeMap, HashMap};

use shem_chc::TransitionSystem;
pub(super) use shem_check::certificate::{FIRST, LAST};
use shem_term::{Store, Substitution, Term};

/// Copies of the state variables.
#[derive(Clone, Debug)]
pub(super) struct Copies {
    /// The variables of each copy.
    variables: Vec<Vec<Term>>,
    /// The auxiliary variables of the transition relation.
    auxiliaries: Vec<Term>,
    instances: BTreeMap<(usize, usize), Substitution>,
    /// The instances so far. Only asked, never walked.
    relations: HashMap<(Term, usize, usize), Term>,
    shifts: BTreeMap<(usize, usize), Substitution>,
}

impl Copies {
    /// Makes `count` copies for this transition relation.
    pub(super) fn new(
        store: &mut Store,
        state: &[Term],
        next: &[Term],
        transition: Term,
        count: usize,
    ) -> Copies {
        let mut auxiliaries = store.free_variables(&[transition]);
        auxiliaries.retain(|v| !state.contains(v) && !next.contains(v));
        let mut variables = vec![state.to_vec(), next.to_vec()];
        while variables.len() < count {
            let suffix = format!("~{}", variables.len());
            variables.push(state.iter().map(|&v| with_suffix(store, v, &suffix)).collect());
        }
        Copies {
            variables,
            auxiliaries,
            instances: BTreeMap::new(),
            relations: HashMap::new(),
            shifts: BTreeMap::new(),
        }
    }

    /// Makes `count` copies for this system.
    pub(super) fn of(store: &mut Store, system: &TransitionSystem, count: usize) -> Copies {
        Copies::new(store, &system.state, &system.next, system.transition, count)
    }

    /// Renames these variables in every instance, too. There is no instance yet.
    pub(super) fn add_auxiliaries(&mut self, variables: &[Term]) {
        debug_assert!(self.instances.is_empty(), "instances without the variables");
        self.auxiliaries.extend_from_slice(variables);
        self.auxiliaries.sort_unstable();
        self.auxiliaries.dedup();
    }

    /// The variables of a copy.
    pub(super) fn variables(&self, copy: usize) -> &[Term] {
        &self.variables[copy]
    }

    /// The relation between two copies.
    pub(super) fn relation(&mut self, store: &mut Store, formula: Term, from: usize, to: usize) -> Term {
        if (from, to) == (FIRST, LAST) {
            return formula;
        }
        if let Some(&known) = self.relations.get(&(formula, from, to)) {
            return known;
        }
        let Copies { variables, auxiliaries, instances, .. } = self;
        let substitution = instances.entry((from, to)).or_insert_with(|| {
            let mut substitution = Substitution::new();
            substitution.bind(store, &variables[FIRST], &variables[from]);
            substitution.bind(store, &variables[LAST], &variables[to]);
            let suffix = format!("~{from}~{to}");
            for &auxiliary in auxiliaries.iter() {
                let fresh = with_suffix(store, auxiliary, &suffix);
                substitution.bind(store, &[auxiliary], &[fresh]);
            }
            substitution
        });
        let instance = store.substitute(formula, substitution);
        self.relations.insert((formula, from, to), instance);
        instance
    }

    /// The states about another copy.
    pub(super) fn state(&mut self, store: &mut Store, formula: Term, to: usize) -> Term {
        self.shift(store, formula, FIRST, to)
    }

    /// The formula with the variables of one copy replaced by those of another.
    pub(super) fn shift(&mut self, store: &mut Store, formula: Term, from: usize, to: usize) -> Term {
        if from == to {
            return formula;
        }
        let Copies { variables, shifts, .. } = self;
        let substitution = shifts.entry((from, to)).or_insert_with(|| {
            let mut substitution = Substitution::new();
            substitution.bind(store, &variables[from], &variables[to]);
            substitution
        });
        store.substitute(formula, substitution)
    }

    /// The relation of a state with itself.
    pub(super) fn identity(&self, store: &mut Store) -> Term {
        let pairs = self.variables[FIRST].iter().zip(&self.variables[LAST]);
        let equations: Vec<Term> = pairs.map(|(&a, &b)| store.eq(a, b)).collect();
        store.and(&equations)
    }
}

/// The variable of the same sort whose name has this suffix.
fn with_suffix(store: &mut Store, variable: Term, suffix: &str) -> Term {
    let symbol = store.as_var(variable).expect("a variable");
    let name = format!("{}{suffix}", store.name(symbol));
    store.variable(&name, store.sort(variable))
}
