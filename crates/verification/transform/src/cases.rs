//! Conditional numbers become conditional formulas.
//!
//! An atom about `ite(c, a, b)` holds of `a` if c holds, and of `b` otherwise. Written so, the cases are
//! connectives: projection chooses the case that the model has instead of keeping a conditional in its cube, and
//! interpolants are over linear forms of variables. Every round opens one
//! conditional of each atom; the rounds end when none is left or the formula would get much larger than it was.
//!
//! This is for engines that project: in PD-KIND, three more files of multi-phase-safe are decided in two seconds.
//! It is no pass for all: interpolation-based model checking, which projects nothing, got slower on two of three
//! files with conditionals.

use shem_term::{Store, Term, View};

use crate::rewrite::Rewrite;
use crate::scan::Scan;

/// How many times larger a formula may get.
const GROWTH: usize = 4;

/// An equivalent formula without conditional numbers, or with fewer of them if it would get too large.
pub fn open_conditionals(store: &mut Store, formula: Term) -> Term {
    let mut scan = Scan::default();
    let mut rewrite = Rewrite::default();
    let most = GROWTH * scan.size(store, formula);
    let mut result = formula;
    while let Some(opened) = open(store, &mut scan, &mut rewrite, result)
        && scan.size(store, opened) <= most
    {
        result = opened;
    }
    result
}

/// The formula with one conditional opened in each atom; `None` if there is no conditional.
fn open(store: &mut Store, scan: &mut Scan, rewrite: &mut Rewrite, formula: Term) -> Option<Term> {
    let mut found: Vec<(Term, Term)> = Vec::new();
    scan.each(store, &[formula], |term| {
        if let View::Le(poly, _) | View::Lt(poly, _) | View::Eq(poly, _) = store.view(term) {
            let is_conditional = |leaf: &Term| matches!(store.view(*leaf), View::Ite(..));
            let leaf = store.poly_terms(poly).iter().map(|t| t.leaf).find(is_conditional);
            found.extend(leaf.map(|leaf| (term, leaf)));
        }
    });
    if found.is_empty() {
        return None;
    }
    rewrite.clear();
    for (atom, leaf) in found {
        let View::Ite(condition, then, otherwise) = store.view(leaf) else { unreachable!("found as one") };
        let then = store.replace_leaf(atom, leaf, then);
        let otherwise = store.replace_leaf(atom, leaf, otherwise);
        let cases = store.ite(condition, then, otherwise);
        rewrite.set(atom, cases);
    }
    // Atoms inside of conditions are found, too, but stay until what they are inside of is opened.
    let opened = rewrite.apply(store, formula);
    (opened != formula).then_some(opened)
}

#[cfg(test)]
mod tests {
    use super::*;
    use shem_base::Budget;
    use shem_smt::Solver;
    use shem_term::Sort;

    /// y is x with its distance to zero made smaller by one, plus a conditional inside of a condition.
    #[test]
    fn no_conditional_number_is_left_and_the_meaning_stays() {
        let mut store = Store::new();
        let [x, y] = ["x", "y"].map(|name| store.variable(name, Sort::Int));
        let zero = store.int(0);
        let (less, more) = (
            store.linear(&[(1.into(), x)], &(-1).into(), Sort::Int),
            store.linear(&[(1.into(), x)], &1.into(), Sort::Int),
        );
        let (positive, negative) = (store.gt(x, zero), store.lt(x, zero));
        let inner = store.ite(negative, more, x);
        let nearer = store.ite(positive, less, inner);
        let far = store.gt(nearer, zero);
        let chosen = store.ite(far, nearer, zero);
        let formula = store.eq(y, chosen);
        let opened = open_conditionals(&mut store, formula);
        let mut conditionals = 0;
        Scan::default().each(&store, &[opened], |term| {
            let is_number = store.sort(term) != Sort::Bool;
            conditionals += usize::from(is_number && matches!(store.view(term), View::Ite(..)));
        });
        assert_eq!(conditionals, 0);
        assert_ne!(opened, formula);
        let same = store.iff(opened, formula);
        let mut solver = Solver::new(Default::default());
        solver.assert(&mut store, !same);
        assert!(solver.check(&mut store, &mut Budget::unlimited()).is_unsat());
    }
}
