//! Running a graph: from a state to the next, on the fast machine or on the exact one.
//!
//! The cases of all edges are compiled once. A step from a state tries the cases of the edges that leave its vertex,
//! in an order that the caller gives, and takes the first that is possible. What a case leaves free is guessed: from
//! the constants of its program and their neighbours, the arguments of the state, and small numbers.

use shem_base::{Rat, Rng};
use shem_chc::{Graph, VertexId};
use shem_term::{Sort, Store, Value};

use super::case::{Case, Refused, cases};
use super::code::{Number, Stop};

/// How many guesses are made for the free variables of a case.
const GUESSES: usize = 12;

/// The cases that a graph may have.
const MOST_CASES: usize = 2_000;

/// A linear graph, compiled for running.
#[derive(Clone, Debug)]
pub(crate) struct CompiledGraph {
    pub(crate) cases: Vec<Case>,
    /// The cases of edges without source.
    pub(crate) starts: Vec<usize>,
    /// By vertex: the cases of edges from it to other vertices than false.
    pub(crate) moves: Vec<Vec<usize>>,
    /// By vertex: the cases of edges from it to false.
    pub(crate) queries: Vec<Vec<usize>>,
    /// By vertex and argument: the sort.
    pub(crate) sorts: Vec<Vec<Sort>>,
    /// By case: the sorts of its free variables.
    free_sorts: Vec<Vec<Sort>>,
    /// Whether the fast machine can run everything.
    pub(crate) integral: bool,
}

/// What became of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stepped {
    /// This case was taken.
    By(usize),
    /// No case is possible, as far as was tried.
    Stuck,
    /// A number does not fit a word.
    Overflow,
}

/// Registers for running, used again for each step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Registers<N> {
    values: Vec<N>,
}

impl CompiledGraph {
    /// Compiles the edges of a graph.
    pub(crate) fn new(store: &Store, graph: &Graph) -> Result<CompiledGraph, Refused> {
        let bound = graph.vertex_bound();
        let mut compiled = CompiledGraph {
            cases: Vec::new(),
            starts: Vec::new(),
            moves: vec![Vec::new(); bound],
            queries: vec![Vec::new(); bound],
            sorts: vec![Vec::new(); bound],
            free_sorts: Vec::new(),
            integral: true,
        };
        for vertex in graph.vertices() {
            compiled.sorts[vertex.index()] = graph.vertex(vertex).sorts().to_vec();
        }
        for (id, edge) in graph.edges() {
            if !edge.is_linear() {
                return Err(Refused::Nonlinear);
            }
            for case in cases(store, graph, id, edge)? {
                let at = compiled.cases.len();
                if at >= MOST_CASES {
                    return Err(Refused::Size);
                }
                match (case.source, case.target) {
                    (None, _) => compiled.starts.push(at),
                    (Some(source), VertexId::FALSE) => compiled.queries[source.index()].push(at),
                    (Some(source), _) => compiled.moves[source.index()].push(at),
                }
                compiled.integral &= case.program.is_integral();
                compiled.free_sorts.push(case.free.iter().map(|&v| store.sort(v)).collect());
                compiled.cases.push(case);
            }
        }
        let reals = |sorts: &Vec<Sort>| sorts.contains(&Sort::Real);
        compiled.integral &= !compiled.sorts.iter().any(reals);
        Ok(compiled)
    }

    /// Takes the first case of a list that is possible from a state; writes the state after it.
    #[inline]
    pub(crate) fn step<N: Number>(
        &self,
        order: &[usize],
        state: &[N],
        next: &mut Vec<N>,
        registers: &mut Registers<N>,
        rng: &mut Rng,
    ) -> Stepped {
        for &at in order {
            match self.attempt(at, state, next, registers, rng) {
                Ok(()) => return Stepped::By(at),
                Err(Stop::Disabled) => {}
                Err(Stop::Overflow) => return Stepped::Overflow,
            }
        }
        Stepped::Stuck
    }

    /// Tries one case from a state; writes the state after it.
    #[inline]
    pub(crate) fn attempt<N: Number>(
        &self,
        at: usize,
        state: &[N],
        next: &mut Vec<N>,
        registers: &mut Registers<N>,
        rng: &mut Rng,
    ) -> Result<(), Stop> {
        let case = &self.cases[at];
        let registers = &mut registers.values;
        let guesses = if case.free.is_empty() { 1 } else { GUESSES };
        for _ in 0..guesses {
            registers.clear();
            registers.extend_from_slice(state);
            for &sort in &self.free_sorts[at] {
                let guess = guess(case, sort, state, rng);
                registers.push(guess);
            }
            match case.program.run(registers) {
                Err(Stop::Disabled) => {}
                Err(stop) => return Err(stop),
                Ok(()) => {
                    next.clear();
                    next.extend(case.next.iter().map(|&register| registers[register as usize].clone()));
                    return Ok(());
                }
            }
        }
        Err(Stop::Disabled)
    }

    /// Runs one case from a state, with these values of its free variables; writes the state after it.
    pub(crate) fn run_case<N: Number>(
        &self,
        at: usize,
        state: &[N],
        free: &[N],
        next: &mut Vec<N>,
        registers: &mut Registers<N>,
    ) -> Result<(), Stop> {
        let case = &self.cases[at];
        let registers = &mut registers.values;
        registers.clear();
        registers.extend_from_slice(state);
        registers.extend_from_slice(free);
        case.program.run(registers)?;
        next.clear();
        next.extend(case.next.iter().map(|&register| registers[register as usize].clone()));
        Ok(())
    }

    /// The arguments of a vertex as values.
    pub(crate) fn values<N: Number>(&self, vertex: VertexId, state: &[N]) -> Vec<Value> {
        let sorts = &self.sorts[vertex.index()];
        let value = |(number, &sort): (&N, &Sort)| match sort {
            Sort::Bool => Value::Bool(number.is_true()),
            _ => Value::Num(number.to_rat()),
        };
        state.iter().zip(sorts).map(value).collect()
    }
}

/// A value as a number of the exact machine. Other sorts do not reach this: graphs with them are not compiled.
pub(crate) fn number(value: &Value) -> Rat {
    match value {
        Value::Bool(truth) => Rat::of_truth(*truth),
        value => value.as_num().cloned().unwrap_or(Rat::ZERO),
    }
}

/// A value for a free variable.
fn guess<N: Number>(case: &Case, sort: Sort, state: &[N], rng: &mut Rng) -> N {
    if sort == Sort::Bool {
        return N::of_truth(rng.chance(50));
    }
    let constants = N::constants(&case.program);
    match rng.index(4) {
        0 if !state.is_empty() => state[rng.index(state.len())].clone(),
        1 if !constants.is_empty() => {
            let constant = &constants[rng.index(constants.len())];
            let near = N::from(rng.range(-1..=1));
            let sum = constant.clone().add_product(&near, &N::from(1)).unwrap_or(N::ZERO);
            if sort == Sort::Int { sum.floor() } else { sum }
        }
        2 => N::from(rng.range(-3..=3)),
        _ => N::from(rng.range(-1_000..=1_000)),
    }
}

#[cfg(test)]
mod tests {
    use shem_chc::Edge;

    use super::*;

    /// `x` begins at 0; even numbers are halved and 5 is added, odd ones grow by one.
    #[test]
    fn states_are_those_of_the_program() {
        let mut store = Store::new();
        let mut graph = Graph::new();
        let vertex = graph.add_vertex(&mut store, "p", &[Sort::Int]);
        let (x, y) = (graph.vertex(vertex).state()[0], graph.vertex(vertex).target()[0]);
        let zero = store.int(0);
        let label = store.eq(y, zero);
        graph.add_edge(&mut store, Edge { sources: vec![], target: vertex, label });
        let even = store.divisible(&2.into(), x);
        let half = store.int_div(x, &2.into());
        let five = store.int(5);
        let (half, one) = (store.add(&[half, five]), store.int(1));
        let more = store.add(&[x, one]);
        let parts = [store.eq(y, half), store.eq(y, more)];
        let cases = [store.and2(even, parts[0]), store.and2(!even, parts[1])];
        let label = store.or(&cases);
        graph.add_edge(&mut store, Edge { sources: vec![vertex], target: vertex, label });
        let compiled = CompiledGraph::new(&store, &graph).unwrap();
        let mut rng = Rng::new(0);
        let (mut state, mut next): (Vec<i64>, Vec<i64>) = (Vec::new(), Vec::new());
        let mut registers = Registers::default();
        let case = compiled.starts[0];
        assert_eq!(compiled.step(&[case], &[], &mut state, &mut registers, &mut rng), Stepped::By(case));
        assert_eq!(state, [0]);
        let moves = &compiled.moves[vertex.index()];
        let mut seen = Vec::new();
        while seen.len() < 8 {
            let stepped = compiled.step(moves, &state, &mut next, &mut registers, &mut rng);
            assert!(matches!(stepped, Stepped::By(_)));
            std::mem::swap(&mut state, &mut next);
            seen.push(state[0]);
        }
        assert_eq!(seen, [5, 6, 8, 9, 10, 10, 10, 10]);
    }
}
