//! Simplification of formulas without changing their meaning.
//!
//! One pass from the top, with the facts under which a subformula counts: in a conjunction each member may
//! rely on the literals beside and above it. A literal that the facts imply or refute becomes a constant, of
//! several bounds on one linear form the strongest is kept, the two bounds of an equality become one, and a
//! disjunction that contains another one is dropped. Since a disjunction is a negated conjunction of negated
//! members, the same steps do for both. The pass looks at a bounded number of subformulas to a bounded
//! depth; what is beyond stays as it is. So the tree of a formula whose subformulas are shared is not walked.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use shem_base::Rat;
use shem_term::{Poly, Store, Term, View};

/// The depth to which subformulas are visited.
const DEPTH: usize = 12;
/// How many subformulas [`simplify`] visits.
const VISITS: usize = 20_000;
/// Up to how many disjunctions of one conjunction are compared with one another.
const ABSORBED: usize = 32;

/// An equivalent formula, smaller if the simplifications find something.
pub fn simplify(store: &mut Store, formula: Term) -> Term {
    Simplifier::default().simplify(store, formula, VISITS)
}

fn is_literal(store: &Store, term: Term) -> bool {
    !matches!(store.view(term), View::And(_) | View::Iff(..) | View::Ite(..))
}

/// A bound of a linear form, with the literal that states it.
#[derive(Clone, Debug)]
struct Bound {
    value: Rat,
    strict: bool,
    literal: Term,
}

#[derive(Clone, Debug, Default)]
struct Range {
    lower: Option<Bound>,
    upper: Option<Bound>,
}

#[derive(Clone, Debug)]
enum Undo {
    Range(Poly, Box<Range>),
    Literal(Term),
}

/// The literals that hold where a subformula stands.
#[derive(Debug, Default)]
struct Facts {
    ranges: HashMap<Poly, Range, FxBuildHasher>,
    /// Literals without their negation, and their truth.
    literals: HashMap<Term, bool, FxBuildHasher>,
    undo: Vec<Undo>,
}

/// A literal as bounds of a linear form: lower, upper. Both for an equality.
struct Interval {
    poly: Poly,
    lower: Option<(Rat, bool)>,
    upper: Option<(Rat, bool)>,
}

/// The values of the linear form at which a literal is true, if they are an interval.
fn interval(store: &Store, literal: Term) -> Option<Interval> {
    let negated = literal.is_negated();
    match store.view(literal) {
        View::Le(poly, bound) if !negated => {
            Some(Interval { poly, lower: None, upper: Some((bound.clone(), false)) })
        }
        View::Le(poly, bound) => {
            let lower =
                if store.poly_is_integral(poly) { (bound + &Rat::ONE, false) } else { (bound.clone(), true) };
            Some(Interval { poly, lower: Some(lower), upper: None })
        }
        View::Lt(poly, bound) if !negated => {
            Some(Interval { poly, lower: None, upper: Some((bound.clone(), true)) })
        }
        View::Lt(poly, bound) => Some(Interval { poly, lower: Some((bound.clone(), false)), upper: None }),
        View::Eq(poly, value) if !negated => {
            let bound = Some((value.clone(), false));
            Some(Interval { poly, lower: bound.clone(), upper: bound })
        }
        _ => None,
    }
}

impl Facts {
    /// The truth of a literal under the facts, if they decide it.
    fn value(&self, store: &Store, literal: Term) -> Option<bool> {
        if let Some(&truth) = self.literals.get(&literal.positive()) {
            return Some(truth != literal.is_negated());
        }
        let Some(wanted) = interval(store, literal) else {
            // A negated equality is refuted or implied where the equality is implied or refuted.
            let is_equality = matches!(store.view(literal), View::Eq(..));
            return if is_equality { self.value(store, !literal).map(|truth| !truth) } else { None };
        };
        let range = self.ranges.get(&wanted.poly)?;
        let below = |have: &Bound, want: &(Rat, bool)| {
            have.value < want.0 || (have.value == want.0 && (have.strict || !want.1))
        };
        let above = |have: &Bound, want: &(Rat, bool)| {
            have.value > want.0 || (have.value == want.0 && (have.strict || !want.1))
        };
        let upper_holds =
            wanted.upper.as_ref().is_none_or(|w| range.upper.as_ref().is_some_and(|h| below(h, w)));
        let lower_holds =
            wanted.lower.as_ref().is_none_or(|w| range.lower.as_ref().is_some_and(|h| above(h, w)));
        if upper_holds && lower_holds {
            return Some(true);
        }
        let beyond =
            |greater: &Rat, smaller: &Rat, strict: bool| greater > smaller || (greater == smaller && strict);
        let over = wanted.upper.zip(range.lower.as_ref());
        let under = wanted.lower.zip(range.upper.as_ref());
        let refuted = over.is_some_and(|(w, h)| beyond(&h.value, &w.0, h.strict || w.1))
            || under.is_some_and(|(w, h)| beyond(&w.0, &h.value, h.strict || w.1));
        refuted.then_some(false)
    }

    /// Adds a literal, whose truth is not known, to the facts.
    fn assume(&mut self, store: &Store, literal: Term) {
        self.literals.insert(literal.positive(), !literal.is_negated());
        self.undo.push(Undo::Literal(literal.positive()));
        let Some(stated) = interval(store, literal) else { return };
        let range = self.ranges.entry(stated.poly).or_default();
        self.undo.push(Undo::Range(stated.poly, Box::new(range.clone())));
        let bound = |(value, strict)| Bound { value, strict, literal };
        if let Some(upper) = stated.upper {
            let better = range
                .upper
                .as_ref()
                .is_none_or(|old| upper.0 < old.value || (upper.0 == old.value && upper.1 && !old.strict));
            if better {
                range.upper = Some(bound(upper));
            }
        }
        if let Some(lower) = stated.lower {
            let better = range
                .lower
                .as_ref()
                .is_none_or(|old| lower.0 > old.value || (lower.0 == old.value && lower.1 && !old.strict));
            if better {
                range.lower = Some(bound(lower));
            }
        }
    }

    /// Removes facts until `mark` undo steps are left.
    fn undo_to(&mut self, mark: usize) {
        while self.undo.len() > mark {
            match self.undo.pop() {
                Some(Undo::Literal(term)) => drop(self.literals.remove(&term)),
                Some(Undo::Range(poly, range)) => drop(self.ranges.insert(poly, *range)),
                None => {}
            }
        }
    }
}

/// Simplifies formulas; keeps its buffers from one to the next.
#[derive(Debug, Default)]
pub(super) struct Simplifier {
    facts: Facts,
}

impl Simplifier {
    /// An equivalent formula, found by looking at no more than this many subformulas.
    pub(super) fn simplify(&mut self, store: &mut Store, formula: Term, visits: usize) -> Term {
        if formula.is_truth_constant() || is_literal(store, formula) {
            return formula;
        }
        self.facts.ranges.clear();
        self.facts.literals.clear();
        self.facts.undo.clear();
        Run { store, facts: &mut self.facts, visits }.under_facts(formula, DEPTH)
    }
}

struct Run<'a> {
    store: &'a mut Store,
    facts: &'a mut Facts,
    visits: usize,
}

impl Run<'_> {
    /// A formula that is equivalent where the facts hold. The depth bounds the recursion.
    fn under_facts(&mut self, formula: Term, depth: usize) -> Term {
        if formula.is_truth_constant() || depth == 0 || self.visits == 0 {
            return formula;
        }
        self.visits -= 1;
        let negated = formula.is_negated();
        match self.store.view(formula) {
            View::And(args) => {
                let args = args.to_vec();
                self.conjunction(&args, depth).xor(negated)
            }
            View::Iff(a, b) => {
                let (a, b) = (self.under_facts(a, depth - 1), self.under_facts(b, depth - 1));
                self.store.iff(a, b).xor(negated)
            }
            View::Ite(c, a, b) => {
                let c = self.under_facts(c, depth - 1);
                let (a, b) = (self.under_facts(a, depth - 1), self.under_facts(b, depth - 1));
                self.store.ite(c, a, b).xor(negated)
            }
            _ => match self.facts.value(self.store, formula) {
                Some(truth) => Term::from_bool(truth),
                None => formula,
            },
        }
    }

    fn conjunction(&mut self, members: &[Term], depth: usize) -> Term {
        let mark = self.facts.undo.len();
        let result = self.conjoin(members, depth);
        self.facts.undo_to(mark);
        result
    }

    fn conjoin(&mut self, members: &[Term], depth: usize) -> Term {
        let mut literals = Vec::new();
        for &member in members.iter().filter(|&&member| is_literal(self.store, member)) {
            match self.facts.value(self.store, member) {
                Some(true) => {}
                Some(false) => return Term::FALSE,
                None => {
                    self.facts.assume(self.store, member);
                    literals.push(member);
                }
            }
        }
        let mut others = Vec::new();
        for &member in members {
            if is_literal(self.store, member) {
                continue;
            }
            let simpler = self.under_facts(member, depth - 1);
            if simpler == Term::FALSE {
                return Term::FALSE;
            }
            if simpler == Term::TRUE {
                continue;
            }
            if is_literal(self.store, simpler) {
                match self.facts.value(self.store, simpler) {
                    Some(true) => {}
                    Some(false) => return Term::FALSE,
                    None => {
                        self.facts.assume(self.store, simpler);
                        literals.push(simpler);
                    }
                }
            } else {
                others.push(simpler);
            }
        }
        self.keep_strongest(&mut literals);
        self.absorb(&mut others);
        literals.extend_from_slice(&others);
        self.store.and(&literals)
    }

    /// Keeps of the bounds on one linear form only the strongest, and joins two that meet.
    fn keep_strongest(&mut self, literals: &mut Vec<Term>) {
        let mut kept = Vec::with_capacity(literals.len());
        for &literal in literals.iter() {
            let Some(stated) = interval(self.store, literal) else {
                kept.push(literal);
                continue;
            };
            let range = &self.facts.ranges[&stated.poly];
            let (lower, upper) = (range.lower.as_ref(), range.upper.as_ref());
            let is = |bound: Option<&Bound>| bound.is_some_and(|bound| bound.literal == literal);
            if !is(lower) && !is(upper) {
                continue;
            }
            let meeting = lower.zip(upper).filter(|(l, u)| {
                l.value == u.value && literals.contains(&l.literal) && literals.contains(&u.literal)
            });
            match meeting.map(|(l, _)| l.value.clone()) {
                Some(value) => kept.push(self.store.poly_eq(stated.poly, &value)),
                None => kept.push(literal),
            }
        }
        *literals = kept;
    }

    /// Drops disjunctions that contain all members of another one.
    fn absorb(&mut self, others: &mut Vec<Term>) {
        others.sort_unstable();
        others.dedup();
        if others.len() < 2 || others.len() > ABSORBED {
            return;
        }
        let members = |term: Term| match self.store.view(term) {
            View::And(args) if term.is_negated() => args,
            _ => &[],
        };
        let contains = |large: &[Term], small: &[Term]| small.iter().all(|m| large.binary_search(m).is_ok());
        let redundant: Vec<bool> = others
            .iter()
            .map(|&term| {
                let large = members(term);
                others.iter().any(|&other| {
                    let small = members(other);
                    other != term && !small.is_empty() && contains(large, small)
                })
            })
            .collect();
        let mut flags = redundant.into_iter();
        others.retain(|_| !flags.next().unwrap_or(false));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shem_term::Sort;

    #[test]
    fn bounds_are_subsumed() {
        let mut store = Store::new();
        let x = store.variable("x", Sort::Int);
        let [one, two, three] = [1, 2, 3].map(|n| store.int(n));
        let (le1, le2, ge3) = (store.le(x, one), store.le(x, two), store.ge(x, three));
        let strongest = store.and(&[le1, le2]);
        assert_eq!(simplify(&mut store, strongest), le1);
        let weakest = store.or(&[le1, le2]);
        assert_eq!(simplify(&mut store, weakest), le2);
        let both = store.and(&[le1, ge3]);
        assert_eq!(simplify(&mut store, both), Term::FALSE);
        let ge1 = store.ge(x, one);
        let meeting = store.and(&[le1, ge1]);
        assert_eq!(simplify(&mut store, meeting), store.eq(x, one));
    }

    #[test]
    fn context_reaches_nested_formulas() {
        let mut store = Store::new();
        let [p, q, r] = ["p", "q", "r"].map(|n| store.variable(n, Sort::Bool));
        // p and (q or (p and r)) is p and (q or r).
        let inner = store.and2(p, r);
        let middle = store.or2(q, inner);
        let formula = store.and2(p, middle);
        let simple = store.or2(q, r);
        let simple = store.and2(p, simple);
        assert_eq!(simplify(&mut store, formula), simple);
        // (p or q) and (p or q or r) is p or q.
        let (small, large) = (store.or(&[p, q]), store.or(&[p, q, r]));
        let formula = store.and2(small, large);
        assert_eq!(simplify(&mut store, formula), small);
    }
}
