//! Variables, sizes and instances of labels, and queries about them.
//!
//! A store may hold millions of terms and a graph tens of thousands of edges, so a pass over one label must not
//! cost as much as the whole store: the marks are kept from one pass to the next.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use shem_base::{Budget, Effort, StampSet};
use shem_chc::{Edge, Graph, VertexId};
use shem_proof::NoProof;
use shem_smt::{Solver, Status};
use shem_term::{Sort, Store, Substitution, Term, Value, View};

/// Goes through terms, with marks that are kept.
#[derive(Default)]
pub(crate) struct Scan {
    seen: StampSet,
    stack: Vec<Term>,
}

impl Scan {
    /// Calls `visit` with every subterm of the roots once, without its negation.
    pub(crate) fn each(&mut self, store: &Store, roots: &[Term], mut visit: impl FnMut(Term)) {
        self.seen.clear();
        self.stack.clear();
        let Scan { seen, stack } = self;
        for root in roots {
            if seen.insert(root.index()) {
                stack.push(root.positive());
            }
        }
        while let Some(term) = stack.pop() {
            visit(term);
            store.for_each_child(term, |child| {
                if seen.insert(child.index()) {
                    stack.push(child.positive());
                }
            });
        }
    }

    /// The variables of the terms, sorted. Labels have no quantifiers.
    pub(crate) fn variables(&mut self, store: &Store, roots: &[Term]) -> Vec<Term> {
        let mut found = Vec::new();
        self.each(store, roots, |term| {
            if store.as_var(term).is_some() {
                found.push(term);
            }
        });
        found.sort_unstable();
        found
    }

    /// The number of distinct subterms.
    pub(crate) fn size(&mut self, store: &Store, root: Term) -> usize {
        let mut size = 0;
        self.each(store, &[root], |_| size += 1);
        size
    }

    /// The number of paths through a formula, or `u32::MAX` if there are more: ways to choose one disjunct of every
    /// disjunction that the choices made before lead to. Choices inside atoms are not counted.
    pub(crate) fn paths(&mut self, store: &Store, root: Term) -> u32 {
        let mut known: FxHashMap<Term, u32> = FxHashMap::default();
        let mut stack = vec![(root, false)];
        while let Some((term, is_ready)) = stack.pop() {
            if known.contains_key(&term) {
                continue;
            }
            let (choices, all) = choices(store, term);
            if !is_ready && !choices.is_empty() {
                stack.push((term, true));
                stack.extend(choices.into_iter().flatten().map(|part| (part, false)));
                continue;
            }
            let product =
                |parts: &Vec<Term>| parts.iter().fold(1u32, |count, part| count.saturating_mul(known[part]));
            let count = if all { 1 } else { choices.iter().map(product).fold(0u32, u32::saturating_add) };
            known.insert(term, count);
        }
        known[&root]
    }

    /// The auxiliary variables of an edge, sorted.
    pub(crate) fn auxiliaries(&mut self, store: &Store, graph: &Graph, edge: &Edge) -> Vec<Term> {
        let canonical = canonical(graph, edge);
        let mut found = self.variables(store, &[edge.label]);
        found.retain(|v| canonical.binary_search(v).is_err());
        found
    }

    /// The label of an edge about these terms, with auxiliary variables of its own.
    pub(crate) fn instance(
        &mut self,
        store: &mut Store,
        graph: &Graph,
        edge: &Edge,
        sources: &[Vec<Term>],
        target: &[Term],
    ) -> Term {
        let mut substitution = Substitution::new();
        for auxiliary in self.auxiliaries(store, graph, edge) {
            let fresh = fresh(store, auxiliary);
            substitution.bind(store, &[auxiliary], &[fresh]);
        }
        // What stays is not substituted: the label may stay as it is then.
        let mut bind = |variables: &[Term], terms: &[Term]| {
            let changed = variables.iter().zip(terms).filter(|(variable, term)| variable != term);
            changed.for_each(|(&variable, &term)| substitution.bind(store, &[variable], &[term]));
        };
        for (variables, terms) in source_variables(graph, &edge.sources).iter().zip(sources) {
            bind(variables, terms);
        }
        bind(graph.vertex(edge.target).target(), target);
        store.substitute(edge.label, &substitution)
    }
}

/// The disjuncts of a formula, each as a list of conjuncts, and whether it is an atom, which has none.
fn choices(store: &Store, formula: Term) -> (Vec<Vec<Term>>, bool) {
    match store.view(formula.positive()) {
        View::And(parts) if formula.is_negated() => (parts.iter().map(|&part| vec![!part]).collect(), false),
        View::And(parts) => (vec![parts.to_vec()], false),
        View::Iff(a, b) => {
            let b = if formula.is_negated() { !b } else { b };
            (vec![vec![a, b], vec![!a, !b]], false)
        }
        View::Ite(condition, a, b) => {
            let [a, b] = [a, b].map(|part| if formula.is_negated() { !part } else { part });
            (vec![vec![condition, a], vec![!condition, b]], false)
        }
        _ => (Vec::new(), true),
    }
}

/// Auxiliary variables that several labels share.
#[derive(Default)]
pub(crate) struct SharedAuxiliaries {
    variables: BTreeMap<Sort, Vec<Term>>,
}

impl SharedAuxiliaries {
    /// The label of an edge with shared auxiliaries in place of its own: the first of each sort is the same in all
    /// labels, and so on.
    pub(crate) fn rename(&mut self, store: &mut Store, scan: &mut Scan, graph: &Graph, edge: &Edge) -> Term {
        let mut taken: BTreeMap<Sort, usize> = BTreeMap::new();
        let mut substitution = Substitution::new();
        for auxiliary in scan.auxiliaries(store, graph, edge) {
            let sort = store.sort(auxiliary);
            let variables = self.variables.entry(sort).or_default();
            let next = taken.entry(sort).or_default();
            if variables.len() == *next {
                variables.push(fresh(store, auxiliary));
            }
            substitution.bind(store, &[auxiliary], &[variables[*next]]);
            *next += 1;
        }
        store.substitute(edge.label, &substitution)
    }
}

/// A new variable of the sort of a given one.
pub(crate) fn fresh(store: &mut Store, like: Term) -> Term {
    let sort = store.sort(like);
    fresh_of(store, sort)
}

/// A new variable of a sort.
pub(crate) fn fresh_of(store: &mut Store, sort: Sort) -> Term {
    let name = format!("aux.{}", store.symbol_count());
    store.variable(&name, sort)
}

/// New variables of the sorts of given ones.
pub(crate) fn fresh_all(store: &mut Store, like: &[Term]) -> Vec<Term> {
    like.iter().map(|&variable| fresh(store, variable)).collect()
}

/// The canonical variables at each position of a list of sources.
pub(crate) fn source_variables(graph: &Graph, sources: &[VertexId]) -> Vec<Vec<Term>> {
    let copy = |at: usize| sources[..at].iter().filter(|&&v| v == sources[at]).count();
    (0..sources.len()).map(|at| graph.vertex(sources[at]).source(copy(at)).to_vec()).collect()
}

/// The canonical variables of an edge, sorted.
pub(crate) fn canonical(graph: &Graph, edge: &Edge) -> Vec<Term> {
    let mut variables = graph.vertex(edge.target).target().to_vec();
    variables.extend(source_variables(graph, &edge.sources).into_iter().flatten());
    variables.sort_unstable();
    variables
}

/// The variables, by position, to which conjuncts of the label give a value.
pub(crate) fn constants(store: &Store, label: Term, variables: &[Term]) -> BTreeMap<usize, Value> {
    let mut found = BTreeMap::new();
    let conjuncts = store.conjuncts(label);
    let positions: FxHashMap<Term, usize> = variables.iter().enumerate().map(|(at, &v)| (v, at)).collect();
    let mut learn = |term: Term, value: Value| {
        if let Some(&at) = positions.get(&term) {
            found.insert(at, value);
        }
    };
    for conjunct in conjuncts {
        match store.view(conjunct) {
            View::Var(_) => learn(conjunct.positive(), Value::Bool(!conjunct.is_negated())),
            View::Eq(poly, value) if !conjunct.is_negated() => {
                // A polynomial of one leaf is that leaf.
                if let [single] = store.poly_terms(poly) {
                    learn(single.leaf, Value::Num(value.clone()));
                }
            }
            _ => {}
        }
    }
    found
}

/// The effort that one query of a pass may cost: only easy ones are worth their time.
pub(crate) const QUERY_EFFORT: Effort = Effort { conflicts: 200, pivots: 2_000, splits: 50 };

/// Checks with little effort whether formulas have solutions. One solver serves all queries: what it keeps for
/// each symbol of the store is made once.
pub(crate) struct QuerySolver {
    solver: Solver<NoProof>,
}

impl Default for QuerySolver {
    fn default() -> QuerySolver {
        QuerySolver { solver: Solver::with_proof(Default::default(), NoProof) }
    }
}

impl QuerySolver {
    /// Whether the formula has a solution.
    pub(crate) fn ask(&mut self, store: &mut Store, formula: Term, budget: &Budget) -> Status {
        if formula.is_truth_constant() {
            return if formula == Term::TRUE { Status::Sat } else { Status::Unsat };
        }
        self.solver.push();
        self.solver.assert(store, formula);
        let status = self.solver.check(store, &mut budget.at_most(QUERY_EFFORT)).status();
        self.solver.pop();
        status
    }
}
