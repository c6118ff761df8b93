//! Cubes that differ in numerals only.
//!
//! Lemmas that a search finds one after the other often have one *pattern*: the same literals but for their
//! numerals. That is what anti-unification yields if numerals are all that it may abstract from; with canonical
//! atoms (a primitive polynomial against a number) it is a matter of taking the numbers out. A *cluster* is a
//! pattern with the numerals that were seen for it (Krishnan, Chen, Shoham and Gurfinkel 2020). Patterns that
//! differ in coefficients, too, may have the same *variable pattern*: the variables of each literal.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use shem_base::Rat;
use shem_smt::project::simplify_cube;
use shem_term::{Poly, Sort, Store, Term, View};

/// How a polynomial is compared with a numeral.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Relation {
    Eq,
    Le,
    Lt,
    Ge,
    Gt,
}

/// A literal without its numeral, if it compares a polynomial with one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum LiteralPattern {
    Fixed(Term),
    Comparison(Poly, Relation),
}

/// The literals of a cube without their numerals, in order.
pub(super) type Pattern = Vec<LiteralPattern>;

/// Takes the numeral out of a literal. A bound on an integral polynomial is not strict.
pub(super) fn split_numeral(store: &Store, literal: Term) -> (LiteralPattern, Option<Rat>) {
    let negated = literal.is_negated();
    let (poly, relation, value) = match store.view(literal) {
        View::Le(poly, value) if negated => (poly, Relation::Gt, value),
        View::Le(poly, value) => (poly, Relation::Le, value),
        View::Lt(poly, value) if negated => (poly, Relation::Ge, value),
        View::Lt(poly, value) => (poly, Relation::Lt, value),
        View::Eq(poly, value) if !negated => (poly, Relation::Eq, value),
        _ => return (LiteralPattern::Fixed(literal), None),
    };
    if relation == Relation::Gt && store.poly_is_integral(poly) {
        return (LiteralPattern::Comparison(poly, Relation::Ge), Some(value + &Rat::ONE));
    }
    (LiteralPattern::Comparison(poly, relation), Some(value.clone()))
}

impl LiteralPattern {
    /// The literal with this term in place of its numeral.
    pub(super) fn fill(self, store: &mut Store, numeral: Term) -> Term {
        match self {
            LiteralPattern::Fixed(literal) => literal,
            LiteralPattern::Comparison(poly, relation) => {
                let sort = sort_of(store, poly);
                let sum = store.poly_sum(poly, &Rat::ZERO, sort);
                match relation {
                    Relation::Eq => store.eq(sum, numeral),
                    Relation::Le => store.le(sum, numeral),
                    Relation::Lt => store.lt(sum, numeral),
                    Relation::Ge => store.ge(sum, numeral),
                    Relation::Gt => store.gt(sum, numeral),
                }
            }
        }
    }
}

/// The sort of a polynomial's numerals.
pub(super) fn sort_of(store: &Store, poly: Poly) -> Sort {
    if store.poly_is_integral(poly) { Sort::Int } else { Sort::Real }
}

/// Takes a cube apart. The numerals are in the order of the pattern.
pub(super) fn pattern_of(store: &Store, cube: &[Term]) -> (Pattern, Vec<Rat>) {
    let mut parts: Vec<(LiteralPattern, Option<Rat>)> =
        cube.iter().map(|&l| split_numeral(store, l)).collect();
    parts.sort_by_key(|part| part.0);
    let numerals = parts.iter().filter_map(|(_, numeral)| numeral.clone()).collect();
    (parts.into_iter().map(|(literal_pattern, _)| literal_pattern).collect(), numerals)
}

/// The literals of the cube that a lemma excludes, if it excludes just a cube of literals.
pub(super) fn excluded_cube(store: &Store, lemma: Term) -> Option<Vec<Term>> {
    literals_of(store, &!lemma).map(<[Term]>::to_vec)
}

/// The literals of a formula that is a cube of literals.
pub(super) fn literals_of<'a>(store: &'a Store, cube: &'a Term) -> Option<&'a [Term]> {
    let literals = match store.view(*cube) {
        View::And(members) if !cube.is_negated() => members,
        _ => std::slice::from_ref(cube),
    };
    literals.iter().all(|&literal| is_literal(store, literal)).then_some(literals)
}

/// Whether the formula is a variable or an atom of some theory, negated or not.
pub(super) fn is_literal(store: &Store, formula: Term) -> bool {
    matches!(
        store.view(formula),
        View::Var(_)
            | View::Le(..)
            | View::Lt(..)
            | View::Eq(..)
            | View::Divisible(..)
            | View::Equal(..)
            | View::App(..)
    )
}

/// Brings the cube that a clause excludes to a canonical form: as other cubes, and without disequations that
/// bounds imply.
pub(super) fn simplify_excluded(store: &mut Store, cube: &mut Vec<Term>) {
    simplify_cube(store, cube);
    let mut at = 0;
    while at < cube.len() {
        let literal = cube[at];
        let (View::Eq(poly, excluded_value), true) = (store.view(literal), literal.is_negated()) else {
            at += 1;
            continue;
        };
        let excluded_value = excluded_value.clone();
        let mut implied = false;
        for other in cube.iter_mut() {
            let (LiteralPattern::Comparison(bounded, relation), Some(end)) = split_numeral(store, *other)
            else {
                continue;
            };
            if bounded != poly {
                continue;
            }
            let side = match relation {
                Relation::Le | Relation::Lt => excluded_value.cmp(&end),
                Relation::Ge | Relation::Gt => end.cmp(&excluded_value),
                Relation::Eq => {
                    implied |= excluded_value != end;
                    continue;
                }
            };
            // A disequation at the end of the range moves the end.
            let moved = side.is_eq() && matches!(relation, Relation::Le | Relation::Ge);
            if moved {
                *other = match relation {
                    Relation::Le => store.poly_lt(poly, &end),
                    _ => !store.poly_le(poly, &end),
                };
            }
            implied |= moved || side.is_ge();
        }
        if implied {
            cube.remove(at);
        } else {
            at += 1;
        }
    }
    simplify_cube(store, cube);
}

/// Whether every state of the first cube is in the second one, as far as single literals show it.
pub(super) fn is_within(store: &Store, inner: &[Term], outer: &[Term]) -> bool {
    let implies = |a: Term, b: Term| {
        if a == b {
            return true;
        }
        let (LiteralPattern::Comparison(p, first), Some(c)) = split_numeral(store, a) else { return false };
        let (LiteralPattern::Comparison(q, second), Some(d)) = split_numeral(store, b) else { return false };
        p == q
            && match (first, second) {
                (Relation::Eq | Relation::Le | Relation::Lt, Relation::Le) => c <= d,
                (Relation::Lt, Relation::Lt) => c <= d,
                (Relation::Eq | Relation::Le, Relation::Lt) => c < d,
                (Relation::Eq | Relation::Ge | Relation::Gt, Relation::Ge) => c >= d,
                (Relation::Gt, Relation::Gt) => c >= d,
                (Relation::Eq | Relation::Ge, Relation::Gt) => c > d,
                _ => false,
            }
    };
    outer.iter().all(|&b| inner.iter().any(|&a| implies(a, b)))
}

/// The lemmas with one pattern.
#[derive(Clone, Debug)]
pub(super) struct Cluster {
    pub(super) pattern: Pattern,
    /// The numerals of the lemmas, without repetition, in the order of learning.
    pub(super) rows: Vec<Vec<Rat>>,
    /// How often the cluster may still be used.
    pub(super) gas: u32,
}

/// The variables of each literal, and whether it is an equation.
type VariablePattern = Vec<(bool, Vec<Term>)>;

/// The clusters of a vertex.
#[derive(Clone, Debug, Default)]
pub(super) struct Clusters {
    all: Vec<Cluster>,
    by_pattern: HashMap<Pattern, usize, FxBuildHasher>,
    /// The obligations by variable pattern.
    families: HashMap<VariablePattern, PatternFamily, FxBuildHasher>,
    /// A bound on heights, and how many obligations were learnt whole (rule *restrain*) at this bound.
    restrained: (usize, u32),
}

/// Obligations with the same variable pattern.
#[derive(Clone, Debug)]
struct PatternFamily {
    patterns: Vec<Pattern>,
    /// How many of them may still be made concrete.
    gas: u32,
}

impl Clusters {
    /// Adds the cube that a lemma excludes to its cluster. Returns the cluster, if the numerals are new to it.
    pub(super) fn insert(&mut self, store: &Store, cube: &[Term], gas: u32) -> Option<usize> {
        let (pattern, numerals) = pattern_of(store, cube);
        if numerals.is_empty() {
            return None;
        }
        let at = match self.by_pattern.get(&pattern) {
            Some(&at) => at,
            None => {
                self.all.push(Cluster { pattern: pattern.clone(), rows: Vec::new(), gas });
                self.by_pattern.insert(pattern, self.all.len() - 1);
                self.all.len() - 1
            }
        };
        let rows = &mut self.all[at].rows;
        if rows.contains(&numerals) {
            return None;
        }
        rows.push(numerals);
        Some(at)
    }

    pub(super) fn get(&mut self, at: usize) -> &mut Cluster {
        &mut self.all[at]
    }

    /// The number of lemmas that are the negation of one literal with this pattern.
    pub(super) fn single_literal_lemmas(&self, literal_pattern: LiteralPattern) -> usize {
        self.by_pattern.get(&vec![literal_pattern]).map_or(0, |&at| self.all[at].rows.len())
    }

    /// Whether there are `size` lemmas that are the negation of one literal with this pattern, and the next one is not
    /// to be learnt. That happens up to `limit` times for each bound on heights.
    pub(super) fn restrains(
        &mut self,
        literal_pattern: LiteralPattern,
        size: usize,
        bound: usize,
        limit: u32,
    ) -> bool {
        if self.restrained.0 != bound {
            self.restrained = (bound, 0);
        }
        let restrains = self.restrained.1 < limit && self.single_literal_lemmas(literal_pattern) >= size;
        self.restrained.1 += u32::from(restrains);
        restrains
    }

    /// Whether obligations with the variable pattern of the cube, which is an obligation, keep changing their
    /// coefficients: there are `size` patterns. Each such answer is counted.
    pub(super) fn diverges(&mut self, store: &Store, cube: &[Term], size: usize, gas: u32) -> bool {
        let Some(variables) = variable_pattern_of(store, cube) else { return false };
        let family = self.families.entry(variables).or_insert(PatternFamily { patterns: Vec::new(), gas });
        let (pattern, _) = pattern_of(store, cube);
        if family.patterns.len() < size && !family.patterns.contains(&pattern) {
            family.patterns.push(pattern);
        }
        let diverges = family.patterns.len() >= size && family.gas > 0;
        family.gas -= u32::from(diverges);
        diverges
    }
}

/// The variable pattern of a cube, if some literal has a coefficient that could be different.
fn variable_pattern_of(store: &Store, cube: &[Term]) -> Option<VariablePattern> {
    let mut variables: VariablePattern = Vec::with_capacity(cube.len());
    let mut varied = false;
    for &literal in cube {
        match split_numeral(store, literal).0 {
            LiteralPattern::Comparison(poly, relation) => {
                let leaves: Vec<Term> = store.poly_terms(poly).iter().map(|t| t.leaf).collect();
                varied |= leaves.len() > 1;
                variables.push((relation == Relation::Eq, leaves));
            }
            LiteralPattern::Fixed(literal) => variables.push((false, vec![literal])),
        }
    }
    variables.sort_unstable();
    varied.then_some(variables)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cubes_that_differ_in_numerals_have_one_pattern() {
        let mut store = Store::new();
        let x = store.variable("x", Sort::Int);
        let y = store.variable("y", Sort::Int);
        let mut cube = |a: i64, b: i64| {
            let (a, b) = (store.int(a), store.int(b));
            vec![store.gt(x, a), store.le(y, b)]
        };
        let (first, second) = (cube(1000, 2000), cube(999, 1998));
        let (pattern, numerals) = pattern_of(&store, &first);
        assert_eq!(pattern_of(&store, &second).0, pattern);
        assert_eq!(numerals.iter().map(Rat::to_f64).sum::<f64>(), 3001.0, "x >= 1001, y <= 2000");
        for (literal_pattern, numeral) in pattern.into_iter().zip(numerals) {
            let numeral = store.numeral(&numeral, Sort::Int);
            assert!(first.contains(&literal_pattern.fill(&mut store, numeral)));
        }
    }

    #[test]
    fn a_lemma_excludes_a_cube_of_literals_or_none() {
        let mut store = Store::new();
        let x = store.variable("x", Sort::Int);
        let p = store.variable("p", Sort::Bool);
        let q = store.variable("q", Sort::Bool);
        let zero = store.int(0);
        let bound = store.le(x, zero);
        let clause = store.or(&[bound, p]);
        let cube = excluded_cube(&store, clause).expect("a cube");
        assert!(cube.len() == 2 && cube.contains(&!bound) && cube.contains(&!p));
        let nested = store.iff(p, q);
        assert_eq!(excluded_cube(&store, nested), None);
    }
}
