//! The judge of interpolants: fresh solvers without a record decide the defining implications.
//!
//! A question that a solver does not decide within its budget is counted, and so few of them are allowed
//! that a test cannot pass without being judged. With `SHEM_UNDECIDED` set to a directory, such questions
//! are written there for another solver. All questions without declared functions are appended to the file that
//! `SHEM_QUESTIONS` names, for another solver to answer each with `unsat`.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use shem_base::{Budget, UnknownReason};
use shem_proof::NoProof;
use shem_smt::interpolate::{InterpolationSystem, TheoryRule};
use shem_smt::{Answer, Solver, SolverOptions};
use shem_term::{Role, Store, Symbol, Term};

/// All propositional systems.
pub const ALL_SYSTEMS: [InterpolationSystem; 5] = InterpolationSystem::ALL;

/// All rules for lemmas.
pub const ALL_RULES: [TheoryRule; 4] =
    [TheoryRule::Farkas, TheoryRule::DualFarkas, TheoryRule::Decomposed, TheoryRule::DualDecomposed];

static DECIDED: AtomicUsize = AtomicUsize::new(0);
static UNDECIDED: AtomicUsize = AtomicUsize::new(0);

/// Judges formulas of a store.
#[derive(Debug)]
pub struct Judge<'a> {
    store: &'a mut Store,
}

impl<'a> Judge<'a> {
    /// A judge of formulas of this store.
    pub fn new(store: &'a mut Store) -> Judge<'a> {
        Judge { store }
    }

    /// Panics unless the formulas are contradictory.
    #[track_caller]
    pub fn refute(&mut self, formulas: &[Term], what: &str) {
        if let Some(path) = std::env::var_os("SHEM_QUESTIONS") {
            let mut options = std::fs::OpenOptions::new();
            let mut file = options.append(true).create(true).open(path).expect("the file can be written to");
            std::io::Write::write_all(&mut file, format!("{}(reset)\n", self.script(formulas)).as_bytes())
                .expect("the file can be written to");
        }
        let mut solver = Solver::with_proof(SolverOptions::default(), NoProof);
        for &formula in formulas {
            solver.assert(self.store, formula);
        }
        let mut budget = Budget { conflicts: 5000, splits: 5000, ..Budget::unlimited() };
        match solver.check(self.store, &mut budget) {
            Answer::Unsat(_) => drop(DECIDED.fetch_add(1, Ordering::Relaxed)),
            Answer::Unknown(UnknownReason::Conflicts | UnknownReason::Splits) => {
                let undecided = UNDECIDED.fetch_add(1, Ordering::Relaxed);
                if let Some(directory) = std::env::var_os("SHEM_UNDECIDED") {
                    let path = std::path::Path::new(&directory).join(format!("undecided-{undecided}.smt2"));
                    std::fs::write(path, self.script(formulas)).expect("the directory can be written to");
                }
                let decided = DECIDED.load(Ordering::Relaxed);
                assert!(undecided < 20 + decided / 100, "too many questions are undecided");
            }
            answer => panic!("{what}: {answer}\n{}", self.script(formulas)),
        }
    }

    /// The formulas as a script whose answer should be unsat.
    fn script(&self, formulas: &[Term]) -> String {
        let mut script = String::from("(set-logic ALL)\n");
        for variable in self.store.free_variables(formulas) {
            let shown = self.store.display(variable);
            let sort = self.store.display_sort(self.store.sort(variable));
            script.push_str(&format!("(declare-fun {shown} () {sort})\n"));
        }
        for &formula in formulas {
            script.push_str(&format!("(assert {})\n", self.store.display(formula)));
        }
        script.push_str("(check-sat)\n");
        script
    }

    /// Panics unless every variable and declared function of the formula occurs in both lists.
    #[track_caller]
    pub fn vocabulary(&self, a: &[Term], b: &[Term], formula: Term) {
        let (left, right) = (self.symbols(a), self.symbols(b));
        for symbol in self.symbols(&[formula]) {
            let shared = left.contains(&symbol) && right.contains(&symbol);
            assert!(shared, "{} is not shared in {}", self.store.name(symbol), self.store.display(formula));
        }
    }

    /// The variables and declared functions of formulas.
    fn symbols(&self, formulas: &[Term]) -> BTreeSet<Symbol> {
        let terms = self.store.subterms(formulas).into_iter();
        let symbols = terms.filter_map(|term| match self.store.as_app(term) {
            Some((symbol, role, _)) => Some(symbol).filter(|_| role == Role::Function),
            None => self.store.as_var(term),
        });
        symbols.collect()
    }

    /// Judges a binary interpolant.
    #[track_caller]
    pub fn binary(&mut self, a: &[Term], b: &[Term], interpolant: Term) {
        self.vocabulary(a, b, interpolant);
        let mut left = a.to_vec();
        left.push(!interpolant);
        self.refute(&left, "A does not imply the interpolant");
        let mut right = b.to_vec();
        right.push(interpolant);
        self.refute(&right, "the interpolant does not contradict B");
    }

    /// Judges path interpolants of groups of formulas.
    #[track_caller]
    pub fn path(&mut self, groups: &[Vec<Term>], interpolants: &[Term]) {
        assert_eq!(groups.len(), interpolants.len() + 1);
        let mut before = Term::TRUE;
        for (i, group) in groups.iter().enumerate() {
            let after = interpolants.get(i).copied().unwrap_or(Term::FALSE);
            let mut step = group.clone();
            step.extend([before, !after]);
            self.refute(&step, "a step of the path fails");
            if i < interpolants.len() {
                self.vocabulary(&groups[..=i].concat(), &groups[i + 1..].concat(), after);
            }
            before = after;
        }
    }

    /// Judges tree interpolants of groups of formulas.
    #[track_caller]
    pub fn tree(&mut self, groups: &[Vec<Term>], parents: &[usize], interpolants: &[Term]) {
        let root = groups.len() - 1;
        let mut subtree = vec![vec![false; groups.len()]; groups.len()];
        for (node, group) in groups.iter().enumerate() {
            let mut step = group.clone();
            subtree[node][node] = true;
            for child in (0..node).filter(|&child| parents[child] == node) {
                step.push(interpolants[child]);
                let below = subtree[child].clone();
                for (mine, below) in subtree[node].iter_mut().zip(below) {
                    *mine |= below;
                }
            }
            step.push(if node == root { Term::TRUE } else { !interpolants[node] });
            self.refute(&step, "a step of the tree fails");
            if node != root {
                let side = |wanted: bool| -> Vec<Term> {
                    let chosen = groups.iter().zip(&subtree[node]).filter(|(_, inside)| **inside == wanted);
                    chosen.flat_map(|(group, _)| group.iter().copied()).collect()
                };
                let (inside, outside) = (side(true), side(false));
                self.vocabulary(&inside, &outside, interpolants[node]);
            }
        }
    }

    /// Panics unless the two formulas are equivalent.
    #[track_caller]
    pub fn equivalent(&mut self, left: Term, right: Term) {
        self.refute(&[left, !right], "not equivalent");
        self.refute(&[right, !left], "not equivalent");
    }
}
