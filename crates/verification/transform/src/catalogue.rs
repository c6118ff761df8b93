//! The passes by name, and which of them are switched off.
//!
//! The passes that there are, are those of the pipelines; each describes itself. Every one can be switched off, so
//! that its worth can be measured and a mistake in it kept away. No pass relies on another one for soundness: the
//! graph means the same before and after each.

use std::collections::BTreeSet;

use thiserror::Error;

use crate::pass::{Pass, PassDescription};
use crate::prepare::Stage;

/// What users can know of the passes.
pub fn passes() -> Vec<PassDescription> {
    all_passes().iter().map(|pass| pass.description()).collect()
}

/// The passes of all stages of preparation, each once, in the order in which they are applied first.
pub fn all_passes() -> Vec<Box<dyn Pass>> {
    let mut found: Vec<Box<dyn Pass>> = Vec::new();
    for stage in Stage::ALL {
        for pass in stage.pipeline().into_passes() {
            if found.iter().all(|known| known.name() != pass.name()) {
                found.push(pass);
            }
        }
    }
    found
}

/// A name that no pass has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no pass {name}; passes: {known}")]
pub struct UnknownPass {
    /// What was asked for.
    pub name: String,
    /// The names that there are.
    pub known: String,
}

/// Passes that are switched off.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DisabledPasses {
    names: BTreeSet<&'static str>,
}

impl DisabledPasses {
    /// Switches off one more pass.
    pub fn disable(&mut self, name: &str) -> Result<(), UnknownPass> {
        let passes = passes();
        match passes.iter().find(|pass| pass.name == name) {
            Some(pass) => {
                self.names.insert(pass.name);
                Ok(())
            }
            None => {
                let known: Vec<&str> = passes.iter().map(|pass| pass.name).collect();
                Err(UnknownPass { name: name.to_owned(), known: known.join(", ") })
            }
        }
    }

    /// Whether a pass is switched off.
    pub fn contains(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// The names of the passes that are switched off.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.names.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::Pipeline;

    #[test]
    fn every_pass_describes_itself() {
        let passes = passes();
        let names: Vec<&str> = passes.iter().map(|pass| pass.name).collect();
        assert!(names.contains(&"simplify") && names.contains(&"contract-eager"));
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
        assert!(passes.iter().all(|pass| !pass.summary.is_empty() && !pass.summary.ends_with('.')));
    }

    #[test]
    fn passes_are_switched_off_by_name() {
        let names = |pipeline: Pipeline| pipeline.passes().map(|pass| pass.name()).collect::<Vec<_>>();
        let all = names(Pipeline::standard());
        assert_eq!(names(Pipeline::standard().without(&DisabledPasses::default())), all);
        for pass in passes() {
            let mut disabled = DisabledPasses::default();
            disabled.disable(pass.name).expect("a pass");
            assert_eq!(disabled.names().collect::<Vec<_>>(), [pass.name]);
            let rest: Vec<&str> = all.iter().copied().filter(|&name| name != pass.name).collect();
            assert_eq!(names(Pipeline::standard().without(&disabled)), rest);
        }
        let error = DisabledPasses::default().disable("magic").expect_err("no pass").to_string();
        assert!(
            error.starts_with("there is no pass magic; passes: ") && error.contains("simplify, reachable, "),
            "{error}"
        );
    }
}
