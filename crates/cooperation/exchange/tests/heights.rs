//! Lemmas with heights and facts between instances of Spacer: what is true helps, what is forged does no harm.

use shem_base::{Budget, Statistics, StopToken};
use shem_chc::{Definition, Model, Script, clauses_of, normalise};
use shem_check::{Validity, check_model};
use shem_engine::spacer::Spacer;
use shem_engine::{Context, Engine, Events, Outcome, Port, Progress, Standing};
use shem_exchange::{
    Bounded, BoundedKind, Content, Formula, FormulaLimits, Hub, HubPort, Note, Share, decode, encode,
    fingerprint_of_facts,
};
use shem_term::{Store, Term};

const SAFE: &str = "(declare-fun p (Int Int) Bool) (declare-fun q (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 0)) (p x y))))
(assert (forall ((x Int) (y Int)) (=> (p x y) (p (+ x 1) (+ y 2)))))
(assert (forall ((x Int) (y Int)) (=> (and (p x y) (> x 5)) (q x y))))
(assert (forall ((x Int) (y Int)) (=> (q x y) (q (+ x 2) (+ y 3)))))
(assert (forall ((x Int) (y Int)) (=> (and (q x y) (< y x)) false)))";

const UNSAFE: &str = "(declare-fun p (Int Int) Bool) (declare-fun q (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 0)) (p x y))))
(assert (forall ((x Int) (y Int)) (=> (p x y) (p (+ x 1) (+ y 2)))))
(assert (forall ((x Int) (y Int)) (=> (and (p x y) (> x 5)) (q x y))))
(assert (forall ((x Int) (y Int)) (=> (q x y) (q (+ x 5) (+ y 1)))))
(assert (forall ((x Int) (y Int)) (=> (and (q x y) (< y x)) false)))";

struct Member(HubPort);

impl Events for Member {
    fn progress(&mut self, _: Progress) {}

    fn port(&mut self) -> Option<&mut dyn Port> {
        Some(&mut self.0)
    }
}

/// Runs Spacer, which hears these notes; gives what it says, and its figures. The verdict and a model are checked.
fn run(text: &str, safe: bool, notes: &[Note], share: Share) -> (Vec<Note>, Statistics) {
    let mut store = Store::new();
    let script = Script::read(&mut store, text, &StopToken::new()).expect("a script");
    let system = (*script.system).clone();
    let graph = normalise(&mut store, &system);
    let hub = Hub::new(2, 10_000);
    let other = hub.endpoint(1);
    for note in notes {
        // In both standings: neither is believed.
        let standing = if note.sender % 2 == 0 { Standing::Proven } else { Standing::Candidate };
        other.send(note.clone(), standing);
    }
    let mut member = Member(HubPort::new(hub.endpoint(0), 0, share));
    let mut context = Context {
        budget: Budget::unlimited(),
        seed: 0,
        witness: true,
        events: &mut member,
        statistics: Statistics::new(),
    };
    let verdict = Spacer::default().solve(&mut store, &graph, &mut context);
    let statistics = context.statistics;
    let budget = &mut Budget::unlimited();
    match verdict {
        Outcome::Safe(proven) => {
            assert!(safe);
            let found = proven.witness.get(&mut store, budget).expect("a model");
            let clauses = clauses_of(&mut store, &graph);
            let definition = |vertex| Definition {
                parameters: graph.vertex(vertex).state().into(),
                body: found.get(vertex).unwrap_or(Term::TRUE),
            };
            let model = Model { definitions: graph.vertices().map(definition).collect() };
            assert!(matches!(check_model(&mut store, &clauses, &model, budget), Validity::Valid));
        }
        Outcome::Unsafe(witness) => {
            assert!(!safe);
            witness.get(&mut store, budget).expect("a derivation");
        }
        Outcome::Unknown(reason) => panic!("{reason}"),
    }
    (other.receive(10_000).into_iter().map(|(note, _)| (*note).clone()).collect(), statistics)
}

#[test]
fn what_one_has_learnt_the_other_takes() {
    for (text, safe) in [(SAFE, true), (UNSAFE, false)] {
        let (said, _) = run(text, safe, &[], Share::ALL);
        let has = |wanted: &dyn Fn(&BoundedKind) -> bool| {
            said.iter()
                .any(|note| matches!(&note.content, Content::Bounded(bounded) if wanted(&bounded.kind)))
        };
        assert!(has(&|kind| matches!(kind, BoundedKind::Height(_))));
        assert!(safe || has(&|kind| matches!(kind, BoundedKind::Derived(_))));
        for note in &said {
            let text = encode(note).expect("it is short");
            assert_eq!(decode(text.as_bytes()).as_ref(), Ok(note));
        }
        let (_, figures) = run(text, safe, &said, Share::ALL);
        let count = |name| figures.count(name);
        assert!(count("shared.lemmas") + count("shared.facts") > 0, "{figures:?}");
        // Only if such lemmas are shared.
        let (silent, figures) = run(text, safe, &said, Share { reach: false, ..Share::ALL });
        assert!(silent.is_empty());
        assert_eq!(figures.count("shared.lemmas"), 0);
    }
}

#[test]
fn lies_do_no_harm() {
    for (text, safe) in [(SAFE, true), (UNSAFE, false)] {
        let about = {
            let mut store = Store::new();
            let script = Script::read(&mut store, text, &StopToken::new()).expect("a script");
            let graph = normalise(&mut store, &script.system);
            fingerprint_of_facts(&mut store, &graph)
        };
        let mut lies = Vec::new();
        for vertex in 0..3 {
            for formula in [
                "false",
                "(<= x0 3)",
                "(= x0 x1)",
                "(<= 0 (+ x1 (* (- 1) x0)))",
                "(< x1 x0)",
                "x0",
                "(<= x7 0)",
            ] {
                for (level, kind) in [
                    (0, BoundedKind::Height(vertex)),
                    (5, BoundedKind::Height(vertex)),
                    (1_000_000_000, BoundedKind::Height(vertex)),
                    (0, BoundedKind::Derived(vertex)),
                ] {
                    let formula = Formula::new(formula, FormulaLimits::LEMMA).expect("a formula");
                    let content = Content::Bounded(Bounded { level, formula, kind });
                    lies.push(Note { sender: lies.len() as u64, about, content });
                }
            }
        }
        let (_, figures) = run(text, safe, &lies, Share::ALL);
        assert!(figures.count("shared.refused") > 0, "they were looked at: {figures:?}");
    }
}
