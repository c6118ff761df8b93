//! A function with a recursive call, built by calls and decided.
//!
//! `sum(n) = if n <= 0 { 0 } else { n + sum(n - 1) }`: is the result always at least `n`?

#![allow(clippy::print_stdout, reason = "the example shows the model")]

use libshem::{Checked, Options, Problem, Sort, Value};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut problem = Problem::new();
    // Sum(n, r): a call with argument n may return r.
    let sum = problem.declare("Sum", &[Sort::Int, Sort::Int])?;

    let s = problem.terms();
    let (n, r) = (s.variable("n", Sort::Int), s.variable("r", Sort::Int));
    let base = s.apply(sum, &[n, s.int(0)])?;
    let inner = s.apply(sum, &[s.sub(n, s.int(1))?, r])?;
    let outer = s.apply(sum, &[n, s.add(&[n, r])?])?;
    let (call, bad) = (s.apply(sum, &[n, r])?, s.lt(r, n)?);
    let (stop, go_on) = (s.le(n, s.int(0))?, s.gt(n, s.int(0))?);

    problem.clause(&[stop], base)?;
    problem.clause(&[go_on, inner], outer)?;
    problem.query(&[call, bad])?;

    let answer = problem.solve(&Options::default())?;
    let model = answer.model().ok_or("the result is at least n, so there is a model")?;
    assert_eq!(answer.checked, Checked::Witness);
    println!("{} by {}", answer.verdict.word(), answer.engine);
    print!("{}", problem.model_text(model));

    // The model over-approximates what can happen: sum(3) = 6 is possible, sum(3) = 2 is not.
    let value = |number: i64| Value::Num(number.into());
    assert_eq!(model.holds(problem.store(), sum, &[value(3), value(6)]), Some(true));
    assert_eq!(model.holds(problem.store(), sum, &[value(3), value(2)]), Some(false));
    Ok(())
}
