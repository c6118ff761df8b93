//! Nodes by guards: control-flow refinement.
//!
//! A loop whose rules have different guards, `x > 0` and `x < 0`, may need a function for each part of the states. So the
//! states of a node are told apart by the guards of the cases from it: a node for each combination of truth values, and a
//! case for each pair of nodes between which it leads. What leads from one part to another only is then no cycle any more.
//! Doménech, Gallagher and Genaim (2019) refine by partial evaluation with such properties; here the solver lists the
//! combinations.

use std::collections::BTreeSet;

use shem_base::{Budget, Effort};
use shem_proof::NoProof;
use shem_smt::{Answer, Solver};
use shem_term::{Store, Term, Value, View};

use crate::cube::{Case, Cases, Node};
use crate::linear::rows_of;
use crate::problem::Problem;

/// The greatest number of atoms by which the states of a predicate are told apart.
const MOST_ATOMS: usize = 6;
/// The greatest number of cases that a component may have afterwards.
const MOST_REFINED: usize = 160;
/// The effort of one question.
const EFFORT: Effort = Effort { conflicts: 2_000, pivots: 20_000, splits: 500 };

impl Cases {
    /// Adds the cases of a component as they are between parts of its nodes; nothing if there is nothing to tell apart, or too
    /// much.
    pub(crate) fn refine(
        &mut self,
        store: &mut Store,
        problem: &Problem,
        component: &[usize],
        budget: &mut Budget,
    ) -> Option<Vec<usize>> {
        let atoms = self.atoms(store, problem, component);
        if atoms.iter().all(Vec::is_empty) {
            return None;
        }
        let mut refined: Vec<(usize, [Vec<Term>; 2])> = Vec::new();
        for &at in component {
            refined.extend(self.parts(store, problem, &atoms, at, MOST_REFINED - refined.len(), budget)?);
        }
        let mut added = Vec::new();
        for (at, regions) in refined {
            let Case { transition, mut literals, constants, source, target, .. } = self.cases[at].clone();
            let ends = [source, target];
            let mut nodes = ends;
            let now = &problem.states;
            for (side, region) in regions.into_iter().enumerate() {
                let Node { predicate, values, .. } = self.nodes[ends[side]].clone();
                for &literal in &region {
                    let after = &problem.nexts[predicate.index()];
                    literals.push(match side {
                        0 => literal,
                        _ => store.rename(literal, &now[predicate.index()], after),
                    });
                }
                let node = Node { predicate, values, region };
                nodes[side] = self.nodes.iter().position(|known| *known == node).unwrap_or_else(|| {
                    self.nodes.push(node);
                    self.nodes.len() - 1
                });
            }
            let rows = rows_of(store, &literals);
            let [source, target] = nodes;
            added.push(self.cases.len());
            self.cases.push(Case { transition, literals, rows, constants, source, target, origin: Some(at) });
        }
        Some(added)
    }

    /// For each predicate atoms about its states that guards of the component have.
    fn atoms(&self, store: &mut Store, problem: &Problem, component: &[usize]) -> Vec<Vec<Term>> {
        let mut found: Vec<BTreeSet<Term>> = vec![BTreeSet::new(); problem.states.len()];
        for &at in component {
            let case = &self.cases[at];
            let predicate = self.nodes[case.source].predicate.index();
            let state = &problem.states[predicate];
            for &literal in &case.literals {
                if !store.free_variables(&[literal]).iter().all(|variable| state.contains(variable)) {
                    continue;
                }
                match store.view(literal) {
                    View::Eq(poly, value) => {
                        let value = value.clone();
                        found[predicate].insert(store.poly_le(poly, &value));
                        found[predicate].insert(store.poly_lt(poly, &value).positive());
                    }
                    View::Le(..) | View::Lt(..) | View::Divisible(..) | View::Var(_) => {
                        found[predicate].insert(literal.positive());
                    }
                    _ => {}
                }
            }
        }
        // What all cases agree on tells nothing apart.
        let agree = |predicate: usize, atom: Term| {
            let from = component.iter().map(|&at| &self.cases[at]);
            let from = from.filter(|case| self.nodes[case.source].predicate.index() == predicate);
            let from: Vec<&Case> = from.collect();
            [atom, !atom].iter().any(|sign| from.iter().all(|case| case.literals.contains(sign)))
        };
        let mut result = Vec::new();
        for (predicate, atoms) in found.into_iter().enumerate() {
            let mut atoms: Vec<Term> = atoms.into_iter().filter(|&atom| !agree(predicate, atom)).collect();
            atoms.truncate(MOST_ATOMS);
            result.push(atoms);
        }
        result
    }

    /// The pairs of regions between which a case leads.
    fn parts(
        &self,
        store: &mut Store,
        problem: &Problem,
        atoms: &[Vec<Term>],
        at: usize,
        most: usize,
        budget: &mut Budget,
    ) -> Option<Vec<(usize, [Vec<Term>; 2])>> {
        let case = &self.cases[at];
        let [from, to] = [case.source, case.target].map(|node| self.nodes[node].predicate.index());
        let mut solver = Solver::with_proof(Default::default(), NoProof);
        for &literal in &case.literals {
            solver.assert(store, literal);
        }
        let after: Vec<Term> = atoms[to]
            .iter()
            .map(|&atom| store.rename(atom, &problem.states[to], &problem.nexts[to]))
            .collect();
        let mut found = Vec::new();
        loop {
            budget.check_stop().ok()?;
            let model = budget.within(EFFORT, |part| match solver.check(store, part) {
                Answer::Sat(mut solution) => Some(Some(solution.model())),
                Answer::Unsat(_) => Some(None),
                Answer::Unknown(_) => None,
            })?;
            let Some(model) = model else { return Some(found) };
            if found.len() >= most {
                return None;
            }
            let mut block = Vec::new();
            let mut region = |store: &Store, about: &[Term], atoms: &[Term]| {
                let mut literals = Vec::new();
                for (&atom, &known) in about.iter().zip(atoms) {
                    let holds = store.evaluate(atom, &model.completed(store)) == Some(Value::Bool(true));
                    literals.push(known.xor(!holds));
                    block.push(atom.xor(!holds));
                }
                literals
            };
            let regions = [region(store, &atoms[from], &atoms[from]), region(store, &after, &atoms[to])];
            let block = store.and(&block);
            solver.assert(store, !block);
            found.push((at, regions));
        }
    }

    /// Whether a state is in a node, by its region.
    pub(crate) fn is_in(&self, store: &Store, problem: &Problem, node: usize, values: &[Value]) -> bool {
        let Node { predicate, region, .. } = &self.nodes[node];
        let state = &problem.states[predicate.index()];
        let value = |symbol| {
            let at = state.iter().position(|&variable| store.as_var(variable) == Some(symbol))?;
            Some(values[at].clone())
        };
        region.iter().all(|&literal| store.evaluate(literal, &value) == Some(Value::Bool(true)))
    }
}
