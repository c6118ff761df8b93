//! The shortest derivation of a system whose clauses have several atoms in their bodies.
//!
//! A derivation of `n` facts fills `n` slots, each by an edge whose premises are facts of slots before it. Each edge
//! that a slot may have taken and each slot that a premise may come from is a Boolean, so one query looks for all
//! derivations of this length: for one fact, for two, and so on. Facts are counted once, however often they are used.
//!
//! The number of Booleans grows with the square of the length, and symmetric orders of independent facts are all there, so
//! this is for derivations of about ten facts.

use shem_base::Budget;
use shem_chc::{Derivation, EdgeId, Graph, StepId, VertexId};
use shem_proof::NoProof;
use shem_smt::{Answer, Model, Solver};
use shem_term::{Sort, Store, Term, Value};

/// The facts that may stand in a place of the derivation, one for each vertex.
type Slot = Vec<Fact>;

/// A fact that may stand in a slot.
struct Fact {
    vertex: VertexId,
    is_here: Term,
    arguments: Vec<Term>,
    /// The edges that may derive it.
    edges: Vec<Taken>,
}

/// An edge that may be taken.
struct Taken {
    edge: EdgeId,
    is_taken: Term,
    /// By premise: the slots that it may come from.
    premises: Vec<Vec<(usize, Term)>>,
}

/// The shortest derivation of at most this many steps, and whether all of them were looked at.
pub(super) fn shortest(
    store: &mut Store,
    graph: &mut Graph,
    most: usize,
    budget: &mut Budget,
) -> (Option<Derivation<EdgeId>>, bool) {
    let mut solver = Solver::with_proof(Default::default(), NoProof);
    let mut slots: Vec<Slot> = Vec::new();
    let vertices: Vec<VertexId> = graph.vertices().filter(|&vertex| vertex != VertexId::FALSE).collect();
    for length in 1..=most {
        solver.push();
        let Some(query) = add_slot(store, graph, &mut solver, &slots, &[VertexId::FALSE], budget) else {
            return (None, false);
        };
        match solver.check(store, budget) {
            Answer::Sat(mut solution) => {
                let model = solution.model();
                slots.push(query);
                return (Some(derivation(store, &slots, &model)), true);
            }
            Answer::Unsat(_) => {}
            Answer::Unknown(_) => return (None, false),
        }
        solver.pop();
        if length < most {
            let Some(slot) = add_slot(store, graph, &mut solver, &slots, &vertices, budget) else {
                return (None, false);
            };
            slots.push(slot);
        }
    }
    (None, true)
}

/// Asserts that another slot has a fact of one of these vertices, which follows from facts of the slots before; `None` if
/// the budget ends.
fn add_slot(
    store: &mut Store,
    graph: &mut Graph,
    solver: &mut Solver<NoProof>,
    before: &[Slot],
    vertices: &[VertexId],
    budget: &Budget,
) -> Option<Slot> {
    let mut slot = Slot::new();
    for &vertex in vertices {
        let is_here = graph.fresh(store, Sort::Bool);
        let sorts = graph.vertex(vertex).sorts().to_vec();
        let arguments: Vec<Term> = sorts.iter().map(|&sort| graph.fresh(store, sort)).collect();
        let (mut ways, mut edges) = (vec![!is_here], Vec::new());
        for id in graph.incoming(vertex).collect::<Vec<_>>() {
            budget.check_stop().ok()?;
            let edge = graph.edge(id).clone();
            let is_taken = graph.fresh(store, Sort::Bool);
            ways.push(is_taken);
            let (mut sources, mut premises) = (Vec::new(), Vec::new());
            for &source in &edge.sources {
                let sorts = graph.vertex(source).sorts().to_vec();
                let premise: Vec<Term> = sorts.iter().map(|&sort| graph.fresh(store, sort)).collect();
                let mut choices = vec![!is_taken];
                let mut slots = Vec::new();
                for (at, slot) in before.iter().enumerate() {
                    let Some(fact) = slot.iter().find(|fact| fact.vertex == source) else { continue };
                    let comes_from = graph.fresh(store, Sort::Bool);
                    let pairs = premise.iter().zip(&fact.arguments);
                    let mut same: Vec<Term> = pairs.map(|(&a, &b)| store.eq(a, b)).collect();
                    same.push(fact.is_here);
                    let same = store.and(&same);
                    let chosen = store.implies(comes_from, same);
                    solver.assert(store, chosen);
                    choices.push(comes_from);
                    slots.push((at, comes_from));
                }
                let some = store.or(&choices);
                solver.assert(store, some);
                sources.push(premise);
                premises.push(slots);
            }
            let sources: Vec<&[Term]> = sources.iter().map(Vec::as_slice).collect();
            let label = graph.instantiate(store, &edge, &sources, &arguments);
            let follows = store.implies(is_taken, label);
            solver.assert(store, follows);
            edges.push(Taken { edge: id, is_taken, premises });
        }
        let derived = store.or(&ways);
        solver.assert(store, derived);
        // A slot has one fact.
        for other in &slot {
            let not_both = store.or2(!is_here, !other.is_here);
            solver.assert(store, not_both);
        }
        slot.push(Fact { vertex, is_here, arguments, edges });
    }
    let here: Vec<Term> = slot.iter().map(|fact| fact.is_here).collect();
    let somewhere = store.or(&here);
    solver.assert(store, somewhere);
    Some(slot)
}

/// The derivation that a model describes, whose last slot is falsehood.
fn derivation(store: &Store, slots: &[Slot], model: &Model) -> Derivation<EdgeId> {
    let value = |term: Term| model.value_or_default(store, store.as_var(term).expect("a variable"));
    let holds = |term: Term| value(term).as_bool() == Some(true);
    let mut derivation = Derivation::new();
    for slot in slots {
        let fact = slot.iter().find(|fact| holds(fact.is_here)).expect("a slot has a fact");
        let taken = fact.edges.iter().find(|taken| holds(taken.is_taken)).expect("a fact is derived");
        let premise = |choices: &Vec<(usize, Term)>| {
            let chosen = choices.iter().find(|choice| holds(choice.1)).expect("a premise is derived");
            StepId::new(chosen.0)
        };
        let premises: Vec<StepId> = taken.premises.iter().map(premise).collect();
        let values: Vec<Value> = fact.arguments.iter().map(|&argument| value(argument)).collect();
        derivation.push(taken.edge, &premises, values);
    }
    derivation
}
