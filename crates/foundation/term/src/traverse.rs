//! Walks over terms, without recursion.

use rustc_hash::FxHashSet;
use shem_base::StampSet;

use crate::store::{Node, Store};
use crate::symbol::{Role, Symbol};
use crate::term::Term;

impl Store {
    /// Calls `visit` with each direct subterm: arguments, leaves of polynomials, quantified bodies (not the
    /// bound variables).
    pub fn for_each_child(&self, term: Term, mut visit: impl FnMut(Term)) {
        match self.node(term) {
            Node::True | Node::Var(_) | Node::Num(_) => {}
            Node::App(_, args) | Node::And(args) => self.arg_slice(args).iter().copied().for_each(visit),
            Node::Iff(a, b) | Node::Equal(a, b) => {
                visit(a);
                visit(b);
            }
            Node::Ite(c, a, b) => {
                visit(c);
                visit(a);
                visit(b);
            }
            Node::Forall(_, body) => visit(body),
            Node::Le(p, _)
            | Node::Lt(p, _)
            | Node::Eq(p, _)
            | Node::Divisible(_, p, _)
            | Node::Linear(_, p, _) => self.polys.terms(p).iter().for_each(|t| visit(t.leaf)),
            Node::Div(t, _) | Node::Mod(t, _) | Node::ToInt(t) => visit(t),
        }
    }

    /// The members of a conjunction, those of conjunctions in it included, each once; the formula alone if it is
    /// no conjunction, nothing if it is true. A conjunction that several others share is opened once, since there
    /// may be exponentially many ways to it.
    pub fn conjuncts(&self, formula: Term) -> Vec<Term> {
        let is_conjunction = |term: Term| !term.is_negated() && matches!(self.node(term), Node::And(_));
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        let mut stack = vec![formula];
        while let Some(term) = stack.pop() {
            match self.node(term) {
                Node::True if !term.is_negated() => {}
                Node::And(args) if !term.is_negated() => {
                    let args = self.arg_slice(args);
                    if term == formula && !args.iter().any(|&arg| is_conjunction(arg)) {
                        return args.to_vec();
                    }
                    if seen.insert(term) {
                        stack.extend(args.iter().rev());
                    }
                }
                _ if seen.insert(term) => found.push(term),
                _ => {}
            }
        }
        found
    }

    /// The members of a disjunction, or the formula alone.
    pub fn disjuncts(&self, formula: Term) -> Vec<Term> {
        match self.node(formula) {
            Node::And(args) if formula.is_negated() => self.arg_slice(args).iter().map(|&arg| !arg).collect(),
            _ => vec![formula],
        }
    }

    /// All subterms of the roots without their negations, each once, children before parents. The cost is that of
    /// the subterms, whatever else the store holds: what engines ask about is small, and the store is not.
    pub fn subterms(&self, roots: &[Term]) -> Vec<Term> {
        let mut seen = FxHashSet::default();
        let mut found = Vec::new();
        let mut stack: Vec<Term> = Vec::new();
        for root in roots {
            if seen.insert(root.index()) {
                stack.push(root.positive());
            }
        }
        while let Some(term) = stack.pop() {
            found.push(term);
            self.for_each_child(term, |child| {
                if seen.insert(child.index()) {
                    stack.push(child.positive());
                }
            });
        }
        found.sort_unstable();
        found
    }

    /// The variables that occur free in the roots, sorted. See [`Store::forall`] for what is asked of bound
    /// ones.
    pub fn free_variables(&self, roots: &[Term]) -> Vec<Term> {
        let all = self.subterms(roots);
        let mut bound = StampSet::new();
        for &term in &all {
            if let Node::Forall(vars, _) = self.node(term) {
                for var in self.arg_slice(vars) {
                    bound.insert(var.index());
                }
            }
        }
        all.into_iter()
            .filter(|t| matches!(self.node(*t), Node::Var(_)) && !bound.contains(t.index()))
            .collect()
    }

    /// The declared predicates and functions that are applied in the roots, sorted.
    pub fn predicates(&self, roots: &[Term]) -> Vec<Symbol> {
        let mut found: Vec<Symbol> = self
            .subterms(roots)
            .into_iter()
            .filter_map(|t| match self.node(t) {
                Node::App(symbol, _) if self.role(symbol) == Role::Function => Some(symbol),
                _ => None,
            })
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Whether a quantifier occurs in the term.
    pub fn has_quantifier(&self, term: Term) -> bool {
        self.subterms(&[term]).iter().any(|&t| matches!(self.node(t), Node::Forall(..)))
    }

    /// The number of distinct subterms, negations not counted.
    pub fn dag_size(&self, term: Term) -> usize {
        self.subterms(&[term]).len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sort::Sort;

    #[test]
    fn conjunctions_are_opened_once() {
        let mut store = Store::new();
        let many: Vec<Term> = (0..70).map(|i| store.variable(&format!("p{i}"), Sort::Bool)).collect();
        // Too large to be flattened by the builder.
        let [left, right] = [&many[..66], &many[2..]].map(|members| store.and(members));
        let both = store.and(&[left, right]);
        let mut found = store.conjuncts(both);
        found.sort_unstable();
        assert_eq!(found, many);
        assert_eq!(store.conjuncts(left), many[..66]);
        assert_eq!(store.conjuncts(!left), [!left]);
        assert_eq!(store.conjuncts(Term::TRUE), []);
        assert_eq!(store.conjuncts(Term::FALSE), [Term::FALSE]);
        assert_eq!(store.disjuncts(left), [left]);
        assert_eq!(store.disjuncts(!left).len(), 66);
    }
}
