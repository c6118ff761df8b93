//! Edges as programs: what an edge determines, and where it decides.
//!
//! A conjunct of a label that is an equation with a variable of the target alone on one side defines that variable.
//! If every variable of the target is defined over the source, the edge is a *function*: a guard and an update, which
//! can be run without a solver. Atoms of the label, with definitions in place of what they define, are where the
//! program decides; phases are made of them, and their numbers are the thresholds of bounds.

use std::collections::BTreeSet;

use shem_base::Rat;
use shem_chc::{Edge, EdgeId, Graph, VertexId};
use shem_term::{Evaluator, Sort, Store, Substitution, Symbol, Term, Value, View};

/// Values of the arguments of a vertex.
pub(super) type State = Vec<Value>;

/// The greatest number of subterms up to which an edge is analysed.
const MAX_SIZE: usize = 20_000;

/// A label as a guard and an update, over the variables of the source.
pub(super) struct Function {
    guard: Evaluator,
    update: Vec<Evaluator>,
}

/// An edge, analysed.
pub(super) struct Program {
    pub(super) id: EdgeId,
    /// The source, if there is exactly one.
    pub(super) source: Option<VertexId>,
    /// The sources, with their variables in the label, if there are several.
    pub(super) joined: Vec<(VertexId, Vec<Term>)>,
    pub(super) target: VertexId,
    pub(super) label: Term,
    /// How to take the edge, if it is a function.
    pub(super) function: Option<Function>,
    /// Where it decides: atoms over the variables of the source alone, those of the guard first.
    pub(super) decisions: Vec<Term>,
    /// Quotients and remainders over the variables of the source.
    pub(super) remainders: Vec<Term>,
    /// Atoms about the target alone, over the state variables of its vertex.
    pub(super) results: Vec<Term>,
    /// Of several sources: atoms about one of them alone, over the state variables of its vertex.
    pub(super) single_decisions: Vec<(VertexId, Term)>,
    /// The numbers that occur.
    pub(super) numbers: BTreeSet<Rat>,
}

/// The variables of a vertex by symbol, with their positions.
pub(super) struct Positions(Vec<(Symbol, usize)>);

impl Positions {
    pub(super) fn new(store: &Store, variables: &[Term]) -> Positions {
        let symbol = |&v: &Term| store.as_var(v).expect("a variable");
        let mut positions: Vec<(Symbol, usize)> = variables.iter().map(symbol).zip(0..).collect();
        positions.sort_unstable();
        Positions(positions)
    }

    /// The assignment of a state to the variables.
    pub(super) fn assign<'a>(&'a self, state: &'a [Value]) -> impl Fn(Symbol) -> Option<Value> + 'a {
        move |symbol| {
            let at = self.0.binary_search_by_key(&symbol, |entry| entry.0).ok()?;
            Some(state[self.0[at].1].clone())
        }
    }
}

impl Function {
    /// The state after the step, if the guard allows it.
    pub(super) fn step(&mut self, store: &Store, positions: &Positions, state: &[Value]) -> Option<State> {
        let assignment = positions.assign(state);
        if self.guard.evaluate(store, &assignment)?.as_bool() != Some(true) {
            return None;
        }
        self.update.iter_mut().map(|update| update.evaluate(store, &assignment)).collect()
    }
}

impl Program {
    /// Analyses an edge.
    pub(super) fn new(store: &mut Store, graph: &Graph, id: EdgeId, edge: &Edge) -> Program {
        let source = if let [only] = edge.sources[..] { Some(only) } else { None };
        let inputs = source.map_or(&[][..], |vertex| graph.vertex(vertex).state());
        let outputs = graph.vertex(edge.target).target();
        let mut program = Program {
            id,
            source,
            joined: Vec::new(),
            target: edge.target,
            label: edge.label,
            function: None,
            decisions: Vec::new(),
            remainders: Vec::new(),
            results: Vec::new(),
            single_decisions: Vec::new(),
            numbers: BTreeSet::new(),
        };
        if edge.sources.len() > 1 {
            let variables = |at: usize| graph.source_variables(edge, at).to_vec();
            program.joined = edge.sources.iter().enumerate().map(|(at, &v)| (v, variables(at))).collect();
        }
        if store.dag_size(edge.label) > MAX_SIZE {
            return program;
        }
        let (definitions, rest) = define(store, edge.label, inputs);
        let guard: Vec<Term> = rest.iter().map(|&part| store.substitute(part, &definitions)).collect();
        let guard = store.and(&guard);
        let mut update = Vec::with_capacity(outputs.len());
        for &output in outputs {
            update.push(definitions.get(store.as_var(output).expect("a variable")));
        }
        let known: Vec<Term> = update.iter().flatten().copied().collect();
        program.collect(store, guard, inputs);
        for &term in &known {
            program.collect(store, term, inputs);
        }
        for atom in atoms(store, edge.label) {
            if store.free_variables(&[atom]).iter().all(|v| outputs.contains(v)) {
                let atom = store.rename(atom, outputs, graph.vertex(edge.target).state());
                program.results.push(atom);
            }
        }
        if !program.joined.is_empty() {
            program.collect_joined(store, graph, edge.label);
            return program;
        }
        let within = |terms: &[Term]| store.free_variables(terms).iter().all(|v| inputs.contains(v));
        if known.len() == outputs.len() && within(&[guard]) && within(&known) {
            let update = known.iter().map(|&term| Evaluator::new(store, term)).collect();
            program.function = Some(Function { guard: Evaluator::new(store, guard), update });
        }
        program
    }

    /// Takes note of the atoms that are about one of several sources alone.
    fn collect_joined(&mut self, store: &mut Store, graph: &Graph, label: Term) {
        for (vertex, variables) in &self.joined {
            for atom in atoms(store, label) {
                if store.free_variables(&[atom]).iter().all(|v| variables.contains(v)) {
                    let atom = store.rename(atom, variables, graph.vertex(*vertex).state());
                    push_new(&mut self.single_decisions, (*vertex, atom));
                }
            }
        }
    }

    /// Whether an edge has this source, among others or not.
    pub(super) fn has_source(&self, vertex: VertexId) -> bool {
        self.source == Some(vertex) || self.joined.iter().any(|(source, _)| *source == vertex)
    }

    /// Takes note of the atoms, remainders and numbers of a term.
    fn collect(&mut self, store: &Store, term: Term, inputs: &[Term]) {
        let inside = |term: Term| store.free_variables(&[term]).iter().all(|v| inputs.contains(v));
        for part in store.subterms(&[term]) {
            match store.view(part) {
                View::Le(_, value)
                | View::Lt(_, value)
                | View::Eq(_, value)
                | View::Num(value)
                | View::Linear(_, _, value) => {
                    self.numbers.insert(value.clone());
                }
                View::Mod(_, modulus) | View::Div(_, modulus) => {
                    self.numbers.insert(Rat::from(modulus.clone()));
                    if inside(part) && is_plain(store, part) {
                        push_new(&mut self.remainders, part);
                    }
                }
                _ => {}
            }
        }
        for atom in atoms(store, term) {
            if inside(atom) {
                push_new(&mut self.decisions, atom);
            }
        }
    }
}

pub(super) fn push_new<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

/// Whether a term has no case distinctions inside.
fn is_plain(store: &Store, term: Term) -> bool {
    store.subterms(&[term]).iter().all(|&part| !matches!(store.view(part), View::Ite(..) | View::App(..)))
}

/// The atoms of a term without case distinctions inside, in order: Boolean variables, comparisons, divisibilities.
fn atoms(store: &Store, term: Term) -> Vec<Term> {
    let is_atom = |part: Term| match store.view(part) {
        View::Var(_) => store.sort(part) == Sort::Bool,
        View::Le(..) | View::Lt(..) | View::Eq(..) | View::Divisible(..) => is_plain(store, part),
        _ => false,
    };
    store.subterms(&[term]).into_iter().filter(|&part| is_atom(part)).collect()
}

/// The variables that conjuncts of a formula define over the given ones, and the other conjuncts.
fn define(store: &mut Store, formula: Term, given: &[Term]) -> (Substitution, Vec<Term>) {
    let mut rest = store.conjuncts(formula);
    let mut definitions = Substitution::new();
    let mut known: BTreeSet<Term> = given.iter().copied().collect();
    loop {
        let before = rest.len();
        let mut left = Vec::new();
        for part in std::mem::take(&mut rest) {
            match definition(store, part, &known) {
                Some((variable, value)) => {
                    let value = store.substitute(value, &definitions);
                    definitions.insert(store.as_var(variable).expect("a variable"), value);
                    known.insert(variable);
                }
                None => left.push(part),
            }
        }
        rest = left;
        if rest.len() == before {
            return (definitions, rest);
        }
    }
}

/// The variable that a formula defines over the known ones, with its value.
fn definition(store: &mut Store, part: Term, known: &BTreeSet<Term>) -> Option<(Term, Term)> {
    let is_known =
        |store: &Store, term: Term| store.free_variables(&[term]).iter().all(|v| known.contains(v));
    let is_free = |store: &Store, term: Term| store.as_var(term).is_some() && !known.contains(&term);
    match store.view(part) {
        View::Var(_) if is_free(store, part.positive()) => {
            Some((part.positive(), Term::from_bool(!part.is_negated())))
        }
        View::Iff(a, b) => {
            for (variable, value) in [(a, b), (b, a)] {
                if is_free(store, variable) && is_known(store, value) {
                    return Some((variable, value.xor(part.is_negated())));
                }
            }
            None
        }
        View::Eq(poly, value) if !part.is_negated() => {
            let value = value.clone();
            let terms = store.poly_terms(poly).to_vec();
            let mut unknown = terms.iter().enumerate().filter(|(_, term)| !is_known(store, term.leaf));
            let (at, own) = unknown.next()?;
            if unknown.next().is_some() || !is_free(store, own.leaf) {
                return None;
            }
            let sort = store.sort(own.leaf);
            if sort == Sort::Int && !own.coeff.is_one() && !own.coeff.is_minus_one() {
                return None;
            }
            let scale = Rat::from(own.coeff.clone()).recip();
            let summands: Vec<(Rat, Term)> = terms
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != at)
                .map(|(_, term)| (-(&Rat::from(term.coeff.clone()) * &scale), term.leaf))
                .collect();
            // A mixed sum would need a conversion.
            if summands.iter().any(|(_, leaf)| store.sort(*leaf) != sort) {
                return None;
            }
            let leaf = own.leaf;
            let constant = &value * &scale;
            if sort == Sort::Int && !constant.is_integer() {
                return None;
            }
            Some((leaf, store.linear(&summands, &constant, sort)))
        }
        _ => None,
    }
}
