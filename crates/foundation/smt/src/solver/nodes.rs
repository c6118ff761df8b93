//! Nodes of the congruence closure in the live solver: how they are made, and which literals and numbers they have.

use shem_base::{Lit, Rat, Var};
use shem_proof::{AtomMeaning, LinearForm, Origin, ProofSink};
use shem_term::{Sort, Store, Symbol, Term};

use super::core::Core;
use crate::arith::ArithVar;
use crate::bits::Words;
use crate::cnf::Target;
use crate::equality::{Function, Node, NodeShape};
use crate::product::{Combination, Form, Sorts};

impl<P: ProofSink> Core<P> {
    /// A new node without structure, neither Boolean nor arithmetic.
    pub(super) fn new_leaf(&mut self, store: &Store, sort: Sort) -> Node {
        let (combination, _) = self.sat.theory_mut().combine();
        let sort = combination.sort(store, sort);
        let node = combination.equality.closure_mut().leaf(sort);
        self.prepare_words();
        node
    }

    /// Makes room for words if there is a sort of bit-vectors.
    fn prepare_words(&mut self) {
        let (combination, _) = self.sat.theory_mut().combine();
        if combination.words.is_none() && combination.sorts.has_bits() {
            let truth = self.truth();
            self.sat.theory_mut().prepare_words(truth, &self.bit_options);
        }
    }

    /// A new node that is one or the other, as the literal says.
    pub(super) fn new_choice(
        &mut self,
        store: &Store,
        sort: Sort,
        condition: Lit,
        branches: [Node; 2],
    ) -> Node {
        let node = self.new_leaf(store, sort);
        let (combination, _) = self.sat.theory_mut().combine();
        if let Some(words) = &mut combination.words {
            words.add_choice(node, condition, branches);
        }
        node
    }

    /// The node of a sum of numbers.
    pub(super) fn intern_sum(
        &mut self,
        sum: &mut Vec<(ArithVar, Rat)>,
        constant: &Rat,
        integral: bool,
    ) -> Node {
        let (combination, _) = self.sat.theory_mut().combine();
        combination.sum_node(sum, constant, integral)
    }

    /// The node of a truth value.
    pub(super) fn constant_node(&mut self, value: bool) -> Node {
        let (combination, _) = self.sat.theory_mut().combine();
        if value { combination.closure().truth() } else { combination.closure().falsity() }
    }

    /// A new Boolean node that is true if and only if the literal is.
    pub(super) fn name_literal(&mut self, lit: Lit) -> Node {
        let (combination, _) = self.sat.theory_mut().combine();
        let node = combination.equality.closure_mut().leaf(Sorts::BOOL);
        let name = self.literal_of_node(node);
        self.clause(&[!name, lit], Origin::Definition);
        self.clause(&[name, !lit], Origin::Definition);
        node
    }

    /// The node of an application.
    pub(super) fn intern_application(&mut self, store: &Store, symbol: Symbol, args: &[Node]) -> Node {
        let (combination, arith) = self.sat.theory_mut().combine();
        let sort = combination.sort(store, store.signature(symbol).result);
        let node = match store.bit_constant(symbol) {
            Some(value) => {
                let value = Rat::from(value.to_int());
                combination.equality.closure_mut().number(&value, sort)
            }
            None => {
                let function = combination.function(store, symbol);
                combination.application(arith, function, args, sort)
            }
        };
        self.prepare_words();
        if sort == Sorts::BOOL {
            self.literal_of_node(node);
        }
        node
    }

    /// The variable of the arithmetic that an application of arithmetic sort is.
    pub(super) fn number_of_node(&mut self, application: Node) -> ArithVar {
        let (combination, _) = self.sat.theory_mut().combine();
        let form = combination.forms.form(application).expect("an application of arithmetic sort has a form");
        form.terms[0].0
    }

    /// The literal of a Boolean node.
    pub(super) fn literal_of_node(&mut self, node: Node) -> Lit {
        let var = Var::new(self.sat.num_vars() as u32);
        let (combination, _) = self.sat.theory_mut().combine();
        if let Some(var) = combination.var(node) {
            self.note_use(var);
            return var.positive();
        }
        combination.register(node, var);
        self.new_atom().positive()
    }

    /// The literal of the equation of two nodes that are neither Boolean nor arithmetic.
    pub(super) fn literal_of_equation(&mut self, a: Node, b: Node) -> Lit {
        if a == b {
            return self.truth();
        }
        let (combination, _) = self.sat.theory_mut().combine();
        let equation = combination.equality.closure_mut().equation(a, b);
        self.literal_of_node(equation)
    }

    /// Takes note of the term that a node was made for.
    pub(super) fn name_node(&mut self, node: Node, term: Term) {
        if self.node_terms.len() <= node.index() {
            self.node_terms.resize(node.index() + 1, None);
        }
        self.node_terms[node.index()].get_or_insert(term);
    }

    /// The term that a node was made for, if that is known.
    pub(super) fn term_of_node(&self, node: Node) -> Option<Term> {
        self.node_terms.get(node.index()).copied().flatten()
    }

    fn combination(&self) -> Option<&Combination> {
        self.sat.theory().combination.as_deref()
    }

    /// The words of bit-vectors, if there are sorts of them.
    pub(crate) fn words(&self) -> Option<&Words> {
        self.combination()?.words.as_deref()
    }

    /// The number of nodes.
    pub(super) fn node_count(&self) -> usize {
        self.combination().map_or(0, |combination| combination.closure().len())
    }

    /// The Boolean node whose truth a propositional variable is.
    pub(super) fn equation_of(&self, var: Var) -> Option<Node> {
        self.combination()?.atom(var)
    }

    /// How a node is built.
    pub(super) fn shape(&self, node: Node) -> NodeShape<'_> {
        self.combination().expect("there are nodes").closure().shape(node)
    }

    /// The sort of a node.
    pub(super) fn node_sort(&self, node: Node) -> Sort {
        let combination = self.combination().expect("there are nodes");
        combination.sorts.get(combination.closure().sort(node)).sort
    }

    /// The linear form of an arithmetic node.
    pub(super) fn form_of(&self, node: Node) -> Option<&Form> {
        self.combination()?.forms.form(node)
    }

    /// The symbol and the arguments of an application.
    pub(super) fn application_parts(&self, node: Node) -> Option<(Symbol, Vec<Node>)> {
        let combination = self.combination()?;
        let NodeShape::Application(function, args) = combination.closure().shape(node) else { return None };
        if combination.sorts.is_difference(function) {
            return None;
        }
        Some((combination.sorts.symbol(function).0, args.to_vec()))
    }

    /// The application that a variable of the arithmetic is.
    pub(super) fn application_of(&self, number: ArithVar) -> Option<Node> {
        let combination = self.combination()?;
        let sort = if self.sat.theory().arith.is_int(number) { Sorts::INT } else { Sorts::REAL };
        let node = combination.forms.node(sort, &Form::of_variable(number))?;
        combination.closure().function(node).map(|_| node)
    }

    /// The two sides of what a Boolean node says.
    pub(super) fn sides(&self, atom: Node) -> (Node, Node) {
        self.combination().expect("there are nodes").sides(atom)
    }

    /// The symbol of a function; `None` if it gives indices at which arrays differ.
    pub(super) fn function_symbol(&self, function: Function) -> Option<Symbol> {
        let sorts = &self.combination()?.sorts;
        (!sorts.is_difference(function)).then(|| sorts.symbol(function).0)
    }

    /// The linear form of an arithmetic node.
    pub(super) fn linear_form(&self, node: Node) -> Option<LinearForm> {
        self.sat.theory().linear_form(node.index() as u32)
    }
}
