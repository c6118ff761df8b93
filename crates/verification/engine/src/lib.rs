//! Engines: procedures that decide graphs of Horn clauses.
//!
//! An [`Engine`] sees a graph; a [`TransitionEngine`] sees a transition system and reaches other linear graphs
//! through an adaptor. Engines do not name each other. What they need from outside is in the [`Context`].

mod abstracted;
mod adaptor;
mod bit_bmc;
mod bits;
mod bmc;
mod closed;
mod context;
mod counters;
mod finite_models;
mod functions;
mod hull;
mod ic3;
mod imc;
mod induction;
pub mod instances;
mod interpolation;
mod kind;
pub mod lawi;
#[cfg(test)]
mod no_query;
#[cfg(test)]
mod no_query_tests;
pub mod pdkind;
mod port;
mod reason;
mod registry;
mod replay;
mod running;
mod scope;
mod scout;
mod settings;
pub mod spacer;
mod strengthen;
mod theories;
pub mod tpa;
pub mod trl;
mod unroll;
mod verdict;
mod without_wraps;

pub use adaptor::Adaptor;
pub use bit_bmc::{BitBmc, BitBmcSettings};
pub use bmc::{Bmc, BmcOptions, TransitionBmc};
pub use context::{Context, Events, NoEvents, Progress};
pub use finite_models::{FiniteModelSettings, FiniteModels};
pub use functions::{FunctionSettings, Functions};
pub use hull::{Hull, HullSettings};
pub use ic3::{Ic3, Ic3Settings};
pub use imc::{Imc, ImcSettings};
pub use kind::{Kind, KindSettings};
pub use port::{Claim, Lemma, NoPort, Port, Received, Span, Standing, VertexClaim, VertexLemma};
pub use reason::{Incomplete, Reason, Unavailable, Unsupported, WitnessError};
pub use registry::{
    Answers, Constructor, EngineChoice, EngineDescription, Fragment, LemmaKind, Make, Registry,
    SharedSetting, UnknownEngine, option_word,
};
pub use replay::Replay;
pub use scope::Scope;
pub use scout::{Scout, ScoutSettings};
pub use settings::{
    Configurable, Field, SettingDescription, SettingError, SettingRow, SettingValue, ValueKind,
};
pub use shem_transform::Preparation;
pub use theories::Theories;
pub use unroll::{Compiled, States, Unrolling};
pub use verdict::{Outcome, Proven, TransitionVerdict, Verdict, WitnessSource};

use std::ops::ControlFlow;

use shem_chc::{Graph, TransitionSystem};
use shem_term::Store;

/// A procedure that decides graphs.
pub trait Engine {
    /// The name, and which graphs the engine takes.
    fn scope(&self) -> Scope;

    /// Decides a graph of the scope, without quantifiers and without edges from true to false.
    fn search(&mut self, store: &mut Store, graph: &Graph, context: &mut Context<'_>) -> Verdict;

    /// Decides any graph. What is outside the scope is unknown, with the reason at once; edges from true to false are
    /// decided here.
    fn solve(&mut self, store: &mut Store, graph: &Graph, context: &mut Context<'_>) -> Verdict {
        match self.scope().admit(store, graph, &mut context.budget) {
            ControlFlow::Continue(admitted) => self.search(store, &admitted, context),
            ControlFlow::Break(verdict) => verdict,
        }
    }

    /// The name, as the command line has it.
    fn name(&self) -> &'static str {
        self.scope().name
    }
}

/// A procedure that decides transition systems.
pub trait TransitionEngine {
    /// The name, and the theories that the engine accepts.
    fn scope(&self) -> Scope;

    /// Decides the transition system.
    fn solve(
        &mut self,
        store: &mut Store,
        system: &TransitionSystem,
        context: &mut Context<'_>,
    ) -> TransitionVerdict;
}
