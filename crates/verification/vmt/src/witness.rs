//! Witnesses in the words of the file.
//!
//! The clauses of a property may have been read again from their text, by this process and by others; so a witness is
//! one of a system with the predicates of [`Encoding`](crate::Encoding), in any store, and meets the file only by
//! positions of arguments and by names.

use std::collections::BTreeMap;
use std::fmt;

use shem_base::{Budget, UnknownReason};
use shem_chc::{ClauseId, Derivation, Model, PredicateId, StepId, System};
use shem_check::DerivationValues;
use shem_term::{Sort, Store, Symbol, Term, Value, View, quote_symbol};

use crate::clauses::{LASSO, Reduction};
use crate::names::Names;
use crate::system::Vmt;

/// A definition that shows a property: a formula over the state variables by their names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invariant {
    /// A name that nothing in the file has, quoted where needed.
    pub name: String,
    /// What the formula mentions beside the state variables: names, quoted where needed, and sorts.
    pub parameters: Vec<(String, String)>,
    /// The formula.
    pub body: String,
}

impl fmt::Display for Invariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Invariant { name, parameters, body } = self;
        let list: Vec<String> = parameters.iter().map(|(name, sort)| format!("({name} {sort})")).collect();
        write!(f, "(define-fun {name} ({}) Bool\n    {body})", list.join(" "))
    }
}

/// The definitions of a model about the state variables.
pub fn invariants(
    vmt: &Vmt,
    store: &Store,
    system: &System,
    model: &Model,
    reduction: Reduction,
) -> Vec<Invariant> {
    let mut names = Names::default();
    for state in &vmt.states {
        names.take(&state.name);
    }
    vmt.inputs.iter().for_each(|(name, _)| {
        names.take(name);
    });
    let own: Vec<String> = vmt.states.iter().map(|state| state.name.to_string()).collect();
    let mut saved = Vec::new();
    let mut result = Vec::new();
    for at in 0..system.predicates.len() {
        let definition = model.definition(PredicateId::new(at));
        let sorts: Vec<Sort> = definition.parameters.iter().map(|&p| store.sort(p)).collect();
        // All arguments, and those that are no state variables.
        let (all, extra): (Vec<String>, Vec<usize>) = match reduction {
            Reduction::Lasso if at == LASSO => {
                saved.extend(own.iter().map(|name| names.fresh(&format!("{name}!saved"))));
                let failed = names.fresh("failed");
                let all: Vec<String> = saved.iter().chain(&own).cloned().chain([failed]).collect();
                let last = all.len() - 1;
                (all, (0..own.len()).chain([last]).collect())
            }
            Reduction::Count(_) => {
                let all: Vec<String> = own.iter().cloned().chain([names.fresh("failures")]).collect();
                let last = all.len() - 1;
                (all, vec![last])
            }
            _ => (own.clone(), Vec::new()),
        };
        let quoted = |name: &String| quote_symbol(name).into_owned();
        let parameters =
            extra.iter().map(|&at| (quoted(&all[at]), store.display_sort(sorts[at]).to_string())).collect();
        let name = names.fresh(if at == LASSO { "lasso" } else { "invariant" });
        let body = formula_text(store, definition.body, &definition.parameters, &all, &mut names.clone());
        result.push(Invariant { name: quoted(&name), parameters, body });
    }
    result
}

/// The text of a formula with these names for its variables.
fn formula_text(
    store: &Store,
    body: Term,
    parameters: &[Term],
    names: &[String],
    taken: &mut Names,
) -> String {
    let mut texts: BTreeMap<Symbol, String> = BTreeMap::new();
    for (&parameter, name) in parameters.iter().zip(names) {
        texts.insert(store.as_var(parameter).expect("a variable"), quote_symbol(name).into_owned());
    }
    // Bound variables must not have the names of the file.
    for term in store.subterms(&[body]) {
        let View::Forall(bound, _) = store.view(term) else { continue };
        for &variable in bound {
            let symbol = store.as_var(variable).expect("a variable");
            let fresh = || quote_symbol(&taken.fresh(store.name(symbol))).into_owned();
            texts.entry(symbol).or_insert_with(fresh);
        }
    }
    let text = |symbol: Symbol| texts.get(&symbol).map(String::as_str);
    store.display(body).with_differences().with_symbols(&text).to_string()
}

/// A value with its sort.
pub type SortedValue = (Value, Sort);

/// A state of a run, with what the inputs were before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunStep {
    /// The inputs of the step that led here; of the first state, those of `:init`. Those that do not matter have none.
    pub inputs: Vec<Option<SortedValue>>,
    /// The state variables.
    pub state: Vec<SortedValue>,
}

/// A run that violates a property. Its values belong to the store of the clauses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The states.
    pub steps: Vec<RunStep>,
    /// The inputs in the last state under which the property fails.
    pub last_inputs: Vec<Option<SortedValue>>,
    /// The number of the state from which the run repeats itself: the last state is the same.
    pub repeats: Option<usize>,
}

impl Run {
    /// The run of a derivation without repetitions from the clauses of a property.
    ///
    /// # Errors
    /// If the values of inputs are not found within the budget.
    pub fn of(
        vmt: &Vmt,
        store: &mut Store,
        system: &System,
        derivation: &Derivation<ClauseId>,
        reduction: Reduction,
        budget: &mut Budget,
    ) -> Result<Run, UnknownReason> {
        // A fact has at most one premise: from falsehood back to the first one.
        let mut chain = Vec::new();
        let mut at = derivation.len().checked_sub(1).map(StepId::new);
        while let Some(id) = at {
            chain.push(id);
            at = derivation.step(id).premises.first().copied();
        }
        chain.reverse();
        let arity = vmt.states.len();
        let (mut steps, mut repeats) = (Vec::new(), None);
        let mut last_inputs = Vec::new();
        let mut values = DerivationValues::new(system, derivation);
        for id in chain {
            let inputs = inputs(vmt, store, system, derivation, id, &mut values, budget)?;
            let step = derivation.step(id);
            let Some(head) = &system.clause(step.rule).head else {
                last_inputs = inputs;
                break;
            };
            let is_lasso = reduction == Reduction::Lasso && head.predicate.index() == LASSO;
            if is_lasso && repeats.is_none() {
                repeats = steps.len().checked_sub(1);
            }
            let places = if is_lasso { arity..2 * arity } else { 0..arity };
            let sorts = &system.predicate(head.predicate).sorts;
            let state = places.map(|at| (step.values[at].clone(), sorts[at])).collect();
            steps.push(RunStep { inputs, state });
        }
        Ok(Run { steps, last_inputs, repeats })
    }
}

/// The values of the inputs in a step.
fn inputs(
    vmt: &Vmt,
    store: &mut Store,
    system: &System,
    derivation: &Derivation<ClauseId>,
    id: StepId,
    values: &mut DerivationValues<'_>,
    budget: &mut Budget,
) -> Result<Vec<Option<SortedValue>>, UnknownReason> {
    if vmt.inputs.is_empty() {
        return Ok(Vec::new());
    }
    let values =
        values.find(store, id, budget)?.ok_or(UnknownReason::Incomplete("a step has no instance"))?;
    let variables = &system.clause(derivation.step(id).rule).variables;
    let named: BTreeMap<&str, usize> = variables
        .iter()
        .enumerate()
        .map(|(i, &variable)| (store.name(store.as_var(variable).expect("a variable")), i))
        .collect();
    let find = |(name, _): &(Box<str>, Term)| {
        // A variable whose name means something else in a clause has got a number there.
        let numbered = format!("{name}!1");
        let at = *named.get(&**name).or_else(|| named.get(numbered.as_str()))?;
        Some((values[at].clone(), store.sort(variables[at])))
    };
    Ok(vmt.inputs.iter().map(find).collect())
}

/// A state of a run as text, with what the inputs were before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceStep {
    /// The names and values of the inputs of the step that led here, but for those that do not matter.
    pub inputs: Vec<(String, String)>,
    /// The names and values of the state variables.
    pub state: Vec<(String, String)>,
}

/// A run that violates a property, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The states.
    pub steps: Vec<TraceStep>,
    /// The inputs in the last state under which the property fails, if it mentions inputs.
    pub last_inputs: Vec<(String, String)>,
    /// The number of the state from which the run repeats itself: the last state is the same.
    pub repeats: Option<usize>,
}

impl Trace {
    /// The text of a run, whose values belong to this store.
    pub fn of(vmt: &Vmt, store: &Store, run: &Run) -> Trace {
        let pair = |name: &str, (value, sort): &SortedValue| {
            (quote_symbol(name).into_owned(), store.display_value(value, *sort).to_string())
        };
        let inputs = |values: &[Option<SortedValue>]| -> Vec<(String, String)> {
            let named = vmt.inputs.iter().zip(values);
            named.filter_map(|((name, _), value)| Some(pair(name, value.as_ref()?))).collect()
        };
        let step = |step: &RunStep| TraceStep {
            inputs: inputs(&step.inputs),
            state: vmt
                .states
                .iter()
                .zip(&step.state)
                .map(|(state, value)| pair(&state.name, value))
                .collect(),
        };
        Trace {
            steps: run.steps.iter().map(step).collect(),
            last_inputs: inputs(&run.last_inputs),
            repeats: run.repeats,
        }
    }
}

impl fmt::Display for Trace {
    /// A list: states, with the inputs of the steps between them, and where the run repeats itself.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |pairs: &[(String, String)]| {
            let pairs: Vec<String> = pairs.iter().map(|(name, value)| format!("({name} {value})")).collect();
            pairs.join(" ")
        };
        writeln!(f, "(")?;
        for (number, step) in self.steps.iter().enumerate() {
            if !step.inputs.is_empty() {
                writeln!(f, "  (input ({}))", list(&step.inputs))?;
            }
            writeln!(f, "  (state {number} ({}))", list(&step.state))?;
        }
        if !self.last_inputs.is_empty() {
            writeln!(f, "  (input ({}))", list(&self.last_inputs))?;
        }
        if let Some(state) = self.repeats {
            writeln!(f, "  (repeats {state})")?;
        }
        write!(f, ")")
    }
}
