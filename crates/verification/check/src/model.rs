//! The judge of models.
//!
//! A model is right if every clause holds when its predicates mean what the definitions say: the constraint,
//! the definitions of the body, those of universal premises under their quantifiers, and the negation of that of the head
//! have no common solution. Each clause is
//! refuted by a solver of its own, and the proof is checked. If there is a solution, it is confirmed before the
//! model is called wrong.

use std::fmt::Write;

use shem_base::{Budget, UnknownReason};
use shem_chc::{Clause, ClauseId, Definition, Model, Predicate, PredicateId, System};
use shem_term::{Sort, Store, Symbol, Value};

use crate::refute::{Failure, confirm, refute};
use crate::validity::{Defect, Halt, Validity};

/// Judges a model of a system.
///
/// ```
/// use shem_base::Budget;
/// use shem_chc::{Atom, Clause, Definition, Model, Predicate, PredicateId, System};
/// use shem_check::{Validity, check_model};
/// use shem_term::{Sort, Store, Term, smtlib::Span};
///
/// // x = 0 implies p(x), and p(x) with x < 0 implies falsehood.
/// let mut store = Store::new();
/// let symbol = store.declare("p", &[Sort::Int], Sort::Bool);
/// let (x, y) = (store.variable("x", Sort::Int), store.variable("y", Sort::Int));
/// let zero = store.int(0);
/// let atom = |v| Atom { predicate: PredicateId::new(0), args: [v].into() };
/// let start = store.eq(x, zero);
/// let bad = store.lt(y, zero);
/// let clause = |v, constraint, body, head| {
///     let (variables, premises, span) = ([v].into(), [].into(), Span::new(0, 0));
///     Clause { variables, constraint, body, premises, head, span }
/// };
/// let system = System {
///     predicates: vec![Predicate { symbol, name: "p".into(), sorts: [Sort::Int].into() }],
///     clauses: vec![
///         clause(x, start, [].into(), Some(atom(x))),
///         clause(y, bad, [atom(y)].into(), None),
///     ],
///     ..System::default()
/// };
///
/// let z = store.variable("z", Sort::Int);
/// let model = |body: Term| Model { definitions: vec![Definition { parameters: [z].into(), body }] };
/// let natural = store.ge(z, zero);
/// let mut check = |body| check_model(&mut store, &system, &model(body), &mut Budget::unlimited());
/// assert_eq!(check(natural), Validity::Valid);
/// assert!(matches!(check(Term::TRUE), Validity::Invalid(_)));
/// ```
pub fn check_model(store: &mut Store, system: &System, model: &Model, budget: &mut Budget) -> Validity {
    check_definitions(store, system, model)
        .map_err(Halt::from)
        .and_then(|()| {
            let clauses = system.clauses.iter().enumerate();
            clauses.map(|(i, c)| (ClauseId::new(i), c)).try_for_each(|(id, clause)| {
                budget.check_stop()?;
                check_clause(store, model, id, clause, budget)
            })
        })
        .into()
}

/// Definitions are formulas over their parameters alone.
fn check_definitions(store: &Store, system: &System, model: &Model) -> Result<(), Defect> {
    let (expected, found) = (system.predicates.len(), model.definitions.len());
    if expected != found {
        return Err(Defect::Definitions { expected, found });
    }
    for (i, (predicate, definition)) in system.predicates.iter().zip(&model.definitions).enumerate() {
        check_definition(store, PredicateId::new(i), predicate, definition)?;
    }
    Ok(())
}

fn check_definition(
    store: &Store,
    id: PredicateId,
    predicate: &Predicate,
    definition: &Definition,
) -> Result<(), Defect> {
    let Definition { parameters, body } = definition;
    let mut sorted = parameters.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let variables = parameters.iter().all(|&p| store.as_var(p).is_some() && !p.is_negated());
    let sorts = parameters.iter().map(|&p| store.sort(p)).eq(predicate.sorts.iter().copied());
    if !variables || !sorts || sorted.len() != parameters.len() {
        return Err(Defect::Parameters(id));
    }
    let refuse = |what: String| Err(Defect::Body(id, what));
    if store.sort(*body) != Sort::Bool {
        return refuse("is not a formula".to_owned());
    }
    // Sizes and folds have definitions of their own.
    let is_defined = |symbol| store.sized_by(symbol).is_some() || store.fold_of_symbol(symbol).is_some();
    if let Some(&symbol) = store.predicates(&[*body]).iter().find(|&&symbol| !is_defined(symbol)) {
        return refuse(format!("mentions the predicate {}", store.name(symbol)));
    }
    match store.free_variables(&[*body]).iter().find(|v| sorted.binary_search(v).is_err()) {
        Some(&variable) => refuse(format!("mentions {}", store.display(variable))),
        None => Ok(()),
    }
}

fn check_clause(
    store: &mut Store,
    model: &Model,
    id: ClauseId,
    clause: &Clause,
    budget: &mut Budget,
) -> Result<(), Halt> {
    let mut formulas = vec![clause.constraint];
    for atom in &clause.body {
        formulas.push(model.apply(store, atom.predicate, &atom.args));
    }
    for premise in &clause.premises {
        let atom = model.apply(store, premise.atom.predicate, &premise.atom.args);
        let implication = store.implies(premise.guard, atom);
        formulas.push(store.forall(&premise.variables, implication));
    }
    if let Some(head) = &clause.head {
        formulas.push(!model.apply(store, head.predicate, &head.args));
    }
    let model = match refute(store, &formulas, budget) {
        Ok(None) => return Ok(()),
        Ok(Some(model)) => model,
        Err(Failure::Unknown(reason)) => return Err(reason.into()),
        Err(Failure::Refused(error)) => return Err(Defect::Proof(id, error).into()),
    };
    let value = |store: &Store, symbol: Symbol| model.value_or_default(store, symbol);
    for &formula in &formulas {
        if !confirm(store, formula, &value, budget).map_err(UnknownReason::from)? {
            return Err(UnknownReason::Incomplete("the solver's model of a clause is wrong").into());
        }
    }
    let mut text = String::new();
    for &variable in &clause.variables {
        let symbol = store.as_var(variable).expect("a variable");
        let separator = if text.is_empty() { "" } else { ", " };
        let shown = match value(store, symbol) {
            Value::Num(number) => number.to_string(),
            other => store.display_value(&other, store.sort(variable)).to_string(),
        };
        let _ = write!(text, "{separator}{} = {shown}", store.display(variable));
    }
    if text.is_empty() {
        text.push_str("no variables");
    }
    Err(Defect::Clause(id, text).into())
}
