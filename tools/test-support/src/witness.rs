//! The judge of witnesses, on graphs and on systems as read.

use shem_base::{Budget, Rng};
use shem_chc::{ClauseId, Derivation, EdgeId, Graph, Interpretation, Model, StepId, System, VertexId};
use shem_smt::{Answer, Solver};
use shem_term::{Store, Substitution, Term, Value};

use crate::oracle::{Facts, point};

fn is_unsat(store: &mut Store, formulas: &[Term]) -> bool {
    let mut solver = Solver::new(Default::default());
    for &formula in formulas {
        solver.assert(store, formula);
    }
    match solver.check(store, &mut Budget::unlimited()) {
        Answer::Unsat(_) => true,
        Answer::Sat(_) => false,
        Answer::Unknown(reason) => panic!("{reason}"),
    }
}

/// What does not hold of an interpretation of a graph, if anything.
pub fn interpretation(store: &mut Store, graph: &Graph, found: &Interpretation) -> Result<(), String> {
    for vertex in graph.vertices() {
        let Some(formula) = found.get(vertex) else { continue };
        let state = graph.vertex(vertex).state();
        if let Some(alien) = store.free_variables(&[formula]).iter().find(|v| !state.contains(v)) {
            return Err(format!("{vertex:?} is over {}", store.display(*alien)));
        }
    }
    for (id, edge) in graph.edges() {
        let mut formulas = vec![edge.label];
        for (position, &source) in edge.sources.iter().enumerate() {
            if found.get(source).is_some() {
                let variables = graph.source_variables(edge, position);
                formulas.push(found.apply(store, graph, source, variables));
            }
        }
        if found.get(edge.target).is_none() {
            continue;
        }
        let target = graph.vertex(edge.target).target();
        formulas.push(!found.apply(store, graph, edge.target, target));
        if !is_unsat(store, &formulas) {
            return Err(format!("{id:?} {:?} -> {:?} does not hold", edge.sources, edge.target));
        }
    }
    Ok(())
}

/// The steps that are looked at one by one.
const MOST_STEPS: u64 = 100_000;

/// What is wrong with a derivation in a graph, if anything. Repetitions are taken apart.
pub fn derivation(store: &mut Store, graph: &Graph, found: &Derivation<EdgeId>) -> Result<(), String> {
    let found = &found.expanded(store, MOST_STEPS).ok_or("too many steps to be looked at")?;
    let mut targets: Vec<VertexId> = Vec::new();
    for (id, step) in found.steps() {
        let edge = graph.get_edge(step.rule).ok_or_else(|| format!("{id:?} by {:?}", step.rule))?;
        let sources: Vec<VertexId> = step.premises.iter().map(|p| targets[p.index()]).collect();
        if sources != edge.sources {
            return Err(format!("{id:?} has premises {sources:?}, not {:?}", edge.sources));
        }
        let mut formulas = vec![edge.label];
        for (position, &premise) in step.premises.iter().enumerate() {
            let variables = graph.source_variables(edge, position).to_vec();
            formulas.push(point(store, &variables, found.step(premise).values));
        }
        let target = graph.vertex(edge.target).target().to_vec();
        formulas.push(point(store, &target, step.values));
        if is_unsat(store, &formulas) {
            return Err(format!("{id:?} by {:?} is not a step", step.rule));
        }
        targets.push(edge.target);
    }
    if targets.last() == Some(&VertexId::FALSE) { Ok(()) } else { Err("falsehood is not derived".into()) }
}

/// What does not hold of a model of a system, if anything.
pub fn model(store: &mut Store, system: &System, found: &Model) -> Result<(), String> {
    for (at, clause) in system.clauses.iter().enumerate() {
        let mut formulas = vec![clause.constraint];
        for (atom, head) in
            clause.body.iter().map(|a| (a, false)).chain(clause.head.iter().map(|a| (a, true)))
        {
            let definition = found.definition(atom.predicate);
            let mut substitution = Substitution::new();
            for (&parameter, &arg) in definition.parameters.iter().zip(&atom.args) {
                substitution.insert(store.as_var(parameter).unwrap(), arg);
            }
            let formula = store.substitute(definition.body, &substitution);
            formulas.push(formula.xor(head));
        }
        if !is_unsat(store, &formulas) {
            return Err(format!("clause {at} does not hold"));
        }
    }
    Ok(())
}

/// What is wrong with a derivation in a system, if anything.
pub fn refutation(store: &mut Store, system: &System, found: &Derivation<ClauseId>) -> Result<(), String> {
    let found = &found.expanded(store, MOST_STEPS).ok_or("too many steps to be looked at")?;
    let mut last = false;
    for (id, step) in found.steps() {
        let clause = system.clause(step.rule);
        if step.premises.len() != clause.body.len() {
            return Err(format!("{id:?} lacks premises"));
        }
        let mut formulas = vec![clause.constraint];
        let fact = |at: StepId| {
            let step = found.step(at);
            (system.clause(step.rule).head.as_ref().map(|head| head.predicate), step.values)
        };
        for (atom, &premise) in clause.body.iter().zip(step.premises) {
            let (predicate, values) = fact(premise);
            if predicate != Some(atom.predicate) {
                return Err(format!("{id:?} has a premise of another predicate"));
            }
            formulas.push(arguments(store, &atom.args, values));
        }
        if let Some(head) = &clause.head {
            formulas.push(arguments(store, &head.args, step.values));
        }
        if is_unsat(store, &formulas) {
            return Err(format!("{id:?} by clause {} is not a step", step.rule.index()));
        }
        last = clause.head.is_none();
    }
    if last { Ok(()) } else { Err("falsehood is not derived".into()) }
}

fn arguments(store: &mut Store, args: &[Term], values: &[Value]) -> Term {
    assert_eq!(args.len(), values.len());
    let mut parts = Vec::new();
    for (&arg, value) in args.iter().zip(values) {
        parts.push(store.value_literal(arg, value));
    }
    store.and(&parts)
}

/// Interpretations that are weaker than a given one and still hold: vertex by vertex, in a random order,
/// truth, the hull of the arguments' values, or one more point, whatever holds first.
pub fn weaken(
    store: &mut Store,
    graph: &Graph,
    rng: &mut Rng,
    facts: &Facts,
    least: &Interpretation,
) -> Interpretation {
    let mut found = least.clone();
    let mut vertices: Vec<VertexId> = graph.vertices().collect();
    rng.shuffle(&mut vertices);
    for vertex in vertices {
        let state = graph.vertex(vertex).state().to_vec();
        let known = &facts.facts[vertex.index()];
        let mut attempts = Vec::new();
        if rng.chance(60) {
            attempts.push(Term::TRUE);
        }
        attempts.push(hull(store, &state, known));
        for (at, &variable) in state.iter().enumerate() {
            // A half-space: what is not beyond the facts in one argument.
            let numbers: Vec<_> = known.iter().filter_map(|f| f.0[at].as_num().cloned()).collect();
            if let Some(low) = numbers.iter().min() {
                let low = store.numeral(low, store.sort(variable));
                attempts.push(store.ge(variable, low));
            }
        }
        for attempt in attempts {
            let mut trial = found.clone();
            let union = store.or2(attempt, found.get(vertex).expect("an entry"));
            trial.insert(vertex, union);
            if interpretation(store, graph, &trial).is_ok() {
                found = trial;
                break;
            }
        }
    }
    found
}

/// The interval hull of facts.
fn hull(store: &mut Store, state: &[Term], known: &[(Vec<Value>, StepId)]) -> Term {
    if known.is_empty() {
        return Term::FALSE;
    }
    let mut parts = Vec::new();
    for (at, &variable) in state.iter().enumerate() {
        let numbers: Vec<_> = known.iter().filter_map(|f| f.0[at].as_num().cloned()).collect();
        if let (Some(low), Some(high)) = (numbers.iter().min(), numbers.iter().max()) {
            let (low, high) =
                (store.numeral(low, store.sort(variable)), store.numeral(high, store.sort(variable)));
            parts.push(store.ge(variable, low));
            parts.push(store.le(variable, high));
        }
    }
    store.and(&parts)
}
