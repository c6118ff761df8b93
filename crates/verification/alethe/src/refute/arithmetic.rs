//! Lemmas of linear arithmetic.
//!
//! The rule `la_generic` proves a clause of inequalities and negated equations from coefficients with which the negated
//! literals add up to a contradiction; over integers a strict inequality is taken for the next weak one. The solver's
//! Farkas coefficients are of this kind. Where an atom as it is written meets a linear atom of the solver, or an equation
//! its bounds, two literals suffice, and their coefficients are found here. A side that the rule does not see through
//! (a product of three numbers, a quotient) is replaced by its linear form, which `poly_simp` proves equal to it. An equation
//! that is not negated follows from two inequalities by `la_disequality`.
//!
//! All coefficients are integers: with fractions, the rule would round where nothing is to be rounded.

use std::io::Write;

use shem_base::{Int, Rat};

use super::encode::Literal;
use super::print::Printer;
use crate::error::{Result, no_step};
use crate::writer::StepName;
use crate::written::{Forms, Linear, Sort, TermId};

/// What a negated literal says.
struct Constraint {
    /// The left side less the right side, multiplied with the sign: 0 or more than the bound, or equal to it.
    form: Linear,
    /// Whether the difference was turned round.
    sign: Rat,
    strict: bool,
    equation: bool,
}

impl<W: Write> Printer<'_, W> {
    /// The negation of a literal, if `la_generic` accepts the literal.
    fn constraint(&mut self, (id, positive): Literal) -> Option<Constraint> {
        let (name, args) = self.encoder.script.terms.parts(id);
        let &[a, b] = args else { return None };
        if !self.encoder.script.terms.sort(a).is_arithmetic() {
            return None;
        }
        let (sign, strict) = match (name, positive) {
            ("<", false) | (">=", true) => (-Rat::ONE, true),
            ("<=", false) | (">", true) => (-Rat::ONE, false),
            (">", false) | ("<=", true) => (Rat::ONE, true),
            (">=", false) | ("<", true) => (Rat::ONE, false),
            ("=", false) => (Rat::ONE, false),
            _ => return None,
        };
        let equation = name == "=";
        let mut form = Linear::default();
        let terms = &mut self.encoder.script.terms;
        form.add(&self.encoder.forms.of(terms, a), &sign);
        form.add(&self.encoder.forms.of(terms, b), &-&sign);
        let integral = form
            .terms
            .iter()
            .all(|(&leaf, coeff)| coeff.is_integer() && *self.encoder.script.terms.sort(leaf) == Sort::Int);
        let mut result = Constraint { form, sign, strict, equation };
        if integral && !equation {
            // f + c > 0 is f + ceil(c) - 1 >= 0, and f + c >= 0 is f + floor(c) >= 0.
            let constant = &result.form.constant;
            let rounded = if result.strict { constant.ceil() - Int::ONE } else { constant.floor() };
            result.form.constant = Rat::from(rounded);
            result.strict = false;
        }
        Some(result)
    }

    /// Proves a clause of at most two inequalities and equations that matter, if it is one.
    pub(crate) fn arithmetic(&mut self, clause: &[Literal]) -> Result<Option<StepName>> {
        if let Some(step) = self.two_literals(clause, None)? {
            return Ok(Some(if step.1 == clause.len() {
                step.0
            } else {
                self.resolution(clause, &[step.0])?
            }));
        }
        for &(id, positive) in clause {
            let ("=", &[a, b]) = self.encoder.script.terms.parts(id) else { continue };
            if !positive || !self.encoder.script.terms.sort(a).is_arithmetic() {
                continue;
            }
            let terms = &mut self.encoder.script.terms;
            let (less, more) = (terms.formula("<=", &[a, b]), terms.formula("<=", &[b, a]));
            let Some((first, _)) = self.two_literals(clause, Some((less, true)))? else { continue };
            let Some((second, _)) = self.two_literals(clause, Some((more, true)))? else { continue };
            let terms = &mut self.encoder.script.terms;
            let (not_less, not_more) = (terms.not(less), terms.not(more));
            let either = terms.formula("or", &[id, not_less, not_more]);
            let rule = self.unit("la_disequality", either, &[])?;
            let split = self.step("or", &[(id, true), (less, false), (more, false)], &[rule], &[])?;
            return Ok(Some(self.resolution(clause, &[first, second, split])?));
        }
        Ok(None)
    }

    /// Proves one or two literals of the clause, and a further one. Returns the number of literals, too.
    fn two_literals(
        &mut self,
        clause: &[Literal],
        extra: Option<Literal>,
    ) -> Result<Option<(StepName, usize)>> {
        let mut literals = Vec::with_capacity(clause.len() + 1);
        for literal in extra.into_iter().chain(clause.iter().copied()) {
            if let Some(constraint) = self.constraint(literal) {
                literals.push((literal, constraint));
            }
        }
        for (i, (literal, constraint)) in literals.iter().enumerate() {
            if constraint.form.terms.is_empty() && is_contradictory(constraint, &constraint.form.constant) {
                return Ok(Some((self.la_generic(&[(*literal, Rat::ONE)])?, 1)));
            }
            for (other, second) in &literals[..i] {
                if let Some((a, b)) = coefficients(constraint, second) {
                    return Ok(Some((self.la_generic(&[(*literal, a), (*other, b)])?, 2)));
                }
            }
        }
        Ok(None)
    }

    /// Proves the clause of these literals, whose negations add up to a contradiction with these coefficients.
    pub(crate) fn la_generic(&mut self, literals: &[(Literal, Rat)]) -> Result<StepName> {
        let mut clause: Vec<(Literal, Rat)> = literals.to_vec();
        let mut premises = Vec::new();
        for (literal, coeff) in literals {
            let Some(Constraint { sign, .. }) = self.constraint(*literal) else {
                return no_step("an inequality that is none");
            };
            let &[a, b] = self.encoder.script.terms.parts(literal.0).1 else { unreachable!("an inequality") };
            for (side, factor) in [(a, -Rat::ONE), (b, Rat::ONE)] {
                if self.encoder.forms.is_plain(&self.encoder.script.terms, side) {
                    continue;
                }
                let (equation, step) = self.simplified(side)?;
                premises.push(step);
                clause.push(((equation, false), &(coeff * &sign) * &factor));
            }
        }
        let step = self.weighted(&clause)?;
        if premises.is_empty() {
            return Ok(step);
        }
        let clause: Vec<Literal> = literals.iter().map(|(literal, _)| *literal).collect();
        premises.push(step);
        self.resolution(&clause, &premises)
    }

    /// The step with the coefficients made integers.
    fn weighted(&mut self, literals: &[(Literal, Rat)]) -> Result<StepName> {
        let scale = literals.iter().fold(Int::ONE, |scale, (_, coeff)| scale.lcm(&coeff.denom()));
        let clause: Vec<Literal> = literals.iter().map(|(literal, _)| *literal).collect();
        let texts = literals.iter().map(|(_, coeff)| {
            let coeff = coeff.mul_int(&scale);
            let size = coeff.abs().numer();
            if coeff.is_negative() { format!("(- {size})") } else { size.to_string() }
        });
        let texts: Vec<String> = texts.collect();
        self.step("la_generic", &clause, &[], &texts)
    }

    /// The equation of a term with its linear form.
    fn simplified(&mut self, side: TermId) -> Result<(TermId, StepName)> {
        let form = self.encoder.forms.of(&mut self.encoder.script.terms, side);
        let real = *self.encoder.script.terms.sort(side) == Sort::Real;
        let sum = Forms::term(&mut self.encoder.script.terms, &form, real);
        let equation = self.encoder.script.terms.equation(side, sum);
        Ok((equation, self.unit("poly_simp", equation, &[])?))
    }

    /// A lemma with Farkas coefficients.
    pub(crate) fn farkas(&mut self, clause: &[Literal], coeffs: &[Rat]) -> Result<StepName> {
        let literals: Vec<(Literal, Rat)> = clause.iter().copied().zip(coeffs.iter().cloned()).collect();
        self.weighted(&literals)
    }

    /// A lemma from equations over integers, each given as its two bounds, whose weighted sum has integer coefficients and
    /// a constant that is none: the sum is at most the constant rounded down, and at least the next integer.
    pub(crate) fn dioph(&mut self, clause: &[Literal], coeffs: &[Rat]) -> Result<StepName> {
        let mut sum = Linear::default();
        let mut upper = Vec::new();
        let mut lower = Vec::new();
        for (pair, coeffs) in clause.chunks(2).zip(coeffs.chunks(2)) {
            let &[first, second] = pair else {
                return no_step("an equation without its two bounds");
            };
            // The negation of the one literal says p <= c, that of the other p >= c.
            let (at_most, at_least) = if first.1 { (second, first) } else { (first, second) };
            // The form less its bound, over the leaves that the solver has.
            let Some(form) = self.atoms.get(&at_most.0) else {
                return no_step("a bound that is none");
            };
            let coeff = &coeffs[0];
            sum.add(form, coeff);
            let size = coeff.abs();
            let (above, below) = if coeff.is_negative() { (at_least, at_most) } else { (at_most, at_least) };
            upper.push((above, size.clone()));
            lower.push((below, size));
        }
        // The sum of the leaves is equal to the negated constant.
        let value = -std::mem::take(&mut sum.constant);
        let term = Forms::term(&mut self.encoder.script.terms, &sum, false);
        let floor = value.floor();
        let terms = &mut self.encoder.script.terms;
        let (low, high) = (
            terms.number(&Rat::from(floor.clone()), false),
            terms.number(&Rat::from(floor + Int::ONE), false),
        );
        let (at_most, at_least) = (terms.formula("<=", &[term, low]), terms.formula(">=", &[term, high]));
        upper.push(((at_most, true), Rat::ONE));
        lower.push(((at_least, true), Rat::ONE));
        let first = self.weighted(&upper)?;
        let second = self.weighted(&lower)?;
        let gap = self.weighted(&[((at_most, false), Rat::ONE), ((at_least, false), Rat::ONE)])?;
        self.resolution(clause, &[first, second, gap])
    }
}

fn is_contradictory(constraint: &Constraint, constant: &Rat) -> bool {
    if constraint.equation {
        !constant.is_zero()
    } else {
        constant.is_negative() || (constraint.strict && constant.is_zero())
    }
}

/// Coefficients with which two constraints add up to a contradiction.
fn coefficients(a: &Constraint, b: &Constraint) -> Option<(Rat, Rat)> {
    let (leaf, coeff) = a.form.terms.first_key_value()?;
    let other = b.form.terms.get(leaf)?;
    // a + factor * b has no leaves.
    let mut factor = -(coeff / other);
    let mut scale = Rat::ONE;
    if !b.equation && factor.is_negative() {
        if !a.equation {
            return None;
        }
        factor = -factor;
        scale = -Rat::ONE;
    }
    let mut sum = Linear::default();
    sum.add(&a.form, &scale);
    sum.add(&b.form, &factor);
    if !sum.terms.is_empty() {
        return None;
    }
    let strict = (a.strict && !a.equation) || (b.strict && !b.equation);
    let holds = if a.equation && b.equation {
        sum.constant.is_zero()
    } else {
        !(sum.constant.is_negative() || (strict && sum.constant.is_zero()))
    };
    (!holds).then_some((scale, factor))
}
