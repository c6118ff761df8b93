//! Conditional numbers become conditional formulas.
//!
//! An atom about `ite(c, a, b)` says of `a` what it says, if c holds, and of `b` otherwise. Written so, the
//! cases are seen by whoever walks over connectives: projection chooses the case that the model has instead of
//! keeping a conditional in its cube, and interpolants speak of plain linear forms. Every round opens one
//! conditional of each atom; the rounds end when none is left or the label would get much larger than it was.
//! The label stays equivalent, so no witness notices.

use shem_base::{Budget, Statistics};
use shem_chc::{EdgeId, Graph};
use shem_term::{Store, Term, View};

use crate::pass::{Back, Pass};
use crate::rewrite::Rewrite;
use crate::scan::Scan;

/// Opens conditional numbers.
#[derive(Clone, Debug)]
pub struct Cases {
    /// How many times larger a label may get.
    pub growth: usize,
}

impl Default for Cases {
    fn default() -> Cases {
        Cases { growth: 4 }
    }
}

impl Pass for Cases {
    fn name(&self) -> &'static str {
        "cases"
    }

    fn apply(
        &self,
        store: &mut Store,
        graph: &mut Graph,
        statistics: &mut Statistics,
        budget: &mut Budget,
    ) -> Option<Box<dyn Back>> {
        let mut scan = Scan::default();
        let mut rewrite = Rewrite::default();
        let edges: Vec<EdgeId> = graph.edges().map(|(id, _)| id).collect();
        for id in edges {
            if budget.check_stop().is_err() {
                break;
            }
            let old = graph.edge(id).label;
            let most = self.growth * scan.size(store, old);
            let mut label = old;
            while let Some(opened) = open(store, &mut scan, &mut rewrite, label)
                && scan.size(store, opened) <= most
            {
                label = opened;
            }
            if label != old {
                graph.set_label(id, label);
                statistics.add("labels", 1);
            }
        }
        None
    }
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
    use shem_smt::{Answer, Solver};
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
        let (mut scan, mut rewrite) = (Scan::default(), Rewrite::default());
        let mut opened = formula;
        while let Some(next) = open(&mut store, &mut scan, &mut rewrite, opened) {
            opened = next;
        }
        let mut conditionals = 0;
        scan.each(&store, &[opened], |term| {
            let is_number = store.sort(term) != Sort::Bool;
            conditionals += usize::from(is_number && matches!(store.view(term), View::Ite(..)));
        });
        assert_eq!(conditionals, 0);
        assert_ne!(opened, formula);
        let same = store.iff(opened, formula);
        let mut solver = Solver::new(Default::default());
        solver.assert(&mut store, !same);
        assert_eq!(solver.check(&mut store, &mut Budget::unlimited()), Answer::Unsat);
    }
}
