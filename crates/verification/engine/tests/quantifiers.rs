//! Engines refuse labels with quantifiers: whoever leaves the elimination out gets a typed reason.

use shem_base::{Budget, Statistics, StopToken};
use shem_chc::{Script, normalise};
use shem_engine::lawi::Lawi;
use shem_engine::spacer::Spacer;
use shem_engine::tpa::{DagTpa, Tpa};
use shem_engine::{
    Adaptor, Bmc, Context, Engine, Imc, Kind, NoEvents, Outcome, Reason, TransitionBmc, Unsupported,
};
use shem_term::Store;

const TEXT: &str = "(declare-fun p (Int) Bool)
    (assert (forall ((x Int)) (=> (forall ((y Int)) (or (< y 0) (> y x))) (p x))))
    (assert (forall ((x Int)) (=> (and (p x) (< x 5)) (p (+ x 1)))))
    (assert (forall ((x Int)) (=> (and (p x) (> x 7)) false)))";

#[test]
fn engines_refuse_quantifiers() {
    let engines: Vec<Box<dyn Engine>> = vec![
        Box::new(Spacer::default()),
        Box::new(Lawi::default()),
        Box::new(Bmc::default()),
        Box::new(DagTpa::new(Tpa::new(Default::default()))),
        Box::new(Adaptor::new(TransitionBmc::new(Default::default()))),
        Box::new(Adaptor::new(Kind::default())),
        Box::new(Adaptor::new(Imc::default())),
    ];
    for mut engine in engines {
        let mut store = Store::new();
        let script = Script::read(&mut store, TEXT, &StopToken::new()).expect("a script");
        let graph = normalise(&mut store, &script.system);
        let mut events = NoEvents;
        let statistics = Statistics::new();
        let budget = Budget::unlimited();
        let mut context = Context { budget, seed: 0, witness: true, events: &mut events, statistics };
        let verdict = engine.solve(&mut store, &graph, &mut context);
        let Outcome::Unknown(Reason::Unsupported(reason)) = verdict else {
            panic!("{} takes quantifiers", engine.name());
        };
        assert_eq!(reason, Unsupported::Quantified { engine: engine.name() });
    }
}
