//! Preparation by stages: what preparations have in common runs once, and each goes its own way from there.

use shem_base::{Budget, Statistics, StopToken};
use shem_chc::{EdgeId, Graph, Script, normalise};
use shem_term::Store;
use shem_transform::{DisabledPasses, PassObserver, Passes, Preparation, Preprocessed, Stage, passes};

use crate::case::Case;

/// Two loops in a row, with a choice between two ways from one to the other.
const CLAUSES: &str = "
    (declare-fun p (Int Int) Bool)
    (declare-fun q (Int Int) Bool)
    (declare-fun r (Int Int) Bool)
    (assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 0)) (p x y))))
    (assert (forall ((x Int) (y Int)) (=> (and (p x y) (< x 5)) (p (+ x 1) (+ y 1)))))
    (assert (forall ((x Int) (y Int)) (=> (and (p x y) (> x 2)) (q x (+ y 1)))))
    (assert (forall ((x Int) (y Int)) (=> (and (p x y) (< x 2)) (q x (+ y 2)))))
    (assert (forall ((x Int) (y Int)) (=> (and (q x y) (< y 9)) (q x (+ y 1)))))
    (assert (forall ((x Int) (y Int)) (=> (q x y) (r y x))))
    (assert (forall ((x Int) (y Int)) (=> (and (r x y) BAD) false)))";

/// The names of the passes, as they begin.
#[derive(Default)]
struct Names(Vec<&'static str>);

impl PassObserver for Names {
    fn begins(&mut self, pass: &'static str) {
        self.0.push(pass);
    }

    fn ended(&mut self, pass: &'static str, _: &Statistics) {
        assert_eq!(self.0.last(), Some(&pass));
    }
}

fn edges(graph: &Graph) -> Vec<(EdgeId, shem_chc::Edge)> {
    graph.edges().map(|(id, edge)| (id, edge.clone())).collect()
}

#[test]
fn a_clone_goes_on_where_the_other_stops() {
    for (bad, safe) in [("(< x y)", true), ("(= x 7)", false)] {
        let text = format!("(set-logic HORN){}(check-sat)", CLAUSES.replace("BAD", bad));
        let mut store = Store::new();
        let script = Script::read(&mut store, &text, &StopToken::new()).expect("a script");
        let system = (*script.system).clone();
        let graph = normalise(&mut store, &system);
        let budget = Budget::unlimited();
        let all = Passes::default();
        let one_loop = Preparation { for_transition_systems: true, ..Preparation::default() };
        let one_loop = Passes { preparation: one_loop, ..Passes::default() };

        let mut names = Names::default();
        let common = Preprocessed::new(&store, graph.clone());
        let common = all.prepare(&mut store, common, &mut names, &budget);
        assert_eq!(common.stages(), [Stage::Standard, Stage::Invariants]);
        assert_eq!(one_loop.next_stage(&common), Some(Stage::TransitionSystems));
        let before = edges(&common.graph);
        let first = names.0.len();
        let forked = one_loop.prepare(&mut store, common.clone(), &mut names, &budget);
        assert!(names.0[first..].iter().all(|pass| *pass != "slice" && *pass != "invariants"));
        assert_eq!(one_loop.next_stage(&forked), None);
        assert_eq!(edges(&common.graph), before);

        for done in [common, forked] {
            let (mut own, statistics) = (Store::new(), Statistics::new());
            std::mem::swap(&mut own, &mut store);
            let case = Case { store: own, system: system.clone(), graph: graph.clone(), done, statistics };
            store = case.confirm(safe).store;
        }
    }
}

#[test]
#[should_panic(expected = "does not lead to")]
fn stages_come_in_their_order() {
    let mut store = Store::new();
    let abstracted = Preparation { without_composition: true, ..Preparation::default() };
    let abstracted = Passes { preparation: abstracted, ..Passes::default() };
    let other = Passes::default();
    let done = Preprocessed::new(&store, Graph::new());
    let done = abstracted.prepare(&mut store, done, &mut Statistics::new(), &Budget::unlimited());
    other.next_stage(&done);
}

#[test]
fn what_is_switched_off_runs_in_no_stage() {
    let mut disabled = DisabledPasses::default();
    passes().iter().for_each(|pass| disabled.disable(pass.name).expect("a pass"));
    for flags in 0..16 {
        let preparation = Preparation {
            for_transition_systems: true,
            without_nested_loops: true,
            without_composition: flags & 1 == 1,
            of_abstraction: flags & 2 == 2,
            with_bits: flags & 4 == 4,
            as_read: false,
            pure: flags & 8 == 8,
        };
        let (mut store, mut names) = (Store::new(), Names::default());
        let graph = Preprocessed::new(&store, Graph::new());
        let passes = Passes { preparation, disabled: disabled.clone() };
        passes.prepare(&mut store, graph, &mut names, &Budget::unlimited());
        assert!(names.0.is_empty());
    }
}
