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
        self.sort(whole) == Sort::Datatype(datatype)
            && only.selectors.iter().zip(args).all(|(&selector, &arg)| match self.node(arg) {
                Node::App(symbol, inner) => {
                    symbol == selector && !arg.is_negated() && self.arg_slice(inner) == [whole]
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

    /// Whether a term is made by the constructor of a tester.
    pub fn test(&mut self, tester: Symbol, term: Term) -> Term {
        let Role::Tester { datatype, constructor } = self.role(tester) else { panic!("a tester") };
        if self.datatype(datatype).constructors().len() == 1 {
            return Term::TRUE;
        }
        if let Some((_, Role::Constructor { index, .. }, _)) = self.as_app(term) {
            return Term::from_bool(index == constructor);
        }
        self.intern(NodeKey::App(tester, &[term]), Sort::Bool)
    }
}
