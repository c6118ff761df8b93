//! Transitive relations learnt from one round of a loop.
//!
//! A round is a cube over a state and the state after it, with a model. Three projections describe what any number of
//! rounds does: the states before the first one, the states after the last one, and the change δ = x′ − x of one
//! round. A literal about δ alone is *recurrent*: n rounds add n changes, so that `a·δ ≤ c` becomes
//! `a·(x′ − x) ≤ c·n`, and likewise for equalities and divisibilities, with one number n ≥ 1 for all of them. What
//! is said of the first state, of the last state, and of sums that grow by n is transitive, and with n = 1 it is true
//! of the round itself in its model.
//!
//! Two further kinds of literals speak of a state and the change together. *Growing*: in `a·δ ≥ p(x)` with p
//! positive before (or after) every round, n rounds add at least p of the first (the last) state, and at least n.
//! *Multiplying*: `x′ = c·x` with c > 1 makes `x′ ≥ c·x` for x ≥ 0, and the other way round for x ≤ 0; zero stays zero,
//! and numbers with the same factor keep their ratio.

use shem_base::{Budget, Effort, Rat};
use shem_proof::NoProof;
use shem_smt::project::{Projector, Unsupported, simplify_cube};
use shem_smt::{Answer, Model, Solver};
use shem_term::{Sort, Store, Term, Value, View};

use super::settings::Settings;

/// The effort of asking whether a loop is transitive as it is.
const TRANSITIVE_EFFORT: Effort = Effort { conflicts: 500, pivots: 20_000, splits: 100 };

/// The variables of relations.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    /// A state.
    pub state: Vec<Term>,
    /// The state after it.
    pub next: Vec<Term>,
    /// A state between them.
    middle: Vec<Term>,
    /// The change of the numbers: the variable, and the number before and after.
    change: Vec<(Term, Term, Term)>,
    /// The number of rounds.
    rounds: Term,
}

impl Vocabulary {
    /// The variables for systems with these states.
    pub fn new(store: &mut Store, state: &[Term], next: &[Term]) -> Vocabulary {
        let mut middle = Vec::with_capacity(state.len());
        let mut change = Vec::new();
        for (&before, &after) in state.iter().zip(next) {
            let sort = store.sort(before);
            let name = store.name(store.as_var(before).expect("a variable")).to_owned();
            middle.push(store.variable(&format!("{name}@middle"), sort));
            if sort != Sort::Bool {
                change.push((store.variable(&format!("{name}@change"), sort), before, after));
            }
        }
        let rounds = store.variable("n@rounds", Sort::Int);
        Vocabulary { state: state.to_vec(), next: next.to_vec(), middle, change, rounds }
    }

    /// The number of rounds, which may occur in a relation.
    pub fn rounds(&self) -> Term {
        self.rounds
    }

    /// That the relation between a state and the next follows from two of its steps in a row; the formula that is
    /// unsatisfiable if so, with `whole` for the relation without the number of rounds.
    pub fn composition(&self, store: &mut Store, relation: Term, whole: Term) -> Term {
        let name = store.name(store.as_var(self.rounds).expect("a variable")).to_owned();
        let other = store.variable(&format!("{name}@second"), Sort::Int);
        let first = store.rename(relation, &self.next, &self.middle);
        let mut from = self.state.clone();
        from.push(self.rounds);
        let mut to = self.middle.clone();
        to.push(other);
        let second = store.rename(relation, &from, &to);
        store.and(&[first, second, !whole])
    }
}

/// A relation between a state and a later one.
#[derive(Clone, Debug)]
pub struct Relation {
    /// Its literals, over a state, the next one and perhaps the number of rounds.
    pub literals: Vec<Term>,
    /// Literals over a state and the next one that imply the relation for some number of rounds. They are true in
    /// the model of the loop.
    pub covered: Vec<Term>,
}

/// Learns relations.
#[derive(Clone, Debug)]
pub struct Learner {
    vocabulary: Vocabulary,
    settings: Settings,
    projector: Projector,
}

impl Learner {
    /// A learner for these variables.
    pub fn new(vocabulary: Vocabulary, settings: &Settings) -> Learner {
        Learner { vocabulary, settings: settings.clone(), projector: Projector::new() }
    }

    /// A transitive relation that contains a round of the loop, which is true in the model.
    pub fn learn(
        &mut self,
        store: &mut Store,
        round: &[Term],
        model: &Model,
        budget: &mut Budget,
    ) -> Result<Relation, Unsupported> {
        if self.is_transitive(store, round, budget) {
            return Ok(Relation { literals: round.to_vec(), covered: round.to_vec() });
        }
        let mut model = model.clone();
        let mut changing = round.to_vec();
        let mut changes = Vec::with_capacity(self.vocabulary.change.len());
        for &(change, before, after) in &self.vocabulary.change {
            let difference = store.sub(after, before);
            let value = store.evaluate(difference, &model.completed(store)).expect("a number");
            model.insert(store.as_var(change).expect("a variable"), value);
            changing.push(store.eq(change, difference));
            changes.push(change);
        }
        let rounds = store.as_var(self.vocabulary.rounds).expect("a variable");
        model.insert(rounds, Value::Num(Rat::ONE));

        let Vocabulary { state, next, .. } = &self.vocabulary;
        let mut literals = self.projector.project_onto(store, round, &model, state)?;
        literals.extend(self.projector.project_onto(store, round, &model, next)?);
        let recurrent = self.projector.project_onto(store, &changing, &model, &changes)?;
        for literal in recurrent {
            literals.extend(self.repeated(store, literal));
        }
        if self.settings.growth {
            let mut keep = [&state[..], &changes[..]].concat();
            let before = self.projector.project_onto(store, &changing, &model, &keep)?;
            keep = [&next[..], &changes[..]].concat();
            let after = self.projector.project_onto(store, &changing, &model, &keep)?;
            for literal in before.into_iter().chain(after) {
                self.growing(store, literal, &model, &mut literals);
            }
            self.multiplying(store, round, &model, &mut literals);
        }
        let one = store.int(1);
        let counted = store.free_variables(&literals).contains(&self.vocabulary.rounds);
        if counted {
            let positive = store.ge(self.vocabulary.rounds, one);
            literals.push(positive);
        }
        simplify_cube(store, &mut literals);
        let mut covered = literals.clone();
        if counted {
            let projection =
                self.projector.projection(store, &literals, &model, &[self.vocabulary.rounds])?;
            covered = projection.cube;
            if projection.exact {
                literals.clone_from(&covered);
            }
        }
        Ok(Relation { literals, covered })
    }

    /// Whether two rounds in a row are one round. A limit of effort means no.
    fn is_transitive(&self, store: &mut Store, round: &[Term], budget: &mut Budget) -> bool {
        let whole = store.and(round);
        let broken = self.vocabulary.composition(store, whole, whole);
        let mut solver = Solver::with_proof(Default::default(), NoProof);
        solver.assert(store, broken);
        matches!(solver.check(store, &mut budget.at_most(TRANSITIVE_EFFORT)), Answer::Unsat(_))
    }

    /// What n rounds do, if each does what the literal says of the change.
    fn repeated(&self, store: &mut Store, literal: Term) -> Option<Term> {
        let negated = literal.is_negated();
        let (poly, bound, modulus) = match store.view(literal) {
            View::Le(poly, bound) | View::Lt(poly, bound) => (poly, bound.clone(), None),
            View::Eq(poly, value) if !negated => (poly, value.clone(), None),
            View::Divisible(modulus, poly, offset) if !negated && self.settings.divisibility => {
                (poly, -Rat::from(offset), Some(modulus.clone()))
            }
            _ => return None,
        };
        // Over the integers, the negation of a bound is a bound one further.
        let strict_integer = negated && modulus.is_none() && store.poly_is_integral(poly);
        let bound = if strict_integer { bound + &Rat::ONE } else { bound };
        // Σ a·(x′ − x) − bound·n
        let mut terms = Vec::new();
        for term in store.poly_terms(poly) {
            let &(_, before, after) = self.vocabulary.change.iter().find(|c| c.0 == term.leaf)?;
            let coeff = Rat::from(&term.coeff);
            terms.push((-coeff.clone(), before));
            terms.push((coeff, after));
        }
        let sort = terms.first().map_or(Sort::Int, |&(_, leaf)| store.sort(leaf));
        let rounds =
            if sort == Sort::Real { store.to_real(self.vocabulary.rounds) } else { self.vocabulary.rounds };
        terms.push((-bound, rounds));
        let sum = store.linear(&terms, &Rat::ZERO, sort);
        let zero = store.numeral(&Rat::ZERO, sort);
        Some(match (store.view(literal), modulus) {
            (_, Some(modulus)) => store.divisible(&modulus, sum),
            (View::Eq(..), _) => store.eq(sum, zero),
            (View::Le(..), _) if strict_integer => store.ge(sum, zero),
            (View::Le(..), _) if negated => store.gt(sum, zero),
            (View::Le(..), _) => store.le(sum, zero),
            (View::Lt(..), _) if negated => store.ge(sum, zero),
            (View::Lt(..), _) => store.lt(sum, zero),
            _ => return None,
        })
    }

    /// Literals of growth from `grown + fixed ≥ 0`, where `grown` is about the change and `fixed` about one state:
    /// if `fixed` is not positive in the model, this is required of all rounds.
    fn growing(&self, store: &mut Store, literal: Term, model: &Model, literals: &mut Vec<Term>) {
        let negated = literal.is_negated();
        let (poly, bound, equal) = match store.view(literal) {
            View::Le(poly, bound) => (poly, bound.clone(), false),
            View::Eq(poly, value) if !negated => (poly, value.clone(), true),
            _ => return,
        };
        if !store.poly_is_integral(poly) {
            return;
        }
        let mut grown: Vec<(Rat, Term)> = Vec::new();
        let mut fixed: Vec<(Rat, Term)> = Vec::new();
        // `poly ≤ bound` is `bound − poly ≥ 0`; its negation is `poly − bound − 1 ≥ 0`.
        let sign = if negated { Rat::ONE } else { Rat::MINUS_ONE };
        for term in store.poly_terms(poly) {
            let coeff = &sign * &Rat::from(&term.coeff);
            match self.vocabulary.change.iter().find(|c| c.0 == term.leaf) {
                Some(&(_, before, after)) => {
                    grown.push((-coeff.clone(), before));
                    grown.push((coeff, after));
                }
                None => fixed.push((coeff, term.leaf)),
            }
        }
        // A number that changes by a multiple of itself is none of these.
        let itself = |leaf: Term| grown.iter().any(|&(_, other)| other == leaf);
        if grown.is_empty() || fixed.is_empty() || fixed.iter().any(|&(_, leaf)| itself(leaf)) {
            return;
        }
        let constant = if negated { -(bound + &Rat::ONE) } else { bound };
        let mut grown = store.linear(&grown, &Rat::ZERO, Sort::Int);
        let mut fixed = store.linear(&fixed, &constant, Sort::Int);
        let assignment = model.completed(store);
        let Some(Value::Num(value)) = store.evaluate(fixed, &assignment) else { return };
        drop(assignment);
        if equal && value.is_positive() {
            grown = store.neg(grown);
            fixed = store.neg(fixed);
        } else if value.is_positive() {
            return;
        }
        let zero = store.int(0);
        if value.is_zero() {
            if equal {
                literals.push(store.eq(grown, zero));
                literals.push(store.eq(fixed, zero));
            } else {
                literals.push(store.ge(grown, zero));
                literals.push(store.le(fixed, zero));
            }
            return;
        }
        let sum = store.add(&[grown, fixed]);
        literals.push(store.lt(fixed, zero));
        literals.push(store.ge(sum, zero));
        literals.push(store.ge(grown, self.vocabulary.rounds));
    }

    /// The number before and after, and its factor, if the literal is `x′ = c·x` with c positive and not 1.
    fn factor(&self, store: &Store, literal: Term) -> Option<(Term, Term, Rat)> {
        let View::Eq(poly, value) = store.view(literal) else { return None };
        let [first, second] = store.poly_terms(poly) else { return None };
        if literal.is_negated() || !value.is_zero() {
            return None;
        }
        let of =
            |leaf: Term| [first, second].into_iter().find(|t| t.leaf == leaf).map(|t| Rat::from(&t.coeff));
        let known =
            |&(_, before, after): &(Term, Term, Term)| Some((before, after, -of(before)? / of(after)?));
        let found = self.vocabulary.change.iter().find_map(known)?;
        (found.2.is_positive() && found.2 != Rat::ONE).then_some(found)
    }

    /// Literals about the numbers that a round multiplies.
    fn multiplying(&self, store: &mut Store, round: &[Term], model: &Model, literals: &mut Vec<Term>) {
        let mut found: Vec<(Term, Term, Rat, Rat)> = Vec::new();
        for &literal in round {
            if let Some((before, after, factor)) = self.factor(store, literal)
                && let Some(Value::Num(at)) = store.evaluate(before, &model.completed(store))
            {
                found.push((before, after, factor, at));
            }
        }
        for (index, (before, after, factor, at)) in found.iter().enumerate() {
            let (before, after) = (*before, *after);
            let sort = store.sort(before);
            let zero = store.numeral(&Rat::ZERO, sort);
            if at.is_zero() {
                literals.push(store.eq(before, zero));
                literals.push(store.eq(after, zero));
                continue;
            }
            // Away from zero, the number grows beyond the factor, or shrinks below it.
            let grows = *factor > Rat::ONE;
            let product = [(Rat::from(factor.denom()), after), (-Rat::from(factor.numer()), before)];
            let upwards = at.is_positive() == grows;
            literals.push(if at.is_positive() { store.gt(before, zero) } else { store.lt(before, zero) });
            let sum = store.linear(&product, &Rat::ZERO, sort);
            literals.push(if upwards { store.ge(sum, zero) } else { store.le(sum, zero) });
            let Some((other, other_after, _, value)) = found[..index]
                .iter()
                .find(|(x, _, f, v)| f == factor && !v.is_zero() && store.sort(*x) == sort)
            else {
                continue;
            };
            for (x, y) in [(before, *other), (after, *other_after)] {
                let ratio = [(value.clone(), x), (-at.clone(), y)];
                let difference = store.linear(&ratio, &Rat::ZERO, sort);
                literals.push(store.eq(difference, zero));
            }
        }
    }
}
