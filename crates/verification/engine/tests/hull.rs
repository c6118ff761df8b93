//! Hulls: random systems judged, and loops whose invariants are known.

use shem_base::{Budget, Rng, Statistics, StopToken};
use shem_chc::{Graph, Interpretation, Script, VertexId, normalise};
use shem_engine::{Context, Engine, Events, Hull, Lemma, Outcome, Port, Progress, Received};
use shem_term::{Store, Term};
use shem_test_support::engine::{Judged, ends_when_stopped, run};
use shem_test_support::graph::{Plan, is_unsafe, random_graph};
use shem_test_support::witness;

/// Runs the engine on random graphs and compares with enumeration.
fn compare(rounds: u64, plan: impl Fn(&mut Rng) -> Plan) {
    let mut counts = [0; 3];
    for seed in 0..rounds {
        let mut store = Store::new();
        let mut rng = Rng::new(seed);
        let plan = plan(&mut rng);
        let graph = random_graph(&mut store, &mut rng, plan);
        let (judged, _) = run(&mut store, &graph, &mut Hull::default(), Budget::unlimited());
        if judged != Judged::Unknown {
            assert_eq!(judged == Judged::Unsafe, is_unsafe(&store, &graph), "seed {seed}");
        }
        counts[judged as usize] += 1;
    }
    assert!(counts[..2].iter().all(|&n| n > 20), "a one-sided test: {counts:?}");
}

#[test]
fn random_transition_systems() {
    compare(300, |rng| Plan { vertices: 1, edges: 2 + rng.index(5), arguments: 3, nonlinear: false });
}

#[test]
fn random_linear_graphs() {
    compare(300, |rng| {
        let vertices = 2 + rng.index(3);
        Plan { vertices, edges: vertices + rng.index(2 * vertices + 2), arguments: 2, nonlinear: false }
    });
}

#[test]
fn random_nonlinear_graphs() {
    compare(300, |rng| {
        let vertices = 1 + rng.index(3);
        Plan { vertices, edges: vertices + rng.index(2 * vertices + 2), arguments: 2, nonlinear: true }
    });
}

fn read(store: &mut Store, text: &str) -> Graph {
    let script =
        Script::read(store, text, &StopToken::new()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    normalise(store, &script.system)
}

/// A loop over integers: the first values, a step, and what is bad.
fn one_loop(variables: &str, first: &str, step: &str, bad: &str) -> String {
    let names: Vec<&str> = variables.split(' ').collect();
    let sorts = vec!["Int"; names.len()].join(" ");
    let binders: String = names.iter().map(|name| format!("({name} Int)")).collect();
    let next: String = names.iter().map(|name| format!("({name}1 Int)")).collect();
    let arguments: String = names.iter().map(|name| format!(" {name}1")).collect();
    format!(
        "(declare-fun p ({sorts}) Bool)
        (assert (forall ({binders}) (=> {first} (p {variables}))))
        (assert (forall ({binders}{next}) (=> (and (p {variables}) {step}) (p{arguments}))))
        (assert (forall ({binders}) (=> (and (p {variables}) {bad}) false)))"
    )
}

fn numeral(number: i64) -> String {
    if number < 0 { format!("(- {})", -number) } else { number.to_string() }
}

#[track_caller]
fn decide(text: &str) -> (Judged, Statistics) {
    let mut store = Store::new();
    let graph = read(&mut store, text);
    run(&mut store, &graph, &mut Hull::default(), Budget::unlimited())
}

/// Counters that change their pace at thresholds: each phase has an equality between them.
#[test]
fn phases_of_counters() {
    for seed in 0..40 {
        let mut rng = Rng::new(seed);
        let (first, second) = (rng.range(5..=60), rng.range(61..=130));
        let pace = [rng.range(-4..=4), rng.range(-4..=4), rng.range(-4..=4)];
        let end = rng.range(131..=300);
        let start = rng.range(-9..=9);
        let last = start + pace[0] * first + pace[1] * (second - first) + pace[2] * (end - second);
        let (start, last) = (numeral(start), numeral(last));
        let [one, two, three] = pace.map(numeral);
        let step = format!(
            "(= x1 (+ x 1))
            (= y1 (+ y (ite (< x {first}) {one} (ite (< x {second}) {two} {three}))))"
        );
        let first = format!("(and (= x 0) (= y {start}))");
        let good = one_loop("x y", &first, &step, &format!("(= x {end}) (not (= y {last}))"));
        assert_eq!(decide(&good).0, Judged::Safe, "seed {seed}");
        let bad = one_loop("x y", &first, &step, &format!("(= x {end}) (= y {last})"));
        assert_eq!(decide(&bad).0, Judged::Unsafe, "seed {seed}");
    }
}

/// Counters that move every so many steps: congruences, and equalities with remainders.
#[test]
fn periods_of_counters() {
    for seed in 0..40 {
        let mut rng = Rng::new(seed);
        let (period, pace) = (rng.range(2..=9), rng.range(1..=5));
        let rest = rng.range(0..=period - 1);
        let step = format!("(= x1 (+ x 1)) (= y1 (ite (= (mod x {period}) {rest}) (+ y {pace}) y))");
        let end = period * rng.range(10..=40);
        let last = pace * (end / period);
        let first = "(and (= x 0) (= y 0))";
        let good = one_loop("x y", first, &step, &format!("(= x {end}) (not (= y {last}))"));
        assert_eq!(decide(&good).0, Judged::Safe, "seed {seed}");
        let bad = one_loop("x y", first, &step, &format!("(= x {}) (= y {last})", end + rest + 1 - period));
        assert_eq!(decide(&bad).0, Judged::Unsafe, "seed {seed}");
    }
}

/// The bound on `x` comes from the program's own number; without it the congruence between `x` and `y` says nothing.
#[test]
fn long_resets() {
    let step = "(= x1 (mod (+ x 1) 700)) (= y1 (+ y 1)) (= z1 (ite (< x 350) (+ z 1) (- z 1)))";
    let text = one_loop("x y z", "(and (= x 0) (= y 0) (= z 0))", step, "(= y 70000) (not (= z 0))");
    assert_eq!(decide(&text).0, Judged::Safe);
}

/// A sum outgrows a line after a few states, which are kept one by one.
#[test]
fn states_are_peeled() {
    let step = "(= x1 (+ x 1)) (= y1 (+ y x)) (= z1 (ite (> y (* 3 x)) (+ z 1) z))";
    let text = one_loop("x y z", "(and (= x 0) (= y 0) (= z 0))", step, "(> x 1000) (<= z (- x 9))");
    let (judged, statistics) = decide(&text);
    assert_eq!(judged, Judged::Safe);
    assert!(statistics.count("stages") > 1, "{statistics}");
}

/// An equality of each run is lost by the next one; its form keeps bounds.
#[test]
fn lost_equalities_have_bounds() {
    let step = "(= x1 (+ x 3)) (= y1 (+ y 5))";
    let text = one_loop("x y", "(and (<= 0 x 2) (= y 0))", step, "(> (* 5 x) (+ (* 3 y) 10))");
    assert_eq!(decide(&text).0, Judged::Safe);
}

#[test]
fn several_predicates_reals_and_truth_values() {
    let text = "(declare-fun p (Bool Real Int) Bool) (declare-fun q (Real Int) Bool)
        (assert (forall ((b Bool) (r Real) (n Int)) (=> (and b (= r 0.0) (= n 0)) (p b r n))))
        (assert (forall ((b Bool) (r Real) (n Int) (s Real) (m Int))
            (=> (and (p b r n) b (< r 10.0) (= s (+ r 0.5)) (= m (+ n 1))) (p b s m))))
        (assert (forall ((b Bool) (r Real) (n Int)) (=> (and (p b r n) (>= r 10.0)) (p false r n))))
        (assert (forall ((b Bool) (r Real) (n Int)) (=> (and (p b r n) (not b)) (q r n))))
        (assert (forall ((r Real) (n Int) (s Real)) (=> (and (q r n) (= s (+ r 1.0))) (q s (+ n 2)))))
        (assert (forall ((r Real) (n Int)) (=> (and (q r n) (not (= (to_real n) (* 2.0 r)))) false)))";
    assert_eq!(decide(text).0, Judged::Safe);
    let other = text.replace("(not (= (to_real n) (* 2.0 r)))", "(= n 60)");
    assert_eq!(decide(&other).0, Judged::Unsafe);
}

/// The level is at most 10 before the last filling, which adds at most a half: a bound that no number of the program
/// gives.
#[test]
fn bounds_stop_at_sums() {
    let text = "(declare-fun tank (Real Bool) Bool)
        (assert (forall ((x Real)) (=> (and (<= 0.0 x) (<= x 5.0)) (tank x true))))
        (assert (forall ((x Real) (open Bool) (flow Real))
            (=> (and (tank x open) (< 0.0 flow) (<= flow 0.5))
                (tank (ite open (+ x flow) (- x flow)) (ite (>= x 10.0) false (ite (<= x 1.0) true open))))))
        (assert (forall ((x Real) (open Bool)) (=> (and (tank x open) (> x 11.0)) false)))";
    assert_eq!(decide(text).0, Judged::Safe);
}

/// Takes note of invariants.
#[derive(Default)]
struct Listener(Vec<Interpretation>);

impl Events for Listener {
    fn progress(&mut self, _: Progress) {}

    fn port(&mut self) -> Option<&mut dyn Port> {
        Some(self)
    }
}

impl Port for Listener {
    fn enter(&mut self, _: &mut Store, _: &shem_chc::TransitionSystem) {}

    fn publish(&mut self, _: &Store, _: &Lemma) {}

    fn poll(&mut self, _: &mut Store) -> Vec<Received> {
        Vec::new()
    }

    fn wants_invariants(&self) -> bool {
        true
    }

    fn publish_invariant(
        &mut self,
        _: &mut Store,
        _: &Graph,
        invariant: Interpretation,
        _: &mut Budget,
    ) -> bool {
        self.0.push(invariant);
        true
    }
}

/// Two parabolas that no linear invariant separates: the hull is told, and it is inductive.
#[test]
fn hulls_that_are_not_safe_are_told() {
    let step = "(= x1 (+ x 1)) (= y1 (+ y x)) (= z1 (+ z x 1))";
    let text = one_loop("x y z", "(and (= x 0) (= y 0) (= z 0))", step, "(= y 100000) (= z 99999)");
    let mut store = Store::new();
    let mut graph = read(&mut store, &text);
    let mut events = Listener::default();
    let (budget, statistics) = (Budget::unlimited(), Statistics::new());
    let mut context = Context { budget, seed: 0, witness: true, events: &mut events, statistics };
    let verdict = Hull::default().solve(&mut store, &graph, &mut context);
    assert!(matches!(verdict, Outcome::Unknown(_) | Outcome::Safe(_)), "{verdict:?}");
    let queries: Vec<_> = graph.incoming(VertexId::FALSE).collect();
    for query in queries {
        graph.remove_edge(query);
    }
    assert!(!events.0.is_empty() || matches!(verdict, Outcome::Safe(_)));
    for invariant in &events.0 {
        witness::interpretation(&mut store, &graph, invariant).expect("an inductive invariant");
        let vertex = graph.vertices().next().expect("a vertex");
        assert_ne!(invariant.get(vertex), Some(Term::TRUE), "it says something");
    }
}

/// The sum of two facts is one: all are multiples of 6 and at least 12. What is bad is a square, which linear arithmetic
/// does not know; the rest is told.
#[test]
fn hulls_of_nonlinear_systems() {
    let text = |bad: &str| {
        format!(
            "(declare-fun p (Int Int) Bool)
            (assert (p 12 1))
            (assert (p 18 1))
            (assert (forall ((x Int) (y Int) (k Int) (l Int))
                (=> (and (p x k) (p y l)) (p (+ x y) (+ k l)))))
            (assert (forall ((x Int) (k Int)) (=> (and (p x k) {bad}) false)))
            (assert (forall ((x Int) (y Int) (k Int) (l Int))
                (=> (and (p x k) (p y l) (= (+ x y) 23)) false)))"
        )
    };
    for bad in ["(< x 12)", "(= (mod x 6) 3)", "(< x (* 12 k))", "(> x (* 18 k))"] {
        assert_eq!(decide(&text(bad)).0, Judged::Safe, "{bad}");
    }
    let mut store = Store::new();
    let mut graph = read(&mut store, &text("(= x 30) (= k 3)"));
    let mut events = Listener::default();
    let (budget, statistics) = (Budget::unlimited(), Statistics::new());
    let mut context = Context { budget, seed: 0, witness: true, events: &mut events, statistics };
    let verdict = Hull::default().solve(&mut store, &graph, &mut context);
    let queries: Vec<_> = graph.incoming(VertexId::FALSE).collect();
    for query in queries {
        graph.remove_edge(query);
    }
    assert!(!events.0.is_empty() || matches!(verdict, Outcome::Safe(_)));
    for invariant in &events.0 {
        witness::interpretation(&mut store, &graph, invariant).expect("an inductive invariant");
    }
}

#[test]
fn limits() {
    let mut store = Store::new();
    let text = one_loop("x y", "(and (= x 0) (= y 0))", "(= x1 (+ x 1)) (= y1 (+ y x))", "(> x y) (> x 9)");
    let graph = read(&mut store, &text);
    ends_when_stopped::<Hull>(&mut store, &graph);
}
