//! What a final check adds to the search: equations with their bridges to arithmetic.

use shem_base::{Lit, Var};
use shem_proof::{Lemma, LemmaKind};

use super::combination::{Bridge, Combination};
use super::sorts::Sorts;
use crate::arith::Arith;
use crate::equality::Node;
use crate::linear::make_primitive;
use crate::theory::{Additions, FinalCheck};

/// Additions in the making.
pub(super) struct Extension {
    first_var: u32,
    additions: Additions,
}

impl Extension {
    /// Nothing yet; new variables are numbered from `next_var` on.
    pub(super) fn new(next_var: Var) -> Extension {
        Extension { first_var: next_var.index() as u32, additions: Additions::default() }
    }

    /// The next new variable.
    pub(super) fn new_var(&mut self) -> Var {
        let var = Var::new(self.first_var + self.additions.vars);
        self.additions.vars += 1;
        self.additions.awake.push(var);
        var
    }

    /// Has a variable in use for the rest of the solve.
    pub(super) fn wake(&mut self, var: Var) {
        self.additions.awake.push(var);
    }

    /// Asks for a literal to be decided next, unless another one is asked for.
    pub(super) fn split(&mut self, lit: Lit) {
        if self.additions.splits.is_empty() {
            self.additions.splits.push(lit);
        }
    }

    /// Asks for a literal to be decided after those that have been asked for.
    pub(super) fn split_also(&mut self, lit: Lit) {
        self.additions.splits.push(lit);
    }

    fn add_lemma(&mut self, lits: &[Lit]) {
        let mut lemma = Lemma::default();
        lemma.start(LemmaKind::Bridge);
        lits.iter().for_each(|&lit| lemma.add_lit(lit));
        self.additions.lemmas.push(lemma);
    }

    /// The outcome of the final check.
    pub(super) fn into_outcome(self) -> FinalCheck {
        FinalCheck::Extend(Box::new(self.additions))
    }
}

impl Combination {
    /// The propositional variable of a Boolean node, a new one if there is none.
    pub(super) fn demand_var(&mut self, node: Node, extension: &mut Extension) -> Var {
        match self.var(node) {
            Some(var) => {
                extension.wake(var);
                var
            }
            None => {
                let var = extension.new_var();
                self.register(node, var);
                var
            }
        }
    }

    /// The literal of the equation of two nodes, tied to arithmetic if they are arithmetic.
    pub(super) fn demand_equation(
        &mut self,
        arith: &mut Arith,
        a: Node,
        b: Node,
        extension: &mut Extension,
    ) -> Lit {
        let equation = self.equality.closure_mut().equation(a, b);
        let lit = self.demand_var(equation, extension).positive();
        if Sorts::is_arithmetic(self.closure().sort(a)) {
            match self.bridges.get(&equation) {
                Some(bridge) => bridge.sides.iter().flatten().for_each(|side| extension.wake(side.var())),
                None => {
                    let bridge = self.build_bridge(arith, a, b, lit, extension);
                    self.bridges.insert(equation, bridge);
                    self.bridged.push(equation);
                }
            }
        }
        lit
    }

    /// Ties the equation of two arithmetic nodes to the bounds of their difference.
    fn build_bridge(
        &self,
        arith: &mut Arith,
        a: Node,
        b: Node,
        equation: Lit,
        extension: &mut Extension,
    ) -> Bridge {
        let form = |node| self.forms.form(node).expect("an arithmetic node has a form");
        let difference = form(a).minus(form(b));
        let mut sum = difference.terms.into_vec();
        let Some(factor) = make_primitive(&mut sum) else {
            extension.add_lemma(&[equation.xor(!difference.constant.is_zero())]);
            return Bridge { sides: None };
        };
        let terms: Vec<_> = sum.into_iter().map(|(x, coeff)| (x, coeff.numer())).collect();
        let row = arith.poly(&terms);
        let bound = -(&difference.constant / &factor);
        let mut at_most = |strict: bool| match arith.atom(row, &bound, strict) {
            Some(lit) => lit,
            None => {
                let var = extension.new_var();
                arith.register_atom(row, &bound, strict, var);
                var.positive()
            }
        };
        let sides = [at_most(false), !at_most(true)];
        extension.add_lemma(&[!equation, sides[0]]);
        extension.add_lemma(&[!equation, sides[1]]);
        extension.add_lemma(&[equation, !sides[0], !sides[1]]);
        Bridge { sides: Some(sides) }
    }
}
