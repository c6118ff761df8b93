//! Random sessions.

use super::differences::Difference;
use super::oracle::{Role, Session};
use crate::sat::SolveResult;
use shem_base::{Budget, Lit, Rng, Var};

/// What a random session is like.
#[derive(Clone, Copy)]
struct Shape {
    plain: usize,
    atoms: usize,
    unknowns: usize,
    groups: usize,
    steps: usize,
    clauses_a_step: usize,
    /// The least number of literals of a clause.
    shortest: usize,
    /// How often a final check adds lemmas, in percent.
    additions: u64,
    exhaustive: bool,
    /// Whether searches are propositional after the first conflict.
    propositional: bool,
}

fn random_lit(rng: &mut Rng, session: &Session) -> Lit {
    loop {
        let var = Var::new(rng.below(session.roles.len() as u64) as u32);
        if !matches!(session.roles[var.index()], Role::Guard | Role::Dormant) {
            return var.lit(rng.below(2) == 0);
        }
    }
}

fn random_clause(rng: &mut Rng, session: &Session, shortest: usize) -> Vec<Lit> {
    let len = [1, 2, 2, 3, 3, 3, 3, 4, 5][rng.below(9) as usize].max(shortest);
    (0..len).map(|_| random_lit(rng, session)).collect()
}

fn random_atom(rng: &mut Rng, unknowns: usize) -> Role {
    let x = rng.below(unknowns as u64) as u32;
    let y = (x + 1 + rng.below(unknowns as u64 - 1) as u32) % unknowns as u32;
    Role::Atom(Difference { x, y, bound: rng.below(5) as i64 - 2 })
}

/// A group of clauses that a guard switches on, with dormant variables of its own.
struct Group {
    guard: Var,
    locals: Vec<Var>,
    depth: usize,
}

fn add_group(rng: &mut Rng, session: &mut Session) -> Group {
    let guard = session.add_var(Role::Guard);
    let locals: Vec<Var> = (0..2).map(|_| session.add_var(Role::Dormant)).collect();
    for _ in 0..4 {
        let mut clause = random_clause(rng, session, 1);
        clause.push(locals[rng.below(2) as usize].lit(rng.below(2) == 0));
        clause.push(guard.negative());
        rng.shuffle(&mut clause);
        session.add_clause(&clause);
    }
    Group { guard, locals, depth: session.depth() }
}

fn run(shape: Shape, seed: u64) -> [usize; 4] {
    let mut rng = Rng::new(seed);
    let mut session = Session::new(shape.unknowns, seed);
    session.sat.set_seed(seed % 4);
    if shape.additions > 0 {
        session.sat.theory_mut().addition_chance = shape.additions;
        // The bounds of added atoms are between -7 and 6.
        session.range = 14;
    }
    if shape.propositional {
        session.sat.make_propositional();
    }
    let mut groups: Vec<Group> = Vec::new();
    let mut counts = [0; 4];
    for _ in 0..shape.plain {
        session.add_var(Role::Plain);
    }
    for _ in 0..shape.atoms {
        let atom = random_atom(&mut rng, shape.unknowns);
        session.add_var(atom);
    }
    for _ in 0..shape.steps {
        match rng.below(10) {
            0 if session.depth() < 4 => {
                session.push();
                if rng.below(2) == 0 && session.roles.len() < 2 * (shape.plain + shape.atoms) {
                    let plain = shape.atoms == 0 || (shape.plain > 0 && rng.below(2) == 0);
                    let role = if plain { Role::Plain } else { random_atom(&mut rng, shape.unknowns) };
                    session.add_var(role);
                }
            }
            1 | 2 if session.depth() > 0 => {
                session.pop();
                let depth = session.depth();
                groups.retain(|group| group.depth <= depth);
            }
            3 if groups.len() < shape.groups => {
                let group = add_group(&mut rng, &mut session);
                groups.push(group);
            }
            4..=6 => {
                for _ in 0..1 + rng.below(shape.clauses_a_step as u64) {
                    let clause = random_clause(&mut rng, &session, shape.shortest);
                    session.add_clause(&clause);
                }
            }
            _ => {
                let mut assumptions: Vec<Lit> = Vec::new();
                let mut active = Vec::new();
                for (index, group) in groups.iter().enumerate() {
                    if rng.below(2) == 0 {
                        assumptions.push(group.guard.positive());
                        active.push(index);
                    }
                }
                for _ in 0..rng.below(4) {
                    assumptions.push(random_lit(&mut rng, &session));
                }
                for &index in &active {
                    groups[index].locals.iter().for_each(|&var| session.sat.retain(var));
                }
                // The same assumptions may be solved again, or with one more or less.
                for _ in 0..1 + rng.below(3) {
                    let mut budget = Budget::unlimited();
                    if rng.below(10) == 0 {
                        budget.conflicts = rng.below(3);
                    }
                    match session.solve(&assumptions, &mut budget, shape.exhaustive) {
                        SolveResult::Sat => counts[0] += 1,
                        SolveResult::Unsat => counts[1] += 1,
                        SolveResult::Unknown(_) => counts[2] += 1,
                    }
                    match rng.below(4) {
                        0 => assumptions.push(random_lit(&mut rng, &session)),
                        1 => {
                            let clause = random_clause(&mut rng, &session, shape.shortest);
                            session.add_clause(&clause);
                        }
                        2 if assumptions.len() > active.len() => {
                            assumptions.pop();
                        }
                        _ => {}
                    }
                }
                for &index in &active {
                    groups[index].locals.iter().for_each(|&var| session.sat.release(var));
                }
            }
        }
    }
    counts[3] = session.sat.statistics().eliminated_vars as usize;
    counts
}

fn run_many(shape: Shape, seeds: std::ops::Range<u64>) {
    let mut totals = [0; 4];
    for seed in seeds {
        let counts = run(shape, seed);
        for (total, count) in totals.iter_mut().zip(counts) {
            *total += count;
        }
    }
    // Both answers must occur often, or the test says little.
    assert!(totals[0] * 10 > totals[1] && totals[1] * 10 > totals[0], "{totals:?}");
    assert!(!shape.propositional || totals[3] > 20, "{totals:?}");
}

const PLAIN: Shape = Shape {
    plain: 8,
    atoms: 0,
    unknowns: 1,
    groups: 0,
    steps: 60,
    clauses_a_step: 6,
    shortest: 1,
    additions: 0,
    exhaustive: true,
    propositional: false,
};

#[test]
fn propositional_sessions() {
    run_many(PLAIN, 0..400);
}

#[test]
fn guarded_sessions() {
    run_many(Shape { plain: 5, groups: 2, clauses_a_step: 3, ..PLAIN }, 1000..1150);
}

#[test]
fn theory_sessions() {
    let shape = Shape { plain: 3, atoms: 6, unknowns: 3, clauses_a_step: 4, steps: 40, ..PLAIN };
    run_many(shape, 2000..2150);
}

#[test]
fn theory_sessions_with_guards() {
    let shape = Shape { plain: 1, atoms: 6, unknowns: 3, groups: 2, clauses_a_step: 3, steps: 40, ..PLAIN };
    run_many(shape, 3000..3080);
}

const LARGE: Shape = Shape {
    plain: 40,
    atoms: 20,
    unknowns: 5,
    clauses_a_step: 40,
    shortest: 3,
    steps: 80,
    exhaustive: false,
    ..PLAIN
};

#[test]
fn larger_sessions() {
    run_many(LARGE, 4000..4060);
}

#[test]
fn sessions_with_additions() {
    let shape =
        Shape { plain: 3, atoms: 5, unknowns: 3, clauses_a_step: 4, steps: 40, additions: 80, ..PLAIN };
    run_many(shape, 5000..5100);
}

#[test]
fn sessions_with_additions_and_guards() {
    let shape = Shape {
        plain: 1,
        atoms: 5,
        unknowns: 3,
        groups: 2,
        clauses_a_step: 3,
        steps: 40,
        additions: 80,
        ..PLAIN
    };
    run_many(shape, 6000..6050);
}

#[test]
fn larger_sessions_with_additions() {
    run_many(Shape { additions: 90, ..LARGE }, 7000..7040);
}

/// Searches that eliminate variables, restart and change modes as soon as they can.
const EAGER: Shape = Shape { propositional: true, ..PLAIN };

#[test]
fn eliminations() {
    run_many(EAGER, 8000..8400);
    run_many(Shape { plain: 5, groups: 2, clauses_a_step: 3, ..EAGER }, 9000..9150);
}

#[test]
fn eliminations_beside_a_theory() {
    let shape = Shape { plain: 6, atoms: 3, unknowns: 3, clauses_a_step: 4, steps: 40, ..EAGER };
    run_many(shape, 10_000..10_060);
    run_many(Shape { groups: 2, additions: 80, exhaustive: false, ..shape }, 11_000..11_050);
}

#[test]
fn larger_eliminations() {
    run_many(Shape { propositional: true, ..LARGE }, 12_000..12_060);
    run_many(
        Shape { propositional: true, plain: 100, atoms: 0, clauses_a_step: 100, ..LARGE },
        13_000..13_040,
    );
}
