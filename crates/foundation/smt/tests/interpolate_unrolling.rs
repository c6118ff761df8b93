//! Interpolants of an unrolling that grows in one solver, by instances of templates, as engines make it.

use shem_base::Budget;
use shem_smt::interpolate::{InterpolationSystem, ItpOptions, Partition, TheoryRule};
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

/// One pass for all cuts of a path finds what a pass for each cut finds.
#[test]
fn cuts_of_a_path_are_those_of_single_cuts() {
    let mut store = Store::new();
    let s = &mut store;
    let length = 12;
    let state = |s: &mut Store, name: &str| -> Vec<Term> {
        (0..=length).map(|i| s.variable(&format!("{name}{i}"), Sort::Real)).collect()
    };
    let (x, y) = (state(s, "x"), state(s, "y"));
    let zero = s.real(0);
    let mut groups = vec![{
        let start = [s.eq(x[0], zero), s.ge(y[0], zero)];
        s.and(&start)
    }];
    // Either x grows by y, or y by 2 while x stays.
    for i in 0..length {
        let sum = s.add(&[x[i], y[i]]);
        let larger = s.linear(&[(1.into(), y[i])], &2.into(), Sort::Real);
        let first = [s.eq(x[i + 1], sum), s.eq(y[i + 1], y[i])];
        let second = [s.eq(x[i + 1], x[i]), s.ge(y[i + 1], larger)];
        let either = [s.and(&first), s.and(&second)];
        groups.push(s.or(&either));
    }
    groups.push(s.lt(x[length], zero));
    let mut solver = Solver::new(Default::default());
    let mut partition = Partition::new(groups.len());
    for (group, &formula) in groups.iter().enumerate() {
        partition.assign(solver.assert(s, formula), group);
    }
    let budget = &mut Budget::unlimited();
    let Answer::Unsat(mut refutation) = solver.check(s, budget) else { panic!("x does not become negative") };
    for system in InterpolationSystem::ALL {
        for theory in [TheoryRule::Farkas, TheoryRule::DualFarkas] {
            let options = ItpOptions { system, theory, ..ItpOptions::default() };
            let path = refutation.path_interpolants(s, &partition, &options, budget).unwrap();
            assert_eq!(path.len(), length + 1);
            assert!(path.iter().any(|interpolant| !interpolant.is_truth_constant()));
            for (cut, &found) in path.iter().enumerate() {
                let a: Vec<u32> = (0..=cut as u32).collect();
                let alone = refutation.interpolant(s, &a, &options, budget).unwrap();
                assert_eq!(found, alone, "{system} {theory}, cut {cut}");
            }
        }
    }
}
