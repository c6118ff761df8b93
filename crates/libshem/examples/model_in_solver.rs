//! The model in a solver: what does the invariant that was found say about the program?
//!
//! `x = 0; y = 0; while (*) { x = x + 1; y = y + 2; }`, and `y = 7` is not reached together with `x > 7`.

#![allow(clippy::print_stdout, reason = "the example shows the answers of the solver")]

use libshem::smt::{Answer, Budget, Solver, SolverOptions};
use libshem::{Options, Problem, Sort};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut problem = Problem::new();
    let inv = problem.declare("Inv", &[Sort::Int, Sort::Int])?;
    let store = problem.store_mut();
    let (x, y) = (store.variable("x", Sort::Int), store.variable("y", Sort::Int));
    let (zero, one, two, seven) = (store.int(0), store.int(1), store.int(2), store.int(7));
    let (x_zero, y_zero) = (store.eq(x, zero), store.eq(y, zero));
    let (next_x, next_y) = (store.add(&[x, one]), store.add(&[y, two]));
    let (seventh, beyond) = (store.eq(y, seven), store.gt(x, seven));
    let (here, next) = (problem.apply(inv, &[x, y])?, problem.apply(inv, &[next_x, next_y])?);
    problem.clause(&[x_zero, y_zero], here)?;
    problem.clause(&[here], next)?;
    problem.query(&[here, seventh, beyond])?;
    let answer = problem.solve(&Options::default())?;
    let model = answer.model().ok_or("there is a model")?;

    // The definition of Inv, about terms of ours: a formula that solvers take.
    let store = problem.store_mut();
    let (a, b) = (store.variable("a", Sort::Int), store.variable("b", Sort::Int));
    let invariant = model.apply(store, inv, &[a, b]);
    println!("Inv(a, b) is {}", store.display(invariant));

    let mut solver = Solver::new(SolverOptions::default());
    solver.assert(store, invariant);
    // The invariant implies that a <= 7 where b = 7: its negation has no solution.
    let (at_seven, above) = (store.eq(b, seven), store.gt(a, seven));
    let mut budget = Budget::unlimited();
    assert!(solver.check_assuming(store, &[at_seven, above], &mut budget).is_unsat());

    // It allows the states that are reached, for instance a = 2 and b = 4; the solver gives values for another.
    let four = store.int(4);
    let (reached_a, reached_b) = (store.eq(a, two), store.eq(b, four));
    assert!(solver.check_assuming(store, &[reached_a, reached_b], &mut budget).is_sat());
    let Answer::Sat(mut solution) = solver.check(store, &mut budget) else {
        return Err("the invariant has a solution".into());
    };
    let values = solution.model();
    for variable in [a, b] {
        let symbol = store.as_var(variable).ok_or("a variable")?;
        let value = values.get(symbol).ok_or("a value")?;
        let value = store.display_value(value, store.sort(variable));
        println!("{} may be {value}", store.display(variable));
    }
    Ok(())
}
