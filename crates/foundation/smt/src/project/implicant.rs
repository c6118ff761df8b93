//! Implicants: literals that are true in a model and together imply the formula.
//!
//! The formula is taken apart from the root, under the model: of a conjunction all members, of a disjunction
//! one that is true, of an equivalence or a conditional the sides that the model has. Subformulas without a
//! variable to eliminate are not opened: they stay whole, disjunctions included, since every literal chosen
//! inside of them would only narrow the result. The members of a disjunction that are free of such variables
//! stay together for the same reason, if one of them is true.
//!
//! Of a disjunction it takes a member that is among the literals already before all others, then members without
//! variables to eliminate, then equalities (which later define a variable), then the shortest conjunction.
//! Its cost is linear in the part of the formula that is opened.

use shem_base::StampSet;
use shem_term::{Store, Term, View};

use super::unsupported::Unsupported;
use super::valuation::Valuation;

/// Replaces formulas that must hold by literals.
#[derive(Clone, Debug, Default)]
pub(super) struct ImplicantBuilder {
    stack: Vec<Term>,
    /// By index and sign: what was an obligation before.
    seen: StampSet,
    /// The literals with a variable to eliminate (all of them, if everything is opened), in the order of
    /// their discovery.
    pub(super) literals: Vec<Term>,
    /// The subformulas that stay whole.
    pub(super) whole: Vec<Term>,
    choices: Vec<Term>,
    /// Whether the literals and the subformulas are equivalent to the obligations: nothing was chosen.
    pub(super) exact: bool,
}

/// How far formulas are taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Granularity {
    /// Where there is a variable to eliminate.
    Mentioning,
    /// Down to the atoms.
    Everywhere,
}

impl ImplicantBuilder {
    /// Starts again, without formulas and literals.
    pub(super) fn begin(&mut self) {
        self.stack.clear();
        self.seen.clear();
        self.literals.clear();
        self.whole.clear();
        self.exact = true;
    }

    /// Starts again with what is known to hold: the subformulas that stay whole and these literals. Whatever else
    /// was an obligation before may be one again.
    pub(super) fn resume(&mut self, literals: &[Term]) {
        self.seen.clear();
        for &formula in self.whole.iter().chain(literals) {
            self.seen.insert(key(formula));
        }
    }

    /// Adds a formula to what must hold.
    pub(super) fn require(&mut self, formula: Term) {
        if self.seen.insert(key(formula)) {
            self.stack.push(formula);
        }
    }

    /// Replaces all obligations by literals.
    pub(super) fn run(
        &mut self,
        store: &mut Store,
        valuation: &Valuation,
        granularity: Granularity,
    ) -> Result<(), Unsupported> {
        while let Some(formula) = self.stack.pop() {
            if formula == Term::TRUE {
                continue;
            }
            match valuation.truth(formula) {
                Some(true) => {}
                Some(false) => return Err(Unsupported::NotAModel),
                None => return Err(obstacle(store, formula)),
            }
            let whole = granularity == Granularity::Mentioning && !valuation.mentions(formula);
            self.open(store, valuation, formula, granularity, whole);
        }
        Ok(())
    }

    fn open(
        &mut self,
        store: &mut Store,
        valuation: &Valuation,
        formula: Term,
        granularity: Granularity,
        whole: bool,
    ) {
        let holds = |t: Term| valuation.truth(t) == Some(true);
        match store.view(formula) {
            View::And(args) if !formula.is_negated() => {
                for &arg in args.iter().rev() {
                    self.require(arg);
                }
            }
            _ if whole => self.whole.push(formula),
            View::And(_) => self.choose(store, valuation, formula, granularity),
            View::Iff(a, b) => {
                // The two sides agree, or differ, in the model.
                self.exact = false;
                self.require(a.xor(!holds(a)));
                self.require(b.xor(!holds(b)));
            }
            View::Ite(c, a, b) => {
                let sign = formula.is_negated();
                let (a, b) = (a.xor(sign), b.xor(sign));
                let (taken, other) = if holds(c) { (a, b) } else { (b, a) };
                self.exact = false;
                self.require(taken);
                // If both branches hold, the condition does not matter.
                if holds(other) && valuation.mentions(c) && !valuation.mentions(other) {
                    self.require(other);
                } else {
                    self.require(c.xor(!holds(c)));
                }
            }
            _ => self.literals.push(formula),
        }
    }

    /// Opens a true disjunction, given as a negated conjunction.
    fn choose(&mut self, store: &mut Store, valuation: &Valuation, formula: Term, granularity: Granularity) {
        let View::And(args) = store.view(formula) else { unreachable!("a disjunction is expected") };
        let holds = |t: Term| valuation.truth(t) == Some(true);
        if args.iter().any(|&arg| self.seen.contains(key(!arg)) && holds(!arg)) {
            return;
        }
        self.exact = false;
        // Members without the variables may all stay; that one of them is true makes them suffice.
        self.choices.clear();
        let clean = args.iter().map(|&arg| !arg).filter(|&t| !valuation.mentions(t));
        self.choices.extend(clean.filter(|&t| valuation.truth(t).is_some()));
        if granularity == Granularity::Mentioning && self.choices.iter().any(|&t| holds(t)) {
            match self.choices[..] {
                [single] => self.require(single),
                _ => {
                    let members = std::mem::take(&mut self.choices);
                    let disjunction = store.or(&members);
                    self.choices = members;
                    // It is new to the valuation, but free of the variables and true.
                    if self.seen.insert(key(disjunction)) && disjunction != Term::TRUE {
                        self.whole.push(disjunction);
                    }
                }
            }
            return;
        }
        let choice = args.iter().map(|&arg| !arg).filter(|&t| holds(t)).min_by_key(|&t| cost(store, t));
        self.require(choice.expect("a true disjunction has a true member"));
    }
}

#[inline]
fn key(formula: Term) -> usize {
    formula.index() * 2 + usize::from(formula.is_negated())
}

/// What a member of a disjunction costs: lower is better.
fn cost(store: &Store, member: Term) -> usize {
    match store.view(member) {
        View::Eq(..) | View::Equal(..) if !member.is_negated() => 0,
        View::And(args) if !member.is_negated() => 1 + args.len(),
        View::And(_) | View::Iff(..) | View::Ite(..) => 3,
        _ => 1,
    }
}

/// What keeps a formula from having a value.
fn obstacle(store: &Store, formula: Term) -> Unsupported {
    if store.has_quantifier(formula) { Unsupported::Quantifier } else { Unsupported::Application }
}
