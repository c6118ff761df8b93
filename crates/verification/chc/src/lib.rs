//! Systems of constrained Horn clauses: as they are read, as a graph, and the witnesses of their answers.
//!
//! A [`System`] is what the input says and is never changed; witnesses are judged on it. [`normalise`] turns
//! it into a [`Graph`], which the passes rewrite and the engines decide. A system has a solution (it is
//! *safe*) if and only if falsehood cannot be derived: a [`Model`] shows the one, a [`Derivation`] the other.

mod compress;
mod concise;
mod derivation;
mod dot;
mod fingerprint;
mod graph;
mod graph_text;
mod instances;
mod model;
mod normalise;
mod print;
mod progression;
mod read;
mod run;
mod shape;
mod steps;
mod system;
mod transition;

pub use derivation::{Derivation, Node, Repetition, SingleStep, Step, StepId};
pub use dot::write_dot;
pub use fingerprint::Fingerprint;
pub use graph::{Edge, EdgeId, Graph, Vertex, VertexId};
pub use graph_text::{GraphText, clauses_of, read_graph_text};
pub use instances::{Instantiated, instantiate_premises};
pub use model::{Definition, Interpretation, Model};
pub use normalise::normalise;
pub use print::{
    DefinitionText, InstanceFinder, WitnessError, model_texts, reserved_names, size_texts, write_fixed_point,
    write_hyper_resolution, write_intermediate, write_legacy, write_model, write_plain_model, write_sorts,
    write_system,
};
pub use progression::{Course, Progression};
pub use read::{BuildError, Effect, Request, Script, ScriptReader, SystemBuilder};
pub use run::{Function, Positions, Run, RunCase, RunEvaluator, define, functional};
pub use shape::Shape;
pub use steps::Steps;
pub use system::{Atom, Clause, ClauseId, Predicate, PredicateId, Premise, System};
pub use transition::{Path, Trail, TransitionSystem};
