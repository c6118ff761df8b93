//! Instances of templates.

use shem_base::{Lit, Rat, Var};
use shem_proof::{Origin, ProofSink};

use shem_term::Store;

use super::core::Core;
use crate::arith::ArithVar;
use crate::cnf::{LocalNode, LocalNumber, LocalVar, Part, Target, Template};
use crate::equality::Node;
use crate::linear::make_primitive;

/// A variable of a solver, with or without a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variable {
    /// A propositional literal.
    Bool(Lit),
    /// An arithmetic variable.
    Number(ArithVar),
    /// A variable of another sort.
    Node(Node),
}

/// The buffers of an instantiation, kept from one to the next.
#[derive(Debug, Default)]
pub(super) struct Instantiation {
    numbers: Vec<ArithVar>,
    rows: Vec<Option<(ArithVar, Rat)>>,
    lits: Vec<Lit>,
    clause: Vec<Lit>,
    sum: Vec<(ArithVar, Rat)>,
    nodes: Vec<Node>,
    args: Vec<Node>,
}

impl Instantiation {
    /// Adds an instance of the template to the solver, under a guard if one is given.
    pub(super) fn run<P: ProofSink>(
        &mut self,
        core: &mut Core<P>,
        store: &Store,
        template: &Template,
        actuals: &[Variable],
        guard: Option<Lit>,
        origin: Origin,
    ) {
        assert_eq!(template.formals().len(), actuals.len(), "one variable for each formal");
        self.numbers.clear();
        self.rows.clear();
        self.lits.clear();
        self.nodes.clear();
        if template.nodes().is_empty() {
            (0..template.numbers().len()).for_each(|_| self.add_number(core, template, actuals));
            (0..template.row_count()).for_each(|_| self.add_row(core, template));
            (0..template.vars().len()).for_each(|_| self.add_lit(core, template, actuals));
        }
        for part in template.order() {
            match part {
                Part::Number => self.add_number(core, template, actuals),
                Part::Row => self.add_row(core, template),
                Part::Var => self.add_lit(core, template, actuals),
                Part::Node => self.add_node(core, store, template, actuals),
            }
        }
        for (lits, definition) in template.clauses() {
            self.clause.clear();
            if !definition {
                self.clause.extend(guard.map(|g| !g));
            }
            self.clause.extend(lits.iter().map(|l| self.lits[l.var().index()].xor(!l.is_positive())));
            core.clause(&self.clause, if definition { Origin::Definition } else { origin });
        }
        core.add_opaque(template.opaque_count());
    }

    /// Makes the next number of the template.
    fn add_number<P: ProofSink>(&mut self, core: &mut Core<P>, template: &Template, actuals: &[Variable]) {
        let number = match template.numbers()[self.numbers.len()] {
            LocalNumber::Formal(position) => match actuals[position] {
                Variable::Number(x) => x,
                _ => panic!("an arithmetic formal needs an arithmetic variable"),
            },
            LocalNumber::Fresh { integral } => core.auxiliary(integral),
            LocalNumber::Application(node) => core.number_of_node(self.nodes[node as usize]),
        };
        self.numbers.push(number);
    }

    /// Makes the next row of the template.
    fn add_row<P: ProofSink>(&mut self, core: &mut Core<P>, template: &Template) {
        self.sum.clear();
        let terms = template.row(self.rows.len()).iter();
        self.sum.extend(terms.map(|(n, c)| (self.numbers[*n as usize], Rat::from(c.clone()))));
        let factor = make_primitive(&mut self.sum);
        self.rows.push(factor.map(|factor| (core.intern_row(&self.sum), factor)));
    }

    /// Makes the next variable of the template.
    fn add_lit<P: ProofSink>(&mut self, core: &mut Core<P>, template: &Template, actuals: &[Variable]) {
        let lit = match &template.vars()[self.lits.len()] {
            LocalVar::Formal(position) => match actuals[*position] {
                Variable::Bool(lit) => lit,
                _ => panic!("a Boolean formal needs a literal"),
            },
            LocalVar::Fresh => core.gate(),
            LocalVar::Truth => core.truth(),
            LocalVar::Atom { row, bound, strict } => match &self.rows[*row as usize] {
                None => {
                    let holds = if *strict { bound.is_positive() } else { !bound.is_negative() };
                    core.truth().xor(!holds)
                }
                Some((x, factor)) if factor.is_one() => core.upper(*x, bound, *strict),
                Some((x, factor)) => {
                    let bound = bound / factor;
                    if factor.is_positive() {
                        core.upper(*x, &bound, *strict)
                    } else {
                        !core.upper(*x, &bound, !*strict)
                    }
                }
            },
            LocalVar::Application(node) => core.literal_of_node(self.nodes[*node as usize]),
            LocalVar::Equation(a, b) => {
                core.literal_of_equation(self.nodes[*a as usize], self.nodes[*b as usize])
            }
        };
        self.lits.push(lit);
    }

    /// Makes the next node of the template.
    fn add_node<P: ProofSink>(
        &mut self,
        core: &mut Core<P>,
        store: &Store,
        template: &Template,
        actuals: &[Variable],
    ) {
        let node = match &template.nodes()[self.nodes.len()] {
            LocalNode::Formal(position) => match actuals[*position] {
                Variable::Node(node) => node,
                _ => panic!("the formal needs a variable of its sort"),
            },
            LocalNode::Fresh(sort) => core.new_leaf(store, *sort),
            LocalNode::Choice { sort, condition, branches } => {
                let condition = self.lits[condition.var().index()].xor(!condition.is_positive());
                let branches = branches.map(|branch| self.nodes[branch as usize]);
                core.new_choice(store, *sort, condition, branches)
            }
            LocalNode::Sum { terms, constant, integral } => {
                self.sum.clear();
                let terms = terms.iter();
                self.sum.extend(terms.map(|(n, c)| (self.numbers[*n as usize], c.clone())));
                core.intern_sum(&mut self.sum, constant, *integral)
            }
            LocalNode::Truth(value) => core.constant_node(*value),
            LocalNode::Literal(lit) => {
                core.name_literal(self.lits[lit.var().index()].xor(!lit.is_positive()))
            }
            LocalNode::Application { symbol, args } => {
                self.args.clear();
                self.args.extend(args.iter().map(|arg| self.nodes[*arg as usize]));
                core.intern_application(store, *symbol, &self.args)
            }
        };
        self.nodes.push(node);
    }
}

impl Variable {
    /// The propositional variable, if it is one.
    pub fn as_var(self) -> Option<Var> {
        match self {
            Variable::Bool(lit) => Some(lit.var()),
            Variable::Number(_) | Variable::Node(_) => None,
        }
    }
}
