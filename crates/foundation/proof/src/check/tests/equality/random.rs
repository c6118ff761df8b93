//! Random clauses: whatever the checker accepts has no counterexample in a small structure.
//!
//! Clauses are made with many literals, so that a good part is accepted. From each of these, literals are left out as
//! long as the rest is accepted; what is left is the hardest to get right, and so are its neighbours, in which one
//! literal is turned. All interpretations of all accepted clauses are tried.

use super::structure::{DATATYPES, FUNCTIONS, Interpretations, Sort};
use super::table::{FALSITY, TRUTH, Table};
use crate::check::{AtomMeaning, NodeShape};
use shem_base::{Lit, Rng};
use std::collections::BTreeMap;

/// Nodes and equations, made at random.
struct Case {
    table: Table,
    sorts: BTreeMap<u32, Sort>,
}

impl Case {
    /// Leaves of these sorts, numerals if there are numbers, and applications of these functions, with an equation here and there.
    fn new(rng: &mut Rng, leaves: &[Sort], functions: &[u32], applications: usize) -> Case {
        let mut table = Table::new(DATATYPES);
        let mut sorts = BTreeMap::from([(TRUTH, Sort::Bool), (FALSITY, Sort::Bool)]);
        for &sort in leaves {
            let leaf = table.make(NodeShape::Leaf, sort.datatype());
            sorts.insert(leaf, sort);
        }
        if leaves.contains(&Sort::Number) {
            for value in 0..2 {
                sorts.insert(table.numeral(value), Sort::Number);
            }
        }
        let mut case = Case { table, sorts };
        for _ in 0..applications {
            if rng.below(8) == 0 {
                let nodes: Vec<u32> = case.sorts.keys().copied().collect();
                let a = nodes[rng.index(nodes.len())];
                let b = case.any(rng, case.sorts[&a]).unwrap();
                case.sorts.insert(case.table.make(NodeShape::Equation(a, b), None), Sort::Bool);
                continue;
            }
            let function = functions[rng.index(functions.len())];
            let (kind, arg_sorts, sort) = FUNCTIONS[function as usize];
            let args: Option<Vec<u32>> = arg_sorts.iter().map(|&sort| case.any(rng, sort)).collect();
            if let Some(args) = args {
                let node = case.table.apply_to(function, kind, &args, sort.datatype());
                case.sorts.insert(node, sort);
            }
        }
        case
    }

    /// A node of this sort.
    fn any(&self, rng: &mut Rng, sort: Sort) -> Option<u32> {
        let nodes: Vec<u32> =
            self.sorts.iter().filter(|(_, other)| **other == sort).map(|(node, _)| *node).collect();
        (!nodes.is_empty()).then(|| nodes[rng.index(nodes.len())])
    }

    /// A clause that says of some nodes that they are equal and of others that they are not.
    fn clause(&mut self, rng: &mut Rng, len: usize) -> Vec<Lit> {
        let nodes: Vec<u32> = self.sorts.keys().copied().collect();
        let mut clause = Vec::new();
        while clause.len() < len {
            let a = nodes[rng.index(nodes.len())];
            let b = self.any(rng, self.sorts[&a]).unwrap();
            if a < b {
                let lit = self.table.eq(a, b);
                clause.push(if rng.below(3) == 0 { lit } else { !lit });
            }
        }
        clause.sort_unstable();
        clause.dedup();
        clause
    }

    /// Whether some interpretation makes the clause false.
    fn is_falsifiable(&self, clause: &[Lit]) -> bool {
        let mut interpretations = Interpretations::default();
        loop {
            let is_true = clause.iter().any(|lit| {
                let (a, b) = self.table.equation(lit.var()).unwrap();
                let a = interpretations.value(a, &self.table, &self.sorts);
                (a == interpretations.value(b, &self.table, &self.sorts)) == lit.is_positive()
            });
            if !is_true {
                return true;
            }
            if !interpretations.advance() {
                return false;
            }
        }
    }

    fn accepts(&self, clause: &[Lit], nodes: &[u32]) -> bool {
        let accepted = self.table.accepts(clause, nodes);
        assert!(!accepted || !self.is_falsifiable(clause), "{clause:?} of {:#?}", self.table);
        accepted
    }

    /// Leaves out literals of an accepted clause as long as it is accepted.
    fn shrink(&self, mut clause: Vec<Lit>, nodes: &[u32]) -> Vec<Lit> {
        let mut at = 0;
        while at < clause.len() {
            let lit = clause.remove(at);
            if !self.table.accepts(&clause, nodes) {
                clause.insert(at, lit);
                at += 1;
            }
        }
        clause
    }
}

/// Tries random clauses over these leaves and functions. Many have to be accepted, some of them with three literals
/// at least that are all needed; and few may be refused that no interpretation falsifies: those that need a case
/// split, or hold in small structures only.
#[track_caller]
fn check_random(seed: u64, leaves: &[Sort], functions: &[u32]) {
    const ROUNDS: usize = 1000;
    let mut rng = Rng::new(seed);
    let (mut accepted, mut long, mut missed) = (0, 0, 0);
    for _ in 0..ROUNDS {
        let applications = 3 + rng.index(6);
        let mut case = Case::new(&mut rng, leaves, functions, applications);
        let len = 2 + rng.index(6);
        let clause = case.clause(&mut rng, len);
        let nodes: Vec<u32> = case.sorts.keys().copied().collect();
        if !case.table.accepts(&clause, &nodes) {
            missed += usize::from(!case.is_falsifiable(&clause));
            continue;
        }
        let clause = case.shrink(clause, &nodes);
        assert!(case.accepts(&clause, &nodes));
        accepted += 1;
        long += usize::from(clause.len() >= 3);
        for at in 0..clause.len() {
            let mut turned = clause.clone();
            turned[at] = !turned[at];
            case.accepts(&turned, &nodes);
        }
    }
    assert!(
        accepted > ROUNDS / 4 && long > ROUNDS / 50 && missed < ROUNDS / 50,
        "{accepted} {long} {missed}"
    );
}

const ENUMERATION: Sort = Sort::Enumeration;
const INFINITE: Sort = Sort::Array { infinite: true };
const FINITE: Sort = Sort::Array { infinite: false };

#[test]
fn random_functions() {
    check_random(1, &[Sort::Number, Sort::Number, Sort::Number, Sort::Bool], &[0, 1, 2]);
}

#[test]
fn random_enumerations() {
    check_random(2, &[ENUMERATION, ENUMERATION, ENUMERATION, Sort::Bool], &[3, 4, 5, 6, 7]);
}

#[test]
fn random_lists() {
    let functions: Vec<u32> = (4..14).collect();
    check_random(3, &[ENUMERATION, ENUMERATION, Sort::List, Sort::List], &functions);
}

#[test]
fn random_arrays() {
    check_random(4, &[INFINITE, INFINITE, Sort::Number, Sort::Number], &[14, 15, 16]);
}

#[test]
fn random_finite_arrays() {
    check_random(5, &[FINITE, FINITE, Sort::Number, Sort::Number, Sort::Bool], &[17, 18, 18, 19]);
}

#[test]
fn random_differences() {
    check_random(8, &[FINITE, FINITE, FINITE, Sort::Number, Sort::Bool], &[17, 17, 18, 24, 24]);
}

#[test]
fn random_pairs() {
    let leaves = [ENUMERATION, ENUMERATION, Sort::Pair, Sort::Pair];
    check_random(7, &leaves, &[4, 5, 6, 7, 20, 20, 21, 22, 22, 23, 23]);
}

#[test]
fn random_mixtures() {
    let functions: Vec<u32> = (0..FUNCTIONS.len() as u32).collect();
    check_random(6, &[INFINITE, Sort::Number, Sort::Number, Sort::List, Sort::Pair, ENUMERATION], &functions);
}
