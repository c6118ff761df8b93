//! Products of terms, and quotients and remainders by terms, become arbitrary values.
//!
//! The solver knows little of products, and most proofs need little more: where the label fixes a factor or divisor, it is
//! replaced by its number; each product that is left is replaced by an auxiliary variable, the same one where it occurs
//! twice, and what holds of products whatever their factors are (`Store::product_facts`) is added, as far as it is linear.
//! The new label follows from the old one.
//!
//! *Back.* An interpretation fits the old labels, which are stronger. A derivation may rest on values that no product
//! has, so it is gone through again: from the facts on, each step gets arguments that the old label gives it, those of
//! the derivation if possible. The arguments of the sources are put in, and numbers are propagated through
//! equations, which makes products numbers in most cases. If a step has no values, the derivation is no
//! derivation, and the problem stays undecided.

use std::collections::BTreeMap;

use shem_base::{Budget, UnknownReason};
use shem_chc::{Derivation, Edge, EdgeId};
use shem_proof::NoProof;
use shem_smt::{Answer, Solver};
use shem_term::{Sort, Store, Substitution, Term, Value, View};

use crate::pass::{After, Back, BackError, Pass, PassDescription, Returned, Work};
use crate::scan::{Scan, fresh, source_variables};
use crate::steps::plain;

/// Replaces products and quotients of terms by auxiliary variables.
#[derive(Clone, Copy, Debug, Default)]
pub struct AbstractProducts;

/// Why a derivation that needs a wrong product shows nothing.
const SPURIOUS: UnknownReason =
    UnknownReason::Incomplete("a derivation needs a value that a product or quotient does not have");

/// All edges as they were before the pass.
struct Abstracted {
    edges: BTreeMap<EdgeId, Edge>,
}

impl Pass for AbstractProducts {
    fn description(&self) -> PassDescription {
        PassDescription::new(
            "abstract-products",
            "replaces products and quotients of terms by arbitrary values",
        )
    }

    fn apply(&self, Work { store, graph, statistics, budget }: Work<'_>) -> Option<Box<dyn Back>> {
        let mut scan = Scan::default();
        let mut found: Vec<(EdgeId, u64)> = Vec::new();
        for (id, edge) in graph.edges() {
            budget.check_stop().ok()?;
            let mut products = 0;
            scan.each(store, &[edge.label], |term| {
                products += u64::from(store.is_product(term));
            });
            if products > 0 {
                found.push((id, products));
            }
        }
        if found.is_empty() {
            return None;
        }
        let edges = graph.edges().map(|(id, edge)| (id, edge.clone())).collect();
        for (id, products) in found {
            if budget.check_stop().is_err() {
                break;
            }
            let label = abstraction(store, graph.edge(id).label);
            graph.set_label(id, label);
            statistics.add("labels", 1);
            statistics.add("terms", products);
        }
        Some(Box::new(Abstracted { edges }))
    }
}

/// The label with variables in place of its products, and what is linear about these.
fn abstraction(store: &mut Store, label: Term) -> Term {
    let label = propagate(store, label);
    let mut products = store.subterms(&[label]);
    products.retain(|&term| store.is_product(term));
    // Children first.
    products.sort_unstable();
    let mut parts = store.product_facts(&[label]);
    parts.push(label);
    let label = store.and(&parts);
    // A term that stands inside of another one is replaced there, too.
    let pairs: Vec<(Term, Term)> = products.into_iter().map(|term| (term, fresh(store, term))).collect();
    store.replace(label, &pairs)
}

impl Back for Abstracted {
    fn derivation(&self, at: After<'_>, derivation: Derivation<EdgeId>) -> Returned<Derivation<EdgeId>> {
        let After { store, graph, budget } = at;
        let derivation = plain(store, derivation)?;
        let mut result: Derivation<EdgeId> = Derivation::new();
        for (_, step) in derivation.steps() {
            budget.check_stop()?;
            let edge = self
                .edges
                .get(&step.rule)
                .ok_or_else(|| BackError::Broken(format!("there is no edge {:?}", step.rule)))?;
            let mut known = Substitution::new();
            for (variables, &premise) in source_variables(graph, &edge.sources).iter().zip(step.premises) {
                let values = result.step(premise).values.to_vec();
                for (&variable, value) in variables.iter().zip(&values) {
                    put(store, &mut known, variable, value);
                }
            }
            let label = store.substitute(edge.label, &known);
            let label = propagate(store, label);
            let target = graph.vertex(edge.target).target();
            let values = self.values(store, label, target, step.values, budget)?;
            result.push(step.rule, step.premises, values);
        }
        Ok(result)
    }
}

impl Abstracted {
    /// Values for the target that the label allows: those that are wanted, if possible.
    fn values(
        &self,
        store: &mut Store,
        label: Term,
        target: &[Term],
        wanted: &[Value],
        budget: &mut Budget,
    ) -> Returned<Vec<Value>> {
        let mut known = Substitution::new();
        for (&variable, value) in target.iter().zip(wanted) {
            put(store, &mut known, variable, value);
        }
        let fixed = store.substitute(label, &known);
        let fixed = propagate(store, fixed);
        if solve(store, fixed, &[], budget)?.is_some() {
            return Ok(wanted.to_vec());
        }
        solve(store, label, target, budget)?.ok_or(BackError::Unknown(SPURIOUS))
    }
}

fn put(store: &mut Store, substitution: &mut Substitution, variable: Term, value: &Value) {
    let sort = store.sort(variable);
    let term = store.value_term(value, sort);
    substitution.insert(store.as_var(variable).expect("a variable"), term);
}

/// Values of the variables in a solution of the formula; `None` if there is none, or none was found because of
/// products.
fn solve(
    store: &mut Store,
    formula: Term,
    variables: &[Term],
    budget: &mut Budget,
) -> Returned<Option<Vec<Value>>> {
    if formula == Term::FALSE {
        return Ok(None);
    }
    let mut solver = Solver::with_proof(Default::default(), NoProof);
    solver.assert(store, formula);
    for fact in store.product_facts(&[formula]) {
        solver.assert(store, fact);
    }
    match solver.check(store, budget) {
        Answer::Unsat(_) | Answer::Unknown(UnknownReason::Incomplete(_)) => Ok(None),
        Answer::Unknown(reason) => Err(reason.into()),
        Answer::Sat(mut solution) => {
            let model = solution.model();
            let value = |&v: &Term| model.value_or_default(store, store.as_var(v).expect("a variable"));
            Ok(Some(variables.iter().map(value).collect()))
        }
    }
}

/// An equivalent formula in which variables that an equation gives a constant are replaced by it everywhere else.
fn propagate(store: &mut Store, formula: Term) -> Term {
    let mut kept: BTreeMap<Term, Term> = BTreeMap::new();
    let mut formula = formula;
    loop {
        let mut found = Substitution::new();
        let mut learnt = false;
        for conjunct in store.conjuncts(formula) {
            let (variable, value) = match store.view(conjunct) {
                View::Var(_) => (conjunct.positive(), Value::Bool(!conjunct.is_negated())),
                View::Eq(poly, value) if !conjunct.is_negated() => match store.poly_terms(poly) {
                    // A polynomial of one leaf is that leaf.
                    [single] if store.as_var(single.leaf).is_some() => {
                        (single.leaf, Value::Num(value.clone()))
                    }
                    _ => continue,
                },
                _ => continue,
            };
            let symbol = store.as_var(variable).expect("a variable");
            let whole = match &value {
                Value::Num(number) => store.sort(variable) != Sort::Int || number.is_integer(),
                _ => true,
            };
            if whole && found.get(symbol).is_none() && kept.insert(variable, conjunct).is_none() {
                put(store, &mut found, variable, &value);
                learnt = true;
            }
        }
        if !learnt {
            break;
        }
        formula = store.substitute(formula, &found);
    }
    let mut parts: Vec<Term> = kept.into_values().collect();
    parts.push(formula);
    store.and(&parts)
}

#[cfg(test)]
mod tests {
    use shem_base::Statistics;
    use shem_chc::{Graph, VertexId};

    use super::*;

    /// `p(0, 0)`; `p(x, y)` gives `p(x + 1, (x + 1)²)`; `p(x, y)` with `y = goal` is false.
    fn squares(store: &mut Store, goal: i64) -> (Graph, [EdgeId; 3]) {
        let mut graph = Graph::new();
        let p = graph.add_vertex(store, "p", &[Sort::Int, Sort::Int]);
        let (state, next) = (graph.vertex(p).state().to_vec(), graph.vertex(p).target().to_vec());
        let z = graph.fresh(store, Sort::Int);
        let zero = store.int(0);
        let parts = [store.eq(next[0], zero), store.eq(next[1], zero)];
        let label = store.and(&parts);
        let start = graph.add_edge(store, Edge { sources: vec![], target: p, label });
        let one = store.int(1);
        let successor = store.add(&[state[0], one]);
        let square = store.product(&[z, z]);
        let parts = [store.eq(z, successor), store.eq(next[0], z), store.eq(next[1], square)];
        let label = store.and(&parts);
        let step = graph.add_edge(store, Edge { sources: vec![p], target: p, label });
        let goal = store.int(goal);
        let label = store.eq(state[1], goal);
        let query = graph.add_edge(store, Edge { sources: vec![p], target: VertexId::FALSE, label });
        (graph, [start, step, query])
    }

    fn number(value: i64) -> Value {
        Value::Num(value.into())
    }

    #[test]
    fn derivations_get_the_true_products() {
        let mut store = Store::new();
        let (mut graph, [start, step, query]) = squares(&mut store, 4);
        let (mut statistics, mut budget) = (Statistics::new(), Budget::unlimited());
        let back = AbstractProducts.apply(Work::new(&mut store, &mut graph, &mut statistics, &mut budget));
        let back = back.expect("there is a product");
        assert!(
            AbstractProducts.apply(Work::new(&mut store, &mut graph, &mut statistics, &mut budget)).is_none()
        );
        // The square in the middle is wrong, but nobody looks at it.
        let mut derivation = Derivation::new();
        let a = derivation.push(start, &[], [number(0), number(0)]);
        let b = derivation.push(step, &[a], [number(1), number(77)]);
        let c = derivation.push(step, &[b], [number(2), number(4)]);
        derivation.push(query, &[c], []);
        let found =
            back.derivation(After::new(&mut store, &graph, &mut budget), derivation).expect("a derivation");
        let values: Vec<Vec<Value>> = found.steps().map(|(_, step)| step.values.to_vec()).collect();
        assert_eq!(values[1], [number(1), number(1)]);
        assert_eq!(values[2], [number(2), number(4)]);
        // Here it matters.
        let mut derivation = Derivation::new();
        let a = derivation.push(start, &[], [number(0), number(0)]);
        let b = derivation.push(step, &[a], [number(1), number(4)]);
        derivation.push(query, &[b], []);
        let found = back.derivation(After::new(&mut store, &graph, &mut budget), derivation);
        assert_eq!(found.err(), Some(BackError::Unknown(SPURIOUS)));
    }

    /// A remainder by a positive number stays below it, and a square is not negative.
    #[test]
    fn what_is_linear_is_kept() {
        let mut store = Store::new();
        let [x, y] = ["x", "y"].map(|name| store.variable(name, Sort::Int));
        let zero = store.int(0);
        let (remainder, quotient) = (store.remainder(x, y), store.int_quotient(x, y));
        let square = store.product(&[x, x]);
        let (positive, natural) = (store.gt(y, zero), store.ge(x, zero));
        for wrong in [store.ge(remainder, y), store.gt(quotient, x), store.lt(square, zero)] {
            let label = store.and(&[positive, natural, wrong]);
            let label = abstraction(&mut store, label);
            assert!(!store.subterms(&[label]).iter().any(|&term| store.is_product(term)));
            let mut solver = Solver::with_proof(Default::default(), NoProof);
            solver.assert(&mut store, label);
            assert!(solver.check(&mut store, &mut Budget::unlimited()).is_unsat());
        }
    }
}
