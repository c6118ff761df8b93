//! Settings of lazy abstraction.

use shem_smt::interpolate::ItpOptions;

use crate::choice;

/// Which leaf of the tree is expanded next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The youngest: the search goes deep.
    Depth,
    /// The oldest: the search finds shortest paths first.
    Breadth,
}

choice!(Order { "depth" => Order::Depth, "breadth" => Order::Breadth });

/// Settings of lazy abstraction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The interpolation algorithms.
    pub interpolation: ItpOptions,
    /// Which leaf is expanded next. Default: the oldest.
    pub order: Order,
    /// Whether a node may be covered by several others together. Default: true.
    pub joint_covering: bool,
    /// Whether a node takes over the label of another one if that follows from its parent's label, and is
    /// covered by it. Default: true.
    pub adoption: bool,
    /// Whether the labels along a path help to refute it. Default: true.
    pub path_labels: bool,
    /// Up to how many edges before the last one the end of a path is refuted from a label instead of from the
    /// root; 0 for never. Default: 8.
    pub local_refinement: usize,
    /// Whether a covering is looked for by strengthening the labels between the node and the nearest common
    /// ancestor, by interpolation. Default: false.
    pub forced_covering: bool,
    /// How many candidates a forced covering tries, the youngest first. Default: 4.
    pub forced_candidates: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            interpolation: ItpOptions::default(),
            order: Order::Breadth,
            joint_covering: true,
            adoption: true,
            path_labels: true,
            local_refinement: 8,
            forced_covering: false,
            forced_candidates: 4,
        }
    }
}
