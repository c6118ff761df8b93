//! Literals by what they say.
//!
//! Two literals are the same if they say the same: formulas are compared by identity, inequalities as a primitive
//! form (coprime integer coefficients, the first one positive) with a bound, rounded if all leaves are integers.
//! An atom with exactly one conditional is read as the conditional of two atoms, because translations like to do
//! so: `x = (ite c a b)` says the same as `(ite c (x = a) (x = b))`.

use std::rc::Rc;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use shem_base::{Int, Lit, Rat, Var};
use shem_proof::{AtomMeaning, LinearAtom};
use shem_term::{Poly, Sort, Store, Symbol, Term, View};

use crate::linear::{Forms, Leaf, Linear};
use crate::translation::{Meaning, NumberMeaning, Translation};

/// A statement or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Literal(u32);

impl Literal {
    pub(crate) const TRUE: Literal = Literal(0);
    pub(crate) const FALSE: Literal = Literal(1);

    pub(crate) fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    pub(crate) fn xor(self, flip: bool) -> Literal {
        Literal(self.0 ^ u32::from(flip))
    }
}

impl std::ops::Not for Literal {
    type Output = Literal;

    fn not(self) -> Literal {
        self.xor(true)
    }
}

/// What a literal that is not negated says.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Statement {
    Truth,
    /// A formula, not negated, that is no inequality.
    Formula(Term),
    /// The form is at most, or less than, the bound.
    Inequality {
        form: Vec<(u32, Int)>,
        bound: Rat,
        strict: bool,
    },
    /// A variable of the proof that means nothing in particular.
    Free(Var),
}

/// The statements of a judgement.
pub(crate) struct Statements<'a, T> {
    pub(crate) store: &'a mut Store,
    translation: &'a T,
    pub(crate) forms: Forms,
    statements: Vec<Rc<Statement>>,
    index: HashMap<Rc<Statement>, u32, FxBuildHasher>,
    /// The literals of formulas that are not negated.
    formulas: HashMap<Term, Literal, FxBuildHasher>,
    /// The literals of the variables of the proof; `None` for one that means nonsense.
    vars: HashMap<Var, Option<Literal>, FxBuildHasher>,
}

impl<'a, T: Translation> Statements<'a, T> {
    pub(crate) fn new(store: &'a mut Store, translation: &'a T) -> Self {
        let mut result = Statements {
            store,
            translation,
            forms: Forms::default(),
            statements: Vec::new(),
            index: HashMap::default(),
            formulas: HashMap::default(),
            vars: HashMap::default(),
        };
        result.intern(Statement::Truth);
        result
    }

    fn intern(&mut self, statement: Statement) -> Literal {
        let number = match self.index.get(&statement) {
            Some(&number) => number,
            None => {
                let number = self.statements.len() as u32;
                let statement = Rc::new(statement);
                self.statements.push(statement.clone());
                self.index.insert(statement, number);
                number
            }
        };
        Literal(number << 1)
    }

    /// What a literal says, apart from its negation.
    pub(crate) fn statement(&self, literal: Literal) -> &Rc<Statement> {
        &self.statements[(literal.0 >> 1) as usize]
    }

    /// What a literal of the proof says, or `None` if its variable means nonsense.
    pub(crate) fn of_lit(&mut self, lit: Lit) -> Option<Literal> {
        let literal = match self.vars.get(&lit.var()) {
            Some(&literal) => literal?,
            None => {
                let literal = self.of_var(lit.var());
                self.vars.insert(lit.var(), literal);
                literal?
            }
        };
        Some(literal.xor(!lit.is_positive()))
    }

    /// The literal of a guard, or `None` if the variable means something. Guards that are not assumed may be
    /// false, and so may be nothing but guards.
    pub(crate) fn of_guard(&mut self, guard: Var) -> Option<Literal> {
        let literal = self.of_lit(guard.positive())?;
        matches!(**self.statement(literal), Statement::Free(_)).then_some(literal)
    }

    fn of_var(&mut self, var: Var) -> Option<Literal> {
        match self.translation.meaning(var) {
            Meaning::Truth => Some(Literal::TRUE),
            Meaning::Free => Some(self.intern(Statement::Free(var))),
            Meaning::Symbol(symbol) => {
                let formula = self.variable(symbol)?;
                (self.store.sort(formula) == Sort::Bool).then(|| self.of_formula(formula))
            }
            Meaning::Formula(formula) => {
                (self.store.sort(formula) == Sort::Bool).then(|| self.of_formula(formula))
            }
            Meaning::Inequality(atom) => {
                let mut sum = Linear::default();
                for (number, coeff) in &atom.terms {
                    let form = self.of_number(*number)?;
                    sum.add(&form, coeff);
                }
                sum.constant = &sum.constant - &atom.bound;
                sum.add_up();
                Some(self.inequality(sum, atom.strict))
            }
        }
    }

    fn variable(&mut self, symbol: Symbol) -> Option<Term> {
        self.store.signature(symbol).args.is_empty().then(|| self.store.var(symbol))
    }

    /// The form of an arithmetic variable of the proof.
    fn of_number(&mut self, number: u32) -> Option<Rc<Linear>> {
        let leaf = match self.translation.number(number) {
            NumberMeaning::Term(term) => return self.forms.of_term(self.store, term),
            NumberMeaning::Symbol(symbol) => {
                let term = self.variable(symbol)?;
                return self.forms.of_term(self.store, term);
            }
            NumberMeaning::Quotient(term, modulus) => {
                if !modulus.is_positive() {
                    return None;
                }
                let form = self.forms.of_term(self.store, term)?;
                self.forms.quotient(&form, &modulus)
            }
            NumberMeaning::Free { integral } => self.forms.intern(Leaf::Free(number), integral),
        };
        Some(Rc::new(Linear { terms: vec![(leaf, Rat::ONE)], constant: Rat::ZERO }))
    }

    /// What a formula says.
    pub(crate) fn of_formula(&mut self, formula: Term) -> Literal {
        let node = formula.positive();
        if let Some(literal) = self.formulas.get(&node) {
            return literal.xor(formula.is_negated());
        }
        let mut current = node;
        let literal = loop {
            let literal = match self.store.view(current) {
                View::True => Literal::TRUE,
                View::Le(poly, bound) => {
                    let bound = bound.clone();
                    if let Some(lifted) = self.lifted(current, poly) {
                        current = lifted;
                        continue;
                    }
                    self.comparison(poly, &bound, false)
                }
                View::Lt(poly, bound) => {
                    let bound = bound.clone();
                    if let Some(lifted) = self.lifted(current, poly) {
                        current = lifted;
                        continue;
                    }
                    self.comparison(poly, &bound, true)
                }
                View::Eq(poly, _) => {
                    if let Some(lifted) = self.lifted(current, poly) {
                        current = lifted;
                        continue;
                    }
                    self.intern(Statement::Formula(current.positive()))
                }
                View::Divisible(modulus, poly, offset) => {
                    // t mod k <= 0
                    let (modulus, offset) = (modulus.clone(), Rat::from(offset.clone()));
                    let mut form = self.forms.of_poly(self.store, poly);
                    form.constant = &form.constant + &offset;
                    let quotient = self.forms.quotient(&form, &modulus);
                    form.terms.push((quotient, -Rat::from(modulus)));
                    form.add_up();
                    self.inequality(form, false)
                }
                _ => self.intern(Statement::Formula(current.positive())),
            };
            break literal.xor(current.is_negated());
        };
        self.formulas.insert(node, literal);
        literal.xor(formula.is_negated())
    }

    /// The conditional of two atoms that says the same as the atom, if exactly one leaf of it is a conditional.
    pub(crate) fn lifted(&mut self, atom: Term, poly: Poly) -> Option<Term> {
        let mut conditionals = self
            .store
            .poly_terms(poly)
            .iter()
            .filter(|summand| matches!(self.store.view(summand.leaf), View::Ite(..)));
        let (first, second) = (conditionals.next(), conditionals.next());
        let (Some(summand), None) = (first, second) else { return None };
        let leaf = summand.leaf;
        let View::Ite(condition, then, otherwise) = self.store.view(leaf) else { return None };
        let then = self.store.replace_leaf(atom, leaf, then);
        let otherwise = self.store.replace_leaf(atom, leaf, otherwise);
        Some(self.store.ite(condition, then, otherwise))
    }

    /// The polynomial is at most, or less than, the bound.
    pub(crate) fn comparison(&mut self, poly: Poly, bound: &Rat, strict: bool) -> Literal {
        let mut form = self.forms.of_poly(self.store, poly);
        form.constant = &form.constant - bound;
        self.inequality(form, strict)
    }

    /// The form is at most, or less than, 0.
    pub(crate) fn inequality(&mut self, form: Linear, strict: bool) -> Literal {
        let Some((_, first)) = form.terms.first() else {
            let holds = if strict { form.constant.is_negative() } else { !form.constant.is_positive() };
            return if holds { Literal::TRUE } else { Literal::FALSE };
        };
        let negative = first.is_negative();
        let denominator = form.terms.iter().fold(Int::ONE, |lcm, (_, c)| lcm.lcm(&c.denom()));
        let scaled: Vec<(u32, Int)> = form
            .terms
            .iter()
            .map(|(leaf, c)| (*leaf, (c * &Rat::from(denominator.clone())).numer()))
            .collect();
        let divisor = scaled.iter().fold(Int::ZERO, |gcd, (_, c)| gcd.gcd(c));
        let divisor = if negative { -divisor } else { divisor };
        let primitive: Vec<(u32, Int)> =
            scaled.into_iter().map(|(leaf, c)| (leaf, c.div_exact(&divisor))).collect();
        // The form is `divisor / denominator` times the primitive one.
        let mut bound = -(&form.constant * &Rat::new(denominator, divisor));
        // Of `-p <= -c` the negation is said: p < c.
        let mut strict = strict != negative;
        if primitive.iter().all(|(leaf, _)| self.forms.is_integral(*leaf)) {
            let rounded = if strict { bound.ceil() - Int::ONE } else { bound.floor() };
            bound = Rat::from(rounded);
            strict = false;
        }
        self.intern(Statement::Inequality { form: primitive, bound, strict }).xor(negative)
    }
}

/// For the checker of proofs: lemmas are judged with the meanings that the clauses are.
impl<T: Translation> AtomMeaning for Statements<'_, T> {
    fn atom(&self, var: Var) -> Option<LinearAtom> {
        match self.translation.meaning(var) {
            Meaning::Inequality(atom) => Some(atom),
            _ => None,
        }
    }

    fn is_integer(&self, number: u32) -> bool {
        match self.translation.number(number) {
            NumberMeaning::Symbol(symbol) => self.store.signature(symbol).result == Sort::Int,
            NumberMeaning::Term(term) => self.store.sort(term) == Sort::Int,
            NumberMeaning::Quotient(..) => true,
            NumberMeaning::Free { integral } => integral,
        }
    }
}
