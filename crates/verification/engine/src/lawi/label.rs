//! Labels: interned sets of conjuncts over the state of a vertex.
//!
//! A label is strengthened by adding conjuncts, and whether it implies another one is asked conjunct by conjunct.
//! Sets are interned, so that an answer about a set is reused for all nodes that have it.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use shem_base::dense_id;
use shem_term::{Store, Term};

dense_id! {
    /// A label.
    pub(super) struct LabelId("l");
}

impl LabelId {
    /// The label of all states.
    pub(super) const TRUE: LabelId = LabelId::new(0);
    /// The label of no state.
    pub(super) const FALSE: LabelId = LabelId::new(1);
}

/// All labels.
#[derive(Debug)]
pub(super) struct Labels {
    /// By label: SORTED, without repetition. Falsehood has no other conjunct beside it.
    sets: Vec<Box<[Term]>>,
    index: HashMap<Box<[Term]>, LabelId, FxBuildHasher>,
}

impl Labels {
    pub(super) fn new() -> Labels {
        let mut labels = Labels { sets: Vec::new(), index: HashMap::default() };
        labels.intern(Box::default());
        labels.intern(Box::new([Term::FALSE]));
        labels
    }

    fn intern(&mut self, set: Box<[Term]>) -> LabelId {
        if let Some(&id) = self.index.get(&set) {
            return id;
        }
        let id = LabelId::new(self.sets.len());
        self.sets.push(set.clone());
        self.index.insert(set, id);
        id
    }

    /// The conjuncts.
    pub(super) fn conjuncts(&self, label: LabelId) -> &[Term] {
        &self.sets[label.index()]
    }

    /// Whether this is one of the conjuncts.
    pub(super) fn contains(&self, label: LabelId, conjunct: Term) -> bool {
        self.sets[label.index()].binary_search(&conjunct).is_ok()
    }

    /// The label with these conjuncts.
    pub(super) fn of(&mut self, conjuncts: &[Term]) -> LabelId {
        if conjuncts.contains(&Term::FALSE) {
            return LabelId::FALSE;
        }
        let mut set = conjuncts.to_vec();
        set.sort_unstable();
        set.dedup();
        self.intern(set.into())
    }

    /// The label as a formula.
    pub(super) fn formula(&self, store: &mut Store, label: LabelId) -> Term {
        store.and(&self.sets[label.index()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shem_term::Sort;

    #[test]
    fn labels_exist_once() {
        let mut store = Store::new();
        let [p, q] = ["p", "q"].map(|name| store.variable(name, Sort::Bool));
        let mut labels = Labels::new();
        assert_eq!((labels.of(&[]), labels.of(&[p, Term::FALSE])), (LabelId::TRUE, LabelId::FALSE));
        let both = labels.of(&[p, q, p]);
        assert_eq!(labels.of(&[q, p]), both);
        assert!(labels.contains(both, p) && !labels.contains(both, !p));
        let formula = labels.formula(&mut store, both);
        let members = store.conjuncts(formula);
        assert_eq!(labels.of(&members), both);
        assert_eq!(store.conjuncts(!formula), [!formula]);
        assert_eq!((store.conjuncts(Term::TRUE), store.conjuncts(p)), (vec![], vec![p]));
    }
}
