//! An interpretation by recursive functions, with lemmas about them that are proved by induction.
//!
//! **Claim.** Functions are defined by recursion, each by one equation. Lemmas are formulas about the functions that hold
//! for all values of their variables. Under the interpretation, whose formulas may mention the functions, every edge holds,
//! and falsehood is not derived.
//!
//! **Why the checks suffice.** Every function has a *measure*, the sum of the sizes or numbers of some parameters. A call
//! in its body, of itself or of a function of the same group, is only looked at under the conditions on the way to it; there
//! the measure of the arguments is not negative and less than that of the parameters, or it is the same and the *rank* of the
//! function is less. Other calls are of functions of
//! earlier groups. So the equations have exactly one solution, by induction over groups, measures and ranks, and whatever
//! follows from instances of the equations holds of it. A lemma follows from such instances, from instances of earlier
//! lemmas, and from instances of itself, each under the condition that its measure is not negative and less: by induction
//! over the measure it holds for all values. An edge follows from instances of equations and lemmas.
//!
//! The instances are part of the certificate, so nothing is searched for. Sizes of values are the only functions with a
//! meaning of their own: what holds of them is asserted by `refute`, which also has its proofs checked.

use std::collections::BTreeMap;

use shem_base::Budget;
use shem_chc::{EdgeId, Graph, Interpretation, VertexId};
use shem_term::{Role, Sort, Store, Symbol, Term, View};

use super::check_variables;
use super::error::CertificateError;
use crate::refute::{Failure, refute};

/// The greatest number of places in the body of a function that are looked at.
const MOST_PLACES: usize = 50_000;

/// A function that is defined by recursion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionDefinition {
    /// The function.
    pub symbol: Symbol,
    /// The variables that stand for the arguments.
    pub parameters: Vec<Term>,
    /// What the function is of them.
    pub body: Term,
    /// The body mentions functions of this group and of lower ones.
    pub group: usize,
    /// The positions of the parameters whose sizes or numbers are added up.
    pub measure: Vec<usize>,
    /// Functions of the group that have a lower rank may be called for the same measure.
    pub rank: usize,
}

/// A formula about functions that holds for all values of its variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lemma {
    /// Its variables.
    pub variables: Vec<Term>,
    /// The formula.
    pub formula: Term,
    /// The positions of the variables whose sizes or numbers are added up: the induction is over the sum.
    pub measure: Vec<usize>,
    /// What it follows from.
    pub facts: Vec<Fact>,
}

/// An instance of something that holds for all values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact {
    /// The definition of a function, for the arguments of this application.
    Unfold(Term),
    /// The lemma of this number, for these terms.
    Lemma(usize, Vec<Term>),
    /// The lemma that is being proved, for these terms, if the measure is less for them.
    Hypothesis(Vec<Term>),
}

/// An interpretation by recursive functions.
#[derive(Clone, Debug, Default)]
pub struct FunctionModel {
    /// The functions, by group.
    pub functions: Vec<FunctionDefinition>,
    /// Lemmas, each after those that it follows from.
    pub lemmas: Vec<Lemma>,
    /// What vertices stand for.
    pub interpretation: Interpretation,
    /// What edges follow from; an edge without an entry needs nothing.
    pub edges: BTreeMap<EdgeId, Vec<Fact>>,
}

/// What the parts of a certificate need to know of the functions.
struct Known<'a> {
    model: &'a FunctionModel,
    index: BTreeMap<Symbol, &'a FunctionDefinition>,
}

impl FunctionModel {
    pub(super) fn parts(&self, graph: &Graph) -> usize {
        1 + self.functions.len() + self.lemmas.len() + graph.edge_count()
    }

    pub(super) fn check_part(
        &self,
        part: usize,
        store: &mut Store,
        graph: &Graph,
        budget: &mut Budget,
    ) -> Result<(), CertificateError> {
        let index = self.functions.iter().map(|function| (function.symbol, function)).collect();
        let known = Known { model: self, index };
        // The other parts rely on the form.
        known.check_form(store, graph)?;
        let Some(part) = part.checked_sub(1) else { return known.check_apart(store, graph) };
        if let Some(function) = self.functions.get(part) {
            return known.check_function(store, function, budget);
        }
        let part = part - self.functions.len();
        if part < self.lemmas.len() {
            return known.check_lemma(store, part, budget);
        }
        let edge = graph.edges().nth(part - self.lemmas.len());
        known.check_edge(store, graph, edge.expect("a part for each edge").0, budget)
    }
}

/// The formulas contradict each other; otherwise this is wrong.
fn expect_refuted(
    store: &mut Store,
    formulas: &[Term],
    otherwise: &'static str,
    budget: &mut Budget,
) -> Result<(), CertificateError> {
    match refute(store, formulas, budget) {
        Ok(None) => Ok(()),
        Ok(Some(_)) => Err(CertificateError::wrong(otherwise)),
        Err(Failure::Unknown(reason)) => Err(reason.into()),
        Err(Failure::Refused(error)) => {
            Err(CertificateError::wrong(format!("the proof of a refutation was refused: {error}")))
        }
    }
}

/// The sum of the sizes or numbers of the terms at these positions.
fn measure(store: &mut Store, positions: &[usize], terms: &[Term]) -> Term {
    let mut summands = vec![store.int(0)];
    for &position in positions {
        let term = terms[position];
        summands.push(if store.sort(term) == Sort::Int { term } else { store.size(term) });
    }
    store.add(&summands)
}

/// That a measure is not negative and less than another one.
fn decreases(store: &mut Store, smaller: Term, greater: Term) -> Term {
    let zero = store.int(0);
    let (natural, less) = (store.ge(smaller, zero), store.lt(smaller, greater));
    store.and2(natural, less)
}

impl Known<'_> {
    /// Functions and lemmas are what they have to be, as far as no solver is needed.
    fn check_form(&self, store: &Store, graph: &Graph) -> Result<(), CertificateError> {
        let FunctionModel { functions, lemmas, interpretation, .. } = self.model;
        if self.index.len() != functions.len() {
            return Err(CertificateError::wrong("a function is defined twice"));
        }
        for function in functions {
            let FunctionDefinition { symbol, parameters, body, measure, .. } = function;
            let signature = store.signature(*symbol);
            let is_free = signature.role == Role::Function
                && store.sized_by(*symbol).is_none()
                && store.fold_of_symbol(*symbol).is_none();
            let sorts: Vec<Sort> = parameters.iter().map(|&p| store.sort(p)).collect();
            if !is_free || *signature.args != *sorts || signature.result != store.sort(*body) {
                return Err(CertificateError::wrong("a function has another signature"));
            }
            self.check_closed(store, parameters, *body, measure)?;
        }
        for Lemma { variables, formula, measure, .. } in lemmas {
            if store.sort(*formula) != Sort::Bool {
                return Err(CertificateError::wrong("a lemma is no formula"));
            }
            self.check_closed(store, variables, *formula, measure)?;
        }
        for vertex in graph.vertices() {
            let formula = interpretation.get(vertex);
            let other = "a formula is about something else than the state";
            check_variables(store, formula.as_slice(), &[graph.vertex(vertex).state()], other)?;
            self.check_functions(store, formula.as_slice())?;
        }
        Ok(())
    }

    /// The labels of the graph say nothing of the functions.
    fn check_apart(&self, store: &Store, graph: &Graph) -> Result<(), CertificateError> {
        let labels: Vec<Term> = graph.edges().map(|(_, edge)| edge.label).collect();
        let is_own = |&term: &Term| store.as_app(term).is_some_and(|(s, ..)| self.index.contains_key(&s));
        if store.subterms(&labels).iter().any(is_own) {
            return Err(CertificateError::wrong("a function is one of the system"));
        }
        Ok(())
    }

    /// The variables are different, the term is over them and over defined functions, and the measure is a number.
    fn check_closed(
        &self,
        store: &Store,
        variables: &[Term],
        term: Term,
        measure: &[usize],
    ) -> Result<(), CertificateError> {
        let mut sorted = variables.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let are_variables = variables.iter().all(|&v| store.as_var(v).is_some() && !v.is_negated());
        if !are_variables || sorted.len() != variables.len() {
            return Err(CertificateError::wrong("the variables of a definition are not different ones"));
        }
        if store.free_variables(&[term]).iter().any(|v| sorted.binary_search(v).is_err())
            || store.has_quantifier(term)
        {
            return Err(CertificateError::wrong("a definition is about something else than its variables"));
        }
        let counts = |&position: &usize| {
            let variable = variables.get(position);
            variable.is_some_and(|&v| store.sort(v) == Sort::Int || store.is_recursive(store.sort(v)))
        };
        if !measure.iter().all(counts) {
            return Err(CertificateError::wrong("a measure is about something that cannot be measured"));
        }
        self.check_functions(store, &[term])
    }

    /// All functions in these terms are defined.
    fn check_functions(&self, store: &Store, terms: &[Term]) -> Result<(), CertificateError> {
        for term in store.subterms(terms) {
            if let Some((symbol, Role::Function, _)) = store.as_app(term)
                && store.sized_by(symbol).is_none()
                && !self.index.contains_key(&symbol)
            {
                return Err(CertificateError::wrong("a function is not defined"));
            }
        }
        Ok(())
    }

    /// Every call in the body is of a lower group, or for a smaller measure.
    fn check_function(
        &self,
        store: &mut Store,
        function: &FunctionDefinition,
        budget: &mut Budget,
    ) -> Result<(), CertificateError> {
        let own = measure(store, &function.measure, &function.parameters);
        let mut open = vec![(function.body, Term::TRUE)];
        let mut places = 0;
        while let Some((term, path)) = open.pop() {
            places += 1;
            if places > MOST_PLACES {
                return Err(CertificateError::wrong("the body of a function is too large"));
            }
            if !self.has_calls(store, term, function.group) {
                continue;
            }
            match store.view(term) {
                View::Ite(condition, a, b) => {
                    let (first, second) = (store.and2(path, condition), store.and2(path, !condition));
                    open.extend([(condition, path), (a, first), (b, second)]);
                }
                // What has no calls is looked at first; if it is false, the rest does not matter.
                View::And(parts) => {
                    let (with, without): (Vec<Term>, Vec<Term>) =
                        parts.iter().copied().partition(|&part| self.has_calls(store, part, function.group));
                    let mut inside = vec![path];
                    inside.extend(without);
                    let inside = store.and(&inside);
                    open.extend(with.into_iter().map(|part| (part, inside)));
                }
                _ => {
                    if let Some((symbol, Role::Function, args)) = store.as_app(term)
                        && let Some(&callee) = self.index.get(&symbol)
                        && callee.group >= function.group
                    {
                        let args = args.to_vec();
                        if callee.group > function.group {
                            return Err(CertificateError::wrong("a function calls one of a later group"));
                        }
                        let smaller = measure(store, &callee.measure, &args);
                        let mut decreases = decreases(store, smaller, own);
                        if callee.rank < function.rank {
                            let same = store.eq(smaller, own);
                            decreases = store.or2(decreases, same);
                        }
                        let other = "a call of a function is not for smaller arguments";
                        expect_refuted(store, &[path, !decreases], other, budget)?;
                    }
                    store.for_each_child(term, |child| open.push((child, path)));
                }
            }
        }
        Ok(())
    }

    /// Whether a term has a call that is not of a lower group.
    fn has_calls(&self, store: &Store, term: Term, group: usize) -> bool {
        store.subterms(&[term]).into_iter().any(|term| {
            let symbol = store.as_app(term).map(|(symbol, ..)| symbol);
            symbol.and_then(|symbol| self.index.get(&symbol)).is_some_and(|callee| callee.group >= group)
        })
    }

    fn check_lemma(&self, store: &mut Store, at: usize, budget: &mut Budget) -> Result<(), CertificateError> {
        let lemma = &self.model.lemmas[at];
        let mut formulas = vec![!lemma.formula];
        for fact in &lemma.facts {
            formulas.push(self.fact(store, fact, at, Some(lemma))?);
        }
        expect_refuted(store, &formulas, "a lemma does not follow", budget)
    }

    fn check_edge(
        &self,
        store: &mut Store,
        graph: &Graph,
        id: EdgeId,
        budget: &mut Budget,
    ) -> Result<(), CertificateError> {
        let interpretation = &self.model.interpretation;
        // What the interpretation says of falsehood does not matter.
        let formula = |vertex| match vertex {
            VertexId::FALSE => Ok(Term::FALSE),
            _ => {
                interpretation.get(vertex).ok_or(CertificateError::wrong("a predicate has no interpretation"))
            }
        };
        let edge = graph.edge(id);
        let mut formulas = vec![edge.label];
        for (position, &source) in edge.sources.iter().enumerate() {
            let variables = graph.source_variables(edge, position);
            formulas.push(store.rename(formula(source)?, graph.vertex(source).state(), variables));
        }
        let target = graph.vertex(edge.target);
        formulas.push(!store.rename(formula(edge.target)?, target.state(), target.target()));
        for fact in self.model.edges.get(&id).into_iter().flatten() {
            formulas.push(self.fact(store, fact, self.model.lemmas.len(), None)?);
        }
        expect_refuted(store, &formulas, "an edge leads out of the model", budget)
    }

    /// What a fact says, where so many lemmas may be used, and this one if it is being proved.
    fn fact(
        &self,
        store: &mut Store,
        fact: &Fact,
        lemmas: usize,
        own: Option<&Lemma>,
    ) -> Result<Term, CertificateError> {
        match fact {
            Fact::Unfold(term) => {
                let definition = match store.as_app(*term) {
                    Some((symbol, _, args)) => self.index.get(&symbol).map(|&f| (f, args.to_vec())),
                    None => None,
                };
                let Some((function, args)) = definition else {
                    return Err(CertificateError::wrong("what is unfolded is no application of a function"));
                };
                let body = store.rename(function.body, &function.parameters, &args);
                Ok(store.eq(term.positive(), body))
            }
            Fact::Lemma(at, terms) => match self.model.lemmas.get(*at) {
                Some(lemma) if *at < lemmas => instance(store, lemma, terms),
                _ => Err(CertificateError::wrong("a fact is of a later lemma")),
            },
            Fact::Hypothesis(terms) => {
                let Some(lemma) = own else {
                    return Err(CertificateError::wrong("there is no hypothesis"));
                };
                let instance = instance(store, lemma, terms)?;
                let smaller = measure(store, &lemma.measure, terms);
                let own = measure(store, &lemma.measure, &lemma.variables);
                let decreases = decreases(store, smaller, own);
                Ok(store.implies(decreases, instance))
            }
        }
    }
}

/// The formula of a lemma about these terms.
fn instance(store: &mut Store, lemma: &Lemma, terms: &[Term]) -> Result<Term, CertificateError> {
    let fits = |(&variable, &term): (&Term, &Term)| store.sort(variable) == store.sort(term);
    if terms.len() != lemma.variables.len() || !lemma.variables.iter().zip(terms).all(fits) {
        return Err(CertificateError::wrong("an instance has not one term for each variable"));
    }
    Ok(store.rename(lemma.formula, &lemma.variables, terms))
}
