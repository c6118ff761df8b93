//! An edge solved for its sources: which facts a fact is derived from, as terms over the fact's arguments.
//!
//! The equations of a label are used from the target on: one between a term over the target's variables and a construction
//! says which constructor made the value, and what its arguments are; one with a single new variable defines it. If all
//! variables are defined in this way, the existential quantifiers of the edge are gone, and nothing was lost.

use std::collections::BTreeSet;

use shem_chc::{Edge, EdgeId, Graph};
use shem_term::{Role, Sort, Store, Substitution, Term, View};

use crate::scan::{Scan, source_variables};

/// An edge, solved for its sources. The terms are over the target variables of its vertex.
pub(super) struct Unfolding {
    pub(super) id: EdgeId,
    pub(super) edge: Edge,
    /// When the edge derives the fact from facts with these arguments.
    pub(super) condition: Term,
    pub(super) sources: Vec<Vec<Term>>,
}

/// The equations of a label in the making.
struct Equations<'a> {
    store: &'a mut Store,
    scan: &'a mut Scan,
    /// Variables that are known: those of the target.
    known: BTreeSet<Term>,
    defined: Substitution,
    /// What else has to hold.
    conditions: Vec<Term>,
}

impl Unfolding {
    /// Solves an edge; `None` if its equations do not define the arguments of its sources and its auxiliary variables.
    pub(super) fn of(
        store: &mut Store,
        scan: &mut Scan,
        graph: &Graph,
        id: EdgeId,
        edge: &Edge,
    ) -> Option<Unfolding> {
        let known: BTreeSet<Term> = graph.vertex(edge.target).target().iter().copied().collect();
        let open = store.conjuncts(edge.label);
        let mut equations =
            Equations { store, scan, known, defined: Substitution::new(), conditions: Vec::new() };
        equations.solve(open);
        let Equations { store, scan, known, defined, conditions } = equations;
        let condition = store.and(&conditions);
        let condition = store.substitute(condition, &defined);
        let mut sources = source_variables(graph, &edge.sources);
        for argument in sources.iter_mut().flatten() {
            *argument = store.substitute(*argument, &defined);
        }
        let mut all: Vec<Term> = sources.iter().flatten().copied().collect();
        all.push(condition);
        let is_solved = scan.variables(store, &all).iter().all(|variable| known.contains(variable));
        is_solved.then(|| Unfolding { id, edge: edge.clone(), condition, sources })
    }

    /// The condition, and that the argument at a position gets smaller from the fact to each of its premises: it is a part
    /// of a value of a datatype, or a smaller natural number. `None` if it is neither.
    pub(super) fn decreasing(&self, store: &mut Store, target: &[Term], position: usize) -> Option<Term> {
        let whole = target[position];
        let mut conditions = vec![self.condition];
        for source in &self.sources {
            let part = source[position];
            if store.sort(whole).is_arithmetic() {
                if store.sort(whole) != Sort::Int {
                    return None;
                }
                let zero = store.int(0);
                conditions.push(store.ge(part, zero));
                conditions.push(store.lt(part, whole));
                continue;
            }
            let mut inside = part;
            while inside != whole {
                let (_, Role::Selector { datatype, constructor, .. }, &[outside]) = store.as_app(inside)?
                else {
                    return None;
                };
                let tester = store.datatype(datatype).constructors()[constructor as usize].tester;
                conditions.push(store.test(tester, outside));
                inside = outside;
            }
            if part == whole {
                return None;
            }
        }
        Some(store.and(&conditions))
    }
}

impl Equations<'_> {
    /// Uses equations until none defines a variable.
    fn solve(&mut self, mut open: Vec<Term>) {
        loop {
            let mut rest = Vec::new();
            let mut has_changed = false;
            for conjunct in open {
                let conjunct = self.store.substitute(conjunct, &self.defined);
                match self.use_one(conjunct) {
                    Some(others) => {
                        rest.extend(others);
                        has_changed = true;
                    }
                    None => rest.push(conjunct),
                }
            }
            open = rest;
            if !has_changed {
                self.conditions.extend(open);
                return;
            }
        }
    }

    fn is_known(&mut self, term: Term) -> bool {
        self.scan.variables(self.store, &[term]).iter().all(|variable| self.known.contains(variable))
    }

    fn is_new(&self, term: Term) -> bool {
        self.store.as_var(term).is_some() && !self.known.contains(&term)
    }

    /// Uses a conjunct up if it is an equation that defines something; the result are equations that are left of it.
    fn use_one(&mut self, conjunct: Term) -> Option<Vec<Term>> {
        if self.is_known(conjunct) {
            return None;
        }
        match self.store.view(conjunct) {
            View::Var(_) => {
                let truth = Term::from_bool(!conjunct.is_negated());
                self.defined.bind(self.store, &[conjunct.positive()], &[truth]);
                Some(Vec::new())
            }
            View::Iff(a, b) => {
                let is_negated = conjunct.is_negated();
                let (variable, value) = [(a, b), (b, a)]
                    .into_iter()
                    .find(|&(variable, value)| self.is_new(variable) && self.is_known(value))?;
                let value = if is_negated { !value } else { value };
                self.defined.bind(self.store, &[variable], &[value]);
                Some(Vec::new())
            }
            View::Equal(a, b) if !conjunct.is_negated() => {
                let (known, other) = [(a, b), (b, a)].into_iter().find(|&(known, _)| self.is_known(known))?;
                if self.is_new(other) {
                    self.defined.bind(self.store, &[other], &[known]);
                    return Some(Vec::new());
                }
                let Some((symbol, Role::Constructor { .. }, args)) = self.store.as_app(other) else {
                    return None;
                };
                let args = args.to_vec();
                let constructor = self.store.constructor(symbol).clone();
                let made = self.store.test(constructor.tester, known);
                self.conditions.push(made);
                let mut equations = Vec::new();
                for (selector, arg) in constructor.selectors.into_iter().zip(args) {
                    let field = self.store.select_field(selector, known);
                    equations.push(self.store.eq(field, arg));
                }
                Some(equations)
            }
            View::Eq(poly, value) if !conjunct.is_negated() => {
                let value = value.clone();
                let terms = self.store.poly_terms(poly).to_vec();
                let mut new = None;
                for term in &terms {
                    if !self.is_known(term.leaf) {
                        let is_unit = term.coeff.is_one() || (-term.coeff.clone()).is_one();
                        if new.is_some() || !is_unit || !self.is_new(term.leaf) {
                            return None;
                        }
                        new = Some(term.clone());
                    }
                }
                let new = new?;
                let sort = self.store.sort(new.leaf);
                // The coefficient is 1 or -1: the leaf is that many times the value less the rest.
                let mut summands = vec![self.store.numeral(&value, sort)];
                for term in &terms {
                    if term.leaf != new.leaf {
                        let factor = -shem_base::Rat::from(term.coeff.clone());
                        summands.push(self.store.scale(&factor, term.leaf));
                    }
                }
                let rest = self.store.add(&summands);
                let definition = self.store.scale(&new.coeff.clone().into(), rest);
                self.defined.bind(self.store, &[new.leaf], &[definition]);
                Some(Vec::new())
            }
            _ => None,
        }
    }
}
