//! Looking at labels: their variables, sizes and instances.
//!
//! A store may hold millions of terms and a graph tens of thousands of edges, so whoever looks at one label
//! must not pay for the whole store: the marks are kept from one look to the next.

use shem_base::{Budget, StampSet};
use shem_chc::{Edge, Graph, VertexId};
use shem_proof::NoProof;
use shem_smt::{Solver, Status};
use shem_term::{Store, Substitution, Term, Value, View};

/// Walks over terms with marks that are kept.
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
            bind(store, &mut substitution, &[auxiliary], &[fresh]);
        }
        for (variables, terms) in places(graph, &edge.sources).iter().zip(sources) {
            bind(store, &mut substitution, variables, terms);
        }
        bind(store, &mut substitution, graph.vertex(edge.target).target(), target);
        store.substitute(edge.label, &substitution)
    }
}

/// A new variable of the sort of a given one.
pub(crate) fn fresh(store: &mut Store, like: Term) -> Term {
    let name = format!("aux.{}", store.symbol_count());
    let sort = store.sort(like);
    store.variable(&name, sort)
}

/// New variables of the sorts of given ones.
pub(crate) fn fresh_all(store: &mut Store, like: &[Term]) -> Vec<Term> {
    like.iter().map(|&variable| fresh(store, variable)).collect()
}

/// Maps variables to terms, one to one.
pub(crate) fn bind(store: &Store, substitution: &mut Substitution, variables: &[Term], terms: &[Term]) {
    assert_eq!(variables.len(), terms.len(), "one term for each variable");
    for (&variable, &term) in variables.iter().zip(terms) {
        substitution.insert(store.as_var(variable).expect("a variable"), term);
    }
}

/// The canonical variables at each position of a list of sources.
pub(crate) fn places(graph: &Graph, sources: &[VertexId]) -> Vec<Vec<Term>> {
    let copy = |at: usize| sources[..at].iter().filter(|&&v| v == sources[at]).count();
    (0..sources.len()).map(|at| graph.vertex(sources[at]).source(copy(at)).to_vec()).collect()
}

/// The canonical variables of an edge, sorted.
pub(crate) fn canonical(graph: &Graph, edge: &Edge) -> Vec<Term> {
    let mut variables = graph.vertex(edge.target).target().to_vec();
    variables.extend(places(graph, &edge.sources).into_iter().flatten());
    variables.sort_unstable();
    variables
}

/// The members of a conjunction, nested ones included, or the formula alone.
pub fn conjuncts(store: &Store, formula: Term) -> Vec<Term> {
    let mut found = Vec::new();
    let mut stack = vec![formula];
    while let Some(term) = stack.pop() {
        match store.view(term) {
            View::And(args) if !term.is_negated() => stack.extend(args.iter().rev()),
            View::True if !term.is_negated() => {}
            _ => found.push(term),
        }
    }
    found
}

/// The members of a disjunction, or the formula alone.
pub(crate) fn disjuncts(store: &Store, formula: Term) -> Vec<Term> {
    match store.view(formula) {
        View::And(args) if formula.is_negated() => args.iter().map(|&t| !t).collect(),
        _ => vec![formula],
    }
}

/// Equations that give variables these values.
pub(crate) fn fix(store: &mut Store, variables: &[Term], values: &[Value]) -> Vec<Term> {
    let mut equations = Vec::with_capacity(variables.len());
    for (&variable, value) in variables.iter().zip(values) {
        equations.push(match value {
            Value::Bool(truth) => variable.xor(!truth),
            Value::Num(number) => {
                let number = store.numeral(number, store.sort(variable));
                store.eq(variable, number)
            }
        });
    }
    equations
}

/// The effort that one question of a pass may cost; questions are worth asking only if they are easy.
pub(crate) fn small_change(budget: &Budget) -> Budget {
    Budget {
        conflicts: budget.conflicts.min(200),
        pivots: budget.pivots.min(2_000),
        splits: budget.splits.min(50),
        ..budget.clone()
    }
}

/// Asks whether formulas have solutions, as far as little effort can tell. One solver serves all questions:
/// what it keeps for each symbol of the store is made once.
pub(crate) struct Asker {
    solver: Solver<NoProof>,
}

impl Default for Asker {
    fn default() -> Asker {
        Asker { solver: Solver::with_proof(Default::default(), NoProof) }
    }
}

impl Asker {
    /// Whether the formula has a solution.
    pub(crate) fn ask(&mut self, store: &mut Store, formula: Term, budget: &Budget) -> Status {
        if formula.is_truth_constant() {
            return if formula == Term::TRUE { Status::Sat } else { Status::Unsat };
        }
        self.solver.push();
        self.solver.assert(store, formula);
        let status = self.solver.check(store, &mut small_change(budget)).status();
        self.solver.pop();
        status
    }
}
