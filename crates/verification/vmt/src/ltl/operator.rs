//! Temporal operators as functions: `ltl.G` and others, named as the tools of VMT name them.

use std::collections::BTreeSet;

use shem_term::{Sort, Store, Symbol, Term, View};

/// A temporal operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Operator {
    /// After the next step.
    Next,
    /// Now or at some later moment.
    Finally,
    /// Now and at all later moments.
    Globally,
    /// The second formula at some moment, and the first one at all moments before it.
    Until,
    /// The second formula up to the moment of the first one, that one included; for ever if there is none.
    Release,
    /// Before the last step; false at the start.
    Yesterday,
    /// Before the last step; true at the start.
    WeakYesterday,
    /// Now or at some earlier moment.
    Once,
    /// Now and at all earlier moments.
    Historically,
    /// The second formula at some moment, and the first one at all moments after it.
    Since,
    /// The second formula since the moment of the first one, that one included; always if there is none.
    Triggered,
}

impl Operator {
    /// All, with their names and numbers of arguments.
    pub(crate) const ALL: [(Operator, &'static str, usize); 11] = [
        (Operator::Next, "ltl.X", 1),
        (Operator::Finally, "ltl.F", 1),
        (Operator::Globally, "ltl.G", 1),
        (Operator::Until, "ltl.U", 2),
        (Operator::Release, "ltl.R", 2),
        (Operator::Yesterday, "ltl.Y", 1),
        (Operator::WeakYesterday, "ltl.Z", 1),
        (Operator::Once, "ltl.O", 1),
        (Operator::Historically, "ltl.H", 1),
        (Operator::Since, "ltl.S", 2),
        (Operator::Triggered, "ltl.T", 2),
    ];

    /// A symbol for the operator.
    pub(crate) fn declare(store: &mut Store, name: &str, arity: usize) -> Symbol {
        store.declare(name, &vec![Sort::Bool; arity], Sort::Bool)
    }

    /// The operator that a symbol stands for.
    pub(crate) fn of(store: &Store, symbol: Symbol) -> Option<Operator> {
        let signature = store.signature(symbol);
        let is_formula = |sort: &Sort| *sort == Sort::Bool;
        if !is_formula(&signature.result) || !signature.args.iter().all(is_formula) {
            return None;
        }
        let name = store.name(symbol);
        let found =
            Operator::ALL.iter().find(|(_, own, arity)| *own == name && *arity == signature.args.len());
        found.map(|(operator, ..)| *operator)
    }

    /// The operator of a term, with its arguments; the negation of the term is left aside.
    pub(crate) fn of_term(store: &Store, term: Term) -> Option<(Operator, &[Term])> {
        let View::App(symbol, args) = store.view(term) else { return None };
        Operator::of(store, symbol).map(|operator| (operator, args))
    }

    /// Whether it speaks about earlier moments.
    pub(crate) fn is_past(self) -> bool {
        self >= Operator::Yesterday
    }
}

/// The subterms, without their negations, in which some operator occurs, children before parents.
pub(crate) fn temporal_subterms(store: &Store, formula: Term) -> Vec<Term> {
    let mut found: BTreeSet<Term> = BTreeSet::new();
    let mut ordered = Vec::new();
    for term in store.subterms(&[formula]) {
        let mut inside = false;
        store.for_each_child(term, |child| inside |= found.contains(&child.positive()));
        if inside || Operator::of_term(store, term).is_some() {
            found.insert(term);
            ordered.push(term);
        }
    }
    ordered
}

/// Whether a temporal operator occurs in a term.
pub(crate) fn has_temporal(store: &Store, formula: Term) -> bool {
    store.subterms(&[formula]).into_iter().any(|term| Operator::of_term(store, term).is_some())
}

/// Whether no temporal operator is inside of something that is neither a connective nor such an operator.
pub(crate) fn stands_outside(store: &Store, formula: Term) -> bool {
    temporal_subterms(store, formula).into_iter().all(|term| match store.view(term) {
        View::And(_) | View::Iff(..) => true,
        View::Ite(..) => store.sort(term) == Sort::Bool,
        _ => Operator::of_term(store, term).is_some(),
    })
}
