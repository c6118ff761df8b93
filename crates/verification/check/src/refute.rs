//! Whether formulas, with quantifiers or not, contradict each other.
//!
//! Every universal formula gets a *name*, a Boolean variable that takes its place. The name implies each instance
//! of the formula, and its negation implies the negation of one instance, with new constants; each is asserted only if
//! something follows from the formula or from its negation. Both hold by the meaning of the quantifier, if the name is
//! true where the formula is and the constants are a counterexample where there is one. Likewise a new constant is an
//! index where two arrays differ that are not equal. So a refutation of the formulas with names, together with such
//! implications, refutes the formulas, and the checker of proofs checks it. No elimination of quantifiers is trusted.
//!
//! Which instances are needed is found with models, as in the instantiation of Ge and de Moura (2009): where a
//! model makes a name true, values are looked for that make the body false in the model; they become terms in
//! `instantiate`. For a body with quantifiers that is the same question again, with fewer of them. Terms that occur as
//! indices of arrays are tried before (see `indices`).
//!
//! Formulas may mention sizes and folds of values of datatypes, functions with a recursive definition. They are functions
//! like others to the solver; what the definition says of the terms that occur is asserted besides. So is what holds of
//! products whatever their factors are (`Store::product_facts`). It holds of all values, so again a refutation with it
//! refutes the formulas.

use std::collections::{BTreeMap, BTreeSet};

use shem_base::{Budget, UnknownReason};
use shem_justify::{Assertion, Premises, check_refutation};
use shem_smt::{Answer, Model, Refutation, Solver};
use shem_term::{Sort, Store, Substitution, Symbol, Term, Value, View};

use crate::indices::IndexTerms;
use crate::instantiate::instantiate;

/// The greatest number of models of one query that are refuted by new instances.
const MAX_ROUNDS: usize = 200;
/// The greatest number of numerals that are told apart by their sizes.
const MAX_NUMERALS: usize = 40;
/// The greatest nesting depth of quantifiers.
const MAX_DEPTH: usize = 12;

/// Why formulas were neither refuted nor found satisfiable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The effort was used up, or the method does not suffice.
    Unknown(UnknownReason),
    /// The proof of a refutation was refused, for this reason.
    Refused(String),
}

impl From<UnknownReason> for Failure {
    fn from(reason: UnknownReason) -> Failure {
        Failure::Unknown(reason)
    }
}

impl From<Failure> for UnknownReason {
    fn from(failure: Failure) -> UnknownReason {
        match failure {
            Failure::Unknown(reason) => reason,
            Failure::Refused(_) => UnknownReason::Incomplete("a proof was refused by its checker"),
        }
    }
}

/// Refutes the formulas: `None` if they contradict each other, with a proof that was checked. Otherwise the values
/// of a model, which is not confirmed.
pub(crate) fn refute(
    store: &mut Store,
    formulas: &[Term],
    budget: &mut Budget,
) -> Result<Option<Model>, Failure> {
    decide(store, formulas, budget, 0)
}

/// Whether the formula is true for these values of its free variables: by evaluation, or, with quantifiers, by the
/// refutation of its negation. `false` if that fails.
pub(crate) fn confirm(
    store: &mut Store,
    formula: Term,
    value: &impl Fn(&Store, Symbol) -> Value,
    budget: &mut Budget,
) -> Result<bool, Failure> {
    if !store.has_quantifier(formula) {
        let assignment = |symbol: Symbol| Some(value(store, symbol));
        return Ok(store.evaluate(formula, &assignment) == Some(Value::Bool(true)));
    }
    let closed = with_values(store, formula, value);
    Ok(refute(store, &[!closed], budget)?.is_none())
}

/// The formula with these values in place of its free variables.
pub(crate) fn with_values(
    store: &mut Store,
    formula: Term,
    value: &impl Fn(&Store, Symbol) -> Value,
) -> Term {
    let mut substitution = Substitution::new();
    for variable in store.free_variables(&[formula]) {
        let symbol = store.as_var(variable).expect("a variable");
        let term = store.value_term(&value(store, symbol), store.sort(variable));
        substitution.insert(symbol, term);
    }
    store.substitute(formula, &substitution)
}

fn decide(
    store: &mut Store,
    formulas: &[Term],
    budget: &mut Budget,
    depth: usize,
) -> Result<Option<Model>, Failure> {
    if depth > MAX_DEPTH {
        return Err(UnknownReason::Incomplete("quantifiers are nested too deeply for the judge").into());
    }
    let mut query = Query {
        solver: Solver::new(Default::default()),
        asserted: Vec::new(),
        names: Vec::new(),
        index: BTreeMap::new(),
        indices: IndexTerms::default(),
        differences: formulas.iter().any(|&formula| store.has_quantifier(formula)).then(BTreeSet::new),
    };
    for &formula in formulas {
        query.assert(store, formula);
    }
    let mut facts = size_facts(store, formulas);
    facts.extend(fold_facts(store, formulas));
    facts.extend(store.product_facts(formulas));
    for fact in facts {
        query.assert(store, fact);
    }
    for _ in 0..MAX_ROUNDS {
        budget.check_stop()?;
        let model = match query.solver.check(store, budget) {
            Answer::Unknown(reason) => return Err(reason.into()),
            // Inside of another question the answer only helps to find instances.
            Answer::Unsat(_) if depth > 0 => return Ok(None),
            Answer::Unsat(refutation) => {
                let judgement = check_proof(store, &refutation, &query.asserted, &[]);
                return judgement.map(|()| None).map_err(Failure::Refused);
            }
            Answer::Sat(mut solution) => solution.model(),
        };
        if !query.refine(store, &model, budget, depth)? {
            return Ok(Some(model));
        }
    }
    Err(UnknownReason::Incomplete("the judge found too few instances of a quantified formula").into())
}

/// Formulas with names for what is quantified in them.
struct Query {
    solver: Solver,
    /// What was asserted in the solver, in this order.
    asserted: Vec<Term>,
    /// The universal formulas with their names.
    names: Vec<Named>,
    /// The positions of universal formulas in `names`.
    index: BTreeMap<Term, usize>,
    /// The index terms of what was asserted.
    indices: IndexTerms,
    /// Where there are quantifiers: the equalities of arrays for which there is an index where the arrays differ.
    differences: Option<BTreeSet<Term>>,
}

/// A universal formula with the variable that takes its place.
struct Named {
    block: Term,
    name: Term,
    /// Whether something follows from it, and whether something follows if it does not hold.
    positive: bool,
    negative: bool,
}

impl Query {
    /// Asserts a formula, and for each universal formula in it from whose negation something follows, its negation.
    fn assert(&mut self, store: &mut Store, formula: Term) {
        let mut pending = vec![formula];
        while let Some(formula) = pending.pop() {
            let mut pairs = Vec::new();
            for (block, positive, negative) in outermost_blocks(store, formula) {
                let at = *self.index.entry(block).or_insert_with(|| {
                    let name = store.variable("holds", Sort::Bool);
                    self.names.push(Named { block, name, positive: false, negative: false });
                    self.names.len() - 1
                });
                let named = &mut self.names[at];
                named.positive |= positive;
                if negative && !named.negative {
                    named.negative = true;
                    let counterexample = !with_constants(store, block);
                    pending.push(store.or2(named.name, counterexample));
                }
                pairs.push((block, named.name));
            }
            let named = if pairs.is_empty() { formula } else { store.replace(formula, &pairs) };
            self.indices.collect(store, named);
            pending.extend(self.name_differences(store, named));
            self.solver.assert(store, named);
            self.asserted.push(named);
        }
    }

    /// For each equality of arrays that is new: the arrays are equal, or there is an index where they differ. The index
    /// gets a name, at which universal formulas can be instantiated.
    fn name_differences(&mut self, store: &mut Store, formula: Term) -> Vec<Term> {
        let Some(known) = &mut self.differences else { return Vec::new() };
        let mut lemmas = Vec::new();
        for term in store.subterms(&[formula]) {
            if let View::Equal(a, b) = store.view(term)
                && let Some((index, _)) = store.array_parts(store.sort(a))
                && known.insert(term)
            {
                let index = store.variable("difference", index);
                let (left, right) = (store.select(a, index), store.select(b, index));
                let same = store.eq(left, right);
                lemmas.push(store.or2(term, !same));
            }
        }
        lemmas
    }

    /// Adds instances that exclude the model; `false` if it is a model of the formulas as they were.
    fn refine(
        &mut self,
        store: &mut Store,
        model: &Model,
        budget: &mut Budget,
        depth: usize,
    ) -> Result<bool, Failure> {
        let (mut refined, mut by_indices) = (false, false);
        for at in 0..self.names.len() {
            let Named { block, name, positive, .. } = self.names[at];
            let symbol = store.as_var(name).expect("a name is a variable");
            // If nothing follows from a formula, it may as well be false.
            if !positive || model.value_or_default(store, symbol) != Value::Bool(true) {
                continue;
            }
            let View::Forall(vars, body) = store.view(block) else { unreachable!("a universal formula") };
            let vars = vars.to_vec();
            let instances = self.indices.instances(store, &vars, body, model);
            if !instances.is_empty() {
                for instance in instances {
                    let lemma = store.or2(!name, instance);
                    self.assert(store, lemma);
                }
                (refined, by_indices) = (true, true);
                continue;
            }
            // What indices do not show is asked only where they show nothing at all.
            if by_indices {
                continue;
            }
            let mut bound: Vec<Symbol> =
                vars.iter().map(|&v| store.as_var(v).expect("a bound variable")).collect();
            bound.sort_unstable();
            // The variables of the block are open in the question, all others have their values.
            let mut substitution = Substitution::new();
            for variable in store.free_variables(&[block]) {
                let symbol = store.as_var(variable).expect("a variable");
                let term = store.value_term(&model.value_or_default(store, symbol), store.sort(variable));
                substitution.insert(symbol, term);
            }
            let question = store.substitute(!body, &substitution);
            let Some(values) = decide(store, &[question], budget, depth + 1)? else { continue };
            let value = |store: &Store, symbol: Symbol| {
                let source = if bound.binary_search(&symbol).is_ok() { &values } else { model };
                source.value_or_default(store, symbol)
            };
            let instance = instantiate(store, &vars, body, &value, budget);
            let lemma = store.or2(!name, instance);
            self.assert(store, lemma);
            refined = true;
        }
        Ok(refined)
    }
}

/// What the definitions of sizes say of the terms of formulas without quantifiers, if one of them mentions a size; and that
/// numerals of the same size are equal.
fn size_facts(store: &mut Store, formulas: &[Term]) -> Vec<Term> {
    if store.sizes().next().is_none() || formulas.iter().any(|&formula| store.has_quantifier(formula)) {
        return Vec::new();
    }
    let subterms = store.subterms(formulas);
    let is_size = |&term: &Term| store.as_app(term).is_some_and(|(s, ..)| store.sized_by(s).is_some());
    if !subterms.iter().any(is_size) {
        return Vec::new();
    }
    let is_sized = |&term: &Term| store.is_recursive(store.sort(term));
    let sized: Vec<Term> = subterms.into_iter().filter(is_sized).collect();
    let mut facts: Vec<Term> = sized.iter().map(|&term| store.size_facts(term)).collect();
    let is_numeral = |&term: &Term| store.sort(term).as_datatype().is_some_and(|id| store.is_numeral(id));
    let mut numerals: Vec<Term> = sized.into_iter().filter(is_numeral).collect();
    numerals.truncate(MAX_NUMERALS);
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

/// What the definitions of folds that formulas without quantifiers mention say of their terms.
fn fold_facts(store: &mut Store, formulas: &[Term]) -> Vec<Term> {
    if store.folds().next().is_none() || formulas.iter().any(|&formula| store.has_quantifier(formula)) {
        return Vec::new();
    }
    let subterms = store.subterms(formulas);
    let fold = |&term: &Term| store.as_app(term).and_then(|(symbol, ..)| store.fold_of_symbol(symbol));
    let used: BTreeSet<usize> = subterms.iter().filter_map(fold).collect();
    let mut facts = Vec::new();
    for fold in used {
        facts.extend(subterms.iter().filter_map(|&term| store.fold_facts(fold, term)));
    }
    facts
}

/// Has the refutation of what was asserted, in this order, and assumed judged.
pub(crate) fn check_proof(
    store: &mut Store,
    refutation: &Refutation<'_>,
    asserted: &[Term],
    assumptions: &[Term],
) -> Result<(), String> {
    let proof = refutation.proof().ok_or("there is none")?.map_err(|error| error.to_string())?;
    let assertions: Vec<Assertion> = asserted.iter().map(|&formula| formula.into()).collect();
    let premises = Premises { assertions: &assertions, assumptions, ..Premises::default() };
    check_refutation(store, &proof, refutation.solver(), premises).map_err(|error| error.to_string())
}

/// The universal formulas in a formula that stand in no other one, each once, and whether they occur positively and
/// negatively.
fn outermost_blocks(store: &Store, formula: Term) -> Vec<(Term, bool, bool)> {
    if !store.has_quantifier(formula) {
        return Vec::new();
    }
    let mut found: BTreeMap<Term, (bool, bool)> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    let mut stack = vec![(formula, true)];
    while let Some((term, positive)) = stack.pop() {
        let positive = positive != term.is_negated();
        let term = term.positive();
        if !seen.insert((term, positive)) {
            continue;
        }
        match store.view(term) {
            View::Forall(..) => {
                let signs = found.entry(term).or_default();
                *(if positive { &mut signs.0 } else { &mut signs.1 }) = true;
            }
            View::And(args) => stack.extend(args.iter().map(|&arg| (arg, positive))),
            // Below anything else it may count either way.
            _ => store.for_each_child(term, |child| stack.extend([(child, true), (child, false)])),
        }
    }
    found.into_iter().map(|(block, (positive, negative))| (block, positive, negative)).collect()
}

/// The body of a universal formula with new constants for its variables.
fn with_constants(store: &mut Store, block: Term) -> Term {
    let View::Forall(vars, body) = store.view(block) else { unreachable!("a universal formula") };
    let vars = vars.to_vec();
    let mut substitution = Substitution::new();
    for var in vars {
        let symbol = store.as_var(var).expect("a bound variable is a variable");
        let (name, sort) = (store.name(symbol).to_owned(), store.sort(var));
        let fresh = store.variable(&name, sort);
        substitution.insert(symbol, fresh);
    }
    store.substitute(body, &substitution)
}
