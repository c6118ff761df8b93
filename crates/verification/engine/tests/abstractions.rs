//! Engines on abstractions of arrays, datatypes and machine integers: answers that are known, witnesses that are judged on the clauses as read, and
//! random systems on which no two abstractions contradict each other.

use shem_base::{Budget, Effort, Rng, Statistics, StopToken};
use shem_chc::EdgeId;
use shem_chc::{Model, Script, normalise};
use shem_check::{Validity, check_derivation, check_model};
use shem_engine::{Context, NoEvents, Outcome, Registry};
use shem_term::Store;
use shem_transform::{DisabledPasses, Passes, Preprocessed, passes};

const ABSTRACTIONS: [&str; 4] = ["no-arrays", "cells", "shared-cells", "cells2"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Judged {
    Safe,
    Unsafe,
    Unknown,
}

/// Decides a script by an engine on an abstraction; the witness is judged.
fn decide(text: &str, engine: &str, abstraction: &str, effort: Effort) -> Judged {
    decide_with(text, engine, &[("abstraction", abstraction)], effort)
}

/// The same by hulls whose phases are orders.
fn decide_by_orders(text: &str, abstraction: &str) -> Judged {
    decide_with(text, "hull", &[("abstraction", abstraction), ("hull.orders", "yes")], MUCH)
}

fn decide_with(text: &str, engine: &str, settings: &[(&str, &str)], effort: Effort) -> Judged {
    let mut store = Store::new();
    let script = Script::read(&mut store, text, &StopToken::new()).expect("a script");
    let graph = normalise(&mut store, &script.system);
    let mut choice = Registry::standard().choose(engine).expect("an engine");
    for (name, value) in settings {
        choice.set(name, value).expect("a setting");
    }
    let (mut events, statistics) = (NoEvents, Statistics::new());
    let budget = Budget::unlimited().at_most(effort);
    // Bases of arrays are found where clauses are as simple as the passes make them.
    let passes = match settings {
        [("abstraction", _)] => None,
        _ => Some(Passes { preparation: choice.preparation(), ..Passes::default() }),
    };
    let prepared = Preprocessed::new(&store, graph.clone());
    let prepared = match passes {
        Some(passes) => passes.prepare(&mut store, prepared, &mut Statistics::new(), &budget),
        None => prepared,
    };
    let mut context = Context { budget, seed: 0, witness: true, events: &mut events, statistics };
    let verdict = choice.make().solve(&mut store, &prepared.graph, &mut context);
    let mut budget = Budget::unlimited();
    match verdict {
        Outcome::Unknown(_) => Unknown,
        Outcome::Safe(proven) => {
            let witness = proven.witness.get(&mut store, &mut budget).expect("an interpretation");
            let witness = prepared.interpretation(&mut store, witness, &mut budget).expect("the way back");
            let model = Model::of(&graph, &witness, script.system.predicates.len());
            let validity = check_model(&mut store, &script.system, &model, &mut budget);
            // The judge may give up on a model with quantifiers.
            assert!(!matches!(validity, Validity::Invalid(_)), "{engine} with {settings:?}: {text}");
            if validity == Validity::Valid { Safe } else { Unknown }
        }
        Outcome::Unsafe(witness) => {
            let witness = witness.get(&mut store, &mut budget).expect("a derivation");
            let witness = prepared.derivation(&mut store, witness, &mut budget).expect("the way back");
            let derivation = witness.map_rules(EdgeId::clause);
            let validity = check_derivation(&mut store, &script.system, &derivation, &mut budget);
            assert_eq!(validity, Validity::Valid, "{engine} with {settings:?}: {text}");
            Unsafe
        }
    }
}

const MUCH: Effort = Effort { conflicts: 200_000, pivots: 2_000_000, splits: 20_000 };

#[track_caller]
fn check(text: &str, expected: [Judged; 4]) {
    for (abstraction, expected) in ABSTRACTIONS.into_iter().zip(expected) {
        assert_eq!(decide(text, "spacer", abstraction, MUCH), expected, "{abstraction}");
    }
}

use Judged::{Safe, Unknown, Unsafe};

/// All elements from 0 to n - 1 are set to `value`, and then one of them is looked at.
fn initialised(value: &str, bad: &str) -> String {
    format!(
        "(declare-fun p ((Array Int Int) Int Int) Bool)
        (assert (forall ((a (Array Int Int)) (n Int)) (=> (> n 0) (p a 0 n))))
        (assert (forall ((a (Array Int Int)) (i Int) (n Int))
          (=> (and (p a i n) (< i n)) (p (store a i {value}) (+ i 1) n))))
        (assert (forall ((a (Array Int Int)) (i Int) (n Int) (j Int))
          (=> (and (p a i n) (>= i n) (<= 0 j) (< j n) {bad}) false)))"
    )
}

#[test]
fn initialisation() {
    for abstraction in ["cells", "shared-cells", "cells2"] {
        assert_eq!(decide(&initialised("7", "(distinct (select a j) 7)"), "spacer", abstraction, MUCH), Safe);
        assert_eq!(decide(&initialised("i", "(distinct (select a j) j)"), "spacer", abstraction, MUCH), Safe);
    }
    check(&initialised("7", "(= (select a j) 7)"), [Unsafe; 4]);
    check(&initialised("i", "(and (= j 1) (= (select a j) 1))"), [Unsafe; 4]);
}

/// A number with a sign below this power of two, as `int-blast` writes it, to which three is added up to a limit.
fn count_by_three(power: i64, limit: i64, bad: &str) -> String {
    let range = |name: &str| format!("(<= (- {power}) {name} {})", power - 1);
    format!(
        "(declare-fun p (Int) Bool)
        (assert (p 0))
        (assert (forall ((x Int) (y Int)) (=> (and (p x) {} {} (<= x {limit})
          (or (= y (+ x 3)) (= y (- x {})))) (p y))))
        (assert (forall ((x Int)) (=> (and (p x) {bad}) false)))",
        range("x"),
        range("y"),
        2 * power - 3,
    )
}

#[test]
fn numbers_that_do_not_wrap_around() {
    let decided = |text: &str| decide(text, "spacer", "no-wraps", MUCH);
    let int = 1 << 31;
    // What was guessed is right: nothing wraps around.
    assert_eq!(decided(&count_by_three(int, 1000, "(< x 0)")), Safe);
    assert_eq!(decided(&count_by_three(int, 1000, "(= x 30)")), Unsafe);
    // The guess is wrong: numbers wrap around, to one that is no multiple of three.
    assert_eq!(decided(&count_by_three(128, 127, "(distinct (mod x 3) 0)")), Unsafe);
    let near = count_by_three(int, int - 1, "(< x 0)").replace("(p 0)", "(p 2147483640)");
    assert_eq!(decided(&near), Unsafe);
    // There is nothing to replace.
    let plain = "(declare-fun p (Int) Bool) (assert (p 0))
        (assert (forall ((x Int)) (=> (p x) (p (+ x 1)))))
        (assert (forall ((x Int)) (=> (and (p x) (< x 0)) false)))";
    assert_eq!(decided(plain), Unknown);
}

#[test]
fn two_cells_relate_two_elements() {
    // Two elements that are written together are equal, which one cell cannot say.
    let text = "(declare-fun p ((Array Int Int) Int) Bool)
        (assert (forall ((a (Array Int Int))) (=> (= (select a 0) (select a 1)) (p a 0))))
        (assert (forall ((a (Array Int Int)) (i Int) (x Int)) (=> (p a i) (p (store (store a 0 x) 1 x) (+ i 1)))))
        (assert (forall ((a (Array Int Int)) (i Int)) (=> (and (p a i) (distinct (select a 0) (select a 1))) false)))";
    assert_eq!(decide(text, "spacer", "cells2", MUCH), Safe);
}

#[test]
fn heaps_that_are_equal() {
    // Two programs write the same; at the end their heaps are equal.
    let text = "(declare-fun p ((Array Int Int) (Array Int Int) Int) Bool)
        (assert (forall ((a (Array Int Int)) (b (Array Int Int))) (=> (= a b) (p a b 0))))
        (assert (forall ((a (Array Int Int)) (b (Array Int Int)) (i Int) (v Int))
          (=> (p a b i) (p (store a i v) (store b i v) (+ i 1)))))
        (assert (forall ((a (Array Int Int)) (b (Array Int Int)) (i Int))
          (=> (and (p a b i) (not (= a b))) false)))";
    assert_eq!(decide(text, "spacer", "shared-cells", MUCH), Safe);
    assert_eq!(decide(text, "spacer", "cells", MUCH), Safe);
    let wrong = text.replace("(store b i v)", "(store b i (+ v (ite (= i 2) 1 0)))");
    check(&wrong, [Unsafe; 4]);
}

#[test]
fn what_is_not_about_arrays_needs_none() {
    let text = "(declare-fun p ((Array Int Int) Int) Bool)
        (assert (forall ((a (Array Int Int))) (p a 0)))
        (assert (forall ((a (Array Int Int)) (i Int) (j Int))
          (=> (and (p a i) (or (= (select a j) 3) (= (store a j 1) a))) (p (store a i j) (+ i 2)))))
        (assert (forall ((a (Array Int Int)) (i Int)) (=> (and (p a i) (= (mod i 2) 1)) false)))";
    check(text, [Safe; 4]);
    // Other engines see arithmetic, too.
    for engine in ["kind", "imc", "lawi", "pdkind", "split-tpa"] {
        assert_eq!(decide(text, engine, "no-arrays", MUCH), Safe, "{engine}");
    }
}

#[test]
fn a_constant_array_and_an_array_of_arrays() {
    let text = "(declare-fun p ((Array Int Int) (Array Int (Array Int Int)) Int) Bool)
        (assert (forall ((m (Array Int (Array Int Int)))) (p ((as const (Array Int Int)) 0) m 0)))
        (assert (forall ((a (Array Int Int)) (m (Array Int (Array Int Int))) (i Int))
          (=> (and (p a m i) (> (select (select m i) i) 0)) (p (store a i 1) (store m i a) (+ i 1)))))
        (assert (forall ((a (Array Int Int)) (m (Array Int (Array Int Int))) (i Int) (j Int))
          (=> (and (p a m i) (> (select a j) 1)) false)))";
    assert_eq!(decide(text, "spacer", "cells", MUCH), Safe);
}

/// Objects of a heap are sums: all that were allocated have fields.
#[test]
fn elements_of_cells_are_flattened() {
    let text = "(declare-datatypes ((Object 0)) (((nothing) (node (data Int) (next Int)))))
        (declare-fun p ((Array Int Object) Int) Bool)
        (assert (p ((as const (Array Int Object)) nothing) 0))
        (assert (forall ((h (Array Int Object)) (n Int) (x Int))
          (=> (and (p h n) (<= 0 x)) (p (store h n (node x n)) (+ n 1)))))
        (assert (forall ((h (Array Int Object)) (n Int) (i Int))
          (=> (and (p h n) (<= 0 i) (< i n) (or ((_ is nothing) (select h i)) BAD)) false)))";
    let safe = text.replace("BAD", "(> 0 (data (select h i)))");
    for abstraction in ["cells", "shared-cells"] {
        assert_eq!(decide(&safe, "spacer", abstraction, MUCH), Safe, "{abstraction}");
    }
    check(&text.replace("BAD", "(> 2 (data (select h i)))"), [Unsafe; 4]);
}

const STACK: &str = "(declare-datatypes ((Stack 0)) (((empty) (push (top Int) (below Stack)))))
    (declare-fun p (Stack Int) Bool)
    (assert (p empty 0))
    (assert (forall ((s Stack) (n Int) (x Int)) (=> (p s n) (p (push x s) (+ n 1)))))
    (assert (forall ((s Stack) (n Int) (x Int)) (=> (p (push x s) n) (p s (- n 1)))))
    (assert (forall ((s Stack) (n Int)) (=> (and (p s n) BAD) false)))";

#[test]
fn sizes_of_recursive_datatypes() {
    let peano = "(declare-datatypes ((Nat 0)) (((zero) (succ (pred Nat)))))
        (declare-fun plus (Nat Nat Nat) Bool)
        (assert (forall ((y Nat)) (plus zero y y)))
        (assert (forall ((x Nat) (y Nat) (z Nat)) (=> (plus x y z) (plus (succ x) y (succ z)))))
        (assert (forall ((x Nat) (y Nat) (z Nat)) (=> (and (plus x y z) (plus y x (succ z))) false)))";
    let forest = "(declare-datatypes ((Tree 0) (Forest 0)) (((leaf) (tree (below Forest)))
          ((none) (more (first Tree) (others Forest)))))
        (declare-fun trees (Tree Int) Bool)
        (declare-fun forests (Forest Int) Bool)
        (assert (trees leaf 0))
        (assert (forests none 0))
        (assert (forall ((f Forest) (n Int)) (=> (forests f n) (trees (tree f) (+ n 1)))))
        (assert (forall ((t Tree) (f Forest) (m Int) (n Int))
          (=> (and (trees t m) (forests f n)) (forests (more t f) (+ m n 1)))))
        (assert (forall ((f Forest) (m Int) (n Int)) (=> (and (forests f m) (forests f n) (< m n)) false)))";
    // The constructor at the top is not told by the size.
    let top = "(declare-datatypes ((E 0)) (((yes) (no) (negate (inner E)) (twice (same E)))))
        (declare-fun even (E) Bool)
        (declare-fun odd (E) Bool)
        (assert (even yes))
        (assert (forall ((e E)) (=> (even e) (odd (negate e)))))
        (assert (forall ((e E)) (=> (odd e) (even (twice e)))))
        (assert (forall ((e E)) (=> (and (even e) (odd e)) false)))
        (assert (forall ((e E)) (=> (and (even e) (= e no)) false)))";
    for (text, expected) in [
        (STACK.replace("BAD", "(= s empty) (distinct n 0)"), Safe),
        (STACK.replace("BAD", "((_ is push) s) (< n 1)"), Safe),
        (STACK.replace("BAD", "((_ is push) s) (= (below s) empty) (distinct n 1)"), Safe),
        (STACK.replace("BAD", "(= n 3)"), Unsafe),
        (STACK.replace("BAD", "((_ is push) s) ((_ is push) (below s)) (= (top (below s)) 5)"), Unsafe),
        (peano.to_owned(), Safe),
        (peano.replace("(plus y x (succ z))", "(plus x (succ y) (succ z)) (= x (succ zero))"), Unsafe),
        (forest.to_owned(), Safe),
        (top.to_owned(), Safe),
        // What is on the stack is not known.
        (
            STACK
                .replace("(p (push x s) (+ n 1))", "(p (push 1 s) (+ n 1))")
                .replace("BAD", "(= s (push 2 empty))"),
            Unknown,
        ),
    ] {
        assert_eq!(decide(&text, "spacer", "sizes", MUCH), expected, "{text}");
    }
}

/// The judge believes what follows from the definition of sizes, and nothing else.
#[test]
fn models_about_sizes_are_judged_and_printed() {
    let mut store = Store::new();
    let text = STACK.replace("BAD", "(= s empty) (distinct n 0)");
    let script = Script::read(&mut store, &text, &StopToken::new()).expect("a script");
    let sorts = script.system.predicates[0].sorts.clone();
    let parameters: Vec<_> = sorts.iter().map(|&sort| store.variable("v", sort)).collect();
    let size = store.size(parameters[0]);
    let zero = store.int(0);
    let exact = store.eq(parameters[1], size);
    let (at_most, at_least) = (store.le(parameters[1], size), store.ge(parameters[1], zero));
    for (body, valid) in [(exact, true), (at_most, false), (at_least, false)] {
        let definition = shem_chc::Definition { parameters: parameters.clone().into(), body };
        let model = Model { definitions: vec![definition] };
        let validity = check_model(&mut store, &script.system, &model, &mut Budget::unlimited());
        assert_eq!(validity == Validity::Valid, valid, "{}: {validity}", store.display(body));
        let mut out = Vec::new();
        shem_chc::write_model(&mut out, &store, &script.system, &model).expect("a text");
        let out = String::from_utf8(out).expect("a text");
        let defined = out.starts_with("(\n  (define-fun-rec |size of Stack| ((x! Stack)) Int\n");
        assert_eq!(defined, body != at_least, "{out}");
    }
}

/// A random system: two loops over an array, the second after the first, and a query.
fn random_script(rng: &mut Rng) -> String {
    let index = |rng: &mut Rng| (*rng.pick(&["i", "(+ i 1)", "0", "(- n i)", "(select a i)"])).to_owned();
    let value = |rng: &mut Rng| {
        (*rng.pick(&["0", "1", "i", "(select a i)", "(+ 1 (select a (+ i 1)))", "v", "(ite (> v i) 1 0)"]))
            .to_owned()
    };
    let start = *rng.pick(&["true", "(= a ((as const (Array Int Int)) 0))", "(= (select a 0) 1)", "(= n 2)"]);
    let guard = *rng.pick(&["(< i n)", "(and (< i n) (< i 3))", "(< i 2)"]);
    let update = |rng: &mut Rng| {
        let write = format!("(store a {} {})", index(rng), value(rng));
        match rng.index(4) {
            0 => format!("(= b (store {write} {} {}))", index(rng), value(rng)),
            1 => format!("(= b (ite (> v 0) {write} a))"),
            2 => format!("(or (= b {write}) (= b a))"),
            _ => format!("(= b {write})"),
        }
    };
    let (first, second) = (update(rng), update(rng));
    let bad = *rng.pick(&[
        "(= (select a j) 2)",
        "(distinct (select a j) 0)",
        "(< (select a j) 0)",
        "(distinct a (store a j 0))",
        "(and (= a ((as const (Array Int Int)) 1)) (> i 0))",
        "(> (select a j) (select a (+ j 1)))",
    ]);
    format!(
        "(declare-fun p ((Array Int Int) Int Int) Bool)
        (declare-fun q ((Array Int Int) Int Int) Bool)
        (assert (forall ((a (Array Int Int)) (n Int)) (=> (and {start} (> n 0)) (p a 0 n))))
        (assert (forall ((a (Array Int Int)) (b (Array Int Int)) (i Int) (n Int) (v Int))
          (=> (and (p a i n) {guard} {first}) (p b (+ i 1) n))))
        (assert (forall ((a (Array Int Int)) (i Int) (n Int)) (=> (and (p a i n) (>= i n)) (q a 0 n))))
        (assert (forall ((a (Array Int Int)) (b (Array Int Int)) (i Int) (n Int) (v Int))
          (=> (and (q a i n) (< i n) {second}) (q b (+ i 1) n))))
        (assert (forall ((a (Array Int Int)) (i Int) (n Int) (j Int))
          (=> (and (q a i n) (<= 0 j) (< j i) {bad}) false)))"
    )
}

#[test]
fn random_systems_are_decided_alike() {
    let little = Effort { conflicts: 3_000, pivots: 30_000, splits: 500 };
    let mut answers = [0; 3];
    for seed in 0..shem_test_support::rounds(60) {
        let text = random_script(&mut Rng::new(seed));
        let mut known = Unknown;
        for abstraction in ["none"].into_iter().chain(ABSTRACTIONS) {
            let judged = decide(&text, "spacer", abstraction, little);
            answers[judged as usize] += 1;
            assert!(judged == Unknown || known == Unknown || judged == known, "{abstraction}: {text}");
            if judged != Unknown {
                known = judged;
            }
        }
    }
    assert!(answers[Safe as usize] > 20 && answers[Unsafe as usize] > 20, "{answers:?}");
}

/// What is switched off does not prepare the abstraction either.
#[test]
fn abstractions_are_prepared_without_passes_that_are_switched_off() {
    let text = initialised("7", "(distinct (select a j) 7)").replace("(p a 0 n)", "(q a 0 n)")
        + "(assert (forall ((a (Array Int Int)) (i Int) (n Int)) (=> (q a i n) (p a i n))))";
    let text = format!("(declare-fun q ((Array Int Int) Int Int) Bool){text}");
    let mut disabled = DisabledPasses::default();
    let vertices = |disabled: &DisabledPasses| {
        let mut store = Store::new();
        let script = Script::read(&mut store, &text, &StopToken::new()).expect("a script");
        let graph = normalise(&mut store, &script.system);
        let mut choice = Registry::standard().choose("spacer").expect("an engine").without_passes(disabled);
        choice.set("abstraction", "cells").expect("a setting");
        // How the engine gets on does not matter here.
        let effort = Effort { conflicts: 100, pivots: 1_000, splits: 10 };
        let (mut events, statistics) = (NoEvents, Statistics::new());
        let budget = Budget::unlimited().at_most(effort);
        let mut context = Context { budget, seed: 0, witness: true, events: &mut events, statistics };
        drop(choice.make().solve(&mut store, &graph, &mut context));
        context.statistics.count("abstraction.vertices")
    };
    assert!(vertices(&disabled) < 2);
    passes().iter().for_each(|pass| disabled.disable(pass.name).expect("a pass"));
    assert_eq!(vertices(&disabled), 2);
}

/// A condition, and variables with their new values.
type Branch = (String, Vec<(&'static str, String)>);

/// Loops, one after the other, that count `i` from 0 to `n` and update variables; then a condition has to hold for each `i`.
/// Arrays are at pointers if asked for: `a[x]` is written as `(a x)` and stands for the element at `p.a + x`.
struct Loops {
    arrays: &'static [&'static str],
    /// Whether there are pointers.
    at_pointers: bool,
    /// For each loop its branches.
    loops: Vec<Vec<Branch>>,
    condition: String,
}

impl Loops {
    fn index(&self, array: &str, index: &str) -> String {
        if self.at_pointers { format!("(+ p.{array} {index})") } else { index.to_owned() }
    }

    fn read(&self, array: &str) -> String {
        format!("(select {array} {})", self.index(array, "i"))
    }

    fn write(&self, array: &'static str, value: &str) -> (&'static str, String) {
        (array, format!("(store {array} {} {value})", self.index(array, "i")))
    }

    fn text(&self) -> String {
        let pointers: Vec<String> = self.arrays.iter().map(|array| format!("p.{array}")).collect();
        let pointers = if self.at_pointers { pointers } else { Vec::new() };
        let mut state: Vec<(&str, &str)> =
            self.arrays.iter().map(|&array| (array, "(Array Int Int)")).collect();
        state.extend(pointers.iter().map(|pointer| (pointer.as_str(), "Int")));
        state.extend([("i", "Int"), ("n", "Int")]);
        let bound: String = state.iter().map(|(name, sort)| format!("({name} {sort})")).collect();
        let sorts: Vec<&str> = state.iter().map(|&(_, sort)| sort).collect();
        let atom = |at: usize, new: &[(&str, String)]| {
            let value =
                |name: &str| new.iter().find(|(changed, _)| *changed == name).map(|(_, value)| value.clone());
            let args = state.iter().map(|(name, _)| value(name).unwrap_or((*name).to_owned()));
            format!("(l{at} {})", args.collect::<Vec<String>>().join(" "))
        };
        let mut text = String::new();
        for at in 0..=self.loops.len() {
            text += &format!("(declare-fun l{at} ({}) Bool)\n", sorts.join(" "));
        }
        let mut clause = |body: &str, head: &str| {
            text += &format!("(assert (forall ({bound}) (=> (and true {body}) {head})))\n");
        };
        let restart = [("i", "0".to_owned())];
        clause("(> n 0)", &atom(0, &restart));
        let next = ("i", "(+ i 1)".to_owned());
        for (at, branches) in self.loops.iter().enumerate() {
            for (guard, new) in branches {
                let new: Vec<(&str, String)> = new.iter().cloned().chain([next.clone()]).collect();
                clause(&format!("{} (< i n) {guard}", atom(at, &[])), &atom(at, &new));
            }
            clause(&format!("{} (>= i n)", atom(at, &[])), &atom(at + 1, &restart));
        }
        let last = self.loops.len();
        clause(&format!("{} (< i n) {}", atom(last, &[]), self.condition), &atom(last, &[next]));
        clause(&format!("{} (< i n) (not {})", atom(last, &[]), self.condition), "false");
        text
    }
}

fn loops(arrays: &'static [&'static str], at_pointers: bool) -> Loops {
    Loops { arrays, at_pointers, loops: Vec::new(), condition: String::new() }
}

/// Each array becomes a copy of the one before, in a loop of its own.
fn copies(at_pointers: bool) -> Loops {
    let mut system = loops(&["a", "b", "c"], at_pointers);
    for pair in system.arrays.windows(2) {
        system.loops.push(vec![(String::new(), vec![system.write(pair[1], &system.read(pair[0]))])]);
    }
    system.condition = format!("(= {} {})", system.read("a"), system.read("c"));
    system
}

/// Edges that are merged: an array gets the absolute values of another.
fn absolute_values(at_pointers: bool) -> Loops {
    let mut system = loops(&["a", "b"], at_pointers);
    let read = system.read("a");
    system.loops.push(vec![
        (format!("(>= {read} 0)"), vec![system.write("b", &read)]),
        (format!("(< {read} 0)"), vec![system.write("b", &format!("(- {read})"))]),
    ]);
    system.condition = format!("(>= {} 0)", system.read("b"));
    system
}

#[test]
fn hulls_of_cells_follow_loops_over_arrays() {
    for at_pointers in [false, true] {
        for system in [copies(at_pointers), absolute_values(at_pointers)] {
            assert_eq!(decide_by_orders(&system.text(), "shared-cells"), Safe, "{}", system.text());
        }
        let mut wrong = copies(at_pointers);
        wrong.loops[1][0].0 = "(distinct i 1)".to_owned();
        wrong.loops[1].push(("(= i 1)".to_owned(), vec![]));
        assert_eq!(decide(&wrong.text(), "spacer", "shared-cells", MUCH), Unsafe);
        assert_ne!(decide_by_orders(&wrong.text(), "shared-cells"), Safe);
    }
}

#[test]
fn hulls_of_pairs_of_cells() {
    // Each element is one more than the one before.
    let text = "(declare-fun p ((Array Int Int) Int Int) Bool)
        (assert (forall ((a (Array Int Int)) (n Int)) (=> (> n 0) (p a 1 n))))
        (assert (forall ((a (Array Int Int)) (i Int) (n Int))
          (=> (and (p a i n) (< i n)) (p (store a i (+ (select a (- i 1)) 1)) (+ i 1) n))))
        (assert (forall ((a (Array Int Int)) (i Int) (n Int) (j Int)) (=> (and (p a i n) (>= i n) (<= 1 j) (< j n)
          (< (select a j) (select a (- j 1)))) false)))";
    assert_eq!(decide_by_orders(text, "cells2"), Safe);
}

#[test]
fn random_loops_over_arrays() {
    // Whatever hulls prove, bounded runs and spacer do not refute, and witnesses are judged.
    let mut rng = Rng::new(11);
    let mut proved = 0;
    for _ in 0..8 {
        let mut system = loops(&["a", "b"], rng.chance(50));
        let value = |rng: &mut Rng, system: &Loops| match rng.below(5) {
            0 => "i".to_owned(),
            1 => ["(- 2)", "(- 1)", "0", "1", "2"][rng.below(5) as usize].to_owned(),
            2 => format!("(+ {} 1)", system.read("a")),
            3 => format!("(- {} {})", system.read("b"), system.read("a")),
            _ => system.read(["a", "b"][rng.below(2) as usize]),
        };
        let new = value(&mut rng, &system);
        let mut branches = vec![(String::new(), vec![system.write("b", &new)])];
        if rng.chance(33) {
            let guard = format!("(<= {} 0)", system.read("a"));
            branches[0].0 = format!("(not {guard})");
            branches.push((guard, vec![system.write("b", &value(&mut rng, &system))]));
        }
        system.loops.push(branches);
        // What the loop writes, or something else.
        let goal = if rng.chance(50) { new } else { value(&mut rng, &system) };
        system.condition = format!("({} {} {goal})", ["=", "<="][rng.below(2) as usize], system.read("b"));
        let text = system.text();
        let little = Effort { conflicts: 2_000, pivots: 20_000, splits: 500 };
        let by_hulls = decide_by_orders(&text, "shared-cells");
        let by_paths = decide_with(&text, "bmc", &[("abstraction", "none"), ("bmc.max-depth", "12")], little);
        assert!(by_hulls != Safe || by_paths != Unsafe, "{text}");
        proved += usize::from(by_hulls == Safe);
    }
    assert!(proved > 0, "the systems are not hopeless");
}
