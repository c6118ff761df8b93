//! Loading: from literals with variables to eliminate to rows.
//!
//! The sums of a literal are expanded down to columns. A conditional is replaced by the branch that the model
//! takes, and its condition becomes a formula that must hold; a remainder is its dividend less a multiple of
//! the quotient; a quotient or an integer part is an auxiliary column, whose defining bounds are loaded later.
//! Terms without a variable to eliminate are columns as they are.

use shem_base::{Int, Rat, StampSet};
use shem_term::{Sort, Store, Term, View};

use super::projector::{ProjectionContext, Projector};
use super::rows::{Column, Relation};
use super::unsupported::Unsupported;
use crate::Model;

impl Projector {
    /// Loads a literal with a variable to eliminate as a row.
    pub(super) fn load(
        &mut self,
        context: &mut ProjectionContext<'_>,
        literal: Term,
    ) -> Result<(), Unsupported> {
        let negated = literal.is_negated();
        let store = &*context.store;
        let (poly, relation, flip) = match store.view(literal) {
            // An eliminated Boolean: all literals of it agree with the model.
            View::Var(_) => return Ok(()),
            View::Le(p, _) => (p, if negated { Relation::Below } else { Relation::AtMost }, negated),
            View::Lt(p, _) => (p, if negated { Relation::AtMost } else { Relation::Below }, negated),
            View::Eq(p, _) if !negated => (p, Relation::Zero, false),
            View::Eq(p, value) => {
                // A disequality is strict on the side of the model.
                self.system.exact = false;
                let mut sum = Rat::ZERO;
                for t in store.poly_terms(p) {
                    sum.add_mul_int(&t.coeff, self.number(t.leaf)?);
                }
                (p, Relation::Below, sum > *value)
            }
            View::Divisible(_, p, _) => (p, Relation::Divisible, false),
            View::Forall(..) => return Err(Unsupported::Quantifier),
            _ => return Err(Unsupported::Application),
        };
        let mut modulus = Int::ONE;
        let mut constant = match store.view(literal) {
            View::Le(_, c) | View::Lt(_, c) | View::Eq(_, c) => -c,
            View::Divisible(k, _, c) => {
                modulus = k.clone();
                Rat::from(c)
            }
            _ => unreachable!("the literals are arithmetic"),
        };
        if relation == Relation::Divisible && negated {
            let mut sum = constant.clone();
            for t in store.poly_terms(poly) {
                sum.add_mul_int(&t.coeff, self.number(t.leaf)?);
            }
            constant -= Rat::from(sum.numer().rem_floor(&modulus));
            self.system.exact &= modulus == Int::from(2);
        }
        self.begin_sum(if flip { -constant } else { constant });
        for t in store.poly_terms(poly) {
            let coeff = Rat::from(&t.coeff);
            self.expansion.push((t.leaf, if flip { -coeff } else { coeff }));
        }
        self.expand(context)?;
        self.finish_row(relation, modulus);
        Ok(())
    }

    fn number(&self, term: Term) -> Result<&Rat, Unsupported> {
        self.valuation.number(term).ok_or(Unsupported::Application)
    }

    pub(super) fn begin_sum(&mut self, constant: Rat) {
        self.sum.clear();
        self.expansion.clear();
        self.constant = constant;
    }

    /// Adds the terms of the expansion to the sum, taking apart the leaves with a variable to eliminate.
    pub(super) fn expand(&mut self, context: &mut ProjectionContext<'_>) -> Result<(), Unsupported> {
        while let Some((term, coeff)) = self.expansion.pop() {
            match context.store.view(term) {
                View::Num(n) => self.constant.add_mul(&coeff, n),
                View::Linear(scale, poly, offset) => {
                    let scale = scale * &coeff;
                    let terms = context.store.poly_terms(poly).iter();
                    self.expansion.extend(terms.map(|t| (t.leaf, scale.mul_int(&t.coeff))));
                    self.constant.add_mul(&coeff, offset);
                }
                View::Ite(c, a, b) if self.valuation.mentions(term) => {
                    let holds = self.valuation.truth(c).ok_or(Unsupported::Application)?;
                    self.builder.exact = false;
                    self.builder.require(c.xor(!holds));
                    self.expansion.push((if holds { a } else { b }, coeff));
                }
                View::Mod(t, modulus) if self.valuation.mentions(term) => {
                    let modulus = modulus.clone();
                    let quotient = context.store.int_div(t, &modulus);
                    self.valuation.evaluate(context.store, context.model, quotient);
                    self.expansion.push((quotient, -coeff.mul_int(&modulus)));
                    self.expansion.push((t, coeff));
                }
                _ => {
                    let column = self.column(context.store, term)?;
                    self.sum.push((column, coeff));
                }
            }
        }
        Ok(())
    }

    /// The literal with the branches that the model takes in the place of the conditionals in its sum. Their
    /// conditions become formulas that must hold.
    pub(super) fn take_branches(
        &mut self,
        store: &mut Store,
        mut literal: Term,
    ) -> Result<Term, Unsupported> {
        while let View::Le(poly, _) | View::Lt(poly, _) | View::Eq(poly, _) | View::Divisible(_, poly, _) =
            store.view(literal)
        {
            let mut leaves = store.poly_terms(poly).iter().map(|term| term.leaf);
            let conditional = leaves.find_map(|leaf| match store.view(leaf) {
                View::Ite(condition, then, otherwise) => Some((leaf, condition, then, otherwise)),
                _ => None,
            });
            let Some((leaf, condition, then, otherwise)) = conditional else { break };
            let holds = self.valuation.truth(condition).ok_or(Unsupported::Application)?;
            self.builder.exact = false;
            self.builder.require(condition.xor(!holds));
            let branch = if holds { then } else { otherwise };
            literal = match store.view(literal) {
                View::Divisible(modulus, poly, offset) => {
                    let (modulus, offset) = (modulus.clone(), Rat::from(offset.clone()));
                    let terms: Vec<(Rat, Term)> = (store.poly_terms(poly).iter())
                        .map(|t| (Rat::from(&t.coeff), if t.leaf == leaf { branch } else { t.leaf }))
                        .collect();
                    let sum = store.linear(&terms, &offset, Sort::Int);
                    store.divisible(&modulus, sum).xor(literal.is_negated())
                }
                _ => store.replace_leaf(literal, leaf, branch),
            };
        }
        Ok(literal)
    }

    /// The literal with the branches that the model takes in the place of the conditionals inside of its
    /// applications and equalities. Their conditions become formulas that must hold.
    pub(super) fn take_inner_branches(
        &mut self,
        store: &mut Store,
        model: &Model,
        mut literal: Term,
    ) -> Result<Term, Unsupported> {
        loop {
            let mut pairs = Vec::new();
            let mut seen = StampSet::new();
            let mut stack = vec![literal];
            while let Some(term) = stack.pop() {
                if !seen.insert(term.index()) {
                    continue;
                }
                match store.view(term) {
                    View::Ite(condition, then, otherwise) if store.sort(term) != Sort::Bool => {
                        let holds = self.valuation.truth(condition).ok_or(Unsupported::Application)?;
                        self.builder.exact = false;
                        self.builder.require(condition.xor(!holds));
                        pairs.push((term, if holds { then } else { otherwise }));
                    }
                    // Formulas that are arguments stay as they are.
                    _ => store.for_each_child(term, |child| {
                        if store.sort(child) != Sort::Bool {
                            stack.push(child);
                        }
                    }),
                }
            }
            if pairs.is_empty() {
                return Ok(literal);
            }
            literal = store.replace(literal, &pairs);
            self.valuation.evaluate(store, model, literal);
        }
    }

    /// The column of a leaf. One with a variable to eliminate inside is an auxiliary.
    fn column(&mut self, store: &Store, leaf: Term) -> Result<u32, Unsupported> {
        if let Some(&column) = self.columns.get(leaf.index()) {
            return Ok(column);
        }
        let value = self.number(leaf)?.clone();
        let eliminated = self.valuation.mentions(leaf);
        let auxiliary = eliminated && !self.valuation.is_eliminated(leaf);
        let column = self.system.add_column(Column {
            leaf: if auxiliary { None } else { Some(leaf) },
            integral: store.sort(leaf) == Sort::Int,
            eliminated,
            value,
        });
        self.columns.insert(leaf.index(), column);
        if auxiliary {
            self.definitions.push((column, leaf));
        }
        Ok(column)
    }

    /// Loads the bounds that define an auxiliary for a quotient or an integer part.
    pub(super) fn load_definition(
        &mut self,
        context: &mut ProjectionContext<'_>,
        column: u32,
        leaf: Term,
    ) -> Result<(), Unsupported> {
        let (inner, modulus, relation) = match context.store.view(leaf) {
            View::Div(t, k) => (t, k.clone(), Relation::AtMost),
            View::ToInt(t) => (t, Int::ONE, Relation::Below),
            _ => return Err(Unsupported::Application),
        };
        // modulus * q <= t, and t <= modulus * q + modulus - 1, or t < q + 1 for a real.
        self.begin_sum(Rat::ZERO);
        self.sum.push((column, Rat::from(&modulus)));
        self.expansion.push((inner, Rat::MINUS_ONE));
        self.expand(context)?;
        self.finish_row(Relation::AtMost, Int::ONE);
        let slack = if relation == Relation::Below { Int::ONE } else { &modulus - &Int::ONE };
        self.begin_sum(Rat::from(-slack));
        self.sum.push((column, -Rat::from(&modulus)));
        self.expansion.push((inner, Rat::ONE));
        self.expand(context)?;
        self.finish_row(relation, Int::ONE);
        Ok(())
    }

    /// Adds the sum to the system.
    pub(super) fn finish_row(&mut self, relation: Relation, modulus: Int) {
        let mut denominator = self.constant.denom();
        for (_, c) in &self.sum {
            if !c.is_integer() {
                denominator = denominator.lcm(&c.denom());
            }
        }
        let scale = |c: &Rat| {
            if denominator.is_one() { c.numer() } else { c.mul_int(&denominator).numer() }
        };
        self.sum.sort_unstable_by_key(|t| t.0);
        let mut row = self.system.take_row();
        row.relation = relation;
        row.modulus = modulus;
        row.constant = scale(&self.constant);
        for (column, c) in &self.sum {
            let c = scale(c);
            match row.terms.last_mut() {
                Some((last, sum)) if last == column => *sum += c,
                _ => row.terms.push((*column, c)),
            }
        }
        row.terms.retain(|t| !t.1.is_zero());
        row.value = Rat::from(&row.constant);
        for (column, c) in &row.terms {
            row.value.add_mul_int(c, &self.system.columns[*column as usize].value);
        }
        self.system.add(row);
    }
}
