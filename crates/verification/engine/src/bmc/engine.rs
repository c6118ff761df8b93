//! Bounded model checking of graphs.

use shem_chc::{Graph, Shape};
use shem_term::Store;

use super::linear;
use super::options::BmcOptions;
use super::transition::TransitionBmc;
use crate::Engine;
use crate::adaptor::{Adaptor, nonlinear, quantified};
use crate::context::Context;
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
    fn name(&self) -> &'static str {
        "bmc"
    }

    fn solve(&mut self, store: &mut Store, graph: &Graph, context: &mut Context<'_>) -> Verdict {
        if let Some(verdict) = quantified(store, graph, self.name()) {
            return verdict;
        }
        match Shape::of(graph) {
            Shape::Nonlinear => nonlinear(self.name()),
            Shape::Dag | Shape::Linear if !self.options.force_ts => {
                linear::solve(store, graph, self.options.max_depth, context)
            }
            _ => Adaptor::new(TransitionBmc::new(self.options.clone())).solve(store, graph, context),
        }
    }
}
