//! An engine that gives wrong answers, to show that they are noticed.

use shem_chc::{Derivation, Graph, Interpretation};
use shem_check::Certificate;
use shem_check::certificate::SafeSets;
use shem_engine::pdkind::PdKind;
use shem_engine::{
    Adaptor, Answers, Context, Engine, EngineDescription, Fragment, Make, Outcome, Proven, Scope, Theories,
    Unavailable, Verdict, WitnessSource,
};
use shem_term::{Store, Term};

/// Gives the wrong answer that the seed says: 0 a wrong model, 1 a wrong derivation, 2 a wrong certificate, 3 none, for
/// it panics. With other seeds it is honest.
#[derive(Debug)]
struct Liar;

/// The engine as the registry would have it.
pub const LIAR: EngineDescription = EngineDescription {
    name: "liar",
    summary: "gives wrong answers",
    fragment: Fragment::All,
    theories: Theories::All,
    answers: Answers::Both,
    sends: &[],
    takes: &[],
    variations: shem_engine::instances::SEEDS,
    constructor: &Make { engine: |()| Box::new(Liar) },
};

impl Engine for Liar {
    fn scope(&self) -> Scope {
        LIAR.scope()
    }

    fn search(&mut self, store: &mut Store, graph: &Graph, context: &mut Context<'_>) -> Verdict {
        match context.seed {
            0 => {
                let mut interpretation = Interpretation::new();
                for vertex in graph.vertices() {
                    interpretation.insert(vertex, Term::TRUE);
                }
                Outcome::safe(interpretation)
            }
            1 => {
                let mut derivation = Derivation::new();
                let (query, _) = graph.edges().last().expect("an edge");
                derivation.push(query, &[], []);
                Outcome::unsafe_by(derivation)
            }
            2 => Outcome::Safe(Proven {
                witness: WitnessSource::Missing(Unavailable::CertificateOnly),
                // It proves nothing.
                certificate: Some(Certificate::SafeSets(SafeSets::default())),
            }),
            3 => panic!("caught red-handed"),
            // The honest one takes its time, so that most others have spoken before.
            _ => {
                std::thread::sleep(std::time::Duration::from_millis(300));
                Adaptor::new(PdKind::default()).solve(store, graph, context)
            }
        }
    }
}
