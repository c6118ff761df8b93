//! Finite models, definitions and sizes on systems over datatypes: answers that are known, and random systems on which no
//! two engines contradict each other. All witnesses are judged on the clauses as read.

use shem_base::{Budget, Effort, Rng, Statistics, StopToken};
use shem_chc::{EdgeId, Model, Script, normalise};
use shem_check::{Validity, check_derivation, check_model};
use shem_engine::{Context, NoEvents, Outcome, Registry};
use shem_term::Store;
use shem_transform::{Passes, Preprocessed};

const EFFORT: Effort = Effort { conflicts: 3_000, pivots: 60_000, splits: 1_000 };

const SORTS: &str = "
    (declare-datatypes ((Nat 0)) (((zero) (succ (pred Nat)))))
    (declare-datatypes ((Color 0)) (((red) (green) (blue))))
    (declare-datatypes ((List 0)) (((nil) (cons (head Nat) (tail List)))))
    (declare-datatypes ((Tree 0)) (((leaf (mark Color)) (node (left Tree) (number Int) (right Tree)))))
    ";

/// Decides clauses by an engine, prepared as it asks for: whether the system is safe, if that was found and confirmed.
fn decide(clauses: &str, engine: &str, settings: &[(&str, &str)]) -> Option<bool> {
    let text = format!("(set-logic HORN){SORTS}{clauses}(check-sat)");
    let mut store = Store::new();
    let script = Script::read(&mut store, &text, &StopToken::new()).expect("a script");
    let graph = normalise(&mut store, &script.system);
    let mut choice = Registry::standard().choose(engine).expect("an engine");
    for (name, value) in settings {
        choice.set(name, value).expect("a setting");
    }
    let passes = Passes { preparation: choice.preparation(), ..Passes::default() };
    let mut budget = Budget::unlimited().at_most(EFFORT);
    let prepared = Preprocessed::new(&store, graph.clone());
    let prepared = passes.prepare(&mut store, prepared, &mut Statistics::new(), &budget);
    let (mut events, statistics) = (NoEvents, Statistics::new());
    let verdict = match prepared.decision(&mut store, &budget) {
        Some(shem_transform::Decision::Safe(interpretation)) => Outcome::safe(interpretation),
        Some(shem_transform::Decision::Unsafe(derivation)) => Outcome::unsafe_by(derivation),
        Some(shem_transform::Decision::Unknown(_)) => return None,
        None => {
            let mut context =
                Context { budget: budget.clone(), seed: 0, witness: true, events: &mut events, statistics };
            choice.make().solve(&mut store, &prepared.graph, &mut context)
        }
    };
    match verdict {
        Outcome::Unknown(_) => None,
        Outcome::Safe(proven) => {
            let found = proven.witness.get(&mut store, &mut budget).ok()?;
            let found = prepared.interpretation(&mut store, found, &mut budget).ok()?;
            let model = Model::of(&graph, &found, script.system.predicates.len());
            match check_model(&mut store, &script.system, &model, &mut Budget::unlimited()) {
                Validity::Valid => Some(true),
                Validity::Invalid(defect) => panic!("{engine} {settings:?}: {defect:?}: {text}"),
                Validity::Unknown(_) => None,
            }
        }
        Outcome::Unsafe(witness) => {
            let found = witness.get(&mut store, &mut budget).ok()?;
            let found = prepared.derivation(&mut store, found, &mut budget).ok()?;
            let derivation = found.map_rules(EdgeId::clause);
            let validity =
                check_derivation(&mut store, &script.system, &derivation, &mut Budget::unlimited());
            assert_eq!(validity, Validity::Valid, "{engine} {settings:?}: {text}");
            Some(false)
        }
    }
}

fn by_finite_models(clauses: &str) -> Option<bool> {
    decide(clauses, "finite-models", &[])
}

const EVEN: &str = "(declare-fun even (Nat) Bool)
    (assert (even zero))
    (assert (forall ((n Nat)) (=> (even n) (even (succ (succ n))))))";

#[test]
fn no_number_is_even_and_odd() {
    let safe = "(assert (forall ((n Nat)) (=> (and (even n) (even (succ n))) false)))";
    assert_eq!(by_finite_models(&format!("{EVEN}{safe}")), Some(true));
    let wrong = "(assert (forall ((n Nat)) (=> (and (even n) (even (succ (succ (succ (succ n)))))) false)))";
    assert_eq!(by_finite_models(&format!("{EVEN}{wrong}")), None);
}

/// Values that tell nothing apart have a structure of one element; these need three, and colours of their own.
#[test]
fn colours_of_leaves() {
    let clauses = "(declare-fun mono (Color Tree) Bool)
        (assert (forall ((c Color)) (mono c (leaf c))))
        (assert (forall ((c Color) (l Tree) (n Int) (r Tree))
          (=> (and (mono c l) (mono c r)) (mono c (node l n r)))))
        (assert (forall ((c Color) (d Color) (t Tree))
          (=> (and (mono c t) (mono d t) (not (= c d))) false)))";
    assert_eq!(by_finite_models(clauses), Some(true));
}

#[test]
fn testers_and_truth_values() {
    let clauses = "(declare-fun long (Bool List) Bool)
        (assert (long false nil))
        (assert (forall ((b Bool) (n Nat) (l List)) (=> (long b l) (long (not b) (cons n l)))))
        (assert (forall ((l List)) (=> (and (long true l) ((_ is nil) l)) false)))
        (assert (forall ((l List)) (=> (and (long true l) (long false l)) false)))";
    assert_eq!(by_finite_models(clauses), Some(true));
}

/// Shapes of trees.
#[test]
fn combs_are_not_bushy() {
    let clauses = "(declare-fun comb (Tree) Bool)
        (declare-fun bushy (Tree) Bool)
        (assert (comb (leaf red)))
        (assert (forall ((t Tree)) (=> (comb t) (comb (node (leaf red) 1 t)))))
        (assert (forall ((a Tree) (b Tree) (t Tree)) (bushy (node (node a 1 b) 1 t))))
        (assert (forall ((a Tree) (t Tree)) (=> (bushy t) (bushy (node a 1 t)))))
        (assert (forall ((t Tree)) (=> (and (comb t) (bushy t)) false)))";
    assert_eq!(by_finite_models(clauses), Some(true));
}

/// What is left out makes clauses stronger: nothing is claimed of what depends on numbers.
#[test]
fn numbers_have_no_place() {
    let clauses = "(declare-fun sum (Int Tree) Bool)
        (assert (forall ((c Color)) (sum 0 (leaf c))))
        (assert (forall ((a Int) (b Int) (l Tree) (n Int) (r Tree))
          (=> (and (sum a l) (sum b r) (> n 0)) (sum (+ a b n) (node l n r)))))
        (assert (forall ((a Int) (t Tree)) (=> (and (sum a t) (< a 0)) false)))";
    assert_eq!(by_finite_models(clauses), None);
}

/// Lists of different lengths, by an inequality that clauses define, and by sizes.
#[test]
fn inequality_that_clauses_define() {
    let clauses = "(declare-fun other (Nat Nat) Bool)
        (declare-fun length (List Nat) Bool)
        (assert (forall ((x Nat)) (other zero (succ x))))
        (assert (forall ((x Nat)) (other (succ x) zero)))
        (assert (forall ((x Nat) (y Nat)) (=> (other x y) (other (succ x) (succ y)))))
        (assert (length nil zero))
        (assert (forall ((x Nat) (l List) (n Nat)) (=> (length l n) (length (cons x l) (succ n)))))
        (assert (forall ((l List) (m Nat) (n Nat)) (=> (and (length l m) (length l n) (other m n)) false)))";
    assert_eq!(decide(clauses, "spacer", &[("abstraction", "sizes")]), Some(true));
    let wrong = clauses.replace("(length l m) (length l n)", "(length l m) (length (cons m l) n)");
    assert_eq!(decide(&wrong, "spacer", &[("abstraction", "sizes")]), Some(false));
}

/// A random system over numerals, lists and trees.
fn random_system(rng: &mut Rng) -> String {
    let sorts = ["Nat", "List", "Tree"];
    let arities: Vec<Vec<&str>> =
        (0..3).map(|_| (0..1 + rng.index(2)).map(|_| sorts[rng.index(3)]).collect()).collect();
    let mut text = String::new();
    for (at, arguments) in arities.iter().enumerate() {
        text.push_str(&format!("(declare-fun p{at} ({}) Bool)", arguments.join(" ")));
    }
    let variables = [("a", "Nat"), ("b", "Nat"), ("l", "List"), ("m", "List"), ("t", "Tree"), ("u", "Tree")];
    let bound: Vec<String> = variables.iter().map(|(name, sort)| format!("({name} {sort})")).collect();
    let bound = bound.join(" ");
    for clause in 0..3 + rng.index(5) {
        let premises = if clause == 0 { 0 } else { rng.index(3) };
        let mut body: Vec<String> = (0..premises).map(|_| random_atom(rng, &arities, 1)).collect();
        if rng.index(3) == 0 {
            let sort = sorts[rng.index(3)];
            let equation = format!("(= {} {})", random_term(rng, sort, 1), random_term(rng, sort, 1));
            body.push(if rng.index(2) == 0 { equation } else { format!("(not {equation})") });
        }
        let head = random_atom(rng, &arities, 2);
        body.push("true".to_owned());
        text.push_str(&format!("(assert (forall ({bound}) (=> (and {}) {head})))", body.join(" ")));
    }
    let query: Vec<String> = (0..1 + rng.index(2)).map(|_| random_atom(rng, &arities, 2)).collect();
    text.push_str(&format!("(assert (forall ({bound}) (=> (and true {}) false)))", query.join(" ")));
    text
}

fn random_atom(rng: &mut Rng, arities: &[Vec<&str>], depth: usize) -> String {
    let at = rng.index(arities.len());
    let args: Vec<String> = arities[at].iter().map(|sort| random_term(rng, sort, depth)).collect();
    format!("(p{at} {})", args.join(" "))
}

fn random_term(rng: &mut Rng, sort: &str, depth: usize) -> String {
    if depth == 0 || rng.index(3) == 0 {
        let second = rng.index(2) == 0;
        return match (sort, second) {
            ("Nat", true) => "a",
            ("Nat", false) => "b",
            ("List", true) => "l",
            ("List", false) => "m",
            (_, true) => "t",
            (_, false) => "u",
        }
        .to_owned();
    }
    let mut part = |sort| random_term(rng, sort, depth - 1);
    match sort {
        "Nat" => {
            let inner = part("Nat");
            if rng.index(3) == 0 { "zero".to_owned() } else { format!("(succ {inner})") }
        }
        "List" => {
            let (head, tail) = (part("Nat"), part("List"));
            if rng.index(3) == 0 { "nil".to_owned() } else { format!("(cons {head} {tail})") }
        }
        _ => {
            let (left, right) = (part("Tree"), part("Tree"));
            let colour = ["red", "green", "blue"][rng.index(3)];
            if rng.index(3) == 0 { format!("(leaf {colour})") } else { format!("(node {left} 1 {right})") }
        }
    }
}

#[test]
fn engines_agree_on_random_systems() {
    let mut rng = Rng::new(7);
    let (mut safe, mut refuted) = (0, 0);
    for round in 0..120 {
        let system = random_system(&mut rng);
        let answers = [
            decide(&system, "finite-models", &[]),
            decide(&system, "spacer", &[]),
            decide(&system, "spacer", &[("abstraction", "sizes")]),
            decide(&system, "bmc", &[]),
        ];
        let [has_safe, has_unsafe] = [true, false].map(|answer| answers.contains(&Some(answer)));
        assert!(!(has_safe && has_unsafe), "round {round}: {answers:?}: {system}");
        safe += u32::from(answers[0] == Some(true));
        refuted += u32::from(has_unsafe);
    }
    assert!(safe > 10 && refuted > 10, "{safe} have finite models, {refuted} are refuted");
}
