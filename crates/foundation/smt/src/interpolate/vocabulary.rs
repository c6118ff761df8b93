//! Which symbols belong to which side of the cuts, and what the literals of a proof mean.
//!
//! Only the input clauses that the proof uses count: they are a contradiction by themselves, and fewer
//! symbols are shared among them. A gate stands for its formula, so a clause that has the gate has all
//! symbols of the formula. The sides on which a term may be used follow: those that know all its symbols.
//! A symbol that no used clause mentions may be used anywhere; should it reach an interpolant, any value
//! will do for it. Gates and auxiliaries of a template's instance are symbols of that assertion.
//!
//! Both directions are one pass over the subterms, since a term has a larger index than its children.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use shem_base::{DeltaRat, Int, Lit, Var};
use shem_proof::{Origin, Proof, ProofLog, Rule, StepId};
use shem_term::{Sort, Store, Term, View};

use super::cutset::{CutSet, Sides};
use super::sum::Sum;
use crate::arith::ArithVar;
use crate::solver::{NumberMeaning, Solver, VarMeaning};

type Map<K, V> = HashMap<K, V, FxBuildHasher>;

/// The proof has a clause or a literal that belongs to neither side of some cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mixed;

/// What a propositional variable is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// The guard of a group, which counts as true.
    Guard,
    /// A Boolean symbol or a gate.
    Formula(Term),
    /// A gate that belongs to one assertion.
    Hidden,
    /// An arithmetic atom, with the number of its row.
    Atom(u32),
}

/// A propositional variable of the proof.
#[derive(Clone, Debug)]
pub(super) struct Variable<const W: usize> {
    pub(super) kind: Kind,
    pub(super) sides: Sides<W>,
    /// The formula that it stands for, once it has been made.
    term: Option<Term>,
}

/// A structural variable of the arithmetic.
#[derive(Clone, Debug)]
pub(super) struct Number<const W: usize> {
    /// Its term, unless it belongs to one assertion.
    pub(super) term: Option<Term>,
    pub(super) sides: Sides<W>,
}

/// The linear form of an atom with its bounds.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// Places of numbers with their coefficients.
    pub(super) terms: Vec<(u32, Int)>,
    /// The upper bound that holds if the atom is true.
    pub(super) upper: DeltaRat,
    /// The lower bound that holds if the atom is false.
    pub(super) lower: DeltaRat,
}

/// All variables of a proof.
#[derive(Clone, Debug)]
pub(super) struct Vocabulary<const W: usize> {
    /// By propositional variable: its place, or `u32::MAX`.
    places: Vec<u32>,
    pub(super) variables: Vec<Variable<W>>,
    pub(super) numbers: Vec<Number<W>>,
    pub(super) rows: Vec<Row>,
    number_places: Map<ArithVar, u32>,
    /// Variables that no used clause mentions.
    free: Vec<Term>,
}

/// A refutation: a proof of a clause over negated assumptions, and the assumptions, each with the cuts on
/// whose A side it is. Without a proof, the assumptions are a literal and its negation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Refutation<'a, const W: usize> {
    pub(super) proof: Option<&'a Proof>,
    pub(super) assumptions: &'a [(Lit, CutSet<W>)],
    /// By number of assertion: the cuts on whose A side it is.
    pub(super) assertions: &'a [CutSet<W>],
}

impl<'a, const W: usize> Refutation<'a, W> {
    /// The input clauses and lemmas of the proof.
    pub(super) fn leaves(self) -> impl Iterator<Item = (StepId, Option<Origin>, &'a [Lit])> {
        let steps = self.proof.into_iter().flat_map(|proof| proof.steps().map(move |step| (proof, step)));
        steps.filter_map(|(proof, step)| match proof.rule(step) {
            Rule::Input(origin) => Some((step, Some(origin), proof.clause(step))),
            Rule::Lemma { .. } => Some((step, None, proof.clause(step))),
            Rule::Resolution { .. } => None,
        })
    }

    /// The cuts on whose A side an assertion is.
    pub(super) fn assertion(self, number: u32) -> CutSet<W> {
        self.assertions.get(number as usize).copied().unwrap_or(CutSet::EMPTY)
    }
}

impl<const W: usize> Vocabulary<W> {
    /// The vocabulary of a refutation.
    pub(super) fn new(
        solver: &mut Solver<ProofLog>,
        store: &mut Store,
        refutation: Refutation<'_, W>,
    ) -> Vocabulary<W> {
        let mut vocabulary = Vocabulary {
            places: Vec::new(),
            variables: Vec::new(),
            numbers: Vec::new(),
            rows: Vec::new(),
            number_places: Map::default(),
            free: Vec::new(),
        };
        for (_, origin, clause) in refutation.leaves() {
            let sides = match origin {
                Some(Origin::Assertion(number)) => Sides::of_a(refutation.assertion(number)),
                _ => Sides::NONE,
            };
            for lit in clause {
                vocabulary.note(solver, store, refutation, lit.var(), sides);
            }
        }
        for &(lit, a) in refutation.assumptions {
            vocabulary.note(solver, store, refutation, lit.var(), Sides::of_a(a));
        }
        vocabulary.spread(store);
        vocabulary
    }

    /// The place of a variable of the proof.
    #[inline]
    pub(super) fn place(&self, var: Var) -> usize {
        self.places[var.index()] as usize
    }

    /// What is known of a variable of the proof.
    #[inline]
    pub(super) fn variable(&self, var: Var) -> &Variable<W> {
        &self.variables[self.place(var)]
    }

    /// The linear form of a variable of the proof that is an atom.
    pub(super) fn row(&self, var: Var) -> Option<&Row> {
        match self.variable(var).kind {
            Kind::Atom(row) => Some(&self.rows[row as usize]),
            _ => None,
        }
    }

    /// Variables that no used clause mentions.
    pub(super) fn free(&self) -> &[Term] {
        &self.free
    }

    /// Takes note of an occurrence.
    fn note(
        &mut self,
        solver: &mut Solver<ProofLog>,
        store: &mut Store,
        refutation: Refutation<'_, W>,
        var: Var,
        sides: Sides<W>,
    ) {
        if self.places.len() <= var.index() {
            self.places.resize(var.index() + 1, u32::MAX);
        }
        if self.places[var.index()] == u32::MAX {
            self.places[var.index()] = self.variables.len() as u32;
            let (kind, sides) = match solver.var_meaning(store, var) {
                VarMeaning::Truth => (Kind::Formula(Term::TRUE), Sides::NONE),
                VarMeaning::Guard => (Kind::Guard, Sides::BOTH),
                VarMeaning::Term(term) => (Kind::Formula(term), Sides::NONE),
                VarMeaning::Owned(number) => {
                    (Kind::Hidden, Sides::of_a(refutation.assertion(number)))
                }
                VarMeaning::Atom => {
                    let row = self.add_row(solver, store, refutation, var);
                    (Kind::Atom(row), Sides::NONE)
                }
            };
            self.variables.push(Variable { kind, sides, term: None });
        }
        let place = self.place(var);
        let variable = &mut self.variables[place];
        if matches!(variable.kind, Kind::Formula(_) | Kind::Atom(_)) {
            variable.sides = variable.sides.join(sides);
        }
    }

    fn add_row(
        &mut self,
        solver: &mut Solver<ProofLog>,
        store: &mut Store,
        refutation: Refutation<'_, W>,
        var: Var,
    ) -> u32 {
        let (terms, upper, lower) = solver.atom_meaning(var).expect("an atom has a meaning");
        let mut row = Row { terms: Vec::with_capacity(terms.len()), upper, lower };
        for (x, coeff) in terms {
            let next = self.numbers.len() as u32;
            let place = *self.number_places.entry(x).or_insert(next);
            if place == next {
                self.numbers.push(match solver.number_meaning(store, x) {
                    NumberMeaning::Term(term) => Number { term: Some(term), sides: Sides::NONE },
                    NumberMeaning::Owned(number) => {
                        Number { term: None, sides: Sides::of_a(refutation.assertion(number)) }
                    }
                });
            }
            row.terms.push((place, coeff));
        }
        self.rows.push(row);
        self.rows.len() as u32 - 1
    }

    /// Spreads the occurrences of variables to the symbols below them, and from there the sides on which
    /// terms may be used.
    fn spread(&mut self, store: &Store) {
        for variable in &self.variables {
            if let Kind::Atom(row) = variable.kind {
                for (place, _) in &self.rows[row as usize].terms {
                    let number = &mut self.numbers[*place as usize];
                    if number.term.is_some() {
                        number.sides = number.sides.join(variable.sides);
                    }
                }
            }
        }
        let mut dag = Dag::default();
        for variable in &self.variables {
            if let Kind::Formula(term) = variable.kind {
                dag.add(store, term, variable.sides);
            }
        }
        for number in &self.numbers {
            if let Some(term) = number.term {
                dag.add(store, term, number.sides);
            }
        }
        dag.spread(store, &mut self.free);
        for number in &mut self.numbers {
            if let Some(term) = number.term {
                number.sides = dag.sides(term);
            }
        }
        for variable in &mut self.variables {
            match variable.kind {
                Kind::Formula(term) => variable.sides = dag.sides(term),
                Kind::Atom(row) => {
                    let numbers = self.rows[row as usize].terms.iter();
                    let sides = numbers.map(|(place, _)| self.numbers[*place as usize].sides);
                    variable.sides = sides.fold(Sides::BOTH, Sides::meet);
                }
                Kind::Guard | Kind::Hidden => {}
            }
        }
    }

    /// Fails if one of the variables belongs to neither side of one of the cuts.
    pub(super) fn check_mixed(&self, cuts: CutSet<W>) -> Result<(), Mixed> {
        let covered = |v: &Variable<W>| cuts.is_subset(&(v.sides.a | v.sides.b));
        if self.variables.iter().all(covered) { Ok(()) } else { Err(Mixed) }
    }

    /// The cuts on whose A side an input clause is. A definition holds on either side; it is put where its
    /// symbols are, and into A if it may be.
    pub(super) fn colour(
        &self,
        refutation: Refutation<'_, W>,
        origin: Origin,
        clause: &[Lit],
        cuts: CutSet<W>,
    ) -> Result<CutSet<W>, Mixed> {
        match origin {
            Origin::Assertion(number) => Ok(refutation.assertion(number)),
            Origin::Definition => {
                let sides = clause.iter().map(|lit| self.variable(lit.var()).sides);
                let sides = sides.fold(Sides::BOTH, Sides::meet);
                if cuts.is_subset(&(sides.a | sides.b)) { Ok(sides.a) } else { Err(Mixed) }
            }
        }
    }

    /// The formula of a literal. Guards are true.
    pub(super) fn literal(&mut self, store: &mut Store, lit: Lit) -> Result<Term, Mixed> {
        let place = self.place(lit.var());
        let variable = &self.variables[place];
        let term = match (variable.term, variable.kind) {
            (Some(term), _) => term,
            (None, Kind::Formula(term)) => term,
            (None, Kind::Guard) => Term::TRUE,
            (None, Kind::Hidden) => return Err(Mixed),
            (None, Kind::Atom(_)) => {
                let mut sum = Sum::default();
                sum.add(self, lit.var().positive(), &shem_base::Rat::ONE);
                sum.atom(store, self)?
            }
        };
        self.variables[place].term = Some(term);
        Ok(term.xor(!lit.is_positive()))
    }
}

/// The subterms of the variables' terms with their sides.
#[derive(Default)]
struct Dag<const W: usize> {
    sides: Map<Term, Sides<W>>,
    stack: Vec<Term>,
}

/// Whether a term is taken as a symbol: a variable, or a formula that the solver does not look into.
fn is_symbol(store: &Store, term: Term) -> bool {
    matches!(store.view(term), View::Var(_) | View::App(..) | View::Forall(..))
}

impl<const W: usize> Dag<W> {
    /// Takes note that a term occurs on these sides.
    fn add(&mut self, store: &Store, root: Term, sides: Sides<W>) {
        let entry = self.sides.entry(root.positive());
        if let hashbrown::hash_map::Entry::Occupied(mut entry) = entry {
            let joined = entry.get().join(sides);
            entry.insert(joined);
            return;
        }
        entry.insert(sides);
        self.stack.push(root.positive());
        while let Some(term) = self.stack.pop() {
            if is_symbol(store, term) {
                continue;
            }
            store.for_each_child(term, |child| {
                if let hashbrown::hash_map::Entry::Vacant(entry) = self.sides.entry(child.positive()) {
                    entry.insert(Sides::NONE);
                    self.stack.push(child.positive());
                }
            });
        }
    }

    /// Takes occurrences down to the symbols and usability up from them.
    fn spread(&mut self, store: &Store, free: &mut Vec<Term>) {
        let mut order: Vec<Term> = self.sides.keys().copied().collect();
        order.sort_unstable();
        for &term in order.iter().rev() {
            let sides = self.sides[&term];
            if !is_symbol(store, term) {
                store.for_each_child(term, |child| {
                    if let Some(entry) = self.sides.get_mut(&child.positive()) {
                        *entry = entry.join(sides);
                    }
                });
            }
        }
        for &term in &order {
            let sides = if is_symbol(store, term) {
                let sides = self.sides[&term];
                if sides.is_none() && store.as_var(term).is_some() {
                    free.push(term);
                    Sides::BOTH
                } else {
                    sides
                }
            } else {
                let mut sides = Sides::BOTH;
                store.for_each_child(term, |child| sides = sides.meet(self.sides[&child.positive()]));
                sides
            };
            self.sides.insert(term, sides);
        }
    }

    fn sides(&self, term: Term) -> Sides<W> {
        self.sides[&term.positive()]
    }
}

/// The value that a variable takes if any will do.
pub(super) fn any_value(store: &mut Store, variable: Term) -> Term {
    match store.sort(variable) {
        Sort::Bool => Term::FALSE,
        Sort::Int => store.int(0),
        Sort::Real => store.real(0),
    }
}
