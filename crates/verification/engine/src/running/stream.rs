//! Steps that are not kept.
//!
//! After many single steps without a jump the loop is neither periodic nor polynomial, as far as can be seen, and
//! keeping its states would cost memory. If it is a loop at one vertex, and each of its edges or the members of its
//! disjunction are functions that can be written as terms, the run goes on without keeping anything; if it reaches
//! falsehood, the derivation has a [run](Run) in place of these steps, which the judge takes again. It ends where there
//! is a choice, since the judge would have to make the same.

use shem_base::{Budget, UnknownReason};
use shem_chc::{EdgeId, Graph, Run, RunCase, VertexId, functional};
use shem_term::Store;

use super::code::{Number, Stop};
use super::run::{CompiledGraph, Registers, Stepped};
use super::search::{End, RunSearch};
use super::trace::Trace;

/// The stop token is read once for this many steps.
const STEPS_PER_STOP_CHECK: u64 = 4096;

/// The cases of the loops at a vertex as terms; `None` if an edge leads elsewhere or is no function.
fn cases(store: &mut Store, graph: &Graph, vertex: VertexId) -> Option<Run<EdgeId>> {
    let (inputs, outputs) = (graph.vertex(vertex).state().to_vec(), graph.vertex(vertex).target().to_vec());
    let mut cases = Vec::new();
    for id in graph.outgoing(vertex).collect::<Vec<_>>() {
        let edge = graph.edge(id);
        if edge.target == VertexId::FALSE {
            continue;
        }
        if edge.target != vertex {
            return None;
        }
        for member in store.disjuncts(edge.label) {
            let (guard, next) = functional(store, member, &inputs, &outputs)?;
            cases.push(RunCase { rule: id, guard, next });
        }
    }
    (!cases.is_empty()).then_some(Run { arguments: inputs, cases, steps: 0 })
}

impl RunSearch<'_> {
    /// Allows runs of this graph to go on without keeping their steps, where its loops are functions.
    pub(crate) fn allow_streams(&mut self, store: &mut Store, graph: &Graph) {
        for vertex in graph.vertices() {
            if let Some(run) = cases(store, graph, vertex) {
                self.streams.insert(vertex, run);
            }
        }
    }

    /// Goes on with a run without keeping its steps.
    pub(super) fn stream<N: Number>(
        &mut self,
        trace: Trace<N>,
        vertex: VertexId,
        mut state: Vec<N>,
        budget: &Budget,
    ) -> Result<End<N>, UnknownReason> {
        let graph: &CompiledGraph = self.graph;
        let Some(run) = self.streams.get(&vertex) else { return Ok(End::Steps) };
        let mut run = run.clone();
        let mut registers = Registers::default();
        let mut next = Vec::new();
        let moves = &graph.moves[vertex.index()];
        let (mut number, mut weight) = (0, 0);
        while weight < self.limits.stream {
            number += 1;
            if number % STEPS_PER_STOP_CHECK == 0 {
                budget.check_stop()?;
            }
            let case = match graph.step(moves, &state, &mut next, &mut registers, &mut self.rng) {
                Stepped::By(case) => case,
                Stepped::Stuck => return Ok(End::Stuck),
                // The exact machine begins again where the kept steps end.
                Stepped::Overflow => return Ok(End::Overflow(trace)),
            };
            if moves.len() > 1 && self.has_alternative(case, moves, &state, &mut registers) {
                self.choice = true;
                return Ok(End::Steps);
            }
            self.steps += 1;
            weight += N::weight(&next) as u64;
            self.work += N::weight(&next) as u64;
            std::mem::swap(&mut state, &mut next);
            for &query in &graph.queries[vertex.index()] {
                match graph.attempt(query, &state, &mut next, &mut registers, &mut self.rng) {
                    Ok(()) => {
                        let (mut derivation, premise) = trace.steps(graph);
                        let premise = premise.expect("a run begins with a step");
                        run.steps = number;
                        let last = derivation.push_run(premise, run, graph.values(vertex, &state));
                        derivation.push(graph.cases[query].edge, &[last], []);
                        return Ok(End::Reached(derivation));
                    }
                    Err(Stop::Disabled) => {}
                    Err(Stop::Overflow) => return Ok(End::Overflow(trace)),
                }
            }
        }
        Ok(End::Steps)
    }
}
