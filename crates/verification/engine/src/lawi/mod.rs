//! Lazy abstraction with interpolants on linear graphs (McMillan, 2006; known as Impact).
//!
//! The graph is unwound into a tree. Every node has a label, a formula that contains the states that the path
//! to the node can reach; it is true at first, and made stronger only where a path to falsehood has to be
//! refuted: the interpolants of one refutation are added to the labels along the path. A node whose label is
//! implied by labels of other nodes of its vertex is covered, and nothing below it is looked at. When all
//! leaves are covered, the disjunctions of labels are a model; when a path to falsehood has a model, that is a
//! derivation.
//!
//! `tree` is the tree with its coverings, `label` the formulas, `search` expands and refines, `cover` covers.
//! `path` asks about paths, `implication` about single labels and edges; their solvers are never rebuilt. The
//! certificate is the closed tree. Ours differs from the paper in that labels along the path
//! take part in its refutation, that several nodes may cover one together, that edges which a label excludes get no
//! node, and in cheap coverings by adoption.

mod cover;
mod description;
mod edges;
mod engine;
mod implication;
mod label;
mod path;
mod search;
mod settings;
mod tree;

pub use description::DESCRIPTION;
pub use engine::Lawi;
pub use settings::Settings;
