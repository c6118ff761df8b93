//! From formulas to clauses.
//!
//! [`compile`](compile::Compiler) walks a formula once, without recursion, and tells a [`Target`] what it
//! needs: literals for atoms, gates for connectives, auxiliary variables for conditionals and quotients,
//! and clauses. The target is either the live solver or a [`Template`], a flat record that is instantiated
//! any number of times by renaming its variables, without looking at terms again.

mod common;
mod compile;
mod memo;
mod names;
mod nodes;
mod template;

pub(crate) use compile::Compiler;
pub(crate) use memo::Memo;
pub(crate) use names::{Defined, Names};
pub use template::Template;
pub(crate) use template::{LocalNode, LocalNumber, LocalVar, Part};

use shem_base::{Lit, Rat};
use shem_proof::Origin;
use shem_term::{Store, Symbol, Term};

/// Where clauses go.
pub(crate) trait Target {
    /// An arithmetic variable of the target.
    type Number: Copy + Ord;
    /// A polynomial of the target.
    type Row: Copy;
    /// A term as the congruence closure knows it.
    type Node: Copy;

    /// The literal of a Boolean variable.
    fn boolean(&mut self, store: &Store, symbol: Symbol) -> Lit;

    /// The arithmetic variable of a symbol.
    fn number(&mut self, store: &Store, symbol: Symbol) -> Self::Number;

    /// The literal of a new propositional variable.
    fn gate(&mut self) -> Lit;

    /// A new arithmetic variable.
    fn auxiliary(&mut self, integral: bool) -> Self::Number;

    /// The polynomial of a sum and the factor that leads from it to the sum; `None` if the sum is zero.
    /// The buffer may be reordered.
    fn row(&mut self, sum: &mut Vec<(Self::Number, Rat)>) -> Option<(Self::Row, Rat)>;

    /// The literal of `row <= bound`, or of `row < bound`.
    fn upper(&mut self, row: Self::Row, bound: &Rat, strict: bool) -> Lit;

    /// A literal that is always true.
    fn truth(&mut self) -> Lit;

    /// The node of a variable, which is the term, that is neither Boolean nor arithmetic.
    fn symbol_node(&mut self, store: &Store, symbol: Symbol, term: Term) -> Self::Node;

    /// A new node for a conditional that is neither Boolean nor arithmetic.
    fn fresh_node(&mut self, store: &Store, conditional: Term) -> Self::Node;

    /// A new node for a conditional of bit-vectors, whose condition is equivalent to the literal.
    fn choice_node(
        &mut self,
        store: &Store,
        condition: Lit,
        branches: [Self::Node; 2],
        conditional: Term,
    ) -> Self::Node;

    /// The node of the sum and the constant, which are the arithmetic term. The buffer may be reordered.
    fn sum_node(
        &mut self,
        store: &Store,
        sum: &mut Vec<(Self::Number, Rat)>,
        constant: &Rat,
        term: Term,
    ) -> Self::Node;

    /// The node of a truth value.
    fn truth_node(&mut self, value: bool) -> Self::Node;

    /// A Boolean node that is true if and only if the literal is. The literal is equivalent to the formula.
    fn literal_node(&mut self, lit: Lit, formula: Term) -> Self::Node;

    /// The node of the function, applied to these nodes, which is the term.
    fn application(&mut self, store: &Store, symbol: Symbol, args: &[Self::Node], term: Term) -> Self::Node;

    /// The arithmetic variable of an application of arithmetic sort.
    fn node_number(&mut self, application: Self::Node) -> Self::Number;

    /// The literal of a Boolean application.
    fn node_literal(&mut self, application: Self::Node) -> Lit;

    /// The literal of the equation of two nodes that are neither Boolean nor arithmetic.
    fn equation(&mut self, a: Self::Node, b: Self::Node) -> Lit;

    /// Asks for the equation of two nodes to be decided, to be false, before anything else: every disjunct of a clause
    /// implies it. A target need not listen.
    fn refute_difference(&mut self, _a: Self::Node, _b: Self::Node) {}

    /// A clause.
    fn clause(&mut self, lits: &[Lit], origin: Origin);

    /// Takes note that a quantified subformula stands as an unconstrained Boolean: a model says nothing about it.
    fn opaque(&mut self);
}
