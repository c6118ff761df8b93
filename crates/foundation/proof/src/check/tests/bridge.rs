//! Equations of arithmetic nodes and bounds of their difference.

use crate::check::{AtomMeaning, CheckError, LinearAtom, LinearForm, NodeShape, check};
use crate::log::ProofLog;
use crate::proof::Proof;
use crate::sink::{Lemma, LemmaKind, ProofSink};
use shem_base::{Lit, Rat, Var};

/// Variable 0 is the equation of nodes 0 and 1, variable 1 that of nodes 2 and 3, the others are inequalities.
struct Atoms {
    forms: Vec<LinearForm>,
    atoms: Vec<LinearAtom>,
    integers: bool,
}

fn terms(terms: &[(u32, i64)]) -> Vec<(u32, Rat)> {
    terms.iter().map(|&(var, coeff)| (var, Rat::from(coeff))).collect()
}

fn form(parts: &[(u32, i64)], constant: i64) -> LinearForm {
    LinearForm { terms: terms(parts), constant: Rat::from(constant) }
}

fn at_most(parts: &[(u32, i64)], bound: i64) -> LinearAtom {
    LinearAtom { terms: terms(parts), bound: Rat::from(bound), strict: false }
}

impl AtomMeaning for Atoms {
    fn atom(&self, var: Var) -> Option<LinearAtom> {
        self.atoms.get(var.index().checked_sub(2)?).cloned()
    }

    fn is_integer(&self, _: u32) -> bool {
        self.integers
    }

    fn equation(&self, var: Var) -> Option<(u32, u32)> {
        let index = var.index() as u32;
        (index < 2).then_some((2 * index, 2 * index + 1))
    }

    fn node(&self, node: u32) -> Option<NodeShape> {
        let form = self.forms.get(node as usize)?;
        let is_numeral = form.terms.is_empty();
        Some(if is_numeral { NodeShape::Numeral(form.constant.clone()) } else { NodeShape::Leaf })
    }

    fn linear_form(&self, node: u32) -> Option<LinearForm> {
        self.forms.get(node as usize).filter(|form| !form.terms.is_empty()).cloned()
    }
}

impl Atoms {
    fn judge(&self, lits: &[Lit]) -> Result<(), CheckError> {
        let mut lemma = Lemma::default();
        lemma.start(LemmaKind::Bridge);
        lits.iter().for_each(|&lit| lemma.add_lit(lit));
        let mut log = ProofLog::new();
        let id = log.lemma(&lemma);
        let proof = Proof::extract(&log, id).unwrap();
        check(&proof, self).map(|_| ())
    }

    /// Whether the lemma is accepted, and refused with a literal turned or left out.
    fn is_tight(&self, lits: &[Lit]) -> bool {
        let accepts = |lits: &[Lit]| self.judge(lits).is_ok();
        accepts(lits)
            && (0..lits.len()).all(|at| {
                let mut changed = lits.to_vec();
                changed[at] = !changed[at];
                let turned = accepts(&changed);
                changed.remove(at);
                !turned && !accepts(&changed)
            })
    }
}

fn lit(index: u32) -> Lit {
    Var::new(index).positive()
}

#[test]
fn the_three_clauses() {
    // e: x + 1 = y + 3; the atoms are x - y <= 2 and y - x <= -2, and the first again, less primitive.
    let forms = vec![form(&[(0, 1)], 1), form(&[(1, 1)], 3)];
    let (below, above) = (at_most(&[(0, 1), (1, -1)], 2), at_most(&[(1, 1), (0, -1)], -2));
    let again = at_most(&[(0, 3), (1, -5), (1, 2)], 6);
    for integers in [true, false] {
        let atoms = vec![below.clone(), above.clone(), again.clone()];
        let atoms = Atoms { forms: forms.clone(), atoms, integers };
        let (e, below, above, again) = (lit(0), lit(2), lit(3), lit(4));
        assert!(atoms.is_tight(&[!e, below]));
        assert!(atoms.is_tight(&[!e, above]));
        assert!(atoms.is_tight(&[!e, again]));
        assert!(atoms.is_tight(&[e, !below, !above]));
        assert!(atoms.is_tight(&[e, !above, !again]));
        assert!(atoms.judge(&[e, !below, !again]).is_err());
    }
}

#[test]
fn bounds_of_something_else_are_refused() {
    let forms = vec![form(&[(0, 1)], 0), form(&[(1, 1)], 0), form(&[(0, 1)], 0), form(&[(2, 1)], 0)];
    let atoms = vec![
        at_most(&[(0, 1), (1, -1)], 1),
        at_most(&[(0, 1), (1, -1)], -1),
        at_most(&[(0, 1), (2, -1)], 0),
        at_most(&[(0, 1), (1, -2)], 0),
        at_most(&[], 0),
        LinearAtom { strict: true, ..at_most(&[(0, 1), (1, -1)], 0) },
    ];
    let atoms = Atoms { forms, atoms, integers: false };
    let e = lit(0);
    // x - y <= 1 follows from x = y, though it is not the bound that is asked for.
    assert!(atoms.is_tight(&[!e, lit(2)]));
    assert!(atoms.is_tight(&[!e, !lit(3)]));
    assert!(atoms.is_tight(&[!e, !lit(7)]));
    for index in [3, 4, 5, 6, 7] {
        assert!(atoms.judge(&[!e, lit(index)]).is_err(), "{index}");
    }
    assert!(atoms.judge(&[lit(1), !e, lit(2)]).is_err());
    assert!(atoms.judge(&[lit(2)]).is_err() && atoms.judge(&[]).is_err());
    let unknown = Atoms { forms: Vec::new(), ..atoms };
    assert!(matches!(unknown.judge(&[!e, lit(2)]), Err(CheckError::Node(_, 0))));
}

#[test]
fn integers_are_rounded() {
    // e: 2x + 1 = 2y has no solution over the integers: x - y is at most -1 or at least 0, but not -1/2.
    let forms = vec![form(&[(0, 2)], 1), form(&[(1, 2)], 0)];
    let rounded = at_most(&[(0, 1), (1, -1)], -1);
    for integers in [true, false] {
        let atoms = Atoms { forms: forms.clone(), atoms: vec![rounded.clone()], integers };
        let (e, below) = (lit(0), lit(2));
        assert_eq!(atoms.judge(&[!e, below]).is_ok(), integers);
        assert!(atoms.judge(&[!e, !below]).is_ok());
        assert!(atoms.judge(&[e, below]).is_err() && atoms.judge(&[e, !below]).is_err());
    }
}

#[test]
fn forms_that_differ_by_a_number() {
    let cases = [(form(&[(0, 2), (1, 1)], 1), form(&[(1, 1), (0, 2)], 1)), (form(&[], 1), form(&[], 1))];
    for (a, b) in cases {
        let differs = LinearForm { constant: Rat::from(2), ..b.clone() };
        let equal = Atoms { forms: vec![a.clone(), b], atoms: Vec::new(), integers: true };
        assert!(equal.is_tight(&[lit(0)]));
        let different = Atoms { forms: vec![a, differs], atoms: Vec::new(), integers: true };
        assert!(different.is_tight(&[!lit(0)]));
    }
    // x = 3 by a numeral.
    let atoms = vec![at_most(&[(0, 1)], 3), at_most(&[(0, -1)], -3)];
    let atoms = Atoms { forms: vec![form(&[(0, 1)], 0), form(&[], 3)], atoms, integers: false };
    assert!(atoms.is_tight(&[lit(0), !lit(2), !lit(3)]) && atoms.is_tight(&[!lit(0), lit(2)]));
}
