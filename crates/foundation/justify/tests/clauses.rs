//! Which clauses are justified: each right one is accepted, and each change to it is refused.

use shem_base::{Int, Lit, Rat, Var};
use shem_justify::{
    Assertion, Meaning, NumberMeaning, Premises, RefutationError, Translation, check_refutation,
};
use shem_proof::{LinearAtom, Origin, Proof, ProofLog, ProofSink};
use shem_term::{Sort, Store, Term};

/// Meanings as tables.
#[derive(Default)]
struct Table {
    vars: Vec<Meaning>,
    numbers: Vec<NumberMeaning>,
}

impl Translation for Table {
    fn meaning(&self, var: Var) -> Meaning {
        self.vars.get(var.index()).cloned().unwrap_or(Meaning::Free)
    }

    fn number(&self, number: u32) -> NumberMeaning {
        self.numbers.get(number as usize).cloned().unwrap_or(NumberMeaning::Free { integral: true })
    }
}

/// A store with a translation.
#[derive(Default)]
struct Case {
    store: Store,
    table: Table,
}

impl Case {
    fn var(&mut self, meaning: Meaning) -> Lit {
        self.table.vars.push(meaning);
        Var::new(self.table.vars.len() as u32 - 1).positive()
    }

    fn formula(&mut self, formula: Term) -> Lit {
        self.var(Meaning::Formula(formula))
    }

    fn number(&mut self, meaning: NumberMeaning) -> u32 {
        self.table.numbers.push(meaning);
        self.table.numbers.len() as u32 - 1
    }

    /// The literal of `sum <= bound`, or `sum < bound`.
    fn sum(&mut self, terms: &[(u32, i64)], bound: i64, strict: bool) -> Lit {
        let terms = terms.iter().map(|&(number, coeff)| (number, Rat::from(coeff))).collect();
        self.var(Meaning::Inequality(LinearAtom { terms, bound: Rat::from(bound), strict }))
    }

    /// Whether the clause is accepted as one of the assertion, or as a definition.
    fn accepts(&mut self, clause: &[Lit], assertion: Option<Assertion>) -> bool {
        let mut log = ProofLog::new();
        let origin = if assertion.is_some() { Origin::Assertion(0) } else { Origin::Definition };
        let id = log.input(clause, origin);
        let proof = Proof::extract(&log, id).unwrap();
        let assertions: Vec<Assertion> = assertion.into_iter().collect();
        let premises = Premises { assertions: &assertions, ..Premises::default() };
        match check_refutation(&mut self.store, &proof, &self.table, premises) {
            // The clause was accepted; that it refutes nothing is another matter.
            Ok(()) | Err(RefutationError::Conclusion(_)) => true,
            Err(RefutationError::Unjustified(_) | RefutationError::Meaning(..)) => false,
            Err(error) => panic!("{error}"),
        }
    }

    /// The clauses hold by the meaning of their variables; with a literal less or turned they do not.
    #[track_caller]
    fn check_definitions(&mut self, clauses: &[&[Lit]]) {
        for clause in clauses {
            assert!(self.accepts(clause, None), "{clause:?}");
            for at in 0..clause.len() {
                let mut turned = clause.to_vec();
                turned[at] = !turned[at];
                let is_another = clauses.iter().any(|other| same(other, &turned));
                assert_eq!(self.accepts(&turned, None), is_another, "{turned:?} of {clause:?}");
                let mut shorter = clause.to_vec();
                shorter.remove(at);
                assert!(!self.accepts(&shorter, None), "{shorter:?} of {clause:?}");
            }
        }
    }
}

fn same(a: &[Lit], b: &[Lit]) -> bool {
    let sorted = |lits: &[Lit]| {
        let mut lits = lits.to_vec();
        lits.sort_unstable();
        lits
    };
    sorted(a) == sorted(b)
}

#[test]
fn gates() {
    let mut case = Case::default();
    let terms = ["p", "q", "r"].map(|name| case.store.variable(name, Sort::Bool));
    let [p, q, r] = terms.map(|term| case.formula(term));
    let conjunction = case.store.and(&[terms[0], !terms[1], terms[2]]);
    let g = case.formula(conjunction);
    case.check_definitions(&[&[!g, p], &[!g, !q], &[!g, r], &[g, !p, q, !r]]);
    let equivalence = case.store.iff(terms[0], terms[1]);
    let g = case.formula(equivalence);
    case.check_definitions(&[&[!g, !p, q], &[!g, p, !q], &[g, p, q], &[g, !p, !q]]);
    let conditional = case.store.ite(terms[0], terms[1], terms[2]);
    let g = case.formula(conditional);
    case.check_definitions(&[&[!g, !p, q], &[!g, p, r], &[g, !p, !q], &[g, p, !r]]);
    // The literal of a negation, and the constant.
    let g = case.formula(!conjunction);
    case.check_definitions(&[&[g, p], &[!g, !p, q, !r]]);
    let t = case.var(Meaning::Truth);
    assert!(case.accepts(&[t], None) && case.accepts(&[t, p], None) && case.accepts(&[!p, p], None));
    assert!(!case.accepts(&[!t], None) && !case.accepts(&[], None));
}

#[test]
fn equalities_and_inequalities() {
    let mut case = Case::default();
    let [x, y] = ["x", "y"].map(|name| case.store.variable(name, Sort::Int));
    let [a, b] = [x, y].map(|term| case.number(NumberMeaning::Term(term)));
    let six = case.store.int(6);
    let sum = case.store.linear(&[(2.into(), x), (4.into(), y)], &Rat::ZERO, Sort::Int);
    let equality = case.store.eq(sum, six);
    let g = case.formula(equality);
    // 2x + 4y = 6 is x + 2y = 3, in any multiple.
    let le = case.sum(&[(a, 2), (b, 4)], 7, false);
    let ge = case.sum(&[(a, -1), (b, -2)], -3, false);
    case.check_definitions(&[&[!g, le], &[!g, ge], &[g, !le, !ge]]);
    for (terms, bound) in [([(a, 1), (b, 2)], 2), ([(a, 1), (b, 3)], 3), ([(a, 1), (b, -2)], 3)] {
        let other = case.sum(&terms, bound, false);
        assert!(!case.accepts(&[!g, other], None));
    }
    // Strictness matters among reals only.
    let strict = case.sum(&[(a, 1), (b, 2)], 4, true);
    assert!(case.accepts(&[!g, strict], None));
    let u = case.store.variable("u", Sort::Real);
    let c = case.number(NumberMeaning::Term(u));
    let three = case.store.real(3);
    let equality = case.store.eq(u, three);
    let g = case.formula(equality);
    let (le, lt) = (case.sum(&[(c, 1)], 3, false), case.sum(&[(c, 1)], 3, true));
    case.check_definitions(&[&[!g, le], &[!g, !lt], &[g, !le, lt]]);
    assert!(!case.accepts(&[!g, lt], None));
}

#[test]
fn conditionals() {
    let mut case = Case::default();
    let [x, y] = ["x", "y"].map(|name| case.store.variable(name, Sort::Int));
    let p = case.store.variable("p", Sort::Bool);
    let conditional = case.store.ite(p, x, y);
    let [n, a, b] = [conditional, x, y].map(|term| case.number(NumberMeaning::Term(term)));
    let p = case.formula(p);
    let differences = [(n, a, 1), (n, a, -1), (n, b, 1), (n, b, -1)]
        .map(|(n, branch, sign)| case.sum(&[(n, sign), (branch, -sign)], 0, false));
    let [then_le, then_ge, else_le, else_ge] = differences;
    case.check_definitions(&[&[!p, then_le], &[!p, then_ge], &[p, else_le], &[p, else_ge]]);
    assert!(!case.accepts(&[!p, else_le], None) && !case.accepts(&[p, then_ge], None));
    let off = case.sum(&[(n, 1), (a, -1)], -1, false);
    assert!(!case.accepts(&[!p, off], None));
}

#[test]
fn quotients_and_integer_parts() {
    let mut case = Case::default();
    let x = case.store.variable("x", Sort::Int);
    let u = case.store.variable("u", Sort::Real);
    let shifted = case.store.linear(&[(Rat::ONE, x)], &Rat::ONE, Sort::Int);
    let floor = case.store.to_int(u);
    let q = case.number(NumberMeaning::Quotient(shifted, Int::from(3)));
    let [a, c, f] = [x, u, floor].map(|term| case.number(NumberMeaning::Term(term)));
    // 0 <= x + 1 - 3q <= 2
    let low = case.sum(&[(a, -1), (q, 3)], 1, false);
    let high = case.sum(&[(a, 1), (q, -3)], 1, false);
    case.check_definitions(&[&[low], &[high]]);
    for (terms, bound) in [([(a, -1), (q, 3)], 0), ([(a, 1), (q, -3)], 0), ([(a, 1), (q, -4)], 1)] {
        let off = case.sum(&terms, bound, false);
        assert!(!case.accepts(&[off], None), "{terms:?} <= {bound}");
    }
    // 0 <= u - f < 1
    let low = case.sum(&[(f, 1), (c, -1)], 0, false);
    let high = case.sum(&[(c, 1), (f, -1)], 1, true);
    case.check_definitions(&[&[low], &[high]]);
    for (terms, bound, strict) in [([(c, 1), (f, -1)], 0, false), ([(f, 1), (c, -1)], 0, true)] {
        let off = case.sum(&terms, bound, strict);
        assert!(!case.accepts(&[off], None), "{terms:?}");
    }
    // Remainders and divisibility are what quotients leave: 3 divides x + 1 if x + 1 - 3q <= 0.
    let divisible = case.store.divisible(&Int::from(3), shifted);
    let remainder = case.store.int_mod(shifted, &Int::from(3));
    let is_zero = case.sum(&[(a, 1), (q, -3)], -1, false);
    let is_one = case.sum(&[(a, 1), (q, -3)], 0, false);
    let one = case.store.int(1);
    let at_most_one = case.store.le(remainder, one);
    assert!(case.accepts(&[is_zero], Some(divisible.into())));
    assert!(!case.accepts(&[is_one], Some(divisible.into())));
    assert!(case.accepts(&[is_one], Some(at_most_one.into())));
    assert!(!case.accepts(&[is_zero], Some(at_most_one.into())));
}

#[test]
fn assertions_and_guards() {
    let mut case = Case::default();
    let terms = ["p", "q", "r"].map(|name| case.store.variable(name, Sort::Bool));
    let [p, q, r] = terms.map(|term| case.formula(term));
    let [g, other] = [case.var(Meaning::Free), case.var(Meaning::Free)];
    let disjunction = case.store.or2(terms[0], terms[1]);
    let equivalence = case.store.iff(terms[1], terms[2]);
    let formula = case.store.and(&[disjunction, !equivalence, terms[2]]);
    let plain = Some(Assertion::from(formula));
    let guarded = Some(Assertion { formula, guard: Some(g.var()) });
    for clause in [&[p, q][..], &[q, r], &[!q, !r], &[r]] {
        assert!(case.accepts(clause, plain));
        assert!(!case.accepts(clause, guarded) && !case.accepts(clause, None));
        let mut under = clause.to_vec();
        under.push(!g);
        assert!(case.accepts(&under, guarded) && !case.accepts(&under, plain));
        under.pop();
        under.push(!other);
        assert!(!case.accepts(&under, guarded));
        under.pop();
        under.push(g);
        assert!(!case.accepts(&under, guarded));
    }
    for clause in [&[p][..], &[!p, q], &[q, !r], &[!r], &[]] {
        assert!(!case.accepts(clause, plain), "{clause:?}");
    }
    // A variable that means something guards nothing.
    let assertion = Assertion { formula: terms[1], guard: Some(p.var()) };
    assert!(!case.accepts(&[!p, q], Some(assertion)));
}

#[test]
fn nonsense_has_no_meaning() {
    let mut case = Case::default();
    let x = case.store.variable("x", Sort::Int);
    let p = case.store.variable("p", Sort::Bool);
    let predicate = case.store.declare("f", &[Sort::Int], Sort::Bool);
    let (no_formula, applied) = (case.formula(x), case.var(Meaning::Symbol(predicate)));
    let number = case.number(NumberMeaning::Term(p));
    let modulus = case.number(NumberMeaning::Quotient(x, Int::ZERO));
    let (no_number, no_quotient) = (case.sum(&[(number, 1)], 0, false), case.sum(&[(modulus, 1)], 0, false));
    for lit in [no_formula, applied, no_number, no_quotient] {
        let mut log = ProofLog::new();
        let id = log.input(&[lit, !lit], Origin::Definition);
        let proof = Proof::extract(&log, id).unwrap();
        let refused = check_refutation(&mut case.store, &proof, &case.table, Premises::default());
        assert!(matches!(refused, Err(RefutationError::Meaning(..))), "{refused:?}");
    }
}
