//! Edges as programs: what an edge determines, and where it decides.
//!
//! A conjunct of a label that is an equation with a variable of the target alone on one side defines that variable.
//! If every variable of the target is defined over the source, the edge is a *function*: a guard and an update, which
//! can be run without a solver. Atoms of the label, with definitions in place of what they define, are where the
//! program decides; phases are made of them, and their numbers are the thresholds of bounds.

use std::collections::BTreeSet;

use shem_base::Rat;
use shem_chc::{Edge, EdgeId, Function, Graph, VertexId, define};
use shem_term::{Sort, Store, Term, Value, View};

/// Values of the arguments of a vertex.
pub(super) type State = Vec<Value>;

/// The greatest number of subterms up to which an edge is analysed.
const MAX_SIZE: usize = 20_000;

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
            program.function = Some(Function::new(store, guard, &known));
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
