//! Projection case by case: what each rule makes of a small formula, and the corners.

use shem_base::{Budget, Rat, StopToken, UnknownReason};
use shem_smt::project::{
    Projector, Unsupported, drop_literals, eliminate, eliminate_disjunct, eliminate_quantifiers, implicant,
    project,
};
use shem_smt::{Model, Solver};
use shem_term::smtlib::{Command, Lexer, Reader};
use shem_term::{Sort, Store, Term, Value, View};

/// A store with integers a to e, x to z, reals u to w and Booleans p and q, and formulas read into it.
struct Scene {
    store: Store,
    vars: Vec<(String, Term)>,
    formulas: Vec<Term>,
}

fn read(formulas: &[&str]) -> Scene {
    let mut text = String::new();
    for (names, sort) in [("abcdexyz", "Int"), ("uvw", "Real"), ("pq", "Bool")] {
        for name in names.chars() {
            text += &format!("(declare-fun {name} () {sort})");
        }
    }
    text += "(declare-fun P (Int) Bool)";
    for formula in formulas {
        text += &format!("(assert {formula})");
    }
    let mut scene = Scene { store: Store::new(), vars: Vec::new(), formulas: Vec::new() };
    let mut reader = Reader::new();
    let mut lexer = Lexer::new(&text).unwrap();
    while let Some((command, _)) = reader.next_command(&mut lexer, &mut scene.store).unwrap() {
        match command {
            Command::Declare(symbol) if scene.store.signature(symbol).args.is_empty() => {
                let name = scene.store.name(symbol).to_owned();
                let var = scene.store.var(symbol);
                scene.vars.push((name, var));
            }
            Command::Assert { formula, .. } => scene.formulas.push(formula),
            _ => {}
        }
    }
    scene
}

impl Scene {
    fn vars(&self, names: &str) -> Vec<Term> {
        names.split_whitespace().map(|n| self.vars.iter().find(|v| v.0 == n).unwrap().1).collect()
    }

    fn model(&self, values: &str) -> Model {
        let mut model = Model::default();
        for pair in values.split_whitespace() {
            let (name, value) = pair.split_once('=').unwrap();
            let var = self.vars(name)[0];
            let value = match self.store.sort(var) {
                Sort::Bool => Value::Bool(value == "true"),
                _ => Value::Num(value.parse::<Rat>().unwrap()),
            };
            model.insert(self.store.as_var(var).unwrap(), value);
        }
        model
    }
}

/// Projects the first formula in the model and compares with the second.
#[track_caller]
fn check_projection(formula: &str, values: &str, eliminate: &str, expected: &str) {
    let mut s = read(&[formula, expected]);
    let (model, vars) = (s.model(values), s.vars(eliminate));
    let cube = project(&mut s.store, s.formulas[0], &model, &vars).unwrap();
    let cube = s.store.and(&cube);
    assert_eq!(s.store.display(cube).to_string(), s.store.display(s.formulas[1]).to_string());
}

/// Eliminates from the first formula and compares with the second.
#[track_caller]
fn check_elimination(formula: &str, eliminated: &str, expected: &str) {
    let mut s = read(&[formula, expected]);
    let vars = s.vars(eliminated);
    let result = eliminate(&mut s.store, &vars, s.formulas[0], &mut Budget::unlimited()).unwrap();
    assert_eq!(s.store.display(result).to_string(), s.store.display(s.formulas[1]).to_string());
}

#[test]
fn real_bounds() {
    check_projection("(and (< u v) (< v w))", "u=0 v=1 w=2", "v", "(< u w)");
    check_projection("(and (<= u v) (< v w))", "u=0 v=1 w=2", "v", "(< u w)");
    check_projection("(and (<= u v) (<= v w))", "u=0 v=1 w=2", "v", "(<= u w)");
    check_projection("(and (< u v) (< 3.0 v))", "v=4", "v", "true");
    check_projection("(= (* 3.0 v) (+ u w))", "u=1 w=2 v=1", "v", "true");
    // Three bounds on each side: the tightest lower one in the model, which is u.
    check_projection(
        "(and (< u v) (<= 1.0 v) (<= (- 5.0) v) (< v w) (<= v 9.0) (<= v 8.5))",
        "u=2 v=3 w=4",
        "v",
        "(and (>= u 1.0) (< u w) (< u 8.5))",
    );
    // Of two lower bounds that are equal in the model the strict one counts.
    check_projection(
        "(and (< u v) (<= 2.0 v) (<= (- 5.0) v) (< v w) (<= v 9.0) (<= v 8.5))",
        "u=2 v=3 w=4",
        "v",
        "(and (>= u 2.0) (< u w) (< u 8.5))",
    );
    // A disequality is strict on the side of the model.
    check_projection("(and (not (= v 0.0)) (< v w))", "v=-1 w=2", "v", "true");
}

#[test]
fn full_implicants_take_the_branches_of_the_model() {
    let check = |formula: &str, values: &str, expected: &str| {
        let mut s = read(&[formula, expected]);
        let model = s.model(values);
        let cube = Projector::new().literals(&mut s.store, &[s.formulas[0]], &model).unwrap();
        let cube = s.store.and(&cube);
        assert_eq!(s.store.display(cube).to_string(), s.store.display(s.formulas[1]).to_string());
    };
    check("(<= (ite (<= x 0) x y) 2)", "x=1 y=0", "(and (<= y 2) (> x 0))");
    check("(= (+ u (ite p v (* 2.0 w))) 2.0)", "u=2 v=1 w=0", "(and (= (+ u (* 2.0 w)) 2.0) (not p))");
    check("((_ divisible 2) (ite (<= x 0) x y))", "x=1 y=0", "(and ((_ divisible 2) y) (> x 0))");
    check("(not ((_ divisible 3) (ite (<= x 0) x y)))", "x=-1", "(and (not ((_ divisible 3) x)) (<= x 0))");
}

/// Each of a hundred conditionals has the one before in its condition and in both of its branches: a walk that
/// opened the same condition twice would not end.
#[test]
fn conditions_are_opened_once() {
    let mut store = Store::new();
    let x = store.variable("x", Sort::Int);
    let zero = store.int(0);
    let mut value = x;
    for step in 1..100 {
        let limit = store.int(2 * step);
        let low = store.le(value, limit);
        let offset = store.int(step);
        let (other, next) = (store.add(&[value, offset]), store.add(&[value, x]));
        value = store.ite(low, next, other);
    }
    let formula = store.ge(value, zero);
    let mut model = Model::default();
    model.insert(store.as_var(x).unwrap(), Value::Num(Rat::from(3)));
    let cube = Projector::new().literals(&mut store, &[formula], &model).unwrap();
    for &literal in &cube {
        assert_eq!(store.free_variables(&[literal]), [x]);
        assert!(!store.subterms(&[literal]).iter().any(|&t| matches!(store.view(t), View::Ite(..))));
    }
}

#[test]
fn integer_bounds() {
    check_projection("(and (<= a x) (<= x b))", "a=0 b=5 x=3", "x", "(<= a b)");
    // 2x = a is 2 | a.
    check_projection("(= (* 2 x) a)", "a=4 x=2", "x", "((_ divisible 2) a)");
    // The dark shadow is false in the first model, so the remainder of the model is kept.
    check_projection(
        "(and (<= a (* 3 x)) (<= (* 2 x) b))",
        "a=0 b=0 x=0",
        "x",
        "(and (<= (* 2 a) (* 3 b)) ((_ divisible 2) b))",
    );
    check_projection("(and (<= a (* 3 x)) (<= (* 2 x) b))", "a=0 b=8 x=1", "x", "(<= (+ (* 2 a) 2) (* 3 b))");
}

#[test]
fn divisibility() {
    check_projection("(and ((_ divisible 3) (+ x a)) (<= x b))", "a=1 x=2 b=7", "x", "true");
    check_projection("((_ divisible 6) (+ (* 4 x) a))", "a=2 x=1", "x", "((_ divisible 2) a)");
    // Both polarities, with bounds on either side.
    check_projection("(and (not ((_ divisible 2) x)) (<= a x) (<= x b))", "a=0 x=1 b=1", "x", "(< a b)");
    check_projection(
        "(and (not ((_ divisible 2) x)) (<= a x) (<= x b))",
        "a=1 x=1 b=1",
        "x",
        "(and ((_ divisible 2) (+ a 1)) (<= a b))",
    );
}

#[test]
fn booleans_and_conditionals() {
    check_projection("(and (or p (< a 3)) (or (not p) (= b a)))", "p=true a=7 b=7", "p", "(= b a)");
    check_projection("(= b (ite p x (+ x 1)))", "p=true x=1 b=1", "p x", "true");
    check_projection("(and (= b (ite (< x 3) x 3)) (<= a x))", "x=5 b=3 a=0", "x", "(= b 3)");
    check_projection("(= p (< x a))", "p=true x=0 a=1", "x", "p");
}

#[test]
fn quotients_and_remainders_leave_no_auxiliary() {
    check_projection("(= a (div x 3))", "x=7 a=2", "x", "true");
    check_projection("(= a (mod x 3))", "x=7 a=1", "x", "(and (<= 0 a) (<= a 2))");
    check_projection(
        "(and (= a (div x (- 3))) (= b (mod x (- 3))))",
        "x=7 a=-2 b=1",
        "x",
        "(and (<= 0 b) (<= b 2))",
    );
    check_projection("(and (= a (div x 3)) (<= x b))", "x=7 a=2 b=7", "x", "(<= (* 3 a) b)");
    check_projection("(= a (to_int u))", "u=1/2 a=0", "u", "true");
    // A quotient without the variable stays closed.
    check_projection("(and (<= (div a 3) x) (<= x b))", "x=7 a=2 b=7", "x", "(<= (div a 3) b)");
}

#[test]
fn integers_among_reals() {
    // x lies between u and v.
    check_projection(
        "(and (<= u (to_real x)) (<= (to_real x) v))",
        "u=1/2 v=1 x=1",
        "x",
        "(<= (- (to_int (- u))) (to_int v))",
    );
    check_projection(
        "(and (< u (to_real x)) (< (to_real x) v))",
        "u=1/2 v=2 x=1",
        "x",
        "(<= (+ (to_int u) 1) (- (- (to_int (- v))) 1))",
    );
    check_projection("(= u (* 3.0 (to_real x)))", "u=3 x=1", "x", "(is_int (/ u 3.0))");
    check_projection("(and (= v (* 2.0 (to_real x))) (< v u))", "v=2 x=1 u=3", "x v", "true");
}

#[test]
fn corners() {
    // Nothing to eliminate, or nothing that occurs.
    check_projection("(or (< a 1) p)", "p=true a=3", "", "(or (< a 1) p)");
    check_projection("(or (< a 1) p)", "p=true a=3", "x y u", "(or (< a 1) p)");
    check_projection("true", "", "x", "true");
    // A disjunction without the variable stays whole.
    check_projection("(and (or p (< a 1)) (= x a))", "p=true a=3 x=3", "x", "(or p (< a 1))");
    check_projection("(or (< x 3) p (< a 1))", "p=true a=3 x=3", "x", "(or p (< a 1))");
    // Coefficients past machine words.
    check_projection(
        "(= (* 170141183460469231731687303715884105727 x) (+ a 1))",
        "x=0 a=-1",
        "x",
        "((_ divisible 170141183460469231731687303715884105727) (+ a 1))",
    );
    check_projection(
        "(and (<= (* 18446744073709551629 a) (* 36893488147419103363 x)) (<= x b))",
        "x=0 a=0 b=0",
        "x",
        "(<= (* 18446744073709551629 a) (* 36893488147419103363 b))",
    );
}

#[test]
fn refusals_name_their_reason() {
    let mut s = read(&["(and (P x) (< a 3))", "(forall ((k Int)) (< k x))", "(< x 3)"]);
    let (model, vars) = (s.model("x=5"), s.vars("x"));
    let refusals = [Unsupported::Application, Unsupported::Quantifier, Unsupported::NotAModel];
    for (&formula, reason) in s.formulas.iter().zip(refusals) {
        assert_eq!(project(&mut s.store, formula, &model, &vars), Err(reason));
        assert_eq!(implicant(&mut s.store, formula, &model, &vars), Err(reason));
    }
    assert_eq!(
        UnknownReason::from(Unsupported::Quantifier).to_string(),
        "incomplete: projection needs a formula without quantifiers"
    );
}

#[test]
fn elimination() {
    check_elimination("(and (< u v) (< v w))", "v", "(< u w)");
    check_elimination("(and (< x 3) (> x 5))", "x", "false");
    check_elimination("(or (< x 3) (> x 5))", "x", "true");
    check_elimination("(and (= x (+ a 1)) (or (< x 3) (> x 5)))", "x", "(or (< a 2) (> a 4))");
    check_elimination("(or (and p (= x a)) (and (not p) (= x b) (< b 3)))", "p x", "true");
    check_elimination(
        "(and (< a b) (or (= x 1) (= x 2)) (= y x) (= a y))",
        "x y",
        "(and (< a b) (or (= a 1) (= a 2)))",
    );
    // Adjacent cubes merge.
    check_elimination("(and (<= 0 a) (or (and (= x 1) (< a 3)) (and (= x 2) (>= a 3))))", "x", "(<= 0 a)");
    check_elimination("(= a (+ (* 2 x) (* 3 y)))", "x y", "true");
    check_elimination("(= a (+ (* 2 x) (* 4 y)))", "x y", "((_ divisible 2) a)");
    check_elimination("(and (= a (* 2 x)) (= a (+ (* 2 y) 1)))", "x y", "false");
    check_elimination("(and (<= a (* 3 x)) (<= (* 3 x) (+ a 1)))", "x", "(not ((_ divisible 3) (+ a 2)))");
    check_elimination("(= (div x 2) (div a 2))", "x", "true");
    check_elimination("(< a 3)", "x", "(< a 3)");
    check_elimination("(< a 3)", "", "(< a 3)");
    check_elimination("false", "x", "false");
}

/// Cubes that differ in one polynomial become one.
#[test]
fn joined_results() {
    check_elimination("(or (and p (<= a 2)) (and (not p) (= a 3)))", "p", "(<= a 3)");
    check_elimination("(or (and p (<= a 2)) (and (not p) (>= a 4)))", "p", "(not (= a 3))");
    check_elimination("(or (and p (< u 1.0)) (and (not p) (> u 1.0)))", "p", "(not (= u 1.0))");
    check_elimination("(or (and p (< u 1.0)) (and (not p) (= u 1.0)))", "p", "(<= u 1.0)");
    check_elimination("(or (and p (< u 1.0)) (and (not p) (>= u 1.0)))", "p", "true");
    check_elimination("(and (<= a (* 6 x)) (<= (* 6 x) (+ a 5)))", "x", "true");
    check_elimination(
        "(or (= a (* 6 x)) (= a (+ (* 6 x) 2)) (= a (+ (* 6 x) 4)))",
        "x",
        "((_ divisible 2) a)",
    );
    // The other literals stay, and may be joined with each other.
    check_elimination(
        "(and (< b c) (or (and p (<= a 2) (= b 1)) (and (not p) (= a 3) (= b 1))))",
        "p",
        "(and (< b c) (= b 1) (<= a 3))",
    );
    check_elimination(
        "(or (and p q (<= a 2) (<= b 2)) (and p (not q) (<= a 2) (= b 3)) (and (not p) (= a 3) (<= b 3)))",
        "p q",
        "(and (<= a 3) (<= b 3))",
    );
}

#[test]
fn budgets_and_stops_end_elimination() {
    let mut s = read(&["(and (<= a (* 5 x)) (<= (* 7 x) b) (<= c (* 11 x)) (<= (* 13 x) d))"]);
    let vars = s.vars("x");
    let mut budget = Budget { splits: 1, ..Budget::unlimited() };
    let formula = s.formulas[0];
    assert_eq!(eliminate(&mut s.store, &vars, formula, &mut budget), Err(UnknownReason::Splits));
    let stop = StopToken::new();
    stop.stop();
    let answer = eliminate(&mut s.store, &vars, formula, &mut Budget::until(stop));
    assert_eq!(answer, Err(UnknownReason::Stopped));
}

#[test]
fn quantifiers_inside_conditionals_are_found() {
    let mut s = read(&[
        "(= a (ite (exists ((k Int)) (= b (* 2 k))) 0 1))",
        "(= a (ite ((_ divisible 2) b) 0 1))",
        "(forall ((k Int)) (exists ((m Int)) (> m (+ k a))))",
        "(exists ((k Int)) (forall ((m Int)) (> m (+ k a))))",
        "(forall ((k Int)) (P k))",
    ]);
    let f = s.formulas.clone();
    let mut budget = Budget::unlimited();
    assert_eq!(eliminate_quantifiers(&mut s.store, f[0], &mut budget), Ok(f[1]));
    assert_eq!(eliminate_quantifiers(&mut s.store, f[2], &mut budget), Ok(Term::TRUE));
    assert_eq!(eliminate_quantifiers(&mut s.store, f[3], &mut budget), Ok(Term::FALSE));
    assert!(matches!(
        eliminate_quantifiers(&mut s.store, f[4], &mut budget),
        Err(UnknownReason::Incomplete(_))
    ));
}

#[test]
fn disjuncts() {
    let mut s = read(&["(and (< x 3) (> x 5))", "(and (= x a) (or (= x 1) (= x 2)))"]);
    let (f, vars) = (s.formulas.clone(), s.vars("x"));
    let mut budget = Budget::unlimited();
    assert_eq!(eliminate_disjunct(&mut s.store, &vars, f[0], &mut budget), Ok(Term::FALSE));
    let disjunct = eliminate_disjunct(&mut s.store, &vars, f[1], &mut budget).unwrap();
    assert!(["(= a 1)", "(= a 2)"].contains(&s.store.display(disjunct).to_string().as_str()));
}

#[test]
fn generalisation() {
    let mut s = read(&["(<= a x)", "(<= x b)", "(> a 5)", "(< b 3)", "(= c 2)", "(< b 9)"]);
    let f = s.formulas.clone();
    let mut solver = Solver::new(Default::default());
    solver.assert(&mut s.store, f[0]);
    solver.assert(&mut s.store, f[1]);
    let mut budget = Budget::unlimited();
    let core = drop_literals(&mut solver, &mut s.store, &[], &f[2..], &mut budget).unwrap();
    assert_eq!(core, Some(vec![f[2], f[3]]));
    assert_eq!(drop_literals(&mut solver, &mut s.store, &[], &f[4..], &mut budget), Ok(None));
}

#[test]
fn generalisation_with_groups_and_budgets() {
    let mut s = read(&["(<= a x)", "(<= x b)", "(> a 5)", "(< b 3)", "(= c 2)"]);
    let f = s.formulas.clone();
    let mut solver = Solver::new(Default::default());
    solver.assert(&mut s.store, f[0]);
    let group = solver.new_group();
    solver.assert_in_group(&mut s.store, group, f[1]);
    let mut budget = Budget::unlimited();
    // The group takes part only where it is named.
    assert_eq!(drop_literals(&mut solver, &mut s.store, &[], &f[2..], &mut budget), Ok(None));
    let core = drop_literals(&mut solver, &mut s.store, &[group], &f[2..], &mut budget);
    assert_eq!(core, Ok(Some(vec![f[2], f[3]])));
    // A cube without literals, satisfiable and not.
    assert_eq!(drop_literals(&mut solver, &mut s.store, &[group], &[], &mut budget), Ok(None));
    solver.assert(&mut s.store, f[2]);
    solver.assert(&mut s.store, f[3]);
    assert_eq!(drop_literals(&mut solver, &mut s.store, &[group], &f[4..], &mut budget), Ok(Some(vec![])));
    // A first query that cannot be paid for fails the call.
    let mut solver = Solver::new(Default::default());
    let sums =
        read(&["(<= (+ x y z) a)", "(>= (+ x y) b)", "(>= (+ y z) c)", "(> (- b a) (- 3 y))", "(> c 3)"]);
    let (f, mut store) = (sums.formulas, sums.store);
    let mut nothing = Budget { pivots: 0, ..Budget::unlimited() };
    assert_eq!(drop_literals(&mut solver, &mut store, &[], &f, &mut nothing), Err(UnknownReason::Pivots));
}

#[test]
fn projection_onto_variables() {
    let mut s = read(&["(<= a x)", "(<= x b)", "(= y x)"]);
    let f = s.formulas.clone();
    let model = s.model("a=1 x=2 b=3 y=2");
    let mut check = |keep: &str, expected: &str| {
        let keep = s.vars(keep);
        let cube = Projector::new().project_onto(&mut s.store, &f, &model, &keep).unwrap();
        let cube = s.store.and(&cube);
        assert_eq!(s.store.display(cube).to_string(), expected);
    };
    check("a b", "(<= (+ a (- b)) 0)");
    check("y b", "(>= (+ b (- y)) 0)");
    // Nothing is kept; what is kept does not occur.
    check("", "true");
    check("c p", "true");
}

/// A conditional nested deeply in others is opened without recursion.
#[test]
fn depth_costs_no_stack() {
    let mut s = read(&[]);
    let (x, a) = (s.vars("x")[0], s.vars("a")[0]);
    let mut term = x;
    for i in 0..100_000 {
        let bound = s.store.int(-i);
        let condition = s.store.ge(x, bound);
        let other = s.store.int(i);
        term = s.store.ite(condition, term, other);
    }
    let formula = s.store.eq(term, a);
    let model = s.model("x=1 a=1");
    let cube = project(&mut s.store, formula, &model, &[x]).unwrap();
    let cube = s.store.and(&cube);
    assert_eq!(s.store.display(cube).to_string(), "(>= a 0)");
}
