//! Random graphs over small domains, and an oracle that enumerates their facts by evaluation.

use std::collections::BTreeSet;

use shem_base::{Rat, Rng};
use shem_chc::{Edge, Graph, VertexId};
use shem_term::{Sort, Store, Symbol, Term, Value};

/// The greatest value of a number in a random graph; the least is 0.
const TOP: i64 = 2;

/// How a random graph may look.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// How many vertices.
    pub vertices: usize,
    /// How many edges.
    pub edges: usize,
    /// How many arguments a vertex has at most.
    pub arguments: usize,
    /// Whether an edge may have two sources.
    pub nonlinear: bool,
}

/// A random graph. All numbers in it are between 0 and `TOP`.
pub fn random_graph(store: &mut Store, rng: &mut Rng, plan: Plan) -> Graph {
    let mut graph = Graph::new();
    for i in 0..plan.vertices {
        let count = rng.index(plan.arguments + 1);
        let sorts: Vec<Sort> = (0..count).map(|_| random_sort(rng)).collect();
        graph.add_vertex(store, &format!("p{i}"), &sorts);
    }
    let vertices: Vec<VertexId> = graph.vertices().collect();
    for _ in 0..plan.edges {
        let mut sources = Vec::new();
        if !rng.chance(20) {
            sources.push(*rng.pick(&vertices));
        }
        if plan.nonlinear && rng.chance(25) {
            sources.push(*rng.pick(&vertices));
        }
        let target = if rng.chance(15) { VertexId::FALSE } else { *rng.pick(&vertices) };
        let mut edge = Edge { sources, target, label: Term::TRUE };
        for position in 0..edge.sources.len() {
            graph.ensure_copy(store, edge.sources[position], edge.copy(position));
        }
        let mut variables: Vec<Term> = graph.vertex(target).target().to_vec();
        for position in 0..edge.sources.len() {
            variables.extend_from_slice(graph.source_variables(&edge, position));
        }
        if rng.chance(30) {
            let sort = random_sort(rng);
            variables.push(graph.fresh(store, sort));
        }
        edge.label = random_label(store, rng, &variables);
        graph.add_edge(store, edge);
    }
    graph
}

fn random_sort(rng: &mut Rng) -> Sort {
    *rng.pick(&[Sort::Int, Sort::Int, Sort::Bool])
}

/// A random formula about these variables that bounds all numbers.
fn random_label(store: &mut Store, rng: &mut Rng, variables: &[Term]) -> Term {
    let (zero, top) = (store.int(0), store.int(TOP));
    let mut conjuncts = Vec::new();
    for &variable in variables {
        if store.sort(variable) == Sort::Int {
            conjuncts.push(store.ge(variable, zero));
            conjuncts.push(store.le(variable, top));
        }
    }
    for _ in 0..rng.index(3) + variables.len() / 2 {
        let disjuncts: Vec<Term> =
            (0..1 + rng.index(2)).map(|_| random_atom(store, rng, variables)).collect();
        conjuncts.push(store.or(&disjuncts));
    }
    store.and(&conjuncts)
}

fn random_atom(store: &mut Store, rng: &mut Rng, variables: &[Term]) -> Term {
    if variables.is_empty() {
        return Term::from_bool(rng.chance(80));
    }
    let variable = *rng.pick(variables);
    let other = *rng.pick(variables);
    if store.sort(variable) == Sort::Bool {
        if store.sort(other) == Sort::Bool && variable != other {
            return store.iff(variable, other).xor(rng.bool());
        }
        return variable.xor(rng.bool());
    }
    let constant = Rat::from(rng.range(-1..=2));
    let mut sum = vec![(Rat::from(1), variable)];
    if store.sort(other) == Sort::Int && other != variable {
        sum.push((Rat::from(*rng.pick(&[-1, -1, 1])), other));
    }
    let left = store.linear(&sum, &Rat::ZERO, Sort::Int);
    let right = store.numeral(&constant, Sort::Int);
    match rng.index(3) {
        0 => store.le(left, right),
        1 => store.ge(left, right),
        _ => store.eq(left, right),
    }
}

/// All values of these sorts.
fn tuples(sorts: &[Sort]) -> Vec<Vec<Value>> {
    let mut all = vec![Vec::new()];
    for sort in sorts {
        let values: Vec<Value> = match sort {
            Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
            _ => (0..=TOP).map(|n| Value::Num(Rat::from(n))).collect(),
        };
        all = all
            .iter()
            .flat_map(|tuple| values.iter().map(move |v| [&tuple[..], std::slice::from_ref(v)].concat()))
            .collect();
    }
    all
}

/// Whether falsehood can be derived, by enumerating all facts. For random graphs only.
pub fn is_unsafe(store: &Store, graph: &Graph) -> bool {
    let mut facts: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); graph.vertex_bound()];
    let domains: Vec<Vec<Vec<Value>>> =
        (0..graph.vertex_bound()).map(|i| tuples(graph.vertex(VertexId::new(i)).sorts())).collect();
    loop {
        let mut changed = false;
        for (_, edge) in graph.edges() {
            let auxiliaries = graph.auxiliaries(store, edge);
            let sorts: Vec<Sort> = auxiliaries.iter().map(|&v| store.sort(v)).collect();
            let mut variables: Vec<Term> = Vec::new();
            let mut choices: Vec<Vec<Value>> = vec![Vec::new()];
            for (position, source) in edge.sources.iter().enumerate() {
                variables.extend_from_slice(graph.source_variables(edge, position));
                let mut longer = Vec::new();
                for choice in &choices {
                    for &fact in &facts[source.index()] {
                        longer.push([&choice[..], &domains[source.index()][fact]].concat());
                    }
                }
                choices = longer;
            }
            variables.extend_from_slice(graph.vertex(edge.target).target());
            variables.extend_from_slice(&auxiliaries);
            let symbols: Vec<Symbol> = variables.iter().map(|&v| store.as_var(v).unwrap()).collect();
            for choice in &choices {
                for (at, target) in domains[edge.target.index()].iter().enumerate() {
                    if facts[edge.target.index()].contains(&at) {
                        continue;
                    }
                    let holds = tuples(&sorts).iter().any(|aux| {
                        let values = [&choice[..], target, aux].concat();
                        let value = |s: Symbol| {
                            symbols.iter().position(|&t| t == s).map(|place| values[place].clone())
                        };
                        store.evaluate(edge.label, &value) == Some(Value::Bool(true))
                    });
                    if holds {
                        facts[edge.target.index()].insert(at);
                        changed = true;
                    }
                }
            }
        }
        if !changed {
            return !facts[VertexId::FALSE.index()].is_empty();
        }
    }
}
