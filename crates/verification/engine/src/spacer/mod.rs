//! Spacer: property-directed reachability on graphs, linear or not.
//!
//! Komuravelli, Gurfinkel and Chaki (2016). For every vertex there are *lemmas*, each with the height up to
//! which it holds of all facts that can be derived (may-summaries), and *facts*, sets of states that can be
//! derived (must-summaries). An *obligation* asks whether a state of a cube can be derived within a height. It
//! is answered by the edges into its vertex, with lemmas for their sources: if that is impossible, a lemma is
//! learnt; if it is possible with facts for all sources, a new fact is found; otherwise the first source whose
//! facts do not suffice gets an obligation of its own, by projection. When falsehood is blocked at a height,
//! lemmas are pushed upwards; if no lemma stays behind at some height, they are a model.
//!
//! What lemmas are made of, and when, is in `lemma` (cores, interpolants, dropping literals, weakening bounds),
//! `lift` and `height` (the heights of lemmas), `push_counterexample` (why a lemma is not pushed) and `guide` (global
//! guidance, with `pattern` and `hull`). Each part can be switched off; docs/options.md has the figures.
//!
//! Ours keeps one solver for each vertex for the whole run, with its incoming edges, a group of formulas for
//! each height and the facts of the sources as growing disjunctions; a query is a set of assumptions.

mod climb;
mod cluster_hull;
mod description;
mod engine;
mod equations;
mod guide;
mod height;
mod lemma;
mod lift;
mod obligation;
mod pattern;
mod push_counterexample;
mod search;
mod settings;
mod share;
mod summary;
mod witness;

pub use description::DESCRIPTION;
pub use engine::Spacer;
pub use settings::{LemmaStyle, Order, Retry, Settings};
