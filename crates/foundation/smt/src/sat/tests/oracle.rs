//! A session: the core beside a plain account of what it was told, and judges of its answers.

use super::differences::{Difference, Differences};
use crate::sat::{Sat, SolveResult};
use shem_base::{Budget, Lit, Var};
use shem_proof::{Origin, Proof, ProofLog, Rule, check};
use std::collections::BTreeSet;

/// What a variable is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Plain,
    Atom(Difference),
    Guard,
    Dormant,
}

/// The core and the account.
pub struct Session {
    pub sat: Sat<Differences, ProofLog>,
    pub roles: Vec<Role>,
    pub clauses: Vec<Vec<Lit>>,
    marks: Vec<(usize, usize)>,
    /// The largest value to try for an unknown; the first unknown is zero.
    pub range: i64,
}

impl Session {
    pub fn new(unknowns: usize, seed: u64) -> Self {
        let mut sat = Sat::new(Differences::new(unknowns, seed), ProofLog::with_limit(200));
        if seed.is_multiple_of(2) {
            // Everything that is forgotten or collected now and then shall be so all the time.
            sat.limits.learnts = 4;
            sat.limits.learnts_step = 1;
            sat.limits.explanations = 20;
            sat.limits.many_facts = 0;
        }
        Session { sat, roles: Vec::new(), clauses: Vec::new(), marks: Vec::new(), range: 8 }
    }

    pub fn add_var(&mut self, role: Role) -> Var {
        self.adopt_split_vars();
        let var = match role {
            Role::Plain => self.sat.new_var(),
            Role::Guard => self.sat.new_guard(),
            Role::Dormant => self.sat.new_dormant_var(),
            Role::Atom(atom) => {
                let var = self.sat.new_theory_var();
                self.sat.theory_mut().register(var, atom);
                var
            }
        };
        assert_eq!(var.index(), self.roles.len());
        self.roles.push(role);
        var
    }

    /// Variables that the theory made for its splits may be used like other atoms once they are retained.
    fn adopt_split_vars(&mut self) {
        for index in self.roles.len()..self.sat.num_vars() {
            self.sat.retain(Var::new(index as u32));
            self.roles.push(Role::Atom(self.sat.theory().atoms[index].expect("a split atom")));
        }
    }

    pub fn add_clause(&mut self, lits: &[Lit]) {
        self.sat.add_clause(lits, Origin::Assertion(self.clauses.len() as u32));
        self.clauses.push(lits.to_vec());
        self.sat.check_invariants();
    }

    pub fn push(&mut self) {
        self.adopt_split_vars();
        self.marks.push((self.roles.len(), self.clauses.len()));
        self.sat.push();
        self.sat.check_invariants();
    }

    pub fn pop(&mut self) {
        let (vars, clauses) = self.marks.pop().expect("a scope is open");
        self.sat.pop();
        self.roles.truncate(vars);
        self.clauses.truncate(clauses);
        assert_eq!(self.sat.num_vars(), vars);
        self.sat.check_invariants();
    }

    pub fn depth(&self) -> usize {
        self.marks.len()
    }

    /// Solves and judges the answer; compares with exhaustive search if `exhaustive`.
    pub fn solve(&mut self, assumptions: &[Lit], budget: &mut Budget, exhaustive: bool) -> SolveResult {
        let answer = self.sat.solve(assumptions, budget);
        self.sat.check_invariants();
        self.adopt_split_vars();
        match answer {
            SolveResult::Sat => self.judge_model(assumptions),
            SolveResult::Unsat => {
                let core = self.sat.core().to_vec();
                assert!(core.iter().all(|lit| assumptions.contains(lit)));
                self.judge_proof(&core);
                if exhaustive {
                    assert!(!self.has_model(&core), "the core {core:?} has a model");
                }
            }
            SolveResult::Unknown(_) => {}
        }
        if exhaustive && !matches!(answer, SolveResult::Unknown(_)) {
            assert_eq!(answer == SolveResult::Sat, self.has_model(assumptions));
        }
        answer
    }

    fn judge_model(&self, assumptions: &[Lit]) {
        for &lit in assumptions {
            assert_eq!(self.sat.value(lit), Some(true));
        }
        let holds = |&lit: &Lit| match self.roles[lit.var().index()] {
            Role::Atom(_) => self.sat.theory().holds(lit),
            _ => self.sat.model_value(lit),
        };
        for clause in &self.clauses {
            assert!(clause.iter().any(holds), "{clause:?} is not satisfied");
        }
        for (index, role) in self.roles.iter().enumerate() {
            let lit = Var::new(index as u32).positive();
            if let (Role::Atom(_), Some(value)) = (role, self.sat.value(lit)) {
                assert_eq!(self.sat.theory().holds(lit), value);
            }
        }
    }

    /// The refutation is a proof from clauses that stand, and proves no more than the core needs.
    fn judge_proof(&self, core: &[Lit]) {
        let Some(root) = self.sat.refutation() else {
            assert!(core.len() == 2 && core[0] == !core[1]);
            return;
        };
        let proof = Proof::extract(self.sat.proof(), root).expect("the record is a derivation");
        let conclusion = check(&proof, self.sat.theory()).expect("the proof is right");
        let negated: BTreeSet<Lit> = core.iter().map(|&lit| !lit).collect();
        assert_eq!(conclusion.iter().copied().collect::<BTreeSet<_>>(), negated);
        for step in proof.steps() {
            if let Rule::Input(Origin::Assertion(number)) = proof.rule(step) {
                let given: BTreeSet<Lit> = self.clauses[number as usize].iter().copied().collect();
                assert_eq!(proof.clause(step).iter().copied().collect::<BTreeSet<_>>(), given);
            }
        }
    }

    /// Whether clauses and assumptions have a model, by trying everything.
    pub fn has_model(&self, assumptions: &[Lit]) -> bool {
        let unknowns = self.sat.theory().unknowns;
        let free: Vec<usize> =
            (0..self.roles.len()).filter(|&var| !matches!(self.roles[var], Role::Atom(_))).collect();
        assert!(free.len() <= 20);
        let mut truth = vec![false; self.roles.len()];
        let mut values = vec![-self.range; unknowns];
        values[0] = 0;
        let has_atoms = free.len() < self.roles.len();
        loop {
            for (index, role) in self.roles.iter().enumerate() {
                if let Role::Atom(atom) = role {
                    truth[index] = values[atom.x as usize] - values[atom.y as usize] <= atom.bound;
                }
            }
            for bits in 0u32..1 << free.len() {
                for (place, &var) in free.iter().enumerate() {
                    truth[var] = bits >> place & 1 == 1;
                }
                let holds = |lit: &Lit| truth[lit.var().index()] == lit.is_positive();
                if assumptions.iter().all(holds) && self.clauses.iter().all(|clause| clause.iter().any(holds))
                {
                    return true;
                }
            }
            // The next values: a counter whose first digit stays zero.
            let mut place = 1;
            loop {
                if !has_atoms || place >= unknowns {
                    return false;
                }
                values[place] += 1;
                if values[place] <= self.range {
                    break;
                }
                values[place] = -self.range;
                place += 1;
            }
        }
    }
}
