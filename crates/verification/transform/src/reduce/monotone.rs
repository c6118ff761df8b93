//! Elimination of auxiliaries that pull in one direction.
//!
//! Suppose that an auxiliary occurs only in linear atoms, directly, and that it is an upper bound, or a
//! disequality, that every one of them puts on it, seen through the negations around the atom. For any values
//! of the other variables a number exists that is small enough for all these atoms to hold at once, over the
//! integers as well as over the reals. The formula is monotone in the atoms, so the best that the auxiliary
//! can do is to make them all true: they are replaced by truth. The same holds for lower bounds, and for a
//! Boolean auxiliary that occurs only positively or only negatively. Where two such auxiliaries meet in an
//! atom, it is made true on behalf of one, and the other occurs less often.

use shem_base::{StampMap, StampSet};
use shem_term::{Poly, Store, Term, View};

use super::Reducer;
use crate::rewrite::Rewrite;

/// Wishes of an auxiliary: to be small (or false), to be large (or true); or it cannot be told.
const SMALL: u8 = 1;
const LARGE: u8 = 2;
const EITHER: u8 = SMALL | LARGE;

/// Marks of the walk.
#[derive(Default)]
pub(super) struct Polarity {
    /// Nodes that were seen positively (even index) and negatively (odd index).
    seen: StampSet,
    stack: Vec<(Term, bool)>,
    atoms: Vec<(Term, bool)>,
    wishes: StampMap<u8>,
    rewrite: Rewrite,
}

impl Reducer {
    /// Replaces the atoms of auxiliaries that pull in one direction by truth.
    pub(super) fn drop_monotone(&mut self, store: &mut Store, formula: Term, auxiliaries: &[Term]) -> Term {
        self.polarity.wishes.clear();
        for auxiliary in auxiliaries {
            self.polarity.wishes.insert(auxiliary.index(), 0);
        }
        self.collect_wishes(store, formula);
        let Polarity { atoms, wishes, rewrite, .. } = &mut self.polarity;
        let content = |v: Term| wishes.get(v.index()).is_some_and(|&wish| wish != EITHER);
        rewrite.clear();
        let mut any = false;
        for &(atom, positive) in atoms.iter() {
            let given_up = match store.view(atom) {
                View::Var(_) => content(atom),
                View::Le(poly, _) | View::Lt(poly, _) | View::Eq(poly, _) => {
                    store.poly_terms(poly).iter().any(|t| content(t.leaf))
                }
                _ => false,
            };
            if given_up {
                any = true;
                rewrite.set(atom, Term::from_bool(positive));
            }
        }
        if any { rewrite.apply(store, formula) } else { formula }
    }

    /// Walks over the formula with polarities and notes what each auxiliary would like to be.
    fn collect_wishes(&mut self, store: &Store, formula: Term) {
        let Polarity { seen, stack, atoms, wishes, .. } = &mut self.polarity;
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
                    wish(wishes, term, if positive { LARGE } else { SMALL });
                }
                View::Le(poly, _) | View::Lt(poly, _) => {
                    atoms.push((term, positive));
                    for t in store.poly_terms(poly) {
                        let small = t.coeff.is_positive() == positive;
                        wish(wishes, t.leaf, if small { SMALL } else { LARGE });
                    }
                    Self::give_up_inside(&mut self.scan, store, wishes, poly);
                }
                View::Eq(poly, _) => {
                    atoms.push((term, positive));
                    if positive {
                        for t in store.poly_terms(poly) {
                            wish(wishes, t.leaf, EITHER);
                        }
                    }
                    Self::give_up_inside(&mut self.scan, store, wishes, poly);
                }
                View::True => {}
                // Divisibilities, and whatever else there may be.
                _ => self.scan.each(store, &[term], |inner| wish(wishes, inner, EITHER)),
            }
        }
    }

    /// Variables inside of leaves that are not variables themselves cannot be judged.
    fn give_up_inside(scan: &mut crate::scan::Scan, store: &Store, wishes: &mut StampMap<u8>, poly: Poly) {
        let compound: Vec<Term> = store
            .poly_terms(poly)
            .iter()
            .map(|t| t.leaf)
            .filter(|&leaf| store.as_var(leaf).is_none())
            .collect();
        if !compound.is_empty() {
            scan.each(store, &compound, |inner| wish(wishes, inner, EITHER));
        }
    }
}

fn wish(wishes: &mut StampMap<u8>, variable: Term, wanted: u8) {
    if let Some(wish) = wishes.get_mut(variable.index()) {
        *wish |= wanted;
    }
}
