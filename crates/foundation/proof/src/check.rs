//! The judge of proofs.
//!
//! Every resolution is done again on plain sets; every lemma is checked from the meaning of its atoms, which
//! the caller supplies: linear inequalities over numbered variables. The checker believes nothing but these
//! meanings and the input clauses, and shares no code with a solver.

use crate::proof::{Proof, Resolution, Rule, StepId};
use crate::sink::LemmaKind;
use shem_base::{Int, Lit, Rat, Var};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A linear inequality: the sum of `terms` is at most, or less than, `bound`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinearAtom {
    /// Variables with their coefficients; a variable may occur repeatedly.
    pub terms: Vec<(u32, Rat)>,
    /// The right-hand side.
    pub bound: Rat,
    /// Whether the inequality is strict.
    pub strict: bool,
}

/// What the atoms of a proof mean.
pub trait AtomMeaning {
    /// The inequality that holds if and only if the variable is true; `None` if it is no theory atom.
    fn atom(&self, var: Var) -> Option<LinearAtom>;

    /// Whether a variable of the inequalities ranges over the integers.
    fn is_integer(&self, var: u32) -> bool;
}

/// Why a proof is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckError {
    /// There is no step at all.
    Empty,
    /// A step uses one that does not stand before it.
    Order(StepId),
    /// A resolution of the step lacks its pivot on one side or the other.
    Pivot(StepId, Lit),
    /// The resolutions of the step give another clause than it claims.
    Clause(StepId),
    /// A literal of the lemma has no meaning in the theory.
    Meaning(StepId, Lit),
    /// The lemma has not one coefficient a literal, or one that is not allowed.
    Coefficients(StepId),
    /// The weighted sum of the lemma's inequalities is no contradiction.
    Sum(StepId),
    /// The literals of the lemma are not pairs of bounds of one equality over integers.
    Pairs(StepId),
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckError::Empty => write!(f, "the proof has no step"),
            CheckError::Order(step) => write!(f, "step {} uses a later one", step.index()),
            CheckError::Pivot(step, lit) => write!(f, "step {} lacks its pivot {lit:?}", step.index()),
            CheckError::Clause(step) => write!(f, "step {} claims another clause", step.index()),
            CheckError::Meaning(step, lit) => {
                write!(f, "literal {lit:?} of lemma {} has no meaning", step.index())
            }
            CheckError::Coefficients(step) => {
                write!(f, "lemma {} has improper coefficients", step.index())
            }
            CheckError::Sum(step) => write!(f, "lemma {} is not justified by its sum", step.index()),
            CheckError::Pairs(step) => write!(f, "lemma {} is not made of equalities", step.index()),
        }
    }
}

impl std::error::Error for CheckError {}

/// Checks all steps of a proof and returns the clause that it proves.
pub fn check<'a>(proof: &'a Proof, meaning: &impl AtomMeaning) -> Result<&'a [Lit], CheckError> {
    if proof.is_empty() {
        return Err(CheckError::Empty);
    }
    for step in proof.steps() {
        match proof.rule(step) {
            Rule::Input(_) => {}
            Rule::Lemma { kind, coeffs } => {
                let lits = proof.clause(step);
                if lits.len() != coeffs.len() {
                    return Err(CheckError::Coefficients(step));
                }
                match kind {
                    LemmaKind::Farkas => check_farkas(step, lits, coeffs, meaning)?,
                    LemmaKind::Dioph => check_dioph(step, lits, coeffs, meaning)?,
                }
            }
            Rule::Resolution { first, rest } => check_resolution(proof, step, first, rest)?,
        }
    }
    Ok(proof.conclusion())
}

fn check_resolution(
    proof: &Proof,
    step: StepId,
    first: StepId,
    rest: &[Resolution],
) -> Result<(), CheckError> {
    if first >= step || rest.iter().any(|resolution| resolution.premise >= step) {
        return Err(CheckError::Order(step));
    }
    let mut clause: BTreeSet<Lit> = proof.clause(first).iter().copied().collect();
    for resolution in rest {
        let premise = proof.clause(resolution.premise);
        if !premise.contains(&resolution.pivot) || !clause.remove(&!resolution.pivot) {
            return Err(CheckError::Pivot(step, resolution.pivot));
        }
        clause.extend(premise.iter().filter(|&&lit| lit != resolution.pivot));
    }
    let claimed: BTreeSet<Lit> = proof.clause(step).iter().copied().collect();
    if clause == claimed { Ok(()) } else { Err(CheckError::Clause(step)) }
}

/// The inequality that holds if the literal is true, tightened if all its variables and coefficients are
/// integers.
fn inequality(step: StepId, lit: Lit, meaning: &impl AtomMeaning) -> Result<LinearAtom, CheckError> {
    let mut atom = meaning.atom(lit.var()).ok_or(CheckError::Meaning(step, lit))?;
    if !lit.is_positive() {
        for (_, coeff) in &mut atom.terms {
            *coeff = -&*coeff;
        }
        atom.bound = -&atom.bound;
        atom.strict = !atom.strict;
    }
    let integral = atom.terms.iter().all(|(var, coeff)| meaning.is_integer(*var) && coeff.is_integer());
    if integral {
        let divisor = atom.terms.iter().fold(Int::ZERO, |gcd, (_, coeff)| gcd.gcd(&coeff.numer()));
        if !divisor.is_zero() {
            let divisor = Rat::from(divisor);
            let quotient = &atom.bound / &divisor;
            let tightened = if atom.strict { quotient.ceil() - Int::ONE } else { quotient.floor() };
            atom.bound = &Rat::from(tightened) * &divisor;
            atom.strict = false;
        }
    }
    Ok(atom)
}

/// Adds a multiple of some terms to a sum.
fn add_terms(sum: &mut BTreeMap<u32, Rat>, terms: &[(u32, Rat)], factor: &Rat) {
    for (var, coeff) in terms {
        let entry = sum.entry(*var).or_insert(Rat::ZERO);
        *entry = &*entry + &(coeff * factor);
    }
}

fn check_farkas(
    step: StepId,
    lits: &[Lit],
    coeffs: &[Rat],
    meaning: &impl AtomMeaning,
) -> Result<(), CheckError> {
    let mut sum = BTreeMap::new();
    let mut bound = Rat::ZERO;
    let mut strict = false;
    for (&lit, coeff) in lits.iter().zip(coeffs) {
        if !coeff.is_positive() {
            return Err(CheckError::Coefficients(step));
        }
        let atom = inequality(step, !lit, meaning)?;
        add_terms(&mut sum, &atom.terms, coeff);
        bound = &bound + &(&atom.bound * coeff);
        strict |= atom.strict;
    }
    let contradictory = bound.is_negative() || (bound.is_zero() && strict);
    if contradictory && sum.values().all(|coeff| coeff.is_zero()) {
        Ok(())
    } else {
        Err(CheckError::Sum(step))
    }
}

fn check_dioph(
    step: StepId,
    lits: &[Lit],
    coeffs: &[Rat],
    meaning: &impl AtomMeaning,
) -> Result<(), CheckError> {
    if !lits.len().is_multiple_of(2) {
        return Err(CheckError::Pairs(step));
    }
    let mut sum = BTreeMap::new();
    let mut constant = Rat::ZERO;
    for (pair, factors) in lits.chunks_exact(2).zip(coeffs.chunks_exact(2)) {
        if factors[0] != factors[1] {
            return Err(CheckError::Coefficients(step));
        }
        let first = inequality(step, !pair[0], meaning)?;
        let second = inequality(step, !pair[1], meaning)?;
        // The two are `p <= c` and `-p <= -c`.
        let mut difference = BTreeMap::new();
        add_terms(&mut difference, &first.terms, &Rat::ONE);
        add_terms(&mut difference, &second.terms, &Rat::ONE);
        let opposite = difference.values().all(|coeff| coeff.is_zero())
            && (&first.bound + &second.bound).is_zero()
            && !first.strict
            && !second.strict;
        let integral = first.terms.iter().all(|(var, _)| meaning.is_integer(*var));
        if !opposite || !integral {
            return Err(CheckError::Pairs(step));
        }
        // The equality is meant as the atom states its polynomial.
        let factor = if pair[0].is_positive() { -&factors[0] } else { factors[0].clone() };
        add_terms(&mut sum, &first.terms, &factor);
        constant = &constant + &(&first.bound * &factor);
    }
    if sum.values().all(|coeff| coeff.is_integer()) && !constant.is_integer() {
        Ok(())
    } else {
        Err(CheckError::Sum(step))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::ProofLog;
    use crate::sink::{ClauseId, Lemma, Origin, ProofSink};

    /// Atoms over a few variables, all integers or all reals.
    struct Atoms {
        atoms: Vec<LinearAtom>,
        integers: bool,
    }

    impl AtomMeaning for Atoms {
        fn atom(&self, var: Var) -> Option<LinearAtom> {
            self.atoms.get(var.index()).cloned()
        }

        fn is_integer(&self, _: u32) -> bool {
            self.integers
        }
    }

    fn at_most(terms: &[(u32, i64)], bound: i64) -> LinearAtom {
        let terms = terms.iter().map(|&(var, coeff)| (var, Rat::from(coeff))).collect();
        LinearAtom { terms, bound: Rat::from(bound), strict: false }
    }

    fn judge(atoms: &Atoms, kind: LemmaKind, parts: &[(Lit, Rat)]) -> Result<(), CheckError> {
        let mut lemma = Lemma::default();
        lemma.start(kind);
        for (lit, coeff) in parts {
            lemma.add(*lit, coeff.clone());
        }
        let mut log = ProofLog::new();
        let id = log.lemma(&lemma);
        let proof = Proof::extract(&log, id).unwrap();
        check(&proof, atoms).map(|_| ())
    }

    fn pos(index: u32) -> Lit {
        Var::new(index).positive()
    }

    #[test]
    fn farkas_lemmas() {
        let atoms = [at_most(&[(0, 1)], 3), at_most(&[(0, 2), (1, 1)], 8), at_most(&[(1, 1)], 2)];
        let mut atoms = Atoms { atoms: atoms.to_vec(), integers: false };
        // x <= 3 and y <= 2 imply 2x + y <= 8.
        let good = [(!pos(0), Rat::from(2)), (!pos(2), Rat::from(1)), (pos(1), Rat::from(1))];
        assert_eq!(judge(&atoms, LemmaKind::Farkas, &good), Ok(()));
        let mut bad = good.clone();
        bad[0].1 = Rat::from(1);
        assert!(matches!(judge(&atoms, LemmaKind::Farkas, &bad), Err(CheckError::Sum(_))));
        bad[0].1 = Rat::from(-2);
        assert!(matches!(judge(&atoms, LemmaKind::Farkas, &bad), Err(CheckError::Coefficients(_))));
        // They do not imply 2x + y < 8; over the integers they imply 2x + y < 9.
        atoms.atoms[1].strict = true;
        assert!(matches!(judge(&atoms, LemmaKind::Farkas, &good), Err(CheckError::Sum(_))));
        atoms.atoms[1].bound = Rat::from(9);
        assert_eq!(judge(&atoms, LemmaKind::Farkas, &good), Ok(()));
        let other = [(pos(7), Rat::ONE)];
        assert!(matches!(judge(&atoms, LemmaKind::Farkas, &other), Err(CheckError::Meaning(..))));
    }

    #[test]
    fn integers_are_tightened() {
        // 2x <= 1 or 2x >= 1 over the integers: the first says x <= 0, its negation x >= 1.
        let atoms = vec![at_most(&[(0, 2)], 1), at_most(&[(0, -2)], -1)];
        let parts = [(pos(0), Rat::ONE), (pos(1), Rat::ONE)];
        for integers in [true, false] {
            let atoms = Atoms { atoms: atoms.clone(), integers };
            assert_eq!(judge(&atoms, LemmaKind::Farkas, &parts), Ok(()));
        }
        // x <= 0 or x >= 1 needs the integers.
        let atoms = vec![at_most(&[(0, 1)], 0), at_most(&[(0, -1)], -1)];
        for integers in [true, false] {
            let atoms = Atoms { atoms: atoms.clone(), integers };
            assert_eq!(judge(&atoms, LemmaKind::Farkas, &parts).is_ok(), integers);
        }
    }

    #[test]
    fn dioph_lemmas() {
        // 2x - 2y <= 1 and >= 1: half of the equality has integer coefficients and the constant 1/2. The
        // atoms are not coprime, so tightening alone refutes them; use x - 2y = 0 and x - 2z = 1 instead.
        let atoms = vec![
            at_most(&[(0, 1), (1, -2)], 0),
            at_most(&[(0, 1), (1, -2)], -1),
            at_most(&[(0, 1), (2, -2)], 1),
            at_most(&[(0, 1), (2, -2)], 0),
        ];
        let half = || Rat::new(Int::ONE, Int::from(2));
        let good = [(!pos(0), half()), (pos(1), half()), (!pos(2), -half()), (pos(3), -half())];
        let integers = Atoms { atoms, integers: true };
        assert_eq!(judge(&integers, LemmaKind::Dioph, &good), Ok(()));
        // The order within a pair does not matter.
        let turned = [good[1].clone(), good[0].clone(), good[2].clone(), good[3].clone()];
        assert_eq!(judge(&integers, LemmaKind::Dioph, &turned), Ok(()));
        let reals = Atoms { integers: false, ..integers };
        assert!(judge(&reals, LemmaKind::Dioph, &good).is_err());
        let integers = Atoms { integers: true, ..reals };
        let mixed = [good[0].clone(), good[2].clone(), good[1].clone(), good[3].clone()];
        assert!(judge(&integers, LemmaKind::Dioph, &mixed).is_err());
        let whole: Vec<(Lit, Rat)> = good.iter().map(|(lit, coeff)| (*lit, coeff * &Rat::from(2))).collect();
        assert!(matches!(judge(&integers, LemmaKind::Dioph, &whole), Err(CheckError::Sum(_))));
        assert!(matches!(judge(&integers, LemmaKind::Dioph, &good[..3]), Err(CheckError::Pairs(_))));
    }

    #[test]
    fn resolutions() {
        let mut log = ProofLog::new();
        let mut input = |lits: &[Lit]| -> ClauseId { log.input(lits, Origin::Definition) };
        let first = input(&[pos(0), pos(1)]);
        let second = input(&[!pos(0), pos(1)]);
        let third = input(&[!pos(1)]);
        let root = log.derive(&[first, second, third]);
        let proof = Proof::extract(&log, root).unwrap();
        let atoms = Atoms { atoms: Vec::new(), integers: false };
        assert_eq!(check(&proof, &atoms), Ok(&[][..]));
        assert_eq!(check(&Proof::default(), &atoms), Err(CheckError::Empty));
    }
}
