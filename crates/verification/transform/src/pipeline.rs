//! Lists of passes.

use shem_base::{Budget, Statistics};
use shem_chc::{Derivation, EdgeId, Graph, Interpretation};
use shem_term::Store;

use crate::pass::{Back, BackError, Pass};

/// A list of passes, applied in order.
#[derive(Default)]
pub struct Pipeline {
    passes: Vec<Box<dyn Pass>>,
}

/// The outcome of a pipeline: the graph and the ways back.
pub struct Preprocessed {
    /// The graph after all passes.
    pub graph: Graph,
    backs: Vec<Box<dyn Back>>,
}

impl Pipeline {
    /// A pipeline of these passes.
    pub fn new(passes: Vec<Box<dyn Pass>>) -> Pipeline {
        Pipeline { passes }
    }

    /// Runs the passes; each counts under its name.
    pub fn run(
        &self,
        store: &mut Store,
        mut graph: Graph,
        statistics: &mut Statistics,
        budget: &mut Budget,
    ) -> Preprocessed {
        let mut backs = Vec::new();
        for pass in &self.passes {
            if budget.check_stop().is_err() {
                break;
            }
            let mut own = Statistics::new();
            backs.extend(pass.apply(store, &mut graph, &mut own, budget));
            statistics.merge_prefixed(pass.name(), &own);
        }
        Preprocessed { graph, backs }
    }
}

impl Preprocessed {
    /// The interpretation of the vertices before the pipeline.
    pub fn interpretation(
        &self,
        store: &mut Store,
        mut interpretation: Interpretation,
        budget: &mut Budget,
    ) -> Result<Interpretation, BackError> {
        for back in self.backs.iter().rev() {
            interpretation = back.interpretation(store, &self.graph, interpretation, budget)?;
        }
        Ok(interpretation)
    }

    /// The derivation by the edges before the pipeline.
    pub fn derivation(
        &self,
        store: &mut Store,
        mut derivation: Derivation<EdgeId>,
        budget: &mut Budget,
    ) -> Result<Derivation<EdgeId>, BackError> {
        for back in self.backs.iter().rev() {
            derivation = back.derivation(store, &self.graph, derivation, budget)?;
        }
        Ok(derivation)
    }
}
