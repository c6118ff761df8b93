//! Arguments about infinite runs, as data.

use shem_chc::{ClauseId, Definition, Derivation, Model, PredicateId};
use shem_term::Term;

/// Why all runs end: every step goes down in some level, which has no infinite descent; or, if there are closures, it goes up in none,
/// and steps that go down in none do not go on for ever.
#[derive(Clone, Debug)]
pub struct RankingArgument {
    /// For each predicate a formula that holds of all its facts; together they are closed under the clauses.
    pub invariants: Model,
    /// The levels, the most important one first.
    pub levels: Vec<Level>,
    /// Transition invariants of the steps that are weak and not strict in all levels. Every cycle of such steps has to go through
    /// the predicate of one of them.
    pub closures: Vec<Closure>,
}

/// A transition invariant that is disjunctively well-founded (Podelski and Rybalchenko 2004), of the runs from a state of a predicate.
///
/// Whenever some steps lead from a state of the predicate to another one of it, some function goes down by at least one, from a
/// number that is not negative. Which function it is may differ from pair to pair: by Ramsey's theorem an infinite run would
/// have infinitely many states that all go down in the same one, each to all after it.
#[derive(Clone, Debug)]
pub struct Closure {
    /// The predicate.
    pub predicate: PredicateId,
    /// For each predicate what holds between a state of `predicate` and a later state of this one, after at least one step: the
    /// parameters are the arguments of the former, then those of the latter.
    pub relations: Vec<Definition>,
    /// The functions, of one phase each.
    pub functions: Vec<RankingFunction>,
}

/// A level of a lexicographic order: for each predicate a list of *phases* f₁ … f_d, equally many for all.
///
/// A step from x to y is *strict* if f₁(x) − f₁(y) ≥ 1, fᵢ(x) − fᵢ(y) + fᵢ₋₁(x) ≥ 1 for all i from 2 to d, and f_d(x) ≥ 0; it
/// is *weak* if fᵢ(x) ≥ fᵢ(y) for all i. With one phase that is a ranking function; with several, each phase goes down
/// once the one before it is not positive (nested ranking functions: Leike and Heizmann 2015; Ben-Amram and Genaim 2017).
/// A run whose steps are strict or weak has finitely many strict ones: else f₁, which never grows, would fall below zero for
/// good, then f₂, and so on to f_d, which is not negative where a step is strict.
#[derive(Clone, Debug)]
pub struct Level {
    /// The functions, by predicate.
    pub functions: Vec<RankingFunction>,
}

/// The phases of a level for one predicate.
#[derive(Clone, Debug)]
pub struct RankingFunction {
    /// Variables for the arguments, each once.
    pub parameters: Box<[Term]>,
    /// Numbers, as terms over the parameters; at least one.
    pub phases: Box<[Term]>,
}

/// Why some run is infinite: a run into a set in which every state has a successor.
#[derive(Clone, Debug)]
pub struct Recurrence {
    /// A derivation whose last fact is in the set.
    pub stem: Derivation<ClauseId>,
    /// The set: a formula for each predicate.
    pub set: Model,
    /// For each predicate the steps of which one can be taken from every state of the set.
    pub choices: Vec<Vec<Choice>>,
}

/// A step that stays in a set from some of its states.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The clause.
    pub clause: ClauseId,
    /// Values for the clause's variables, in their order, as terms over the parameters of the predicate's definition.
    pub values: Box<[Term]>,
}

impl RankingArgument {
    /// The function of a predicate in a level.
    pub fn function(&self, level: usize, predicate: PredicateId) -> &RankingFunction {
        &self.levels[level].functions[predicate.index()]
    }
}
