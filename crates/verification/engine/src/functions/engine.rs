//! The engine: from functions and lemmas to an interpretation that every edge keeps.

use std::collections::{BTreeMap, BTreeSet};

use shem_base::Budget;
use shem_chc::{Edge, EdgeId, Graph, Interpretation, VertexId};
use shem_check::Certificate;
use shem_check::certificate::{Fact, FunctionDefinition, FunctionModel, Lemma};
use shem_term::{Store, Term, Value};

use super::evaluate::{Machine, random_value};
use super::explore::{Explorer, is_instance};
use super::flow::Flow;
use super::prove::{FEW_ROUNDS, MOST_ROUNDS, Means, Prover, Statement};
use super::reading::{self, Modes, Reading};
use crate::context::Context;
use crate::reason::{Incomplete, Reason, Unavailable};
use crate::registry::{Answers, EngineDescription, Fragment, Make};
use crate::scope::Scope;
use crate::theories::Theories;
use crate::verdict::{Outcome, Proven, Verdict, WitnessSource};
use crate::{Engine, settings};

settings! {
    /// Settings of the engine.
    pub struct FunctionSettings {
        size: usize = 7,
            "functions.size", "the size of the terms up to which lemmas are looked for";
    }
}

/// The most predicates and clauses of a system that is looked at.
const MOST_VERTICES: usize = 60;
const MOST_EDGES: usize = 300;

/// The values on which a query is tried before it is proved.
const TESTS: usize = 200;

/// The conjectures of one size that are tried.
const MOST_CONJECTURES: usize = 80;

/// The models of a query that are refuted before there are lemmas.
const ROUNDS_AT_FIRST: usize = 5;

/// How often a conjecture is tried, each time with more lemmas.
const MOST_ATTEMPTS: usize = 2;

/// The description of the engine for the registry.
pub(crate) const DESCRIPTION: EngineDescription = EngineDescription {
    name: "functions",
    summary: "reads predicates as recursive functions and proves queries by induction; refutes nothing",
    fragment: Fragment::Uncomposed,
    theories: Theories::All,
    answers: Answers::Safe,
    sends: &[],
    takes: &[],
    variations: crate::instances::SEEDS,
    constructor: &Make { engine: |settings| Box::new(Functions::new(settings)) },
};

/// Proves systems whose predicates are functions.
#[derive(Clone, Debug, Default)]
pub struct Functions {
    settings: FunctionSettings,
}

impl Functions {
    /// The engine with these settings.
    pub fn new(settings: FunctionSettings) -> Functions {
        Functions { settings }
    }

    fn find(
        &self,
        store: &mut Store,
        graph: &Graph,
        context: &mut Context<'_>,
    ) -> Result<FunctionModel, Reason> {
        if graph.vertices().count() > MOST_VERTICES || graph.edge_count() > MOST_EDGES {
            return Err(Incomplete::Method("the system is too large to be read as functions").into());
        }
        let budget = context.budget.clone();
        let mut read = Err(Reason::from(Incomplete::Method("the functions do not satisfy a query")));
        for with_domains in [false, true] {
            let Reading { functions, modes } =
                reading::read(store, graph, with_domains, context.seed, &budget);
            context.statistics.set("functions", functions.len() as u64);
            budget.check_stop()?;
            if functions.is_empty() {
                return Err(Incomplete::Method("no predicate is a function").into());
            }
            let Some(interpretation) = interpretation(store, graph, &modes) else {
                let what = "a predicate is no function, and no query tells what it is";
                return Err(Incomplete::Method(what).into());
            };
            let goals = goals(store, graph, &modes, &interpretation);
            let is_right = {
                let machine = Machine::new(store, &functions);
                let index: BTreeMap<_, _> =
                    functions.iter().enumerate().map(|(at, f)| (f.symbol, at)).collect();
                !goals.iter().any(|goal| is_wrong(store, &machine, &index, goal, context.seed))
            };
            if is_right {
                read = Ok((functions, interpretation, goals));
                break;
            }
        }
        let (functions, interpretation, mut goals) = read?;
        let mut prover = Prover::new(&functions);
        let mut explorer = Explorer::new(store, &functions, context.seed);
        let mut facts: BTreeMap<EdgeId, Vec<Fact>> = BTreeMap::new();
        let mut learnt: Vec<Statement> = Vec::new();
        // With the numbers of attempts.
        let mut failed: Vec<(Statement, usize)> = Vec::new();
        for size in 1..=self.settings.size {
            context.statistics.set("size", size as u64);
            if size > 1 {
                let mut conjectures = explorer.next(store, &functions, &budget);
                conjectures.truncate(MOST_CONJECTURES);
                context.statistics.add("conjectures", conjectures.len() as u64);
                let mut pending: Vec<(Statement, usize)> = conjectures.into_iter().map(|c| (c, 0)).collect();
                pending.append(&mut failed);
                let before = prover.lemmas.len();
                for (conjecture, attempts) in pending {
                    budget.check_stop()?;
                    let known = prover.lemmas.len();
                    if is_instance(store, &conjecture, failed.iter().map(|(other, _)| other).chain(&learnt)) {
                        continue;
                    }
                    if attempts >= MOST_ATTEMPTS {
                        failed.push((conjecture, attempts));
                        continue;
                    }
                    let proved = prover.prove(store, &conjecture, FEW_ROUNDS, &budget);
                    match proved {
                        None => failed.push((conjecture, attempts + 1)),
                        // What needs no induction is found again where it is needed.
                        Some(at) if prover.lemmas[at].lemma.measure.is_empty() => {
                            prover.lemmas.truncate(known);
                        }
                        Some(_) => {
                            explorer.learn(store, &conjecture);
                            learnt.push(conjecture);
                        }
                    }
                }
                context.statistics.set("lemmas", prover.lemmas.len() as u64);
                if prover.lemmas.len() == before {
                    continue;
                }
            }
            for goal in goals.iter_mut().filter(|goal| goal.lemma.is_none()) {
                budget.check_stop()?;
                // The more lemmas there are, the more instances a proof may need.
                let rounds = (ROUNDS_AT_FIRST + 3 * size).min(MOST_ROUNDS);
                goal.lemma = prover.prove(store, &goal.statement, rounds, &budget);
            }
            if goals.iter().any(|goal| goal.lemma.is_none()) {
                continue;
            }
            if self.prove_edges(store, graph, &prover, &interpretation, &goals, &mut facts, &budget)? {
                let lemmas = prover.lemmas.into_iter().map(|known| known.lemma).collect();
                let functions = functions
                    .into_iter()
                    .map(|f| FunctionDefinition {
                        symbol: f.symbol,
                        parameters: f.parameters,
                        body: f.body,
                        group: f.group,
                        measure: f.measure,
                        rank: f.rank,
                    })
                    .collect();
                let mut model = FunctionModel { functions, lemmas, interpretation, edges: facts };
                drop_unused(&mut model);
                return Ok(model);
            }
        }
        Err(Incomplete::Method("the lemmas that were found do not suffice").into())
    }

    /// Proves the edges that have not been proved; whether all are.
    #[expect(clippy::too_many_arguments, reason = "all that a proof of an edge is made of")]
    fn prove_edges(
        &self,
        store: &mut Store,
        graph: &Graph,
        prover: &Prover<'_>,
        interpretation: &Interpretation,
        goals: &[Goal],
        facts: &mut BTreeMap<EdgeId, Vec<Fact>>,
        budget: &Budget,
    ) -> Result<bool, Reason> {
        for (id, edge) in graph.edges() {
            if facts.contains_key(&id) {
                continue;
            }
            budget.check_stop()?;
            let mut means = Means { rounds: MOST_ROUNDS, ..Means::default() };
            let goal = goals.iter().find(|goal| goal.edge == id);
            if let Some(goal) = goal
                && let (Some(at), Some(instance)) = (goal.lemma, &goal.instance)
            {
                means.facts.push(Fact::Lemma(at, instance.clone()));
            }
            let canonical: BTreeSet<Term> = canonical(graph, edge).into_iter().collect();
            means.allowed = Some(&canonical);
            let formulas = edge_formulas(store, graph, edge, interpretation);
            let Some(found) = prover.follows(store, &formulas, &means, budget) else { return Ok(false) };
            facts.insert(id, found);
        }
        Ok(true)
    }
}

impl Engine for Functions {
    fn scope(&self) -> Scope {
        DESCRIPTION.scope()
    }

    fn search(&mut self, store: &mut Store, graph: &Graph, context: &mut Context<'_>) -> Verdict {
        match self.find(store, graph, context) {
            Ok(model) => Outcome::Safe(Proven {
                witness: WitnessSource::Missing(Unavailable::CertificateOnly),
                certificate: Some(Certificate::Functions(Box::new(model))),
            }),
            Err(reason) => Outcome::unknown(reason),
        }
    }
}

/// The variables of sources and target.
fn canonical(graph: &Graph, edge: &Edge) -> Vec<Term> {
    let mut variables = graph.vertex(edge.target).target().to_vec();
    for position in 0..edge.sources.len() {
        variables.extend_from_slice(graph.source_variables(edge, position));
    }
    variables
}

/// What contradicts itself if the interpretation keeps an edge.
fn edge_formulas(
    store: &mut Store,
    graph: &Graph,
    edge: &Edge,
    interpretation: &Interpretation,
) -> Vec<Term> {
    let mut formulas = vec![edge.label];
    for (position, &source) in edge.sources.iter().enumerate() {
        let variables = graph.source_variables(edge, position).to_vec();
        formulas.push(interpretation.apply(store, graph, source, &variables));
    }
    let target = graph.vertex(edge.target).target().to_vec();
    formulas.push(!interpretation.apply(store, graph, edge.target, &target));
    formulas
}

/// What vertices stand for. One that is no function stands for what the queries ask of it: those in which nothing else is
/// no function, and whose variables its arguments determine.
fn interpretation(store: &mut Store, graph: &Graph, modes: &Modes) -> Option<Interpretation> {
    let mut result = Interpretation::new();
    for vertex in graph.vertices() {
        let state = graph.vertex(vertex).state().to_vec();
        let formula = match modes.get(&vertex) {
            Some(mode) => mode.formula(store, &state),
            None => asked(store, graph, modes, vertex)?,
        };
        result.insert(vertex, formula);
    }
    Some(result)
}

fn asked(store: &mut Store, graph: &Graph, modes: &Modes, vertex: VertexId) -> Option<Term> {
    let state = graph.vertex(vertex).state().to_vec();
    let mut parts = Vec::new();
    for id in graph.outgoing(vertex).collect::<Vec<EdgeId>>() {
        let edge = graph.edge(id);
        if edge.target != VertexId::FALSE {
            continue;
        }
        let others = edge.sources.iter().filter(|source| !modes.contains_key(source)).count();
        let position = edge.sources.iter().position(|&source| source == vertex)?;
        if others > 1 {
            return None;
        }
        let variables = graph.source_variables(edge, position).to_vec();
        let known = (&variables[..], &state[..]);
        let mut flow = Flow::new(store, graph, edge, modes, Some(position), known);
        flow.run(store);
        if !flow.is_complete() {
            return None;
        }
        parts.push(!store.and(&flow.guards));
    }
    Some(store.and(&parts))
}

/// A query as a statement about functions.
struct Goal {
    edge: EdgeId,
    statement: Statement,
    /// What its variables are in the edge, if these are arguments of predicates.
    instance: Option<Vec<Term>>,
    lemma: Option<usize>,
}

/// The queries all of whose predicates are functions: edges to falsehood, and to vertices that stand for it.
fn goals(store: &mut Store, graph: &Graph, modes: &Modes, interpretation: &Interpretation) -> Vec<Goal> {
    let mut goals = Vec::new();
    for (id, edge) in graph.edges() {
        let is_query = interpretation.get(edge.target) == Some(Term::FALSE);
        if !is_query || !edge.sources.iter().all(|source| modes.contains_key(source)) {
            continue;
        }
        let mut flow = Flow::new(store, graph, edge, modes, None, (&[], &[]));
        let mut given = Vec::new();
        flow.run(store);
        while let Some(variable) = flow.give(store) {
            given.push(variable);
            flow.run(store);
        }
        let formula = !store.and(&flow.guards);
        let canonical = canonical(graph, edge);
        let free = store.free_variables(&[formula]);
        given.retain(|variable| free.contains(variable));
        let variables: Vec<Term> = given.iter().map(|&v| store.variable("q", store.sort(v))).collect();
        let formula = store.rename(formula, &given, &variables);
        let instance = given.iter().all(|v| canonical.contains(v)).then_some(given);
        let statement = Statement { variables, formula, sides: None };
        goals.push(Goal { edge: id, statement, instance, lemma: None });
    }
    goals
}

/// Whether some values make a goal false.
fn is_wrong(
    store: &Store,
    machine: &Machine<'_>,
    index: &BTreeMap<shem_term::Symbol, usize>,
    goal: &Goal,
    seed: u64,
) -> bool {
    let mut rng = shem_base::Rng::new(seed ^ 0x90a1);
    let Statement { variables, formula, .. } = &goal.statement;
    (0..TESTS).any(|test| {
        let values: Vec<Value> =
            variables.iter().map(|&v| random_value(store, &mut rng, store.sort(v), test % 5)).collect();
        let values = Given { store, machine, index, variables, values };
        store.evaluate(*formula, &values) == Some(Value::Bool(false))
    })
}

/// Values of variables and functions.
struct Given<'a> {
    store: &'a Store,
    machine: &'a Machine<'a>,
    index: &'a BTreeMap<shem_term::Symbol, usize>,
    variables: &'a [Term],
    values: Vec<Value>,
}

impl shem_term::Assignment for Given<'_> {
    fn value(&self, symbol: shem_term::Symbol) -> Option<Value> {
        let at = self.variables.iter().position(|&v| self.store.as_var(v) == Some(symbol));
        at.map(|at| self.values[at].clone())
    }

    fn apply(&self, symbol: shem_term::Symbol, args: &[Value]) -> Option<Value> {
        self.machine.value(*self.index.get(&symbol)?, args)
    }
}

/// Removes lemmas that nothing uses.
fn drop_unused(model: &mut FunctionModel) {
    let mut used = vec![false; model.lemmas.len()];
    let mark = |facts: &[Fact], used: &mut Vec<bool>| {
        for fact in facts {
            if let Fact::Lemma(at, _) = fact {
                used[*at] = true;
            }
        }
    };
    for facts in model.edges.values() {
        mark(facts, &mut used);
    }
    for at in (0..used.len()).rev() {
        if used[at] {
            mark(&model.lemmas[at].facts, &mut used);
        }
    }
    let mut numbers = Vec::with_capacity(used.len());
    let mut next = 0;
    for &used in &used {
        numbers.push(next);
        next += usize::from(used);
    }
    let renumber = |facts: &mut Vec<Fact>| {
        for fact in facts {
            if let Fact::Lemma(at, _) = fact {
                *at = numbers[*at];
            }
        }
    };
    let lemmas: Vec<Lemma> = std::mem::take(&mut model.lemmas);
    for (lemma, used) in lemmas.into_iter().zip(used) {
        if used {
            model.lemmas.push(lemma);
        }
    }
    model.lemmas.iter_mut().for_each(|lemma| renumber(&mut lemma.facts));
    model.edges.values_mut().for_each(renumber);
}
