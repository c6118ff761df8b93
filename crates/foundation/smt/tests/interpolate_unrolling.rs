//! Interpolants of an unrolling that grows in one solver, by instances of templates, as engines make it.

use shem_base::Budget;
use shem_smt::interpolate::ItpOptions;
use shem_smt::{Answer, Solver, Template};
use shem_term::{Sort, Store, Term};

fn unsatisfiable(store: &mut Store, formulas: &[Term]) -> bool {
    let mut solver = Solver::new(Default::default());
    for &formula in formulas {
        solver.assert(store, formula);
    }
    solver.check(store, &mut Budget::unlimited()).is_unsat()
}

#[test]
fn suffix_grows_between_interpolants() {
    let mut store = Store::new();
    let s = &mut store;
    let [x, y, u, v] = ["x", "y", "u", "v"].map(|name| s.variable(name, Sort::Int));
    let flag = s.variable("flag", Sort::Bool);
    let number = |s: &mut Store, t: Term, n: i64| {
        let n = s.int(n);
        s.eq(t, n)
    };
    let shifted = |s: &mut Store, t: Term, from: Term, n: i64| {
        let sum = s.linear(&[(1.into(), from)], &n.into(), Sort::Int);
        s.eq(t, sum)
    };
    // Either (x, y) becomes (y, x + 2), if x <= 2, or (x - 1, y - 1), if y <= 1; all from 0 to 4.
    let (zero, one, two, four) = (s.int(0), s.int(1), s.int(2), s.int(4));
    let first = [flag, s.le(x, two), s.eq(u, y), shifted(s, v, x, 2)];
    let second = [!flag, s.le(y, one), shifted(s, u, x, -1), shifted(s, v, y, -1)];
    let either = [s.and(&first), s.and(&second)];
    let parts = [s.or(&either), s.ge(u, zero), s.le(u, four), s.ge(v, zero), s.le(v, four)];
    let step = s.and(&parts);
    let start = [number(s, x, 0), number(s, y, 4)];
    let start = s.and(&start);
    let goal = [number(s, x, 2), number(s, y, 2)];
    let goal = s.and(&goal);
    let step = Template::new(s, step, &[x, y, u, v]);
    let start = Template::new(s, start, &[x, y]);
    let goal = Template::new(s, goal, &[x, y]);

    let mut solver = Solver::new(Default::default());
    let mut states = vec![[solver.fresh(Sort::Int), solver.fresh(Sort::Int)]];
    states.push([solver.fresh(Sort::Int), solver.fresh(Sort::Int)]);
    let actuals = [states[0], states[1]].concat();
    let prefix = solver.instantiate(s, &step, &actuals);
    for k in 1..=4 {
        solver.push();
        solver.instantiate(s, &goal, &states[k]);
        solver.push();
        let source = solver.instantiate(s, &start, &states[0]);
        let budget = &mut Budget::unlimited();
        let Answer::Unsat(mut refutation) = solver.check(s, budget) else { break };
        let interpolant =
            refutation.interpolant(s, &[prefix, source], &ItpOptions::default(), budget).unwrap();
        let count = solver.assertion_count();
        let formulas: Vec<Term> = (0..count).map(|i| solver.assertion(s, i).unwrap()).collect();
        let a = [formulas[prefix as usize], formulas[source as usize], !interpolant];
        assert!(unsatisfiable(s, &a), "k = {k}: {} does not follow", s.display(interpolant));
        let mut b: Vec<Term> = Vec::new();
        b.extend((0..count).filter(|&i| i != prefix && i != source).map(|i| formulas[i as usize]));
        b.push(interpolant);
        assert!(unsatisfiable(s, &b), "k = {k}: {} does not contradict", s.display(interpolant));
        solver.pop();
        solver.pop();
        states.push([solver.fresh(Sort::Int), solver.fresh(Sort::Int)]);
        let actuals = [states[k], states[k + 1]].concat();
        solver.instantiate(s, &step, &actuals);
    }
}
