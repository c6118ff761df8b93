//! Datatypes: constructors, selectors, testers.

use crate::sort::Sort;
use crate::store::{Node, NodeKey, Store};
use crate::symbol::{Role, Symbol};
use crate::term::Term;

impl Store {
    /// The value of a constructor. That of the only constructor of a datatype, applied to all fields of a term, is
    /// the term.
    pub fn construct(&mut self, constructor: Symbol, args: &[Term]) -> Term {
        let result = self.signature(constructor).result;
        debug_assert_eq!(self.signature(constructor).args.len(), args.len());
        if let Some(&first) = args.first()
            && let Some((_, Role::Selector { field: 0, .. }, &[whole])) = self.as_app(first)
            && self.is_rebuilt(constructor, args, whole)
        {
            return whole;
        }
        self.intern(NodeKey::App(constructor, args), result)
    }

    /// Whether the arguments of the constructor, the only one of its datatype, are the fields of the term.
    fn is_rebuilt(&self, constructor: Symbol, args: &[Term], whole: Term) -> bool {
        let Role::Constructor { datatype, .. } = self.role(constructor) else { return false };
        let [only] = self.datatype(datatype).constructors() else { return false };
        self.sort(whole) == datatype.into() && self.are_fields(&only.selectors, args, whole)
    }

    /// Whether the terms are the selectors applied to the whole.
    fn are_fields(&self, selectors: &[Symbol], terms: &[Term], whole: Term) -> bool {
        selectors.iter().zip(terms).all(|(&selector, &term)| match self.node(term) {
            Node::App(symbol, inner) => {
                symbol == selector && !term.is_negated() && self.arg_slice(inner) == [whole]
            }
            _ => false,
        })
    }

    /// The field that a selector takes from a term.
    pub fn select_field(&mut self, selector: Symbol, term: Term) -> Term {
        let signature = self.signature(selector);
        let result = signature.result;
        let Role::Selector { constructor, field, .. } = signature.role else { panic!("a selector") };
        if let Some((_, Role::Constructor { index, .. }, args)) = self.as_app(term)
            && index == constructor
        {
            return args[field as usize];
        }
        self.intern(NodeKey::App(selector, &[term]), result)
    }

    /// Whether a term is made by the constructor of a tester. If that has no fields, it is the equality with it.
    pub fn test(&mut self, tester: Symbol, term: Term) -> Term {
        let Role::Tester { datatype, constructor } = self.role(tester) else { panic!("a tester") };
        let constructors = self.datatype(datatype).constructors();
        if constructors.len() == 1 {
            return Term::TRUE;
        }
        let asked = &constructors[constructor as usize];
        let constant = asked.selectors.is_empty().then_some(asked.symbol);
        if let Some((_, Role::Constructor { index, .. }, _)) = self.as_app(term) {
            return Term::from_bool(index == constructor);
        }
        match constant {
            Some(constant) => {
                let constant = self.construct(constant, &[]);
                self.equal(term, constant)
            }
            None => self.intern(NodeKey::App(tester, &[term]), Sort::Bool),
        }
    }

    /// The tester that says the same as the equality of the two terms: one of them is a constructor applied to all
    /// of its fields of the other.
    pub(super) fn tester_for(&self, a: Term, b: Term) -> Option<(Symbol, Term)> {
        [(a, b), (b, a)].into_iter().find_map(|(rebuilt, whole)| {
            let (symbol, Role::Constructor { .. }, args) = self.as_app(rebuilt)? else { return None };
            let constructor = self.constructor(symbol);
            let same = !args.is_empty() && self.are_fields(&constructor.selectors, args, whole);
            same.then_some((constructor.tester, whole))
        })
    }
}
