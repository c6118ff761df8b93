//! Any engine on an abstraction of the graph.
//!
//! The graph is abstracted to one of arithmetic, prepared by the passes that suit every engine, and given to the engine.
//! Safety carries over, with the interpretation; a derivation is only an outline, and it counts if there are
//! values for it in the graph itself. If not, all begins again with a finer abstraction: refinement by counterexamples
//! (Clarke, Grumberg, Jha, Lu and Veith 2000). Where arrays were dropped, the arguments that exclude the derivation come
//! back; where they have cells, clauses may use more of them; sizes stay as they are.
//!
//! Lemmas of the engine are about the abstraction, so it takes part in no exchange.

use shem_base::{Meter, Statistics, UnknownReason};
use shem_chc::Graph;
use shem_smt::Recorder;
use shem_term::Store;
use shem_transform::abstraction::{Abstraction, Concrete, Form, Kept, concrete};
use shem_transform::{Decision, Passes, Preprocessed};

use crate::context::{Context, Events, Progress};
use crate::reason::Incomplete;
use crate::verdict::{Outcome, Proven, Verdict};
use crate::{Engine, Scope, choice};

choice!(Abstraction {
    "none" => Abstraction::None,
    "no-arrays" => Abstraction::NoArrays,
    "cells" => Abstraction::Cells,
    "shared-cells" => Abstraction::SharedCells,
    "cells2" => Abstraction::TwoCells,
    "sizes" => Abstraction::Sizes,
    "no-wraps" => Abstraction::NoWraps,
});

/// An engine on an abstraction.
pub(crate) struct Abstracted {
    pub(crate) inner: Inner,
    pub(crate) form: Form,
}

/// An engine that decides abstractions.
pub(crate) struct Inner {
    pub(crate) engine: Box<dyn Engine>,
    /// What prepares an abstraction for the engine.
    pub(crate) passes: Passes,
}

impl Engine for Abstracted {
    fn scope(&self) -> Scope {
        self.inner.engine.scope()
    }

    /// The abstraction is within the scope of the engine, not the graph itself.
    fn solve(&mut self, store: &mut Store, graph: &Graph, context: &mut Context<'_>) -> Verdict {
        self.search(store, graph, context)
    }

    fn search(&mut self, store: &mut Store, graph: &Graph, context: &mut Context<'_>) -> Verdict {
        let mut form = self.form;
        let mut kept = Kept::new();
        for refinements in 0u64.. {
            context.statistics.set("abstraction.refinements", refinements);
            context.statistics.set("abstraction.kept", kept.len() as u64);
            let (needed, is_limited) = match self.attempt(store, graph, context, form, &kept) {
                Attempt::Verdict(verdict) => return verdict,
                Attempt::Excluded(needed, is_limited) => (needed, is_limited),
            };
            if !form.refine(&mut kept, needed, is_limited) {
                break;
            }
        }
        let what = "the abstraction has a derivation which the system has not";
        Outcome::unknown(Incomplete::Method(what))
    }
}

/// What an abstraction has given.
enum Attempt {
    Verdict(Verdict),
    /// A derivation that the graph has not, because of these arguments; and whether there could be more copies.
    Excluded(Kept, bool),
}

impl From<UnknownReason> for Attempt {
    fn from(reason: UnknownReason) -> Attempt {
        Attempt::Verdict(Outcome::unknown(reason))
    }
}

impl Abstracted {
    fn attempt(
        &mut self,
        store: &mut Store,
        graph: &Graph,
        context: &mut Context<'_>,
        form: Form,
        kept: &Kept,
    ) -> Attempt {
        let (abstracted, back) = form.apply(store, graph, kept);
        let kept_graph = abstracted.clone();
        let (verdict, prepared) = self.inner.decide(store, abstracted, context);
        match verdict {
            Outcome::Unknown(reason) => Attempt::Verdict(Outcome::Unknown(reason)),
            Outcome::Safe(Proven { witness, .. }) => {
                let graph = graph.clone();
                let witness = witness.then(move |store, budget, interpretation| {
                    let interpretation = prepared.interpretation(store, interpretation, budget)?;
                    Ok(back.interpretation(store, &graph, &kept_graph, &interpretation))
                });
                // A certificate is about the abstraction, which nobody else sees: the witness has to do.
                Attempt::Verdict(Outcome::Safe(Proven { witness, certificate: None }))
            }
            Outcome::Unsafe(witness) => {
                let derivation = witness.get(store, &mut context.budget).and_then(|derivation| {
                    Ok(prepared.derivation(store, derivation, &mut context.budget)?)
                });
                let Ok(derivation) = derivation else {
                    let what = "the abstraction has a derivation which could not be followed";
                    return Attempt::Verdict(Outcome::unknown(Incomplete::Method(what)));
                };
                let outline = back.outline(&derivation);
                match concrete(store, graph, &outline, &mut context.budget) {
                    Err(reason) => reason.into(),
                    Ok(Concrete::Derivation(derivation)) => Attempt::Verdict(Outcome::unsafe_by(derivation)),
                    Ok(Concrete::Nothing(needed)) => Attempt::Excluded(needed, back.is_limited()),
                }
            }
        }
    }
}

impl Inner {
    /// Prepares a graph and decides it: the verdict is about the graph after the passes.
    pub(crate) fn decide(
        &mut self,
        store: &mut Store,
        graph: Graph,
        context: &mut Context<'_>,
    ) -> (Verdict, Preprocessed) {
        let prepared = Preprocessed::new(store, graph);
        let prepared = self.passes.prepare(store, prepared, &mut Statistics::new(), &context.budget);
        let vertices = prepared.graph.vertices().count() as u64;
        context.statistics.set("abstraction.vertices", vertices);
        context.statistics.set("abstraction.edges", prepared.graph.edge_count() as u64);
        let verdict = match prepared.decision(store, &context.budget) {
            Some(Decision::Safe(interpretation)) => Outcome::safe(interpretation),
            Some(Decision::Unsafe(derivation)) => Outcome::unsafe_by(derivation),
            Some(Decision::Unknown(reason)) => Outcome::unknown(reason),
            None => self.search(store, &prepared.graph, context),
        };
        (verdict, prepared)
    }

    fn search(&mut self, store: &mut Store, graph: &Graph, context: &mut Context<'_>) -> Verdict {
        let mut events = InnerEvents { outer: &mut *context.events };
        let mut inner = Context {
            budget: context.budget.clone(),
            seed: context.seed,
            witness: true,
            events: &mut events,
            statistics: std::mem::take(&mut context.statistics),
        };
        let verdict = self.engine.solve(store, graph, &mut inner);
        let Context { budget, statistics, .. } = inner;
        context.budget = budget;
        context.statistics = statistics;
        verdict
    }
}

/// The events of the engine inside; it has no port.
struct InnerEvents<'a> {
    outer: &'a mut dyn Events,
}

impl Events for InnerEvents<'_> {
    fn progress(&mut self, progress: Progress) {
        self.outer.progress(progress);
    }

    fn recorder(&mut self) -> Option<Recorder> {
        self.outer.recorder()
    }

    fn metered(&mut self, meter: &Meter) {
        self.outer.metered(meter);
    }
}
