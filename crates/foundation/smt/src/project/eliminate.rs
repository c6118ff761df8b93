//! Quantifier elimination by model-based projection.
//!
//! While the formula has a model outside of what was found, project it in that model: since a formula of arithmetic
//! has finitely many projections, this ends, and their disjunction is the formula with the variables
//! quantified existentially (Bjørner and Janota 2015 have the loop inside a game). Before the loop, variables
//! with a defining equality are replaced, conjuncts without the variables are taken out, and the rest falls
//! into parts that share no variable and are done one by one. Before each projection the implicant loses the
//! literals that the formula does not need, so that a cube stands for many models; at the end the cubes are
//! merged. One incremental solver runs through the loop, a second one with the negated formula finds the
//! literals needed. A projection that is exact ends the loop at once.

use shem_base::{Budget, UnknownReason};
use shem_proof::NoProof;
use shem_term::{Sort, Store, Term};

use super::define::substitute_definitions;
use super::generalise::{OPTIONAL_EFFORT, drop_literals};
use super::merge::{drop_implied, merge};
use super::projector::Projector;
use super::unsupported::Unsupported;
use crate::{Answer, Solver};

/// The number of projections after which elimination gives up if variables to eliminate occur beyond arithmetic.
/// There, a formula may have infinitely many projections, unless the variables have finitely many values.
const PROJECTION_LIMIT: usize = 64;

/// A formula without the variables that is equivalent to the given one with the variables quantified
/// existentially. Each projection costs a split of the budget. Where the variables occur in arrays, datatypes or
/// functions, there may be no such formula; then the search for it is given up.
///
/// For a universal block negate the formula and the result.
///
/// ```
/// use shem_base::{Budget, Rat};
/// use shem_smt::project::eliminate;
/// use shem_term::{Sort, Store};
///
/// let mut store = Store::new();
/// let x = store.variable("x", Sort::Int);
/// let y = store.variable("y", Sort::Int);
/// // There is an x with y = 3x if and only if 3 divides y.
/// let triple = store.scale(&Rat::from(3), x);
/// let formula = store.eq(y, triple);
/// let result = eliminate(&mut store, &[x], formula, &mut Budget::unlimited()).unwrap();
/// assert_eq!(store.display(result).to_string(), "(= (mod y 3) 0)");
/// ```
pub fn eliminate(
    store: &mut Store,
    vars: &[Term],
    formula: Term,
    budget: &mut Budget,
) -> Result<Term, UnknownReason> {
    let mut vars = vars.to_vec();
    retain_occurring(store, &mut vars, formula);
    if vars.is_empty() {
        return Ok(formula);
    }
    let formula = substitute_definitions(store, formula, &mut vars);
    retain_occurring(store, &mut vars, formula);
    let (mut members, parts) = partition(store, formula, &vars);
    let context = members.clone();
    let mut projector = Projector::new();
    for (part, vars) in parts {
        let cubes = project_all(store, &mut projector, &context, part, &vars, budget)?;
        let merged = merge(store, &context, cubes, budget);
        members.extend(store.conjuncts(merged));
    }
    Ok(drop_implied(store, members, budget))
}

/// One disjunct of what [`eliminate`] would return, true in some model of the formula: a conjunction that
/// implies that the formula has a solution in the variables. The false formula if it has no model.
pub fn eliminate_disjunct(
    store: &mut Store,
    vars: &[Term],
    formula: Term,
    budget: &mut Budget,
) -> Result<Term, UnknownReason> {
    let mut solver = Solver::with_proof(Default::default(), NoProof);
    solver.assert(store, formula);
    match solver.check(store, budget) {
        Answer::Unsat(_) => Ok(Term::FALSE),
        Answer::Unknown(reason) => Err(reason),
        Answer::Sat(mut solution) => {
            let model = solution.model();
            let cube = Projector::new().project(store, &[formula], &model, vars)?;
            Ok(store.and(&cube))
        }
    }
}

fn retain_occurring(store: &Store, vars: &mut Vec<Term>, formula: Term) {
    let free = store.free_variables(&[formula]);
    vars.retain(|v| free.binary_search(v).is_ok());
}

/// The conjuncts without the variables, and the others by connected part: its conjuncts and variables.
#[expect(clippy::type_complexity, reason = "two lists that are taken apart at once")]
fn partition(store: &Store, formula: Term, vars: &[Term]) -> (Vec<Term>, Vec<(Vec<Term>, Vec<Term>)>) {
    let mut free = Vec::new();
    let mut parts: Vec<(Vec<Term>, Vec<Term>)> = Vec::new();
    for conjunct in store.conjuncts(formula) {
        let occurring = store.free_variables(&[conjunct]);
        let own: Vec<Term> = vars.iter().copied().filter(|v| occurring.binary_search(v).is_ok()).collect();
        if own.is_empty() {
            free.push(conjunct);
            continue;
        }
        // The parts that share a variable with the conjunct become one.
        let (mut joined, mut joined_vars) = (vec![conjunct], own);
        parts.retain_mut(|(members, part_vars)| {
            let shared = part_vars.iter().any(|v| joined_vars.contains(v));
            if shared {
                joined.append(members);
                joined_vars.append(part_vars);
            }
            !shared
        });
        joined_vars.sort_unstable();
        joined_vars.dedup();
        parts.push((joined, joined_vars));
    }
    (free, parts)
}

/// Projections of the part, under the context, that together cover all its models.
fn project_all(
    store: &mut Store,
    projector: &mut Projector,
    context: &[Term],
    part: Vec<Term>,
    vars: &[Term],
    budget: &mut Budget,
) -> Result<Vec<Vec<Term>>, UnknownReason> {
    let mut outside = Solver::with_proof(Default::default(), NoProof);
    let mut negation = Solver::with_proof(Default::default(), NoProof);
    let whole = store.and(&part);
    let mut negated = false;
    for &formula in context {
        outside.assert(store, formula);
    }
    for &formula in &part {
        outside.assert(store, formula);
    }
    // Variables with finitely many values are eliminated by finitely many projections.
    let has_few_values = |sort: Sort| sort == Sort::Bool || sort.bit_width().is_some();
    let is_finite = vars.iter().all(|&var| has_few_values(store.sort(var)));
    let mut cubes = Vec::new();
    loop {
        budget.check_stop()?;
        let mut solution = match outside.check(store, budget) {
            Answer::Unsat(_) => return Ok(cubes),
            Answer::Unknown(reason) => return Err(reason),
            Answer::Sat(solution) => solution,
        };
        budget.use_split()?;
        let model = solution.model();
        let first = projector.projection(store, &part, &model, vars)?;
        if first.exact {
            return Ok(vec![first.cube]);
        }
        if !std::mem::replace(&mut negated, true) {
            for &formula in context {
                negation.assert(store, formula);
            }
            negation.assert(store, !whole);
        }
        let implicant = projector.implicant(store, &part, &model, vars)?;
        let implicant = match drop_literals(
            &mut negation,
            store,
            &[],
            &implicant,
            &mut budget.at_most(OPTIONAL_EFFORT),
        ) {
            Ok(Some(needed)) => needed,
            // The implicant is still right, only less general.
            Ok(None) | Err(_) => implicant,
        };
        let cube = projector.project(store, &implicant, &model, vars)?;
        if !is_finite && projector.was_beyond_arithmetic() && cubes.len() >= PROJECTION_LIMIT {
            return Err(Unsupported::TooManyProjections.into());
        }
        let blocked = store.and(&cube);
        outside.assert(store, !blocked);
        cubes.push(cube);
    }
}
