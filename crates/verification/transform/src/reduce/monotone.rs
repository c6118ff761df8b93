//! Elimination of auxiliaries in which the label is monotone.
//!
//! Suppose that an auxiliary occurs only in linear atoms, directly, and that it is an upper bound, or a
//! disequality, that every one of them puts on it, seen through the negations around the atom. For any values
//! of the other variables a number exists that is small enough for all these atoms to hold at once, over the
//! integers as well as over the reals. The formula is monotone in the atoms, so it has a solution if and only if it
//! has one with all of them true: they are replaced by truth. The same holds for lower bounds, and for a
//! Boolean auxiliary that occurs only positively or only negatively. Where two such auxiliaries meet in an
//! atom, it is made true for one of them, and the other occurs less often.

use shem_base::{StampMap, StampSet};
use shem_term::{Poly, Store, Term, View};

use super::Reducer;
use crate::rewrite::Rewrite;

/// The direction in which an auxiliary makes atoms true: smaller (or false), larger (or true), or both.
const SMALLER: u8 = 1;
const LARGER: u8 = 2;
const BOTH: u8 = SMALLER | LARGER;

/// Buffers: the polarities of subformulas, and the directions of auxiliaries.
#[derive(Default)]
pub(super) struct Polarity {
    /// Nodes that were seen positively (even index) and negatively (odd index).
    seen: StampSet,
    stack: Vec<(Term, bool)>,
    atoms: Vec<(Term, bool)>,
    directions: StampMap<u8>,
    rewrite: Rewrite,
}

impl Reducer {
    /// Replaces the atoms of auxiliaries with one direction by truth.
    pub(super) fn drop_monotone(&mut self, store: &mut Store, formula: Term, auxiliaries: &[Term]) -> Term {
        self.polarity.directions.clear();
        for auxiliary in auxiliaries {
            self.polarity.directions.insert(auxiliary.index(), 0);
        }
        self.collect_directions(store, formula);
        let Polarity { atoms, directions, rewrite, .. } = &mut self.polarity;
        let is_monotone = |v: Term| directions.get(v.index()).is_some_and(|&direction| direction != BOTH);
        rewrite.clear();
        let mut any = false;
        for &(atom, positive) in atoms.iter() {
            let replaced = match store.view(atom) {
                View::Var(_) => is_monotone(atom),
                View::Le(poly, _) | View::Lt(poly, _) | View::Eq(poly, _) => {
                    store.poly_terms(poly).iter().any(|t| is_monotone(t.leaf))
                }
                _ => false,
            };
            if replaced {
                any = true;
                rewrite.set(atom, Term::from_bool(positive));
            }
        }
        if any { rewrite.apply(store, formula) } else { formula }
    }

    /// Goes through the formula with polarities and collects the directions of each auxiliary.
    fn collect_directions(&mut self, store: &Store, formula: Term) {
        let Polarity { seen, stack, atoms, directions, .. } = &mut self.polarity;
        seen.clear();
        stack.clear();
        atoms.clear();
        stack.push((formula, true));
        while let Some((term, positive)) = stack.pop() {
            let positive = positive != term.is_negated();
            let term = term.positive();
            if !seen.insert(2 * term.index() + usize::from(!positive)) {
                continue;
            }
            match store.view(term) {
                View::And(args) => stack.extend(args.iter().map(|&arg| (arg, positive))),
                View::Iff(a, b) => {
                    stack.extend([(a, true), (a, false), (b, true), (b, false)]);
                }
                View::Ite(condition, then, els) => {
                    stack.extend([(condition, true), (condition, false), (then, positive), (els, positive)]);
                }
                View::Var(_) => {
                    atoms.push((term, positive));
                    add_direction(directions, term, if positive { LARGER } else { SMALLER });
                }
                View::Le(poly, _) | View::Lt(poly, _) => {
                    atoms.push((term, positive));
                    for t in store.poly_terms(poly) {
                        let small = t.coeff.is_positive() == positive;
                        add_direction(directions, t.leaf, if small { SMALLER } else { LARGER });
                    }
                    Self::add_both_inside(&mut self.scan, store, directions, poly);
                }
                View::Eq(poly, _) => {
                    atoms.push((term, positive));
                    if positive {
                        for t in store.poly_terms(poly) {
                            add_direction(directions, t.leaf, BOTH);
                        }
                    }
                    Self::add_both_inside(&mut self.scan, store, directions, poly);
                }
                View::True => {}
                // Divisibilities, and whatever else there may be.
                _ => self.scan.each(store, &[term], |inner| add_direction(directions, inner, BOTH)),
            }
        }
    }

    /// Adds both directions for variables inside of leaves that are not variables themselves.
    fn add_both_inside(
        scan: &mut crate::scan::Scan,
        store: &Store,
        directions: &mut StampMap<u8>,
        poly: Poly,
    ) {
        let compound: Vec<Term> = store
            .poly_terms(poly)
            .iter()
            .map(|t| t.leaf)
            .filter(|&leaf| store.as_var(leaf).is_none())
            .collect();
        if !compound.is_empty() {
            scan.each(store, &compound, |inner| add_direction(directions, inner, BOTH));
        }
    }
}

fn add_direction(directions: &mut StampMap<u8>, variable: Term, direction: u8) {
    if let Some(known) = directions.get_mut(variable.index()) {
        *known |= direction;
    }
}
