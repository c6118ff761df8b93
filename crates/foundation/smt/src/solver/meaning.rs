//! What the variables of a solver mean, for whoever makes formulas out of a derivation.
//!
//! A gate or an auxiliary of an asserted formula stands for a subterm, which the compiler's names tell. Those
//! of a template's instance or of a group belong to one assertion alone and need no term: as symbols that
//! only this assertion mentions they never leave it. So an assertion is recorded by a few words, and nothing
//! is computed until somebody asks.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use shem_base::{DeltaRat, Int, Rat, Var};
use shem_proof::ProofSink;
use shem_term::{Role, Sort, Store, Substitution, Symbol, Term};

use super::core::{Binding, Core};
use super::facade::Solver;
use super::instance::Variable;
use crate::arith::ArithVar;
use crate::bits::Gate;
use crate::cnf::{Defined, Names, Template};
use crate::equality::{Node, NodeShape};

/// What was asserted.
#[derive(Clone, Debug)]
enum Asserted {
    Formula(Term),
    /// A template's formula and formals, and where the actual variables stand.
    Instance(Term, Arc<[Term]>, Range<u32>),
}

/// Auxiliary variables that one assertion introduced.
#[derive(Debug)]
struct Auxiliaries {
    assertion: u32,
    vars: Range<u32>,
    numbers: Range<u32>,
    /// Those among them that are leaves without a symbol, a term or a form are its own.
    nodes: Range<u32>,
    /// What they stand for, if the assertion is a formula.
    names: Option<Names<ArithVar>>,
}

/// The record of the assertions in force.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    /// By number of assertion.
    asserted: Vec<Asserted>,
    actuals: Vec<Variable>,
    /// SORTED by each of the ranges, which do not overlap.
    auxiliaries: Vec<Auxiliaries>,
    marks: Vec<(usize, usize, usize)>,
    /// The symbols made for variables that had none, by index.
    var_terms: BTreeMap<u32, (Symbol, Term)>,
    number_terms: BTreeMap<u32, (Symbol, Term)>,
    node_terms: BTreeMap<u32, (Symbol, Term)>,
}

impl Ledger {
    pub(super) fn push(&mut self) {
        self.marks.push((self.asserted.len(), self.actuals.len(), self.auxiliaries.len()));
    }

    /// Closes the core's innermost scope, which the core has closed. Symbols made in it for older variables
    /// stay with them.
    pub(super) fn pop<P: ProofSink>(&mut self, core: &mut Core<P>) {
        let (asserted, actuals, auxiliaries) = self.marks.pop().expect("a scope is open");
        self.asserted.truncate(asserted);
        self.actuals.truncate(actuals);
        self.auxiliaries.truncate(auxiliaries);
        if !self.var_terms.is_empty() {
            self.var_terms.split_off(&(core.sat.num_vars() as u32));
        }
        if !self.number_terms.is_empty() {
            self.number_terms.split_off(&(core.sat.theory().arith.var_count() as u32));
        }
        if !self.node_terms.is_empty() {
            self.node_terms.split_off(&(core.node_count() as u32));
        }
        for (&index, &(symbol, _)) in &self.node_terms {
            if core.binding(symbol) == Binding::None {
                core.bind_existing(symbol, Binding::Node(Node::new(index)));
            }
        }
        for (&index, &(symbol, _)) in &self.var_terms {
            if core.binding(symbol) == Binding::None {
                core.bind_existing(symbol, Binding::Bool(Var::new(index).positive()));
            }
        }
        for (&index, &(symbol, _)) in &self.number_terms {
            if core.binding(symbol) == Binding::None {
                core.bind_existing(symbol, Binding::Number(ArithVar::new(index)));
            }
        }
    }

    pub(super) fn add_formula(&mut self, formula: Term) {
        self.asserted.push(Asserted::Formula(formula));
    }

    /// The formulas that are asserted, by number.
    pub(super) fn formulas(&self) -> impl Iterator<Item = Term> {
        self.asserted.iter().filter_map(|asserted| match asserted {
            Asserted::Formula(formula) => Some(*formula),
            Asserted::Instance(..) => None,
        })
    }

    pub(super) fn add_instance(&mut self, template: &Template, actuals: &[Variable]) {
        let start = self.actuals.len() as u32;
        self.actuals.extend_from_slice(actuals);
        let actuals = start..self.actuals.len() as u32;
        self.asserted.push(Asserted::Instance(template.formula(), template.shared_formals(), actuals));
    }

    /// Takes note that the last assertion made these variables, apart from those of symbols, for itself.
    pub(super) fn add_auxiliaries(
        &mut self,
        vars: Range<usize>,
        numbers: Range<usize>,
        nodes: Range<usize>,
        names: Option<Names<ArithVar>>,
    ) {
        if vars.is_empty() && numbers.is_empty() && nodes.is_empty() {
            return;
        }
        let narrow = |range: Range<usize>| range.start as u32..range.end as u32;
        self.auxiliaries.push(Auxiliaries {
            assertion: self.asserted.len() as u32 - 1,
            vars: narrow(vars),
            numbers: narrow(numbers),
            nodes: narrow(nodes),
            names,
        });
    }

    /// The names in which the variable is to be looked up, if one assertion made it for itself.
    pub(super) fn names_of_var(&self, var: Var) -> Option<&Names<ArithVar>> {
        self.auxiliaries_of_var(var)?.names.as_ref()
    }

    /// The names in which the number is to be looked up, if one assertion made it for itself.
    pub(super) fn names_of_number(&self, number: ArithVar) -> Option<&Names<ArithVar>> {
        self.auxiliaries_of_number(number)?.names.as_ref()
    }

    /// The symbol that was made for a variable without one.
    pub(super) fn symbol_of_var(&self, var: Var) -> Option<Symbol> {
        self.var_terms.get(&(var.index() as u32)).map(|entry| entry.0)
    }

    /// The symbol that was made for a number without one.
    pub(super) fn symbol_of_number(&self, number: ArithVar) -> Option<Symbol> {
        self.number_terms.get(&(number.index() as u32)).map(|entry| entry.0)
    }

    fn owner_of_var(&self, var: Var) -> Option<u32> {
        self.auxiliaries_of_var(var).map(|own| own.assertion)
    }

    fn owner_of_number(&self, number: ArithVar) -> Option<u32> {
        self.auxiliaries_of_number(number).map(|own| own.assertion)
    }

    /// The assertion that made a node. Applications and sums are shared with later ones all the same.
    fn owner_of_node(&self, node: Node) -> Option<u32> {
        let node = node.index() as u32;
        let after = self.auxiliaries.partition_point(|own| own.nodes.start <= node);
        let mut candidates = self.auxiliaries[..after].iter().rev().skip_while(|own| own.nodes.is_empty());
        candidates.next().filter(|own| own.nodes.contains(&node)).map(|own| own.assertion)
    }

    fn auxiliaries_of_var(&self, var: Var) -> Option<&Auxiliaries> {
        let var = var.index() as u32;
        let after = self.auxiliaries.partition_point(|own| own.vars.start <= var);
        let mut candidates = self.auxiliaries[..after].iter().rev().skip_while(|own| own.vars.is_empty());
        candidates.next().filter(|own| own.vars.contains(&var))
    }

    fn auxiliaries_of_number(&self, number: ArithVar) -> Option<&Auxiliaries> {
        let number = number.index() as u32;
        let after = self.auxiliaries.partition_point(|own| own.numbers.start <= number);
        let mut candidates = self.auxiliaries[..after].iter().rev().skip_while(|own| own.numbers.is_empty());
        candidates.next().filter(|own| own.numbers.contains(&number))
    }
}

/// What a propositional variable means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VarMeaning {
    /// It is always true.
    Truth,
    /// It switches a group on.
    Guard,
    /// An arithmetic atom.
    Atom,
    /// The equation of two nodes; of a Boolean node, that it is true. Whatever assertion made it, others may have
    /// it, too.
    Equation(Node, Node),
    /// A Boolean symbol, or a gate with the formula that it stands for.
    Term(Term),
    /// It was made for the assertion with this number and occurs nowhere else.
    Owned(u32),
    /// The bit of a node, which is a bit-vector, at this place.
    Bit(Node, u32),
    /// A gate of a circuit, over older variables.
    Gate(Gate),
}

/// What a structural variable of the arithmetic means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumberMeaning {
    /// A symbol, or an auxiliary with the term that it stands for.
    Term(Term),
    /// An application. Whatever assertion made it, others may have it, too.
    Application(Node),
    /// It was made for the assertion with this number and occurs nowhere else.
    Owned(u32),
}

/// What a node of the congruence closure means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NodeMeaning {
    Truth,
    Falsity,
    /// A number.
    Numeral(Rat, Sort),
    /// A variable of the arithmetic.
    Number(ArithVar),
    /// A sum of numbers and a constant.
    Sum(Vec<(ArithVar, Rat)>, Rat, Sort),
    /// Whether two nodes are equal.
    Equation(Node, Node),
    /// An application of a symbol.
    Application(Symbol, Vec<Node>),
    /// An index at which two arrays differ, for which the language has no term.
    Difference,
    /// A symbol, or the term that it stands for.
    Term(Term),
    /// It was made for the assertion with this number and occurs nowhere else.
    Owned(u32),
}

/// What an arithmetic atom means.
#[derive(Clone, Debug)]
pub(crate) struct AtomMeaning<'a, T> {
    /// The linear form.
    pub(crate) terms: T,
    /// The upper bound that holds if the atom is true.
    pub(crate) upper: &'a DeltaRat,
    /// The lower bound that holds if the atom is false.
    pub(crate) lower: &'a DeltaRat,
}

impl<P: ProofSink> Solver<P> {
    /// What a propositional variable means. One without a symbol gets one.
    pub(crate) fn var_meaning(&mut self, store: &mut Store, var: Var) -> VarMeaning {
        if self.core.sat.theory().arith.meaning(var).is_some() {
            return VarMeaning::Atom;
        }
        if let Some(atom) = self.core.equation_of(var) {
            let (a, b) = self.core.sides(atom);
            return VarMeaning::Equation(a, b);
        }
        if let Some(symbol) = self.core.boolean_symbol(var) {
            return VarMeaning::Term(store.var(symbol));
        }
        if let Some(term) = self.memo.names().gate(var) {
            return VarMeaning::Term(term);
        }
        if self.core.truth_var() == Some(var) {
            return VarMeaning::Truth;
        }
        if self.groups.states.binary_search_by_key(&var, |state| state.guard.var()).is_ok() {
            return VarMeaning::Guard;
        }
        if let Some(words) = self.core.words() {
            if let Some(gate) = words.gate(var) {
                return VarMeaning::Gate(gate);
            }
            if let Some((node, place)) = words.bit(var) {
                return VarMeaning::Bit(node, place);
            }
        }
        if let Some(owner) = self.ledger.owner_of_var(var) {
            return VarMeaning::Owned(owner);
        }
        let index = var.index() as u32;
        if let Some(&(_, term)) = self.ledger.var_terms.get(&index) {
            return VarMeaning::Term(term);
        }
        let symbol = store.declare(&format!("b!{index}"), &[], Sort::Bool);
        let term = store.var(symbol);
        self.ledger.var_terms.insert(index, (symbol, term));
        self.core.bind_existing(symbol, Binding::Bool(var.positive()));
        self.observation.report(|observer| observer.adopt(store, symbol, Variable::Bool(var.positive())));
        VarMeaning::Term(term)
    }

    /// What a structural variable of the arithmetic means. One without a symbol gets one.
    pub(crate) fn number_meaning(&mut self, store: &mut Store, number: ArithVar) -> NumberMeaning {
        if let Some(symbol) = self.core.number_symbol(number) {
            return NumberMeaning::Term(store.var(symbol));
        }
        if let Some(node) = self.core.application_of(number) {
            return NumberMeaning::Application(node);
        }
        match self.memo.names().number(number) {
            Some(Defined::Leaf(term)) => return NumberMeaning::Term(*term),
            Some(Defined::Quotient(term, modulus)) => {
                return NumberMeaning::Term(store.int_div(*term, modulus));
            }
            None => {}
        }
        if let Some(owner) = self.ledger.owner_of_number(number) {
            return NumberMeaning::Owned(owner);
        }
        let index = number.index() as u32;
        if let Some(&(_, term)) = self.ledger.number_terms.get(&index) {
            return NumberMeaning::Term(term);
        }
        let sort = if self.core.sat.theory().arith.is_int(number) { Sort::Int } else { Sort::Real };
        let symbol = store.declare(&format!("n!{index}"), &[], sort);
        let term = store.var(symbol);
        self.ledger.number_terms.insert(index, (symbol, term));
        self.core.bind_existing(symbol, Binding::Number(number));
        self.observation.report(|observer| observer.adopt(store, symbol, Variable::Number(number)));
        NumberMeaning::Term(term)
    }

    /// What an arithmetic atom means.
    pub(crate) fn atom_meaning(
        &self,
        var: Var,
    ) -> Option<AtomMeaning<'_, impl Iterator<Item = (ArithVar, Int)>>> {
        let theory = &self.core.sat.theory().arith;
        let (x, upper, lower) = theory.meaning(var)?;
        let defined = theory.definition(x);
        let single = defined.is_none().then_some((x, Int::ONE));
        let terms = defined.unwrap_or_default().iter().cloned().chain(single);
        Some(AtomMeaning { terms, upper, lower })
    }

    /// The term of a variable of this solver. A variable without a symbol gets one, which stays its own as
    /// long as it lives.
    pub fn term(&mut self, store: &mut Store, variable: Variable) -> Term {
        match variable {
            Variable::Bool(lit) => match self.var_meaning(store, lit.var()) {
                VarMeaning::Term(term) => term.xor(!lit.is_positive()),
                VarMeaning::Truth => Term::from_bool(lit.is_positive()),
                VarMeaning::Equation(a, b) => {
                    let (a, b) = (self.node_term(store, a), self.node_term(store, b));
                    let equation = if store.sort(a) == Sort::Bool { store.iff(a, b) } else { store.eq(a, b) };
                    equation.xor(!lit.is_positive())
                }
                VarMeaning::Guard
                | VarMeaning::Atom
                | VarMeaning::Owned(_)
                | VarMeaning::Bit(..)
                | VarMeaning::Gate(_) => panic!("not a variable that was given out"),
            },
            Variable::Number(number) => match self.number_meaning(store, number) {
                NumberMeaning::Term(term) => term,
                NumberMeaning::Application(node) => self.node_term(store, node),
                NumberMeaning::Owned(_) => panic!("not a variable that was given out"),
            },
            Variable::Node(node) => self.node_term(store, node),
        }
    }

    /// What a node means. A leaf without a meaning gets a symbol.
    pub(crate) fn node_meaning(&mut self, store: &mut Store, node: Node) -> NodeMeaning {
        let sort = self.core.node_sort(node);
        let is_application = match self.core.shape(node) {
            NodeShape::Truth => return NodeMeaning::Truth,
            NodeShape::Falsity => return NodeMeaning::Falsity,
            NodeShape::Number(value) => return NodeMeaning::Numeral(value.clone(), sort),
            NodeShape::Equation(a, b) => return NodeMeaning::Equation(a, b),
            NodeShape::Application(..) => true,
            NodeShape::Leaf => false,
        };
        if let Some((symbol, args)) = self.core.application_parts(node) {
            return NodeMeaning::Application(symbol, args);
        }
        if is_application {
            return NodeMeaning::Difference;
        }
        if let Some(form) = self.core.form_of(node) {
            let is_int = |number| self.core.sat.theory().arith.is_int(number);
            if let [(number, coefficient)] = &*form.terms
                && coefficient.is_one()
                && form.constant.is_zero()
                && is_int(*number) == (sort == Sort::Int)
            {
                return NodeMeaning::Number(*number);
            }
            return NodeMeaning::Sum(form.terms.to_vec(), form.constant.clone(), sort);
        }
        match self.ledger.owner_of_node(node) {
            Some(owner) if self.core.term_of_node(node).is_none() => NodeMeaning::Owned(owner),
            _ => NodeMeaning::Term(self.node_term(store, node)),
        }
    }

    /// The term that a node stands for. One without a term gets a symbol.
    fn node_term(&mut self, store: &mut Store, node: Node) -> Term {
        let mut terms: BTreeMap<Node, Term> = BTreeMap::new();
        let mut stack = vec![node];
        while let Some(&next) = stack.last() {
            let known = self.core.term_of_node(next);
            let index = next.index() as u32;
            let known = known.or_else(|| self.ledger.node_terms.get(&index).map(|entry| entry.1));
            let term = match known {
                Some(term) => term,
                None => match self.core.application_parts(next) {
                    Some((symbol, args)) => {
                        let missing = args.iter().filter(|arg| !terms.contains_key(arg));
                        let before = stack.len();
                        stack.extend(missing);
                        if stack.len() > before {
                            continue;
                        }
                        let args: Vec<Term> = args.iter().map(|arg| terms[arg]).collect();
                        store.apply(symbol, &args)
                    }
                    None => {
                        let sort = self.core.node_sort(next);
                        let symbol = store.declare(&format!("s!{index}"), &[], sort);
                        let term = store.var(symbol);
                        self.ledger.node_terms.insert(index, (symbol, term));
                        self.core.bind_existing(symbol, Binding::Node(next));
                        self.observation
                            .report(|observer| observer.adopt(store, symbol, Variable::Node(next)));
                        term
                    }
                },
            };
            terms.insert(next, term);
            stack.pop();
        }
        terms[&node]
    }

    /// Gives the symbols of a formula just asserted a colour, from 0 to 63, and what was made since there were
    /// `before` variables and nodes. [`ArithOptions`] that ask for pure splits and the equations of nodes heed it.
    ///
    /// [`ArithOptions`]: crate::arith::ArithOptions
    pub(crate) fn colour(&mut self, store: &Store, formula: Term, before: [usize; 3], colour: u32) {
        let mut numbers: Vec<ArithVar> = Vec::new();
        let mut leaves: Vec<Node> = Vec::new();
        let mut functions: Vec<Symbol> = Vec::new();
        for term in store.subterms(&[formula]) {
            match (store.as_var(term), store.as_app(term)) {
                (Some(symbol), _) => match self.core.binding(symbol) {
                    Binding::Number(x) => numbers.push(x),
                    Binding::Node(node) => leaves.push(node),
                    Binding::Bool(_) | Binding::None => {}
                },
                (None, Some((symbol, Role::Function, _))) => functions.push(symbol),
                _ => {}
            }
        }
        let [_, numbers_end, nodes_end] = self.sizes();
        numbers.extend((before[1]..numbers_end).map(|index| ArithVar::new(index as u32)));
        leaves.extend((before[2]..nodes_end).map(|index| Node::new(index as u32)));
        let theory = self.core.sat.theory_mut();
        numbers.into_iter().for_each(|x| theory.arith.colour(x, colour));
        if let Some(combination) = &mut theory.combination {
            let functions: Vec<_> = functions.iter().map(|&f| combination.sorts.function_of(f)).collect();
            let colours = combination.colours.get_or_insert_default();
            leaves.into_iter().for_each(|leaf| colours.colour_leaf(leaf, colour));
            functions.into_iter().for_each(|function| colours.colour_function(function, colour));
            combination.colour_numbers(&mut theory.arith);
        }
    }

    /// The number of assertions in force.
    pub fn assertion_count(&self) -> u32 {
        self.ledger.asserted.len() as u32
    }

    /// The formula of an assertion in force. That of a template's instance has the terms of the actual
    /// variables and new variables in place of those that are not formals.
    pub fn assertion(&mut self, store: &mut Store, number: u32) -> Option<Term> {
        let (formula, formals, range) = match self.ledger.asserted.get(number as usize)? {
            Asserted::Formula(formula) => return Some(*formula),
            Asserted::Instance(formula, formals, range) => (*formula, formals.clone(), range.clone()),
        };
        let mut renaming = Substitution::new();
        for (&formal, place) in formals.iter().zip(range) {
            let actual = self.ledger.actuals[place as usize];
            let term = self.term(store, actual);
            renaming.insert(store.as_var(formal).expect("a formal is a variable"), term);
        }
        for variable in store.free_variables(&[formula]) {
            let symbol = store.as_var(variable).expect("a variable");
            if renaming.get(symbol).is_none() {
                let name = format!("{}!{number}", store.name(symbol));
                let sort = store.sort(variable);
                let fresh = store.variable(&name, sort);
                renaming.insert(symbol, fresh);
            }
        }
        Some(store.substitute(formula, &renaming))
    }
}
