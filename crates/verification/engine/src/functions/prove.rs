//! Proofs by instances: what follows from the equations of functions, from lemmas and by induction.
//!
//! A statement is negated, and the solver is asked for a model in which functions are any. Instances of equations, lemmas
//! and the hypothesis that are false in the model are added until there is none (as in the instantiation of Ge and de Moura,
//! 2009). They are found by matching: a term matches a pattern if it is equal, in the model, to an application that does, so
//! that what equations say of terms is seen. The induction is over the size of a value or a natural number; the hypothesis
//! is a lemma under the condition that this is less.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};
use shem_base::{Budget, Effort};
use shem_check::certificate::{Fact, Lemma};
use shem_smt::{Answer, Solver};
use shem_term::{Role, Sort, Store, Symbol, Term, Value};

use super::reading::{Function, decreases, measures, size_facts, sum};

/// The effort of a question to the solver.
const EFFORT: Effort = Effort { conflicts: 1_000, pivots: 20_000, splits: 1_000 };

/// The models that are refuted for a query or a clause, and for a conjecture.
pub(super) const MOST_ROUNDS: usize = 20;
pub(super) const FEW_ROUNDS: usize = 12;

/// The instances that one model is refuted by, at most.
const MOST_INSTANCES: usize = 12;

/// The false instances that are compared.
const MOST_CANDIDATES: usize = 60;

/// The terms that are looked at.
const MOST_TERMS: usize = 600;

/// How often what was unfolded is unfolded again.
const DEEPEST: usize = 4;

/// The matches of one pattern.
const MOST_MATCHES: usize = 40;

/// The applications that are equal to a term and tried for it.
const MOST_EQUAL: usize = 6;

/// The numerals that are told apart by their sizes.
const MOST_NUMERALS: usize = 14;

/// A formula that is to hold for all values of its variables.
#[derive(Clone, Debug)]
pub(super) struct Statement {
    pub(super) variables: Vec<Term>,
    pub(super) formula: Term,
    /// If it is an equation: its sides, the larger one first.
    pub(super) sides: Option<(Term, Term)>,
}

/// A lemma with the patterns that its instances are found by.
pub(super) struct KnownLemma {
    pub(super) lemma: Lemma,
    triggers: Vec<Vec<Term>>,
}

/// Proves statements about functions.
pub(super) struct Prover<'a> {
    functions: &'a [Function],
    index: BTreeMap<Symbol, usize>,
    pub(super) lemmas: Vec<KnownLemma>,
}

/// What a proof may use.
#[derive(Default)]
pub(super) struct Means<'a> {
    /// Facts to begin with.
    pub(super) facts: Vec<Fact>,
    /// What is proved by induction, and the positions of its measure.
    pub(super) hypothesis: Option<(&'a Statement, &'a [usize])>,
    /// The variables that facts may mention, if not all.
    pub(super) allowed: Option<&'a BTreeSet<Term>>,
    /// The models that are refuted.
    pub(super) rounds: usize,
}

/// The terms of a proof in progress.
struct Terms {
    list: Vec<Term>,
    /// By how many instances a term came in.
    depth: FxHashMap<Term, usize>,
}

impl Terms {
    fn add(&mut self, store: &Store, formula: Term, depth: usize) {
        for term in store.subterms(&[formula]) {
            if let Entry::Vacant(entry) = self.depth.entry(term) {
                entry.insert(depth);
                self.list.push(term);
            }
        }
    }
}

/// Terms by their values in a model.
struct Classes {
    values: FxHashMap<Term, Value>,
    /// The applications of a symbol with a value.
    applications: FxHashMap<(Symbol, Value), Vec<Term>>,
    /// All applications of a symbol.
    by_symbol: FxHashMap<Symbol, Vec<Term>>,
}

type Binding = Vec<Option<Term>>;

impl<'a> Prover<'a> {
    pub(super) fn new(functions: &'a [Function]) -> Prover<'a> {
        let index = functions.iter().enumerate().map(|(at, function)| (function.symbol, at)).collect();
        Prover { functions, index, lemmas: Vec::new() }
    }

    /// Proves a statement, by induction if need be, and makes it a lemma. `None` if no proof is found.
    pub(super) fn prove(
        &mut self,
        store: &mut Store,
        statement: &Statement,
        rounds: usize,
        budget: &Budget,
    ) -> Option<usize> {
        let (measure, facts) = self.search(store, statement, rounds, budget)?;
        let triggers = self.triggers(store, statement);
        let Statement { variables, formula, .. } = statement.clone();
        self.lemmas.push(KnownLemma { lemma: Lemma { variables, formula, measure, facts }, triggers });
        Some(self.lemmas.len() - 1)
    }

    fn search(
        &self,
        store: &mut Store,
        statement: &Statement,
        rounds: usize,
        budget: &Budget,
    ) -> Option<(Vec<usize>, Vec<Fact>)> {
        let means = Means { rounds: rounds.min(8), ..Means::default() };
        if let Some(facts) = self.follows(store, &[!statement.formula], &means, budget) {
            return Some((Vec::new(), facts));
        }
        let recursive = self.recursive(store, statement);
        for measure in measures(store, &statement.variables) {
            if !measure.iter().all(|at| recursive.contains(&statement.variables[*at])) {
                continue;
            }
            if budget.check_stop().is_err() {
                return None;
            }
            let hypothesis = Some((statement, &measure[..]));
            let means = Means { rounds, hypothesis, ..Means::default() };
            if let Some(facts) = self.follows(store, &[!statement.formula], &means, budget) {
                return Some((measure, facts));
            }
        }
        None
    }

    /// The variables of a statement over which some function in it recurs.
    fn recursive(&self, store: &Store, statement: &Statement) -> BTreeSet<Term> {
        let mut found = BTreeSet::new();
        for term in store.subterms(&[statement.formula]) {
            if let Some((symbol, _, args)) = store.as_app(term) {
                if let Some(&function) = self.index.get(&symbol) {
                    found.extend(self.functions[function].measure.iter().map(|&at| args[at]));
                } else if store.sized_by(symbol).is_some() {
                    found.extend(args);
                }
            }
        }
        found
    }

    /// Facts from which it follows that these formulas contradict each other.
    pub(super) fn follows(
        &self,
        store: &mut Store,
        formulas: &[Term],
        means: &Means<'_>,
        budget: &Budget,
    ) -> Option<Vec<Fact>> {
        let mut proof = Proof {
            prover: self,
            solver: Solver::new(Default::default()),
            facts: Vec::new(),
            terms: Terms { list: Vec::new(), depth: FxHashMap::default() },
            seen: FxHashSet::default(),
            sized: BTreeSet::new(),
            hypothesis: means.hypothesis.map(|(statement, measure)| Hypothesis {
                statement,
                measure,
                triggers: self.triggers(store, statement),
            }),
            allowed: means.allowed,
        };
        proof.run(store, formulas, means, budget)
    }

    /// Patterns by which instances of a statement are found: each list has all variables.
    fn triggers(&self, store: &Store, statement: &Statement) -> Vec<Vec<Term>> {
        let is_call = |term: &Term| {
            let symbol = store.as_app(*term).map(|(symbol, ..)| symbol);
            symbol.is_some_and(|symbol| self.index.contains_key(&symbol) || store.sized_by(symbol).is_some())
        };
        let calls: Vec<Term> = store.subterms(&[statement.formula]).into_iter().filter(is_call).collect();
        let variables = |term: Term| store.free_variables(&[term]).into_iter().collect::<BTreeSet<Term>>();
        let all: BTreeSet<Term> = statement.variables.iter().copied().collect();
        let single: Vec<Vec<Term>> =
            calls.iter().filter(|&&call| variables(call) == all).map(|&call| vec![call]).collect();
        if !single.is_empty() {
            return single;
        }
        // The largest calls first, until all variables are there.
        let mut chosen = Vec::new();
        let mut covered = BTreeSet::new();
        let mut rest = calls;
        while covered != all {
            let gain = |call: &Term| variables(*call).difference(&covered).count();
            let Some(best) = rest.iter().copied().max_by_key(gain).filter(|best| gain(best) > 0) else {
                return Vec::new();
            };
            covered.extend(variables(best));
            rest.retain(|&call| call != best);
            chosen.push(best);
        }
        if chosen.len() > 2 { Vec::new() } else { vec![chosen] }
    }
}

struct Proof<'p, 'a> {
    prover: &'p Prover<'a>,
    solver: Solver,
    /// By the number of the assertion: the fact that it is.
    facts: Vec<Option<(Fact, Term)>>,
    terms: Terms,
    seen: FxHashSet<Key>,
    sized: BTreeSet<Term>,
    hypothesis: Option<Hypothesis<'p>>,
    allowed: Option<&'p BTreeSet<Term>>,
}

/// What is proved by induction.
struct Hypothesis<'p> {
    statement: &'p Statement,
    measure: &'p [usize],
    triggers: Vec<Vec<Term>>,
}

/// What tells facts apart.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Key {
    Unfold(Term),
    Lemma(usize, Vec<Term>),
    Hypothesis(Vec<Term>),
}

impl From<&Fact> for Key {
    fn from(fact: &Fact) -> Key {
        match fact {
            Fact::Unfold(term) => Key::Unfold(*term),
            Fact::Lemma(at, terms) => Key::Lemma(*at, terms.clone()),
            Fact::Hypothesis(terms) => Key::Hypothesis(terms.clone()),
        }
    }
}

impl Proof<'_, '_> {
    fn run(
        &mut self,
        store: &mut Store,
        formulas: &[Term],
        means: &Means<'_>,
        budget: &Budget,
    ) -> Option<Vec<Fact>> {
        for &formula in formulas {
            self.assert(store, formula, None, 0);
        }
        for fact in &means.facts {
            let formula = self.formula(store, fact);
            self.seen.insert(fact.into());
            self.assert(store, formula, Some(fact.clone()), 1);
        }
        for terms in self.direct_hypotheses(store) {
            let fact = Fact::Hypothesis(terms);
            let formula = self.formula(store, &fact);
            if self.seen.insert((&fact).into()) {
                self.assert(store, formula, Some(fact), 1);
            }
        }
        for _ in 0..means.rounds {
            budget.check_stop().ok()?;
            self.add_size_facts(store);
            let model = match self.solver.check(store, &mut budget.at_most(EFFORT)) {
                Answer::Unknown(_) => return None,
                Answer::Unsat(refutation) => {
                    let used = refutation.used_assertions();
                    let mut facts: Vec<(Fact, Term)> = Vec::new();
                    for at in used {
                        facts.extend(self.facts.get(at as usize).cloned().flatten());
                    }
                    return Some(self.confirmed(store, formulas, facts, budget));
                }
                Answer::Sat(mut solution) => solution.model(),
            };
            if !self.refine(store, &model) {
                return None;
            }
        }
        None
    }

    /// The facts that were used, if they suffice together with what holds of the sizes in them; otherwise all facts.
    fn confirmed(
        &self,
        store: &mut Store,
        formulas: &[Term],
        facts: Vec<(Fact, Term)>,
        budget: &Budget,
    ) -> Vec<Fact> {
        let mut solver = Solver::with_proof(Default::default(), shem_proof::NoProof);
        let mut all = formulas.to_vec();
        all.extend(facts.iter().map(|fact| fact.1));
        let mut more = Vec::new();
        if mentions_sizes(store, &all) {
            more = size_facts(store, &all);
            more.extend(numeral_facts(store, &all));
        }
        for formula in all.into_iter().chain(more) {
            solver.assert(store, formula);
        }
        let chosen = match solver.check(store, &mut budget.at_most(EFFORT.times(4))).is_unsat() {
            true => facts,
            false => self.facts.iter().flatten().cloned().collect(),
        };
        chosen.into_iter().map(|fact| fact.0).collect()
    }

    fn assert(&mut self, store: &mut Store, formula: Term, fact: Option<Fact>, depth: usize) {
        self.terms.add(store, formula, depth);
        let number = self.solver.assert(store, formula) as usize;
        if self.facts.len() <= number {
            self.facts.resize(number + 1, None);
        }
        self.facts[number] = fact.map(|fact| (fact, formula));
    }

    fn add_size_facts(&mut self, store: &mut Store) {
        let list = self.terms.list.clone();
        if !mentions_sizes(store, &list) {
            return;
        }
        let new: Vec<Term> = list
            .into_iter()
            .filter(|&term| store.is_recursive(store.sort(term)) && !self.sized.contains(&term))
            .collect();
        for &term in &new {
            self.sized.insert(term);
            let fact = store.size_facts(term);
            self.solver_assert(store, fact);
        }
        let all: Vec<Term> = self.sized.iter().copied().collect();
        if !new.is_empty() {
            for fact in numeral_facts(store, &all) {
                self.solver_assert(store, fact);
            }
        }
    }

    /// Asserts what needs no fact.
    fn solver_assert(&mut self, store: &mut Store, formula: Term) {
        let number = self.solver.assert(store, formula) as usize;
        if self.facts.len() <= number {
            self.facts.resize(number + 1, None);
        }
    }

    /// Instances of the hypothesis for the direct parts of the variables of the measure.
    fn direct_hypotheses(&self, store: &mut Store) -> Vec<Vec<Term>> {
        let Some(Hypothesis { statement, measure, .. }) = &self.hypothesis else { return Vec::new() };
        let mut found = vec![statement.variables.clone()];
        for &position in *measure {
            let variable = statement.variables[position];
            let mut smaller = Vec::new();
            if store.sort(variable) == Sort::Int {
                let one = store.int(1);
                smaller.push(store.sub(variable, one));
            } else if let Some(datatype) = store.sort(variable).as_datatype() {
                for constructor in store.datatype(datatype).constructors().to_vec() {
                    for selector in constructor.selectors {
                        if store.signature(selector).result == datatype.into() {
                            smaller.push(store.select_field(selector, variable));
                        }
                    }
                }
            }
            let mut next = found.clone();
            for terms in &found {
                for &part in &smaller {
                    let mut terms = terms.clone();
                    terms[position] = part;
                    next.push(terms);
                }
            }
            found = next;
        }
        found.remove(0);
        found.truncate(8);
        found
    }

    /// What a fact says.
    fn formula(&self, store: &mut Store, fact: &Fact) -> Term {
        match fact {
            Fact::Unfold(term) => {
                let (symbol, _, args) = store.as_app(*term).expect("an application");
                let args = args.to_vec();
                let function = &self.prover.functions[self.prover.index[&symbol]];
                let body = store.rename(function.body, &function.parameters, &args);
                store.eq(*term, body)
            }
            Fact::Lemma(at, terms) => {
                let lemma = &self.prover.lemmas[*at].lemma;
                store.rename(lemma.formula, &lemma.variables, terms)
            }
            Fact::Hypothesis(terms) => {
                let Hypothesis { statement, measure, .. } = self.hypothesis.as_ref().expect("a hypothesis");
                let instance = store.rename(statement.formula, &statement.variables, terms);
                let smaller = sum(store, measure, terms);
                let own = sum(store, measure, &statement.variables);
                let decreases = decreases(store, smaller, own);
                store.implies(decreases, instance)
            }
        }
    }

    /// Adds instances that are false in the model; `false` if there is none.
    fn refine(&mut self, store: &mut Store, model: &shem_smt::Model) -> bool {
        let classes = self.classes(store, model);
        let mut candidates: Vec<(usize, Fact)> = Vec::new();
        for &term in &self.terms.list {
            let depth = self.terms.depth[&term];
            if depth < DEEPEST
                && let Some((symbol, Role::Function, _)) = store.as_app(term)
                && self.prover.index.contains_key(&symbol)
            {
                candidates.push((depth, Fact::Unfold(term)));
            }
        }
        let depth_of = |terms: &[Term]| terms.iter().filter_map(|t| self.terms.depth.get(t)).max().copied();
        for (at, known) in self.prover.lemmas.iter().enumerate() {
            for trigger in &known.triggers {
                for terms in matches(store, &classes, &known.lemma.variables, trigger) {
                    candidates.push((depth_of(&terms).unwrap_or(0), Fact::Lemma(at, terms)));
                }
            }
        }
        if let Some(Hypothesis { statement, triggers, .. }) = &self.hypothesis {
            for trigger in triggers {
                for terms in matches(store, &classes, &statement.variables, trigger) {
                    if terms != statement.variables {
                        candidates.push((depth_of(&terms).unwrap_or(0), Fact::Hypothesis(terms)));
                    }
                }
            }
        }
        // Those that bring in few new calls come first.
        let mut wrong: Vec<(usize, usize, Fact, Term)> = Vec::new();
        let mut others = Vec::new();
        let mut found: FxHashSet<Key> = FxHashSet::default();
        candidates.sort_by_key(|candidate| candidate.0);
        for (depth, fact) in candidates {
            if wrong.len() >= MOST_CANDIDATES {
                break;
            }
            let key = Key::from(&fact);
            if self.seen.contains(&key) || !found.insert(key) {
                continue;
            }
            let formula = self.formula(store, &fact);
            if let Some(allowed) = self.allowed
                && !store.free_variables(&[formula]).iter().all(|v| allowed.contains(v))
            {
                continue;
            }
            let holds = store.evaluate(formula, &model.completed(store));
            if holds == Some(Value::Bool(true)) {
                others.push((depth, fact, formula));
                continue;
            }
            let is_new = |term: &Term| {
                !self.terms.depth.contains_key(term)
                    && matches!(store.as_app(*term), Some((_, Role::Function, _)))
            };
            let new = store.subterms(&[formula]).iter().filter(|&term| is_new(term)).count();
            wrong.push((2 * depth + new, depth, fact, formula));
        }
        wrong.sort_by_key(|candidate| candidate.0);
        let mut added = 0;
        for (_, depth, fact, formula) in wrong.into_iter().take(MOST_INSTANCES) {
            if self.terms.list.len() > MOST_TERMS {
                break;
            }
            self.seen.insert((&fact).into());
            self.assert(store, formula, Some(fact), depth + 1);
            added += 1;
        }
        others.sort_by_key(|candidate| candidate.0);
        // What holds by chance may not hold in the next model.
        if added == 0 {
            for (depth, fact, formula) in others.into_iter().take(MOST_INSTANCES / 2) {
                self.seen.insert((&fact).into());
                self.assert(store, formula, Some(fact), depth + 1);
                added += 1;
            }
        }
        added > 0
    }

    fn classes(&self, store: &Store, model: &shem_smt::Model) -> Classes {
        let mut classes = Classes {
            values: FxHashMap::default(),
            applications: FxHashMap::default(),
            by_symbol: FxHashMap::default(),
        };
        for &term in &self.terms.list {
            let is_part =
                store.as_app(term).is_some() || store.as_var(term).is_some() || store.sort(term) == Sort::Int;
            if !is_part {
                continue;
            }
            let Some(value) = store.evaluate(term, &model.completed(store)) else { continue };
            if let Some((symbol, Role::Function | Role::Constructor { .. }, _)) = store.as_app(term) {
                classes.applications.entry((symbol, value.clone())).or_default().push(term);
                classes.by_symbol.entry(symbol).or_default().push(term);
            }
            classes.values.insert(term, value);
        }
        classes
    }
}

fn mentions_sizes(store: &Store, terms: &[Term]) -> bool {
    store.sizes().next().is_some()
        && store
            .subterms(terms)
            .iter()
            .any(|&t| store.as_app(t).is_some_and(|(symbol, ..)| store.sized_by(symbol).is_some()))
}

/// That numerals of the same size are equal.
fn numeral_facts(store: &mut Store, formulas: &[Term]) -> Vec<Term> {
    let mut numerals = store.subterms(formulas);
    numerals.retain(|&term| store.sort(term).as_datatype().is_some_and(|id| store.is_numeral(id)));
    numerals.truncate(MOST_NUMERALS);
    let mut facts = Vec::new();
    for (at, &a) in numerals.iter().enumerate() {
        for &b in &numerals[at + 1..] {
            if store.sort(a) == store.sort(b) {
                let (left, right) = (store.size(a), store.size(b));
                let (same, equal) = (store.eq(left, right), store.eq(a, b));
                facts.push(store.implies(same, equal));
            }
        }
    }
    facts
}

/// The terms for the variables of a statement for which the patterns are equal to applications in the model.
fn matches(store: &Store, classes: &Classes, variables: &[Term], patterns: &[Term]) -> Vec<Vec<Term>> {
    let mut bindings: Vec<Binding> = vec![vec![None; variables.len()]];
    for &pattern in patterns {
        let Some((symbol, ..)) = store.as_app(pattern) else { return Vec::new() };
        let mut next = Vec::new();
        for &term in classes.by_symbol.get(&symbol).into_iter().flatten() {
            for binding in &bindings {
                match_arguments(store, classes, variables, (pattern, term), binding, &mut next);
                if next.len() > MOST_MATCHES {
                    break;
                }
            }
        }
        bindings = next;
    }
    let mut found: Vec<Vec<Term>> =
        bindings.into_iter().filter_map(|binding| binding.into_iter().collect()).collect();
    found.sort_unstable();
    found.dedup();
    found
}

fn match_arguments(
    store: &Store,
    classes: &Classes,
    variables: &[Term],
    (pattern, term): (Term, Term),
    binding: &Binding,
    found: &mut Vec<Binding>,
) {
    let (Some((_, _, patterns)), Some((_, _, terms))) = (store.as_app(pattern), store.as_app(term)) else {
        return;
    };
    let mut bindings = vec![binding.clone()];
    for (&pattern, &term) in patterns.iter().zip(terms) {
        let mut next = Vec::new();
        for binding in &bindings {
            match_term(store, classes, variables, (pattern, term), binding, &mut next);
        }
        bindings = next;
        bindings.truncate(MOST_MATCHES);
    }
    found.extend(bindings);
}

/// Patterns are as deep as the statements that are made here.
fn match_term(
    store: &Store,
    classes: &Classes,
    variables: &[Term],
    (pattern, term): (Term, Term),
    binding: &Binding,
    found: &mut Vec<Binding>,
) {
    let value = |term: Term| {
        let value = classes.values.get(&term.positive())?;
        Some(match value {
            Value::Bool(b) => Value::Bool(*b != term.is_negated()),
            other => other.clone(),
        })
    };
    let Some(of_term) = value(term) else { return };
    if let Some(at) = variables.iter().position(|&v| v == pattern) {
        let mut binding = binding.clone();
        match binding[at] {
            None => binding[at] = Some(term),
            Some(bound) if bound == term || value(bound).as_ref() == Some(&of_term) => {}
            Some(_) => return,
        }
        found.push(binding);
        return;
    }
    if store.free_variables(&[pattern]).is_empty() {
        let nothing = |_: Symbol| None;
        if store.evaluate(pattern, &nothing).is_some_and(|value| value == of_term) {
            found.push(binding.clone());
        }
        return;
    }
    let Some((symbol, Role::Function | Role::Constructor { .. }, _)) = store.as_app(pattern) else { return };
    if pattern.is_negated() {
        return;
    }
    let equal = classes.applications.get(&(symbol, of_term));
    for &other in equal.into_iter().flatten().take(MOST_EQUAL) {
        match_arguments(store, classes, variables, (pattern, other), binding, found);
    }
}
