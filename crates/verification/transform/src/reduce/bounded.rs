//! Elimination of auxiliaries that conjuncts bound.
//!
//! If an integer auxiliary occurs in conjuncts of linear inequalities only, with the coefficient 1 or -1, then the
//! sums of each lower and each upper bound say that it has a value (Fourier 1827; with these coefficients the rule is
//! exact for integers). It is applied if there are no more sums than bounds. Solidity's environment is full of such
//! variables: the number of the block is between zero and a power of two, and nobody looks at it.

use std::collections::BTreeMap;

use shem_base::Rat;
use shem_term::{Sort, Store, Term, View};

use super::Reducer;

/// A linear inequality: a sum that is at most a bound.
type Inequality = (Vec<(Rat, Term)>, Rat);

impl Reducer {
    /// Replaces bounds of auxiliaries, which are sorted, by their sums.
    pub(super) fn eliminate_bounded(
        &mut self,
        store: &mut Store,
        formula: Term,
        auxiliaries: &[Term],
    ) -> Term {
        let mut conjuncts = store.conjuncts(formula);
        // For each auxiliary, the conjuncts in which it occurs; none if one of them is no bound.
        let mut bounds: BTreeMap<Term, Option<Vec<usize>>> = BTreeMap::new();
        for (at, &conjunct) in conjuncts.iter().enumerate() {
            for variable in self.scan.variables(store, &[conjunct]) {
                if auxiliaries.binary_search(&variable).is_err() {
                    continue;
                }
                let places = bounds.entry(variable).or_insert_with(|| Some(Vec::new()));
                match places {
                    Some(places) if self.is_bound(store, conjunct, variable) => places.push(at),
                    _ => *places = None,
                }
            }
        }
        // A conjunct is used for one auxiliary only; others have their turn in the next round.
        let mut used = vec![false; conjuncts.len()];
        let mut sums = Vec::new();
        for (variable, places) in bounds {
            let Some(places) = places else { continue };
            if places.iter().any(|&at| used[at]) {
                continue;
            }
            let (mut lower, mut upper) = (Vec::new(), Vec::new());
            for &at in &places {
                let inequality = inequality(store, conjuncts[at]);
                let below = inequality.0.iter().any(|(coeff, leaf)| *leaf == variable && coeff.is_negative());
                if below { lower.push(inequality) } else { upper.push(inequality) }
            }
            if lower.len() * upper.len() > places.len() {
                continue;
            }
            places.iter().for_each(|&at| used[at] = true);
            for (low, least) in &lower {
                for (high, most) in &upper {
                    let terms = [&low[..], &high[..]].concat();
                    sums.push(store.linear_le(&terms, &(least + most), false));
                }
            }
        }
        if !used.contains(&true) {
            return formula;
        }
        let mut used = used.into_iter();
        conjuncts.retain(|_| used.next() == Some(false));
        conjuncts.extend(sums);
        store.and(&conjuncts)
    }

    /// Whether a conjunct is a linear inequality of integers in which the variable stands alone.
    fn is_bound(&mut self, store: &Store, conjunct: Term, variable: Term) -> bool {
        let View::Le(poly, _) = store.view(conjunct) else { return false };
        if store.sort(variable) != Sort::Int || !store.poly_is_integral(poly) {
            return false;
        }
        let terms = store.poly_terms(poly);
        let compound: Vec<Term> =
            terms.iter().map(|t| t.leaf).filter(|&leaf| store.as_var(leaf).is_none()).collect();
        terms.iter().any(|t| t.leaf == variable && t.coeff.abs().is_one())
            && (compound.is_empty() || !self.scan.variables(store, &compound).contains(&variable))
    }
}

/// The sum and the bound of an inequality of integers.
fn inequality(store: &Store, conjunct: Term) -> Inequality {
    let View::Le(poly, bound) = store.view(conjunct) else { unreachable!("a linear inequality") };
    let terms = store.poly_terms(poly).iter();
    match conjunct.is_negated() {
        false => (terms.map(|t| (Rat::from(&t.coeff), t.leaf)).collect(), bound.clone()),
        true => (terms.map(|t| (-Rat::from(&t.coeff), t.leaf)).collect(), -(bound + &Rat::ONE)),
    }
}
