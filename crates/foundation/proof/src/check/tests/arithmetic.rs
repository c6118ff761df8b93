//! Lemmas of arithmetic, and resolutions.

use crate::check::{AtomMeaning, CheckError, LinearAtom, check};
use crate::log::ProofLog;
use crate::proof::Proof;
use crate::sink::{ClauseId, Lemma, LemmaKind, Origin, ProofSink};
use shem_base::{Int, Lit, Rat, Var};

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
