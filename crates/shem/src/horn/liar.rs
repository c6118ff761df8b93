//! An engine that lies, and what becomes of its answers.

use shem_base::Budget;
use shem_chc::{Derivation, Graph, Interpretation};
use shem_engine::pdkind::PdKind;
use shem_engine::{
    Adaptor, Certificate, CertificateError, Context, Engine, EngineDescription, Evidence, Fragment, Make,
    Outcome, Proven, Unavailable, Verdict,
};
use shem_term::{Store, Term};

/// Lies in the way that the seed says.
#[derive(Debug)]
struct Liar;

/// The engine as the registry would have it.
const DESCRIPTION: EngineDescription = EngineDescription {
    name: "liar",
    summary: "gives wrong answers",
    fragment: Fragment::All,
    sends: &[],
    takes: &[],
    constructor: &Make { engine: |()| Box::new(Liar), of_instance: Some(|_| ()) },
};

#[derive(Debug)]
struct WrongCertificate;

impl Certificate for WrongCertificate {
    fn check(&self, _: &mut Store, _: &mut Budget) -> Result<(), CertificateError> {
        Err(CertificateError::wrong("it proves nothing"))
    }
}

impl Engine for Liar {
    fn name(&self) -> &'static str {
        "liar"
    }

    fn solve(&mut self, store: &mut Store, graph: &Graph, context: &mut Context<'_>) -> Verdict {
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
                witness: Evidence::Missing(Unavailable::CertificateOnly),
                certificate: Some(Box::new(WrongCertificate)),
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use shem_decide::Engines;
    use shem_engine::Registry;

    use super::super::options::Options;
    use super::super::session::run;

    /// A system that the passes cannot decide.
    const SYSTEM: &str = "(declare-fun p (Int) Bool)
        (assert (forall ((x Int)) (=> (= x 0) (p x))))
        (assert (forall ((x Int)) (=> (p x) (p (+ x 2)))))
        (assert (forall ((x Int)) (=> (p x) (not (= x 7)))))
        (check-sat)";

    fn lie(seed: u64, validate: bool) -> (u8, String, String) {
        lie_together(seed, 1, validate)
    }

    fn lie_together(seed: u64, instances: usize, validate: bool) -> (u8, String, String) {
        let name = format!("shem-liar-{}-{seed}-{instances}-{validate}.smt2", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, SYSTEM).expect("a writable folder");
        let mut options = Options { validate, print_witness: true, ..Options::default() };
        options.solve.engines = Engines::One;
        options.solve.engine =
            Registry::standard().with(super::DESCRIPTION).choose("liar").expect("it was added");
        options.solve.seed = seed;
        options.solve.instances = instances;
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let code = run(Path::new(&path), &options, &mut out, &mut err);
        std::fs::remove_file(&path).expect("the file can be removed");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
        (code, text(out), text(err))
    }

    #[test]
    fn wrong_witnesses_are_withheld() {
        for validate in [false, true] {
            for seed in [0, 1] {
                let (code, out, err) = lie(seed, validate);
                assert_eq!(code, 2, "{out}{err}");
                assert!(out.starts_with("(error \"internal error: "), "{out}");
                assert_eq!(out.lines().count(), 1, "{out}");
                assert!(err.ends_with("the answer is withheld\n"), "{err}");
            }
        }
    }

    #[test]
    fn wrong_certificates_are_withheld() {
        let (code, out, _) = lie(2, true);
        assert_eq!(code, 2);
        assert_eq!(out, "(error \"internal error: the engine's certificate is wrong: it proves nothing\")\n");
        let (code, out, err) = lie(2, false);
        assert_eq!((code, &*out, &*err), (0, "sat\n", "no witness: the engine has a certificate only\n"));
    }

    #[test]
    fn one_honest_instance_is_enough() {
        let (code, out, err) = lie_together(0, 5, true);
        assert_eq!((code, out.lines().next()), (0, Some("sat")), "{out}{err}");
        // Without it nobody knows, and everybody is told of.
        let (code, out, err) = lie_together(0, 4, true);
        assert_eq!((code, &*out), (0, "unknown\n"), "{err}");
        for words in [
            "instance 0 of liar was dropped: its witness is wrong",
            "instance 1 of liar was dropped: ",
            "instance 2 of liar was dropped: the engine's certificate is wrong: it proves nothing",
            "instance 3 of liar was dropped: it panicked: caught red-handed",
        ] {
            assert!(err.contains(&format!("shem: warning: {words}")), "{words}: {err}");
        }
    }
}
