//! Bounded model checking of graphs.

use shem_chc::{Graph, Shape};
use shem_term::Store;

use super::description::DESCRIPTION;
use super::linear;
use super::options::BmcOptions;
use super::transition::TransitionBmc;
use crate::Engine;
use crate::adaptor::Adaptor;
use crate::context::Context;
use crate::scope::Scope;
use crate::verdict::Verdict;

/// Bounded model checking of linear graphs.
#[derive(Clone, Debug, Default)]
pub struct Bmc {
    options: BmcOptions,
}

impl Bmc {
    /// An engine with these options.
    pub fn new(options: BmcOptions) -> Bmc {
        Bmc { options }
    }
}

impl Engine for Bmc {
    fn scope(&self) -> Scope {
        DESCRIPTION.scope()
    }

    fn search(&mut self, store: &mut Store, graph: &Graph, context: &mut Context<'_>) -> Verdict {
        match Shape::of(graph) {
            Shape::Dag | Shape::Linear if !self.options.force_ts => {
                linear::solve(store, graph, self.options.max_depth, context)
            }
            _ => Adaptor::new(TransitionBmc::new(self.options.clone())).search(store, graph, context),
        }
    }
}
