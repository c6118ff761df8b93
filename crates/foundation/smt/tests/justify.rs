//! Refutations of random formulas pass the judge, and no refutation passes as one of formulas with a model.

use shem_base::{Budget, Int, Rat, Rng, Var};
use shem_justify::{
    Assertion, Meaning, NumberMeaning, Premises, RefutationError, Translation, check_refutation,
};
use shem_proof::Proof;
use shem_smt::{Answer, Solver, Template};
use shem_term::{Sort, Store, Term, Value};

/// Formulas without a model, with the refutation that was found.
struct Refuted {
    formulas: Vec<Assertion>,
    /// The numbers of the formulas that the refutation uses.
    used: Vec<u32>,
    solver: Solver,
    proof: Proof,
}

/// Variables of all sorts.
struct Problem {
    store: Store,
    rng: Rng,
    ints: Vec<Term>,
    reals: Vec<Term>,
    bools: Vec<Term>,
}

impl Problem {
    fn new(seed: u64) -> Problem {
        let mut store = Store::new();
        let mut variables = |names: &[&str], sort| names.iter().map(|n| store.variable(n, sort)).collect();
        let ints = variables(&["x", "y"], Sort::Int);
        let reals = variables(&["u", "v"], Sort::Real);
        let bools = variables(&["p", "q"], Sort::Bool);
        Problem { store, rng: Rng::new(seed), ints, reals, bools }
    }

    /// A random sum, with all kinds of arithmetic terms.
    fn sum(&mut self, sort: Sort, depth: usize) -> Term {
        let mut terms = Vec::new();
        for _ in 0..self.rng.range(1..=2) {
            let variables = if sort == Sort::Int { &self.ints } else { &self.reals };
            let leaf = match self.rng.below(10) {
                0 if depth > 0 => {
                    let condition = self.formula(depth - 1);
                    let (a, b) = (self.sum(sort, depth - 1), self.sum(sort, depth - 1));
                    self.store.ite(condition, a, b)
                }
                1 if depth > 0 => {
                    let inner = self.sum(sort, depth - 1);
                    self.store.abs(inner)
                }
                2 if depth > 0 && sort == Sort::Int => {
                    let inner = self.sum(sort, depth - 1);
                    self.store.int_div(inner, &Int::from(self.rng.range(2..=4)))
                }
                3 if depth > 0 && sort == Sort::Int => {
                    let inner = self.sum(sort, depth - 1);
                    self.store.int_mod(inner, &Int::from(self.rng.range(2..=4)))
                }
                4 if depth > 0 && sort == Sort::Int => {
                    let inner = self.sum(Sort::Real, depth - 1);
                    self.store.to_int(inner)
                }
                5 if depth > 0 && sort == Sort::Real => {
                    let inner = self.sum(Sort::Int, depth - 1);
                    self.store.to_real(inner)
                }
                _ => variables[self.rng.index(variables.len())],
            };
            terms.push((Rat::from(self.rng.range(-3..=3)), leaf));
        }
        self.store.linear(&terms, &Rat::from(self.rng.range(-4..=4)), sort)
    }

    fn formula(&mut self, depth: usize) -> Term {
        if depth == 0 || self.rng.chance(15) {
            if self.rng.chance(25) {
                return self.bools[self.rng.index(2)].xor(self.rng.bool());
            }
            let sort = if self.rng.chance(70) { Sort::Int } else { Sort::Real };
            let (a, b, c) = (self.sum(sort, depth), self.sum(sort, depth), self.sum(sort, depth));
            let store = &mut self.store;
            return match self.rng.below(7) {
                0 => store.eq(a, b),
                1 => store.lt(a, b),
                2 => store.distinct(&[a, b, c]),
                3 if sort == Sort::Int => store.divisible(&Int::from(self.rng.range(2..=4)), a),
                _ => store.le(a, b),
            };
        }
        let (a, b, c) = (self.formula(depth - 1), self.formula(depth - 1), self.formula(depth - 1));
        let store = &mut self.store;
        match self.rng.below(6) {
            0 | 1 => store.and(&[a, b, c]),
            2 | 3 => store.or(&[a, b, c]),
            4 => store.iff(a, b),
            _ => store.ite(a, b, c),
        }
    }

    /// Formulas without a model, with a solver that has refuted them and its proof.
    fn refutation(&mut self) -> Option<Refuted> {
        let mut solver = Solver::new(Default::default());
        let mut formulas = Vec::new();
        for _ in 0..12 {
            let formula = self.formula(3);
            formulas.push(formula.into());
            solver.assert(&mut self.store, formula);
            let mut budget = Budget { conflicts: 300, splits: 300, ..Budget::unlimited() };
            match solver.check(&mut self.store, &mut budget) {
                Answer::Unsat(refutation) => {
                    let proof = refutation.proof().expect("there are no assumptions").expect("a derivation");
                    let used = refutation.used_assertions();
                    return Some(Refuted { formulas, used, solver, proof });
                }
                Answer::Sat(_) => {}
                Answer::Unknown(_) => return None,
            }
        }
        None
    }
}

fn judge(
    store: &mut Store,
    proof: &Proof,
    translation: &impl Translation,
    assertions: &[Assertion],
) -> Result<(), RefutationError> {
    check_refutation(store, proof, translation, Premises { assertions, ..Premises::default() })
}

#[test]
fn refutations_of_random_formulas_are_accepted() {
    let mut refuted = 0;
    for seed in 0..400 {
        let mut problem = Problem::new(seed);
        let Some(Refuted { formulas, solver, proof, .. }) = problem.refutation() else { continue };
        let judgement = judge(&mut problem.store, &proof, &solver, &formulas);
        assert_eq!(judgement, Ok(()), "seed {seed}");
        refuted += 1;
    }
    assert!(refuted > 200, "only {refuted} formulas were refuted");
}

/// A translation that lies about one variable.
struct Liar<'a> {
    solver: &'a Solver,
    var: Option<(Var, Meaning)>,
    number: Option<(u32, NumberMeaning)>,
}

impl Translation for Liar<'_> {
    fn meaning(&self, var: Var) -> Meaning {
        match &self.var {
            Some((lie, meaning)) if *lie == var => meaning.clone(),
            _ => self.solver.meaning(var),
        }
    }

    fn number(&self, number: u32) -> NumberMeaning {
        match &self.number {
            Some((lie, meaning)) if *lie == number => meaning.clone(),
            _ => self.solver.number(number),
        }
    }
}

/// Whether a small assignment satisfies all formulas.
fn has_small_model(problem: &Problem, formulas: &[Assertion]) -> bool {
    let numbers: Vec<Term> = problem.ints.iter().chain(&problem.reals).copied().collect();
    (0..5usize.pow(4) * 4).any(|code| {
        let value = |symbol| {
            let mut rest = code;
            for &p in &problem.bools {
                if problem.store.as_var(p) == Some(symbol) {
                    return Some(Value::Bool(rest & 1 == 1));
                }
                rest >>= 1;
            }
            for &x in &numbers {
                if problem.store.as_var(x) == Some(symbol) {
                    return Some(Value::Num(Rat::from((rest % 5) as i64 - 2)));
                }
                rest /= 5;
            }
            None
        };
        formulas.iter().all(|f| problem.store.evaluate(f.formula, &value) == Some(Value::Bool(true)))
    })
}

/// Whatever the translation says: formulas that have a model are not refuted.
#[test]
fn lies_do_not_refute_formulas_with_models() {
    let (mut honest, mut lying) = (0, 0);
    for seed in 0..150 {
        let mut problem = Problem::new(1000 + seed);
        let Some(Refuted { formulas, used, solver, proof }) = problem.refutation() else { continue };
        // One formula of the refutation is exchanged, so that there is a model.
        let place = used[problem.rng.index(used.len())] as usize;
        for _ in 0..3 {
            let mut others = formulas.clone();
            let other = problem.formula(2);
            let mixed = [other, problem.store.or2(formulas[place].formula, other), !formulas[place].formula];
            others[place] = mixed[problem.rng.index(3)].into();
            if !has_small_model(&problem, &others) {
                continue;
            }
            let judgement = judge(&mut problem.store, &proof, &solver, &others);
            assert!(matches!(judgement, Err(RefutationError::Unjustified(_))), "seed {seed}: {judgement:?}");
            honest += 1;
            // The translation claims something else about a variable of the proof.
            for step in proof.steps() {
                for &lit in proof.clause(step).iter().take(2) {
                    let var = Some((lit.var(), Meaning::Formula(mixed[problem.rng.index(3)])));
                    let liar = Liar { solver: &solver, var, number: None };
                    let judgement = judge(&mut problem.store, &proof, &liar, &others);
                    assert!(judgement.is_err(), "seed {seed}");
                    lying += 1;
                }
            }
        }
    }
    assert!(honest > 60 && lying > 1000, "only {honest} and {lying} judgements");
}

/// The first quotient in an inequality of the proof.
fn quotient_of(solver: &Solver, proof: &Proof) -> Option<u32> {
    let vars = proof.steps().flat_map(|step| proof.clause(step)).map(|lit| lit.var());
    let atoms = vars.filter_map(|var| match solver.meaning(var) {
        Meaning::Inequality(atom) => Some(atom),
        _ => None,
    });
    let mut numbers = atoms.flat_map(|atom| atom.terms).map(|term| term.0);
    numbers.find(|&number| matches!(solver.number(number), NumberMeaning::Quotient(..)))
}

/// `x div 3` and a conditional: each part of what the variables mean is needed.
#[test]
fn meanings_are_checked() {
    let mut store = Store::new();
    let x = store.variable("x", Sort::Int);
    let p = store.variable("p", Sort::Bool);
    let quotient = store.int_div(x, &Int::from(3));
    let (two, five, six, seven) = (store.int(2), store.int(5), store.int(6), store.int(7));
    let is_two = store.eq(quotient, two);
    let (above, below) = (store.gt(x, six), store.le(x, six));
    let in_range = {
        let eight = store.int(8);
        let (low, high) = (store.lt(x, six), store.gt(x, eight));
        store.or2(low, high)
    };
    let choice = store.ite(p, five, x);
    let sum = store.add(&[choice, quotient]);
    let large = store.gt(sum, seven);
    let mut solver = Solver::new(Default::default());
    let formulas = [is_two, in_range];
    for formula in formulas {
        solver.assert(&mut store, formula);
    }
    let answer = solver.check(&mut store, &mut Budget::unlimited());
    let Answer::Unsat(refutation) = answer else { panic!("{answer}") };
    let proof = refutation.proof().unwrap().unwrap();
    let assertions = formulas.map(Assertion::from);
    assert_eq!(judge(&mut store, &proof, &solver, &assertions), Ok(()));
    let number = quotient_of(&solver, &proof).expect("there is one quotient");
    for meaning in [
        NumberMeaning::Quotient(x, Int::from(4)),
        NumberMeaning::Quotient(x, Int::from(-3)),
        NumberMeaning::Quotient(choice, Int::from(3)),
        NumberMeaning::Quotient(p, Int::from(3)),
        NumberMeaning::Term(x),
        NumberMeaning::Free { integral: true },
    ] {
        let liar = Liar { solver: &solver, var: None, number: Some((number, meaning.clone())) };
        assert!(judge(&mut store, &proof, &liar, &assertions).is_err(), "{meaning:?}");
    }
    // A proof for one conjunction is none for another one.
    for formulas in [[is_two, above], [is_two, below], [large, in_range], [is_two, Term::TRUE]] {
        let assertions = formulas.map(Assertion::from);
        assert!(judge(&mut store, &proof, &solver, &assertions).is_err());
    }
    let fewer = [Assertion::from(is_two)];
    let missing = judge(&mut store, &proof, &solver, &fewer);
    assert!(matches!(missing, Err(RefutationError::Assertion(_, 1))));
}

#[test]
fn groups_and_assumptions() {
    let mut judged = 0;
    for seed in 0..150 {
        let mut problem = Problem::new(5000 + seed);
        let mut solver = Solver::new(Default::default());
        let mut assertions = Vec::new();
        let mut groups = Vec::new();
        for _ in 0..4 {
            let group = solver.new_group();
            for _ in 0..2 {
                let formula = problem.formula(2);
                solver.assert_in_group(&mut problem.store, group, formula);
                assertions.push(Assertion { formula, guard: Some(solver.guard(group)) });
            }
            groups.push(group);
            let formula = problem.formula(2);
            solver.assert(&mut problem.store, formula);
            assertions.push(formula.into());
        }
        let assumptions = [problem.formula(1), problem.formula(1)];
        let mut budget = Budget { conflicts: 300, splits: 300, ..Budget::unlimited() };
        let answer = solver.check_with(&mut problem.store, &groups, &assumptions, &mut budget);
        let Answer::Unsat(refutation) = answer else { continue };
        let Some(proof) = refutation.proof() else { continue };
        let proof = proof.unwrap();
        let guards: Vec<Var> = groups.iter().map(|&g| solver.guard(g)).collect();
        let premises = Premises { assertions: &assertions, assumptions: &assumptions, guards: &guards };
        let judgement = check_refutation(&mut problem.store, &proof, &solver, premises);
        assert_eq!(judgement, Ok(()), "seed {seed}");
        judged += 1;
        if proof.conclusion().iter().any(|lit| guards.contains(&lit.var())) {
            // A group that is not named, and one whose guard is left out.
            let premises = Premises { guards: &[], ..premises };
            let judgement = check_refutation(&mut problem.store, &proof, &solver, premises);
            assert!(matches!(judgement, Err(RefutationError::Conclusion(_))), "seed {seed}");
            let other = solver.guard(groups[0]);
            for assertion in &mut assertions {
                assertion.guard = assertion.guard.map(|_| other);
            }
            if proof.conclusion().iter().any(|lit| guards[1..].contains(&lit.var())) {
                let premises =
                    Premises { assertions: &assertions, assumptions: &assumptions, guards: &guards };
                let judgement = check_refutation(&mut problem.store, &proof, &solver, premises);
                assert!(judgement.is_err(), "seed {seed}");
            }
        }
    }
    assert!(judged > 50, "only {judged} refutations");
}

/// The auxiliary variables of an instance have no meaning, so the judge does not accept what depends on them.
#[test]
fn instances_are_refused() {
    let mut store = Store::new();
    let [p, q, r] = ["p", "q", "r"].map(|name| store.variable(name, Sort::Bool));
    let both = store.and2(p, q);
    let formula = store.iff(both, r);
    let template = Template::new(&mut store, formula, &[p, q, r]);
    let mut solver = Solver::new(Default::default());
    let actuals = [p, q, r].map(|term| solver.variable(&mut store, term));
    solver.instantiate(&mut store, &template, &actuals);
    for fact in [p, q, !r] {
        solver.assert(&mut store, fact);
    }
    let answer = solver.check(&mut store, &mut Budget::unlimited());
    let Answer::Unsat(refutation) = answer else { panic!("{answer}") };
    let proof = refutation.proof().unwrap().unwrap();
    let assertions = [formula, p, q, !r].map(Assertion::from);
    let judgement = judge(&mut store, &proof, &solver, &assertions);
    assert!(matches!(judgement, Err(RefutationError::Unjustified(_))), "{judgement:?}");
}

/// Connectives, conditionals and quotients, each nested a hundred thousand deep.
#[test]
fn depth_costs_no_stack() {
    let depth = 100_000;
    let mut store = Store::new();
    let x = store.variable("x", Sort::Int);
    let (p, q) = (store.variable("p", Sort::Bool), store.variable("q", Sort::Bool));
    let (mut formula, mut number) = (p, x);
    for i in 0..depth {
        formula = if i % 2 == 0 { store.iff(formula, q) } else { store.ite(q, formula, p) };
        let step = store.linear(&[(Rat::ONE, number)], &Rat::ONE, Sort::Int);
        number = match i % 1000 {
            0 => store.int_div(step, &Int::from(2)),
            _ => store.ite(q, step, x),
        };
    }
    let mut solver = Solver::new(Default::default());
    let high = store.int(2 * depth);
    let far = store.gt(number, high);
    let (low, lower) = (store.int(0), store.lt(x, high));
    let above = store.ge(x, low);
    let formulas = [q, p, !formula, above, lower, far];
    for &f in &formulas {
        solver.assert(&mut store, f);
    }
    let answer = solver.check(&mut store, &mut Budget::unlimited());
    let Answer::Unsat(refutation) = answer else { panic!("{answer}") };
    let proof = refutation.proof().unwrap().unwrap();
    assert_eq!(judge(&mut store, &proof, &solver, &formulas.map(Assertion::from)), Ok(()));
}
