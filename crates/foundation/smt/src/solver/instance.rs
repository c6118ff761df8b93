//! Instances of templates.

use shem_base::{Lit, Rat, Var};
use shem_proof::{Origin, ProofSink};

use super::core::Core;
use crate::arith::ArithVar;
use crate::cnf::{LocalNumber, LocalVar, Target, Template};
use crate::linear::make_primitive;

/// A variable of a solver, with or without a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variable {
    /// A propositional literal.
    Bool(Lit),
    /// An arithmetic variable.
    Number(ArithVar),
}

/// The buffers of an instantiation, kept from one to the next.
#[derive(Debug, Default)]
pub(super) struct Instantiation {
    numbers: Vec<ArithVar>,
    rows: Vec<Option<(ArithVar, Rat)>>,
    lits: Vec<Lit>,
    clause: Vec<Lit>,
    sum: Vec<(ArithVar, Rat)>,
}

impl Instantiation {
    /// Adds an instance of the template to the solver, under a guard if one is given.
    pub(super) fn run<P: ProofSink>(
        &mut self,
        core: &mut Core<P>,
        template: &Template,
        actuals: &[Variable],
        guard: Option<Lit>,
        origin: Origin,
    ) {
        assert_eq!(template.formals().len(), actuals.len(), "one variable for each formal");
        self.numbers.clear();
        for number in template.numbers() {
            self.numbers.push(match *number {
                LocalNumber::Formal(position) => match actuals[position] {
                    Variable::Number(x) => x,
                    Variable::Bool(_) => panic!("an arithmetic formal needs an arithmetic variable"),
                },
                LocalNumber::Fresh { integral } => core.auxiliary(integral),
            });
        }
        self.rows.clear();
        for row in 0..template.row_count() {
            self.sum.clear();
            let terms = template.row(row).iter();
            self.sum.extend(terms.map(|(n, c)| (self.numbers[*n as usize], Rat::from(c.clone()))));
            let factor = make_primitive(&mut self.sum);
            self.rows.push(factor.map(|factor| (core.intern_row(&self.sum), factor)));
        }
        self.lits.clear();
        for var in template.vars() {
            let lit = match var {
                LocalVar::Formal(position) => match actuals[*position] {
                    Variable::Bool(lit) => lit,
                    Variable::Number(_) => panic!("a Boolean formal needs a literal"),
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
            };
            self.lits.push(lit);
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
}

impl Variable {
    /// The propositional variable, if it is one.
    pub fn as_var(self) -> Option<Var> {
        match self {
            Variable::Bool(lit) => Some(lit.var()),
            Variable::Number(_) => None,
        }
    }
}
