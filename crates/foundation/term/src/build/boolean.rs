//! Boolean connectives and quantifiers.
//!
//! A conjunction is flattened, sorted and free of repetition; complementary members make it false. The
//! flattening is bounded: a member conjunction of more than [`FLATTEN_LIMIT`] members stays a member, so
//! that a chain of a million nested conjunctions is built in linear time.

use crate::sort::Sort;
use crate::store::{Node, NodeKey, Store};
use crate::term::Term;

/// The size up to which a conjunction inside a conjunction, or a block of variables inside one, is dissolved.
pub(super) const FLATTEN_LIMIT: usize = 64;

impl Store {
    /// The conjunction.
    pub fn and(&mut self, args: &[Term]) -> Term {
        self.conjunction(args.iter().copied())
    }

    /// The disjunction.
    pub fn or(&mut self, args: &[Term]) -> Term {
        !self.conjunction(args.iter().map(|&t| !t))
    }

    /// The conjunction of two formulas.
    pub fn and2(&mut self, a: Term, b: Term) -> Term {
        self.conjunction([a, b].into_iter())
    }

    /// The disjunction of two formulas.
    pub fn or2(&mut self, a: Term, b: Term) -> Term {
        !self.conjunction([!a, !b].into_iter())
    }

    /// `a` implies `b`.
    pub fn implies(&mut self, a: Term, b: Term) -> Term {
        !self.conjunction([a, !b].into_iter())
    }

    fn conjunction(&mut self, args: impl Iterator<Item = Term>) -> Term {
        let mut members = std::mem::take(&mut self.buffers.terms);
        members.clear();
        for arg in args {
            debug_assert_eq!(self.sort(arg), Sort::Bool);
            if arg.is_truth_constant() {
                if arg == Term::FALSE {
                    self.buffers.terms = members;
                    return Term::FALSE;
                }
                continue;
            }
            if !arg.is_negated()
                && let Node::And(inner) = self.node(arg)
                && self.arg_slice(inner).len() <= FLATTEN_LIMIT
            {
                members.extend_from_slice(self.arg_slice(inner));
                continue;
            }
            members.push(arg);
        }
        members.sort_unstable();
        members.dedup();
        let result = if members.windows(2).any(|w| w[0] == !w[1]) {
            Term::FALSE
        } else {
            match members[..] {
                [] => Term::TRUE,
                [single] => single,
                _ => self.intern(NodeKey::And(&members), Sort::Bool),
            }
        };
        self.buffers.terms = members;
        result
    }

    /// The equivalence of two formulas.
    pub fn iff(&mut self, a: Term, b: Term) -> Term {
        let flip = a.is_negated() != b.is_negated();
        let (a, b) = (a.positive(), b.positive());
        let result = if a == b {
            Term::TRUE
        } else if a == Term::TRUE {
            b
        } else if b == Term::TRUE {
            a
        } else {
            self.intern(NodeKey::Iff(a.min(b), a.max(b)), Sort::Bool)
        };
        result.xor(flip)
    }

    /// Exclusive or.
    pub fn xor(&mut self, a: Term, b: Term) -> Term {
        !self.iff(a, b)
    }

    /// If-then-else; the branches have the same sort.
    pub fn ite(&mut self, cond: Term, then: Term, els: Term) -> Term {
        debug_assert_eq!(self.sort(cond), Sort::Bool);
        debug_assert_eq!(self.sort(then), self.sort(els));
        let (cond, then, els) =
            if cond.is_negated() { (cond.positive(), els, then) } else { (cond, then, els) };
        if cond == Term::TRUE || then == els {
            return then;
        }
        let sort = self.sort(then);
        if sort != Sort::Bool {
            return self.intern(NodeKey::Ite(cond, then, els), sort);
        }
        if then == !els {
            return self.iff(cond, then);
        }
        if then == Term::TRUE || then == cond {
            return self.or2(cond, els);
        }
        if then == Term::FALSE || then == !cond {
            return self.and2(!cond, els);
        }
        if els == Term::TRUE || els == !cond {
            return self.or2(!cond, then);
        }
        if els == Term::FALSE || els == cond {
            return self.and2(cond, then);
        }
        let flip = then.is_negated();
        self.intern(NodeKey::Ite(cond, then.xor(flip), els.xor(flip)), Sort::Bool).xor(flip)
    }

    /// The universally quantified formula. The variables must not occur outside of `body`: give each
    /// quantifier its own symbols.
    pub fn forall(&mut self, vars: &[Term], body: Term) -> Term {
        debug_assert!(vars.iter().all(|&v| self.as_var(v).is_some()));
        if vars.is_empty() || body.is_truth_constant() {
            return body;
        }
        if !body.is_negated()
            && let Node::Forall(inner, inner_body) = self.node(body)
            && self.arg_slice(inner).len() <= FLATTEN_LIMIT
        {
            let mut all: Vec<Term> = vars.iter().map(|v| v.positive()).collect();
            all.extend_from_slice(self.arg_slice(inner));
            return self.intern(NodeKey::Forall(&all, inner_body), Sort::Bool);
        }
        self.intern(NodeKey::Forall(vars, body), Sort::Bool)
    }

    /// The existentially quantified formula; see [`Store::forall`].
    pub fn exists(&mut self, vars: &[Term], body: Term) -> Term {
        !self.forall(vars, !body)
    }
}
