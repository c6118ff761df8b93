//! The engine: structures of more and more elements, and the interpretation that one stands for.

use std::collections::BTreeMap;

use shem_base::Effort;
use shem_chc::{Graph, Interpretation, VertexId};
use shem_term::{ConstructorTable, DatatypeTable, Sort, Store, Symbol, Term};

use super::clause::{Clause, Function, Sorts, clauses};
use super::structure::{Found, Structure};
use crate::context::Context;
use crate::reason::{Incomplete, Reason};
use crate::registry::{Answers, EngineDescription, Fragment, Make};
use crate::scope::Scope;
use crate::theories::Theories;
use crate::verdict::{Outcome, Verdict};
use crate::{Engine, settings};

settings! {
    /// Settings of the engine.
    pub struct FiniteModelSettings {
        elements: usize = 6,
            "finite-models.elements", "the most elements that a datatype has in a structure";
    }
}

/// The effort for one number of elements: larger structures are more often easy than small ones are hard.
const EFFORT: Effort = Effort { conflicts: 50_000, pivots: 1, splits: 1 };

/// The description of the engine for the registry.
pub(crate) const DESCRIPTION: EngineDescription = EngineDescription {
    name: "finite-models",
    summary: "finds finite structures in which all clauses over datatypes hold; refutes nothing",
    fragment: Fragment::AsRead,
    theories: Theories::All,
    answers: Answers::Safe,
    sends: &[],
    takes: &[],
    variations: crate::instances::SEEDS,
    constructor: &Make { engine: |settings| Box::new(FiniteModels::new(settings)) },
};

/// Finds finite models.
#[derive(Clone, Debug, Default)]
pub struct FiniteModels {
    settings: FiniteModelSettings,
}

impl FiniteModels {
    /// The engine with these settings.
    pub fn new(settings: FiniteModelSettings) -> FiniteModels {
        FiniteModels { settings }
    }

    fn find(
        &self,
        store: &mut Store,
        graph: &Graph,
        context: &mut Context<'_>,
    ) -> Result<Interpretation, Reason> {
        let mut sorts = Sorts::default();
        let mut predicates: BTreeMap<VertexId, Vec<Sort>> = BTreeMap::new();
        for vertex in graph.vertices() {
            let arguments = graph.vertex(vertex).sorts().to_vec();
            for &sort in &arguments {
                sorts.number(store, sort);
            }
            predicates.insert(vertex, arguments);
        }
        if !sorts.list.iter().any(|&sort| sort != Sort::Bool) {
            return Err(Incomplete::Method("no predicate has an argument of a datatype").into());
        }
        let mut found: Vec<Clause> = Vec::new();
        for (_, edge) in graph.edges() {
            let Some(own) = clauses(store, graph, &mut sorts, edge) else {
                return Err(Incomplete::Method("a clause has too many cases").into());
            };
            found.extend(own);
        }
        for elements in 1..=self.settings.elements {
            context.statistics.set("elements", elements as u64);
            let structure = Structure::new(store, &mut sorts, &found, &predicates, elements, context.seed);
            let Some(mut structure) = structure else {
                return Err(Incomplete::Method("a table of a finite structure would be too large").into());
            };
            let mut budget = context.budget.at_most(EFFORT);
            let found = structure.search(&mut budget);
            let counts = structure.statistics();
            context.statistics.add("structures", counts.solves);
            context.statistics.add("conflicts", counts.conflicts);
            context.statistics.add("decisions", counts.decisions);
            context.statistics.add("propagations", counts.propagations);
            match found {
                Ok(Found::Structure) => {
                    return Ok(interpretation(store, graph, &mut sorts, &structure, &predicates));
                }
                Ok(Found::Nothing) => {}
                // The next number of elements may be easier.
                Err(_) => context.budget.check_stop()?,
            }
        }
        Err(Incomplete::Method("no finite structure was found").into())
    }
}

impl Engine for FiniteModels {
    fn scope(&self) -> Scope {
        DESCRIPTION.scope()
    }

    fn search(&mut self, store: &mut Store, graph: &Graph, context: &mut Context<'_>) -> Verdict {
        match self.find(store, graph, context) {
            Ok(interpretation) => Outcome::safe(interpretation),
            Err(reason) => Outcome::unknown(reason),
        }
    }
}

/// What vertices stand for: the relations of the structure, about the elements that arguments evaluate to.
fn interpretation(
    store: &mut Store,
    graph: &Graph,
    sorts: &mut Sorts,
    structure: &Structure<'_>,
    predicates: &BTreeMap<VertexId, Vec<Sort>>,
) -> Interpretation {
    let mut tables = Vec::new();
    let mut datatypes = Vec::new();
    for (number, &sort) in sorts.list.clone().iter().enumerate() {
        let Some(datatype) = sort.as_datatype() else { continue };
        let mut constructors = Vec::new();
        for constructor in store.datatype(datatype).constructors() {
            let args = store.signature(constructor.symbol).args.to_vec();
            let values = structure.function(Function::Constructor(constructor.symbol));
            let is_datatype = |&field: &usize| args[field].is_datatype();
            constructors.push(ConstructorTable {
                fields: (0..args.len()).filter(is_datatype).collect(),
                values: values.to_vec(),
            });
        }
        tables.push(DatatypeTable { datatype, bound: structure.bounds[number], constructors });
        datatypes.push(sort);
    }
    let symbols: BTreeMap<Sort, Symbol> = datatypes.into_iter().zip(store.define_fold(tables)).collect();
    let mut result = Interpretation::new();
    for (&vertex, arguments) in predicates {
        let state = graph.vertex(vertex).state().to_vec();
        let mut tests: Vec<Vec<Term>> = Vec::new();
        for (&sort, &argument) in arguments.iter().zip(&state) {
            let Some(number) = sorts.number(store, sort) else { continue };
            tests.push(match symbols.get(&sort) {
                None => vec![!argument, argument],
                Some(&symbol) => {
                    let class = store.apply(symbol, &[argument]);
                    (0..structure.bounds[number])
                        .map(|value| {
                            let value = store.int(value as i64);
                            store.eq(class, value)
                        })
                        .collect()
                }
            });
        }
        let mut parts: Vec<Term> =
            structure.relation(vertex).iter().map(|&holds| Term::from_bool(holds == 1)).collect();
        for tests in tests.iter().rev() {
            parts = parts.chunks(tests.len()).map(|parts| choice(store, tests, parts)).collect();
        }
        result.insert(vertex, parts[0]);
    }
    result
}

/// The formula that is one of these parts, as the tests say, exactly one of which holds.
fn choice(store: &mut Store, tests: &[Term], parts: &[Term]) -> Term {
    if parts.iter().all(|&part| part == parts[0]) {
        return parts[0];
    }
    let mut grouped: BTreeMap<Term, Vec<Term>> = BTreeMap::new();
    for (&test, &part) in tests.iter().zip(parts) {
        grouped.entry(part).or_default().push(test);
    }
    let cases: Vec<Term> = grouped
        .into_iter()
        .map(|(part, tests)| {
            let here = store.or(&tests);
            store.and2(here, part)
        })
        .collect();
    store.or(&cases)
}
