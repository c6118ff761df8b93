//! Applications of symbols, and equalities that are neither of truth values nor of numbers.

use rustc_hash::FxHashSet;

use crate::bits::BitOp;
use crate::sort::Sort;
use crate::store::{Node, NodeKey, Store};
use crate::symbol::{Role, Symbol};
use crate::term::Term;

impl Store {
    /// The symbol applied to arguments of its argument sorts, whatever its role.
    pub fn apply(&mut self, symbol: Symbol, args: &[Term]) -> Term {
        let signature = self.signature(symbol);
        let (result, role) = (signature.result, signature.role);
        debug_assert!(signature.args.len() == args.len() || role.is_variadic());
        debug_assert!(signature.args.iter().zip(args).all(|(&s, &t)| s == self.sort(t)));
        match role {
            Role::Function if args.is_empty() => self.var(symbol),
            Role::Function => self.intern(NodeKey::App(symbol, args), result),
            Role::Constructor { .. } => self.construct(symbol, args),
            Role::Selector { .. } => self.select_field(symbol, args[0]),
            Role::Tester { .. } => self.test(symbol, args[0]),
            Role::Select => self.select(args[0], args[1]),
            Role::Store => self.store_at(args[0], args[1], args[2]),
            Role::ConstantArray => self.constant_array(result, args[0]),
            Role::Product => self.product(args),
            Role::RealQuotient => self.real_quotient(args[0], args[1]),
            Role::IntQuotient => self.int_quotient(args[0], args[1]),
            Role::Remainder => self.remainder(args[0], args[1]),
            Role::Bits(op) => self.apply_bit_op(symbol, op, args),
        }
    }

    /// The symbol, its role and the arguments, if the term is an application.
    pub fn as_app(&self, term: Term) -> Option<(Symbol, Role, &[Term])> {
        match self.node(term) {
            Node::App(symbol, args) => Some((symbol, self.role(symbol), self.arg_slice(args))),
            _ => None,
        }
    }

    /// The equality of two terms of one array sort, datatype or declared sort. That of two constructor terms is
    /// the conjunction of those of their fields, or false; that of two constant arrays is that of their elements; that
    /// of a term and its own fields under a constructor is a tester.
    pub(crate) fn equal(&mut self, a: Term, b: Term) -> Term {
        debug_assert_eq!(self.sort(a), self.sort(b));
        if a == b {
            return Term::TRUE;
        }
        if !self.comes_apart(a, b) {
            return self.whole_equality(a, b);
        }
        let mut conjuncts = Vec::new();
        let mut seen = FxHashSet::default();
        let mut pairs = vec![(a, b)];
        while let Some((a, b)) = pairs.pop() {
            if a == b || !seen.insert((a, b)) {
                continue;
            }
            if self.comes_apart(a, b) {
                let (Node::App(left, xs), Node::App(right, ys)) = (self.node(a), self.node(b)) else {
                    continue;
                };
                if left != right {
                    return Term::FALSE;
                }
                pairs
                    .extend(self.arg_slice(xs).iter().copied().zip(self.arg_slice(ys).iter().copied()).rev());
                continue;
            }
            let sort = self.sort(a);
            let is_basic = sort.is_basic() || sort.bit_width().is_some();
            let equality = if is_basic { self.eq(a, b) } else { self.whole_equality(a, b) };
            if equality == Term::FALSE {
                return Term::FALSE;
            }
            conjuncts.push(equality);
        }
        self.and(&conjuncts)
    }

    /// The equality of two terms that do not come apart.
    fn whole_equality(&mut self, a: Term, b: Term) -> Term {
        match self.tester_for(a, b) {
            Some((tester, term)) => self.intern(NodeKey::App(tester, &[term]), Sort::Bool),
            None => self.intern(NodeKey::Equal(a.min(b), a.max(b)), Sort::Bool),
        }
    }

    /// Whether both terms are made by constructors, or both are constant arrays.
    fn comes_apart(&self, a: Term, b: Term) -> bool {
        let role = |term: Term| self.as_app(term).map(|app| app.1);
        matches!(
            (role(a), role(b)),
            (Some(Role::Constructor { .. }), Some(Role::Constructor { .. }))
                | (Some(Role::ConstantArray), Some(Role::ConstantArray))
        )
    }

    /// Whether two terms of one sort differ by their form alone: numbers, sums that differ by a number, formulas
    /// that are negations of each other, terms made by different constructors, different bit-vectors. `false` says nothing.
    pub(crate) fn are_apart(&self, a: Term, b: Term) -> bool {
        if a == !b {
            return self.sort(a) == Sort::Bool;
        }
        match (self.node(a), self.node(b)) {
            (Node::Num(c), Node::Num(d)) => c != d,
            (Node::Linear(s, p, c), Node::Linear(t, q, d)) => (s, p) == (t, q) && c != d,
            (Node::Linear(s, p, c), _) => self.is_shifted(s, p, c, b),
            (_, Node::Linear(s, p, c)) => self.is_shifted(s, p, c, a),
            (Node::App(f, _), Node::App(g, _)) => {
                let makes_values = |symbol| {
                    matches!(self.role(symbol), Role::Constructor { .. } | Role::Bits(BitOp::Constant(_)))
                };
                f != g && makes_values(f) && makes_values(g)
            }
            _ => false,
        }
    }

    /// Whether the linear form is the leaf and a number that is not zero.
    fn is_shifted(
        &self,
        scale: crate::store::NumId,
        poly: crate::Poly,
        offset: crate::store::NumId,
        leaf: Term,
    ) -> bool {
        let [single] = self.polys.terms(poly) else { return false };
        single.leaf == leaf && self.num(scale).is_one() && !self.num(offset).is_zero()
    }
}
