//! Simultaneous substitution of terms for variables.
//!
//! One pass over the subterms, children first, with a dense memo that is emptied by a counter. Canonical
//! forms are kept because the results are made by the builders. Bound variables are renamed where a
//! substituted term would be captured.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use shem_base::{Rat, StampMap};

use crate::sort::Sort;
use crate::store::{Node, Store};
use crate::symbol::Symbol;
use crate::term::Term;

/// The memo of a rewriting: node index to result.
pub(crate) type Memo = StampMap<Term>;

/// A map from variables to terms of the same sort.
#[derive(Clone, Debug, Default)]
pub struct Substitution {
    map: HashMap<Symbol, Term, FxBuildHasher>,
}

impl Substitution {
    /// The empty substitution.
    pub fn new() -> Substitution {
        Substitution::default()
    }

    /// Maps a symbol to a term; returns what it was mapped to before.
    pub fn insert(&mut self, symbol: Symbol, term: Term) -> Option<Term> {
        self.map.insert(symbol, term)
    }

    /// Maps variables to terms, one to one.
    ///
    /// # Panics
    /// If there is not one term for each variable, or something is mapped that is not a variable.
    pub fn bind(&mut self, store: &Store, variables: &[Term], terms: &[Term]) {
        assert_eq!(variables.len(), terms.len(), "one term for each variable");
        for (&variable, &term) in variables.iter().zip(terms) {
            self.insert(store.as_var(variable).expect("a variable"), term);
        }
    }

    /// Forgets what a symbol is mapped to.
    pub fn remove(&mut self, symbol: Symbol) {
        self.map.remove(&symbol);
    }

    /// What a symbol is mapped to.
    pub fn get(&self, symbol: Symbol) -> Option<Term> {
        self.map.get(&symbol).copied()
    }

    /// Whether nothing is mapped.
    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    /// Forgets all entries.
    pub fn clear(&mut self) {
        self.map.clear();
    }
}

impl Store {
    /// The term with all free occurrences of the mapped variables replaced at once.
    pub fn substitute(&mut self, term: Term, substitution: &Substitution) -> Term {
        self.substitute_all(&[term], substitution)[0]
    }

    /// Several terms at once, as [`Store::substitute`]: what they share is looked at once.
    pub fn substitute_all(&mut self, terms: &[Term], substitution: &Substitution) -> Vec<Term> {
        if substitution.is_empty() {
            return terms.to_vec();
        }
        let mut memo = std::mem::take(&mut self.rewriting);
        memo.clear();
        let results = terms.iter().map(|&term| self.substitute_into(term, substitution, &mut memo)).collect();
        self.rewriting = memo;
        results
    }

    /// The term with the variables `from` replaced by `to`, one to one.
    ///
    /// # Panics
    /// As [`Substitution::bind`] does.
    pub fn rename(&mut self, term: Term, from: &[Term], to: &[Term]) -> Term {
        let mut substitution = Substitution::new();
        substitution.bind(self, from, to);
        self.substitute(term, &substitution)
    }

    /// The term with these subterms, none of them negated, replaced at once by terms of the same sort. What stands
    /// inside of a replaced subterm is not looked at.
    pub fn replace(&mut self, term: Term, pairs: &[(Term, Term)]) -> Term {
        let mut memo = std::mem::take(&mut self.rewriting);
        memo.clear();
        for &(from, to) in pairs {
            debug_assert!(!from.is_negated() && self.sort(from) == self.sort(to));
            memo.insert(from.index(), to);
        }
        let result = self.substitute_into(term, &Substitution::new(), &mut memo);
        self.rewriting = memo;
        result
    }

    /// The term with the subterms of the memo replaced, which learns of all others on the way.
    pub(crate) fn rewrite(&mut self, term: Term, memo: &mut Memo) -> Term {
        self.substitute_into(term, &Substitution::new(), memo)
    }

    fn substitute_into(&mut self, root: Term, substitution: &Substitution, memo: &mut Memo) -> Term {
        let mut stack = vec![root.positive()];
        let mut args: Vec<Term> = Vec::new();
        while let Some(&term) = stack.last() {
            if memo.get(term.index()).is_some() {
                stack.pop();
                continue;
            }
            let before = stack.len();
            // What has only children that stay is not made again. A variable has none.
            let mut stays = !matches!(self.node(term), Node::Var(_));
            self.for_each_child(term, |child| match memo.get(child.index()) {
                Some(&new) => stays &= new == child.positive(),
                None => stack.push(child.positive()),
            });
            if stack.len() > before {
                continue;
            }
            stack.pop();
            let result = if stays { term } else { self.rebuild(term, substitution, memo, &mut args) };
            memo.insert(term.index(), result);
        }
        lookup(memo, root)
    }

    /// The term with its children, which the memo has, replaced.
    fn rebuild(
        &mut self,
        term: Term,
        substitution: &Substitution,
        memo: &mut Memo,
        args: &mut Vec<Term>,
    ) -> Term {
        match self.node(term) {
            Node::True | Node::Num(_) => term,
            Node::Var(symbol) => substitution.get(symbol).unwrap_or(term),
            Node::App(symbol, slice) => {
                collect(self.arg_slice(slice), memo, args);
                self.apply(symbol, args)
            }
            Node::And(slice) => {
                collect(self.arg_slice(slice), memo, args);
                self.and(args)
            }
            Node::Iff(a, b) => self.iff(lookup(memo, a), lookup(memo, b)),
            Node::Equal(a, b) => self.eq(lookup(memo, a), lookup(memo, b)),
            Node::Ite(c, a, b) => self.ite(lookup(memo, c), lookup(memo, a), lookup(memo, b)),
            Node::Forall(vars, body) => {
                let vars = self.arg_slice(vars).to_vec();
                self.substitute_quantified(vars, body, substitution, memo)
            }
            Node::Le(poly, bound) => {
                let (left, right) = self.rebuilt_sides(poly, bound, memo);
                self.le(left, right)
            }
            Node::Lt(poly, bound) => {
                let (left, right) = self.rebuilt_sides(poly, bound, memo);
                self.lt(left, right)
            }
            Node::Eq(poly, bound) => {
                let (left, right) = self.rebuilt_sides(poly, bound, memo);
                self.eq(left, right)
            }
            Node::Divisible(modulus, poly, offset) => {
                let modulus = self.num_int(modulus).clone();
                let (scale, offset) = (Rat::ONE, self.num(offset).clone());
                let sum = self.rebuilt_linear(&scale, poly, &offset, Sort::Int, memo);
                self.divisible(&modulus, sum)
            }
            Node::Linear(scale, poly, offset) => {
                let (scale, offset) = (self.num(scale).clone(), self.num(offset).clone());
                self.rebuilt_linear(&scale, poly, &offset, self.sort(term), memo)
            }
            Node::Div(t, modulus) => {
                let modulus = self.num_int(modulus).clone();
                self.int_div(lookup(memo, t), &modulus)
            }
            Node::Mod(t, modulus) => {
                let modulus = self.num_int(modulus).clone();
                self.int_mod(lookup(memo, t), &modulus)
            }
            Node::ToInt(t) => self.to_int(lookup(memo, t)),
        }
    }

    fn rebuilt_sides(&mut self, poly: crate::Poly, bound: crate::store::NumId, memo: &Memo) -> (Term, Term) {
        let bound = self.num(bound).clone();
        let integral = self.poly_is_integral(poly);
        let sort = if integral && bound.is_integer() { Sort::Int } else { Sort::Real };
        let left = self.rebuilt_linear(&Rat::ONE, poly, &Rat::ZERO, sort, memo);
        let right = self.numeral(&bound, sort);
        (left, right)
    }

    fn rebuilt_linear(
        &mut self,
        scale: &Rat,
        poly: crate::Poly,
        offset: &Rat,
        sort: Sort,
        memo: &Memo,
    ) -> Term {
        let mut sum = self.take_sum();
        for t in self.polys.terms(poly) {
            self.accumulate(&mut sum, lookup(memo, t.leaf), &scale.mul_int(&t.coeff));
        }
        sum.constant += offset;
        let term = self.sum_to_term(&mut sum, sort);
        self.put_sum(sum);
        term
    }

    /// A quantified formula whose body, with the substitution applied, is in the memo already. If a bound
    /// variable is itself mapped or would capture, the body is renamed first and done again.
    fn substitute_quantified(
        &mut self,
        mut vars: Vec<Term>,
        body: Term,
        substitution: &Substitution,
        memo: &mut Memo,
    ) -> Term {
        let range: Vec<Term> = {
            let mut mapped: Vec<Term> = substitution.map.values().copied().collect();
            mapped.sort_unstable();
            self.free_variables(&mapped)
        };
        let clashes = vars.iter().any(|&v| {
            let mapped = self.as_var(v).is_some_and(|s| substitution.get(s).is_some());
            mapped || range.binary_search(&v.positive()).is_ok()
        });
        if !clashes {
            let body = lookup(memo, body);
            return self.forall(&vars, body);
        }
        let mut renaming = Substitution::new();
        for var in &mut vars {
            let symbol = self.as_var(*var).expect("a bound variable is a variable");
            let (name, sort) = (self.name(symbol).to_owned(), self.sort(*var));
            let fresh = self.variable(&name, sort);
            renaming.insert(symbol, fresh);
            *var = fresh;
        }
        let mut inner = Memo::default();
        let renamed = self.substitute_into(body, &renaming, &mut inner);
        let mut inner = Memo::default();
        let body = self.substitute_into(renamed, substitution, &mut inner);
        self.forall(&vars, body)
    }
}

#[inline]
fn lookup(memo: &Memo, term: Term) -> Term {
    memo.get(term.index()).expect("children are rewritten before their parents").xor(term.is_negated())
}

fn collect(from: &[Term], memo: &Memo, into: &mut Vec<Term>) {
    into.clear();
    into.extend(from.iter().map(|&t| lookup(memo, t)));
}
