//! The graphs that an engine takes, and the gate made of that.
//!
//! An engine sees only graphs of its scope: others are answered before, unknown with the reason, at once. Edges from true
//! to false are decided at the gate, too, so that every other edge has to do with a vertex.

use std::borrow::Cow;
use std::ops::ControlFlow::{self, Break, Continue};

use shem_base::{Budget, UnknownReason};
use shem_chc::{Derivation, EdgeId, Graph, Shape, VertexId};
use shem_smt::{Answer, Solver};
use shem_term::Store;
use shem_transform::has_quantifiers;

use crate::reason::Unsupported;
use crate::registry::Fragment;
use crate::theories::Theories;
use crate::verdict::{Outcome, Verdict};

/// The graphs that an engine takes, with its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scope {
    /// The name, as the command line has it.
    pub name: &'static str,
    /// The graphs that it takes.
    pub fragment: Fragment,
    /// The theories that it accepts.
    pub theories: Theories,
}

impl Scope {
    /// The graph as the engine gets it: without edges from true to false. If it is outside the scope, or if such an edge
    /// decides it, the verdict.
    pub(crate) fn admit<'g>(
        self,
        store: &mut Store,
        graph: &'g Graph,
        budget: &mut Budget,
    ) -> ControlFlow<Verdict, Cow<'g, Graph>> {
        let Scope { name: engine, fragment, theories } = self;
        if !theories.accept(store, graph) {
            return Break(Outcome::unknown(Unsupported::Theory { engine, theories }));
        }
        if has_quantifiers(store, graph) {
            return Break(Outcome::unknown(Unsupported::Quantified { engine }));
        }
        if fragment != Fragment::All && !fragment.includes(Shape::of(graph)) {
            return Break(Outcome::unknown(Unsupported::Nonlinear { engine }));
        }
        let mut admitted = Cow::Borrowed(graph);
        match take_direct(store, &mut admitted, budget) {
            Ok(None) => Continue(admitted),
            Ok(Some(derivation)) => Break(Outcome::unsafe_by(derivation)),
            Err(reason) => Break(Outcome::unknown(reason)),
        }
    }
}

/// Decides the edges from true to false and removes them: the derivation of falsehood by one of them, if there is one.
fn take_direct(
    store: &mut Store,
    graph: &mut Cow<'_, Graph>,
    budget: &mut Budget,
) -> Result<Option<Derivation<EdgeId>>, UnknownReason> {
    let direct: Vec<EdgeId> =
        graph.incoming(VertexId::FALSE).filter(|&id| graph.edge(id).sources.is_empty()).collect();
    for id in direct {
        let edge = graph.to_mut().remove_edge(id);
        let mut solver = Solver::new(Default::default());
        solver.assert(store, edge.label);
        match solver.check(store, budget) {
            Answer::Sat(_) => {
                let mut derivation = Derivation::new();
                derivation.push(id, &[], []);
                return Ok(Some(derivation));
            }
            Answer::Unsat(_) => {}
            Answer::Unknown(reason) => return Err(reason),
        }
    }
    Ok(None)
}
