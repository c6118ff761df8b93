//! From terms to the nodes of the congruence closure.
//!
//! A node is made after those of its arguments. The walk to the arguments is a loop, so depth costs no stack: it
//! goes through everything below a term, formulas among the arguments included, and makes the nodes of the
//! applications and conditionals that it finds, innermost first. When the literal or the sum of an argument is then
//! compiled, every application in it has its node already.
//!
//! An arithmetic argument is its linear form. A formula as an argument is a Boolean node with a literal that is
//! equivalent to the formula. A conditional is named by a new node, which equals the one branch or the other; where they
//! are bit-vectors, its bits are chosen one by one.

use shem_base::Rat;
use shem_term::{Sort, Term, View};

use super::Target;
use super::compile::{Pending, Run};

impl<T: Target> Run<'_, T> {
    /// The node of a term.
    pub(super) fn node(&mut self, term: Term) -> T::Node {
        if let Some(node) = self.memo.node(term) {
            return node;
        }
        if self.store.as_var(term).is_none() {
            self.make_nodes_below(term);
        }
        self.shallow_node(term)
    }

    /// Makes the nodes of all applications and conditionals in the term that have none.
    fn make_nodes_below(&mut self, term: Term) {
        let mut visits = std::mem::take(&mut self.buffers.visits);
        visits.push((term.positive(), false));
        while let Some((term, ready)) = visits.pop() {
            if ready {
                self.shallow_node(term);
                continue;
            }
            if self.memo.node(term).is_some() || !self.buffers.visited.insert(term) {
                continue;
            }
            let sort = self.store.sort(term);
            match self.store.view(term) {
                View::App(..) => visits.push((term, true)),
                View::Ite(..) if !sort.is_basic() => visits.push((term, true)),
                View::Forall(..) => continue,
                _ => {}
            }
            self.store.for_each_child(term, |child| visits.push((child.positive(), false)));
        }
        self.buffers.visits = visits;
        self.buffers.visited.clear();
    }

    /// The node of a term below which all nodes have been made.
    fn shallow_node(&mut self, term: Term) -> T::Node {
        if let Some(node) = self.memo.node(term) {
            return node;
        }
        let node = match self.store.view(term) {
            View::App(symbol, args) if !term.is_negated() => {
                let count = args.len();
                let first = self.buffers.args.len();
                for i in 0..count {
                    let View::App(_, args) = self.store.view(term) else { unreachable!() };
                    let arg = self.shallow_node(args[i]);
                    self.buffers.args.push(arg);
                }
                let node = self.target.application(self.store, symbol, &self.buffers.args[first..], term);
                self.buffers.args.truncate(first);
                node
            }
            _ => match self.store.sort(term) {
                Sort::Bool => self.boolean_node(term),
                Sort::Int | Sort::Real => self.arithmetic_node(term),
                _ => self.plain_node(term),
            },
        };
        self.memo.add_node(term, node);
        node
    }

    /// The node of a formula that is no application.
    fn boolean_node(&mut self, formula: Term) -> T::Node {
        if formula.is_truth_constant() {
            return self.target.truth_node(formula == Term::TRUE);
        }
        // A use of either sign, so that the literal and the formula are equivalent.
        let lit = self.lit(formula);
        self.lit(!formula);
        self.target.literal_node(lit, formula)
    }

    /// The node of an arithmetic term that is no application.
    fn arithmetic_node(&mut self, term: Term) -> T::Node {
        let mut sum = self.take_sum();
        let mut constant = Rat::ZERO;
        self.expand(term, Rat::ONE, &mut sum, &mut constant);
        let node = self.target.sum_node(self.store, &mut sum, &constant, term);
        self.buffers.sum = sum;
        node
    }

    /// The node of a variable or conditional that is neither Boolean nor arithmetic.
    fn plain_node(&mut self, term: Term) -> T::Node {
        match self.store.view(term) {
            View::Var(symbol) => self.target.symbol_node(self.store, symbol, term),
            View::Ite(cond, then, els) if self.store.sort(term).bit_width().is_some() => {
                // A use of either sign, so that the literal and the condition are equivalent.
                let condition = self.lit(cond);
                self.lit(!cond);
                let branches = [self.shallow_node(then), self.shallow_node(els)];
                self.target.choice_node(self.store, condition, branches, term)
            }
            View::Ite(..) => {
                let node = self.target.fresh_node(self.store, term);
                self.buffers.pending.push(Pending::Choice(term, node));
                node
            }
            _ => unreachable!("a term of this sort is a variable, an application or a conditional"),
        }
    }

    /// `c` implies `node = a`, `!c` implies `node = b`.
    pub(super) fn write_choice(&mut self, term: Term, node: T::Node) {
        let View::Ite(cond, then, els) = self.store.view(term) else { unreachable!() };
        let (pos, neg) = (self.lit(cond), self.lit(!cond));
        for (premise, branch) in [(neg, then), (pos, els)] {
            let branch = self.node(branch);
            let lit = self.target.equation(node, branch);
            self.define(&[premise, lit]);
        }
    }
}
