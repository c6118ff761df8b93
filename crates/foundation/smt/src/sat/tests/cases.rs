//! Single cases.

use super::differences::{Difference, Differences};
use super::oracle::{Role, Session};
use crate::sat::{Sat, SolveResult};
use shem_base::{Budget, Lit, StopToken, UnknownReason, Var};
use shem_proof::{NoProof, Origin, Proof, ProofLog, check};

/// The clauses that put `holes + 1` pigeons into `holes` holes.
fn pigeons(holes: usize) -> (usize, Vec<Vec<Lit>>) {
    let at = |pigeon: usize, hole: usize| Var::new((pigeon * holes + hole) as u32);
    let mut clauses = Vec::new();
    for pigeon in 0..=holes {
        clauses.push((0..holes).map(|hole| at(pigeon, hole).positive()).collect());
        for other in 0..pigeon {
            for hole in 0..holes {
                clauses.push(vec![at(pigeon, hole).negative(), at(other, hole).negative()]);
            }
        }
    }
    ((holes + 1) * holes, clauses)
}

#[test]
fn pigeon_hole() {
    let (vars, clauses) = pigeons(7);
    let mut session = Session::new(1, 1);
    for _ in 0..vars {
        session.add_var(Role::Plain);
    }
    for clause in &clauses {
        session.add_clause(clause);
    }
    assert_eq!(session.solve(&[], &mut Budget::unlimited(), false), SolveResult::Unsat);
    assert!(session.sat.statistics().conflicts > 100);
}

#[test]
fn restarts_and_reductions() {
    let (vars, clauses) = pigeons(8);
    let mut sat = Sat::new(Differences::new(1, 1), ProofLog::new());
    for _ in 0..vars {
        sat.new_var();
    }
    sat.push();
    let guard = sat.new_var();
    for clause in &clauses {
        let mut clause = clause.clone();
        clause.push(guard.negative());
        sat.add_clause(&clause, Origin::Definition);
    }
    assert_eq!(sat.solve(&[guard.positive()], &mut Budget::unlimited()), SolveResult::Unsat);
    sat.check_invariants();
    assert!(sat.statistics().restarts > 0 && sat.statistics().reductions > 0);
    assert_eq!(sat.core(), &[guard.positive()]);
    let proof = Proof::extract(sat.proof(), sat.refutation().unwrap()).unwrap();
    assert_eq!(check(&proof, sat.theory()).unwrap(), &[guard.negative()]);
    sat.pop();
    sat.check_invariants();
    assert_eq!(sat.learnts.len() + sat.inputs.len(), 0);
    assert!(sat.proof().is_empty());
}

#[test]
fn budgets_end_the_search() {
    let (vars, clauses) = pigeons(7);
    let mut session = Session::new(1, 1);
    for _ in 0..vars {
        session.add_var(Role::Plain);
    }
    for clause in &clauses {
        session.add_clause(clause);
    }
    let mut budget = Budget::unlimited();
    budget.conflicts = 10;
    assert_eq!(session.solve(&[], &mut budget, false), SolveResult::Unknown(UnknownReason::Conflicts));
    let mut budget = Budget::unlimited();
    budget.stop = StopToken::default();
    budget.stop.stop();
    assert_eq!(session.solve(&[], &mut budget, false), SolveResult::Unknown(UnknownReason::Stopped));
    assert_eq!(session.solve(&[], &mut Budget::unlimited(), false), SolveResult::Unsat);
}

#[test]
fn contradictory_assumptions() {
    let mut session = Session::new(1, 1);
    let var = session.add_var(Role::Plain);
    let assumptions = [var.positive(), var.negative()];
    assert_eq!(session.solve(&assumptions, &mut Budget::unlimited(), true), SolveResult::Unsat);
    assert_eq!(session.sat.refutation(), None);
    session.add_clause(&[var.negative()]);
    assert_eq!(session.solve(&assumptions, &mut Budget::unlimited(), true), SolveResult::Unsat);
    assert_eq!(session.sat.core(), &[var.positive()]);
}

#[test]
fn contradiction_goes_with_its_scope() {
    let mut session = Session::new(1, 1);
    let var = session.add_var(Role::Plain);
    session.push();
    session.add_clause(&[var.positive()]);
    session.push();
    session.add_clause(&[var.negative()]);
    assert_eq!(session.solve(&[], &mut Budget::unlimited(), true), SolveResult::Unsat);
    session.add_clause(&[]);
    session.pop();
    assert_eq!(session.solve(&[], &mut Budget::unlimited(), true), SolveResult::Sat);
    assert_eq!(session.sat.value(var.positive()), Some(true));
    session.pop();
    session.add_clause(&[var.negative()]);
    assert_eq!(session.solve(&[], &mut Budget::unlimited(), true), SolveResult::Sat);
}

#[test]
fn assumptions_in_common_stay_on_the_trail() {
    let mut session = Session::new(1, 1);
    let vars: Vec<Var> = (0..10).map(|_| session.add_var(Role::Plain)).collect();
    for pair in vars.windows(2) {
        session.add_clause(&[pair[0].positive(), pair[1].positive()]);
    }
    let lits: Vec<Lit> = vars[..4].iter().map(|var| var.positive()).collect();
    session.solve(&lits, &mut Budget::unlimited(), true);
    let before = session.sat.statistics().propagations;
    session.solve(&[lits[0], lits[1], lits[2], !lits[3]], &mut Budget::unlimited(), true);
    assert_eq!(session.sat.statistics().reused_levels, 3);
    let after = session.sat.statistics().propagations;
    session.solve(&[lits[0], lits[1], lits[2], !lits[3]], &mut Budget::unlimited(), true);
    assert_eq!(session.sat.statistics().propagations, after);
    assert!(after - before < 10);
}

#[test]
fn satisfied_clauses_need_no_decisions() {
    let mut session = Session::new(2, 1);
    session.sat.theory_mut().split_chance = 0;
    let switch = session.add_var(Role::Plain);
    for bound in 0..50 {
        let atom = session.add_var(Role::Atom(Difference { x: 0, y: 1, bound }));
        let other = session.add_var(Role::Plain);
        session.add_clause(&[switch.negative(), atom.positive(), other.positive()]);
    }
    let answer = session.solve(&[switch.negative()], &mut Budget::unlimited(), false);
    assert_eq!(answer, SolveResult::Sat);
    assert_eq!(session.sat.statistics().decisions, 0);
    assert_eq!(session.sat.statistics().theory_literals, 0);
}

#[test]
fn learnt_clauses_of_older_variables_survive() {
    let (vars, clauses) = pigeons(5);
    let mut sat = Sat::new(Differences::new(1, 1), ProofLog::new());
    for _ in 0..vars {
        sat.new_var();
    }
    let guard = sat.new_var();
    for clause in &clauses {
        let mut clause = clause.clone();
        clause.push(guard.negative());
        sat.add_clause(&clause, Origin::Definition);
    }
    sat.push();
    let other = sat.new_var();
    sat.add_clause(&[other.positive(), guard.positive()], Origin::Definition);
    sat.add_clause(&[other.negative(), guard.positive()], Origin::Definition);
    assert_eq!(sat.solve(&[], &mut Budget::unlimited()), SolveResult::Unsat);
    sat.check_invariants();
    sat.pop();
    sat.check_invariants();
    assert!(sat.statistics().promoted_clauses > 0);
    let conflicts = sat.statistics().conflicts;
    assert_eq!(sat.solve(&[guard.positive()], &mut Budget::unlimited()), SolveResult::Unsat);
    assert!(sat.statistics().conflicts - conflicts < conflicts);
    let proof = Proof::extract(sat.proof(), sat.refutation().unwrap()).unwrap();
    assert_eq!(check(&proof, sat.theory()).unwrap(), &[guard.negative()]);
}

#[test]
fn groups_switched_off_cost_nothing() {
    let mut sat = Sat::new(Differences::new(1, 1), NoProof);
    let vars: Vec<Var> = (0..20).map(|_| sat.new_var()).collect();
    for triple in vars.windows(3) {
        let clause = [triple[0].positive(), triple[1].negative(), triple[2].positive()];
        sat.add_clause(&clause, Origin::Definition);
    }
    for index in 0..1000 {
        let guard = sat.new_guard();
        let locals: Vec<Var> = (0..3).map(|_| sat.new_var()).collect();
        let clause = [guard.negative(), locals[0].positive(), locals[1].positive(), locals[2].negative()];
        sat.add_clause(&clause, Origin::Definition);
        let clause = [locals[0].negative(), vars[index % 20].positive(), guard.negative()];
        sat.add_clause(&clause, Origin::Definition);
    }
    let mut costs = Vec::new();
    for _ in 0..3 {
        sat.backtrack(0);
        let before = *sat.statistics();
        assert_eq!(sat.solve(&[vars[0].positive()], &mut Budget::unlimited()), SolveResult::Sat);
        sat.check_invariants();
        let after = sat.statistics();
        costs.push(after.skips - before.skips + after.propagations - before.propagations);
    }
    // The first solve looks once at every variable that is not pure.
    assert!(costs[0] > 1000 && costs[1] <= 40 && costs[2] <= 40, "{costs:?}");
}

#[test]
fn many_scopes_leave_nothing_behind() {
    let mut session = Session::new(1, 1);
    let vars: Vec<Var> = (0..6).map(|_| session.add_var(Role::Plain)).collect();
    for triple in vars.windows(3) {
        session.add_clause(&[triple[0].positive(), triple[1].negative(), triple[2].positive()]);
    }
    for round in 0..2000usize {
        session.push();
        let local = session.add_var(Role::Plain);
        session.add_clause(&[local.positive(), vars[round % 6].negative()]);
        session.add_clause(&[local.negative(), vars[(round + 1) % 6].lit(round % 3 == 0)]);
        session.add_clause(&[vars[round % 5].positive()]);
        session.solve(&[], &mut Budget::unlimited(), round % 50 == 0);
        session.pop();
    }
    assert_eq!(session.sat.num_vars(), 6);
    assert_eq!(session.sat.inputs.len(), 4);
    assert!(session.sat.proof().len() < 100);
}
