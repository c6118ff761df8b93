//! Lists of passes.
//!
//! Quantifiers are eliminated before anything else looks at a label; if some are left, no other pass is applied. The
//! standard order then flattens records and replaces predicates that are defined by their clauses, begins with what is
//! cheap and makes graphs small, and ends with what changes labels most. What takes arguments away by what all labels say
//! of them comes together: slicing, collapsing, free arguments, arrays at few places. It needs equations as conjuncts, so
//! it comes before edges are merged.
//! Chains go before anything else is looked at twice; constants and intervals are propagated, equalities of arguments
//! found, and arguments sliced, while labels are still conjunctions; parallel edges are merged last, which lets further
//! vertices be contracted in the next round. The rounds end when nothing changes; of large graphs there is only one.

use shem_base::Budget;
use shem_chc::Graph;
use shem_term::Store;

use crate::abstract_products::AbstractProducts;
use crate::catalogue::DisabledPasses;
use crate::collapse::Collapse;
use crate::contract::Contract;
use crate::definitions::Definitions;
use crate::direct::Direct;
use crate::eliminate_quantifiers::EliminateQuantifiers;
use crate::few_values::FewValues;
use crate::flatten::Flatten;
use crate::free::Free;
use crate::infeasible::Infeasible;
use crate::inline::Inline;
use crate::int_blast::IntBlast;
use crate::interval::Propagate;
use crate::invariant::{Invariants, WordInvariants};
use crate::locations::Locations;
use crate::merge::Merge;
use crate::nested_loop::NestedLoop;
use crate::pass::{Pass, PassObserver};
use crate::preprocessed::Preprocessed;
use crate::reachable::Reachable;
use crate::scalars::Scalars;
use crate::simplify::Simplify;
use crate::slice::Slice;
use crate::subsume::Subsume;

/// A list of passes, applied in order, perhaps several times.
#[derive(Default)]
pub struct Pipeline {
    passes: Vec<Box<dyn Pass>>,
    /// How often the list is applied, at most; it ends when nothing has changed.
    rounds: usize,
}

impl Pipeline {
    /// A pipeline of these passes, applied once.
    pub fn new(passes: Vec<Box<dyn Pass>>) -> Pipeline {
        Pipeline::repeated(passes, 1)
    }

    /// A pipeline of these passes, applied until nothing changes, at most so many times.
    pub fn repeated(passes: Vec<Box<dyn Pass>>, rounds: usize) -> Pipeline {
        Pipeline { passes, rounds }
    }

    /// The passes that suit every engine, in their order. Equalities are found in the first round, before arguments
    /// are sliced and predicates composed.
    pub fn with_equalities() -> Pipeline {
        let passes: Vec<Box<dyn Pass>> = vec![
            Box::new(EliminateQuantifiers::default()),
            Box::new(Flatten),
            Box::new(Definitions::default()),
            Box::new(IntBlast),
            Box::new(Propagate { for_products: true, ..Propagate::default() }),
            Box::new(AbstractProducts),
            Box::new(FewValues),
            Box::new(Simplify::default()),
            Box::new(Reachable),
            Box::new(Propagate::default()),
            Box::new(Locations::default()),
            Box::new(Invariants::early()),
            Box::new(Slice),
            Box::new(Collapse),
            Box::new(Free),
            Box::new(Scalars),
            Box::new(Contract::chains()),
            Box::new(Infeasible::default()),
            Box::new(Reachable),
            Box::new(Subsume::default()),
            Box::new(Contract::default()),
            Box::new(Inline::default()),
            Box::new(Reachable),
            Box::new(Merge),
            Box::new(Direct::default()),
            Box::new(Reachable),
        ];
        Pipeline::repeated(passes, 4)
    }

    /// The same passes without the search for equalities.
    pub fn standard() -> Pipeline {
        let equalities = Invariants::early();
        Pipeline::with_equalities().retain(|pass| pass.name() != equalities.name())
    }

    /// What comes after an abstraction, whose graph may have numbers in place of numerals: their relations are recognised.
    pub fn after_abstraction() -> Pipeline {
        let mut pipeline = Pipeline::standard();
        for pass in &mut pipeline.passes {
            if pass.name() == Definitions::default().name() {
                *pass = Box::new(Definitions { of_numbers: true });
            }
        }
        pipeline
    }

    /// The passes that suit every engine and leave bit-vectors what they are.
    pub fn with_bits() -> Pipeline {
        Pipeline::with_equalities().retain(|pass| pass.name() != IntBlast.name())
    }

    /// Those of the passes that may come before an abstraction.
    pub fn before_abstraction() -> Pipeline {
        Pipeline::with_equalities().retain(|pass| pass.description().may_precede_abstraction)
    }

    /// What comes after the standard passes, once: invariants of few vertices with large labels, and what they make
    /// superfluous.
    pub fn with_invariants() -> Pipeline {
        Pipeline::new(vec![Box::new(Invariants::default()), Box::new(Slice), Box::new(Reachable)])
    }

    /// What comes after the standard passes that leave bit-vectors what they are, once.
    pub fn with_word_invariants() -> Pipeline {
        Pipeline::new(vec![Box::new(WordInvariants::default()), Box::new(Reachable)])
    }

    /// What comes after the standard passes for engines that see transition systems: fewer vertices, at the
    /// price of larger labels.
    pub fn for_transition_systems() -> Pipeline {
        let passes: Vec<Box<dyn Pass>> = vec![
            Box::new(Contract { hyperedges: false, ..Contract::eager() }),
            Box::new(Infeasible::default()),
            Box::new(Reachable),
            Box::new(Merge),
            Box::new(Simplify::default()),
            Box::new(Direct::default()),
            Box::new(Reachable),
        ];
        Pipeline::repeated(passes, 3)
    }

    /// The passes that the papers of the engines describe, and no others: Blicha's thesis (2023), section 5.4, and the
    /// journal article on Golem (2024), section 2.5. Constraints are simplified and auxiliary variables eliminated,
    /// predicates that falsehood does not depend on are dropped, chains summarised, predicates contracted where one of
    /// the two sides is one edge, and parallel edges merged. Quantifiers are eliminated, and edges from true to false
    /// decided, since engines expect neither.
    pub fn pure() -> Pipeline {
        let passes: Vec<Box<dyn Pass>> = vec![
            Box::new(EliminateQuantifiers::default()),
            Box::new(Simplify::default()),
            Box::new(Reachable),
            Box::new(Contract::chains()),
            Box::new(Contract { hyperedges: false, ..Contract::default() }),
            Box::new(Merge),
            Box::new(Direct::default()),
            Box::new(Reachable),
        ];
        Pipeline::repeated(passes, 4)
    }

    /// What comes after these for engines that see transition systems: predicates are contracted without that limit.
    pub fn pure_for_transition_systems() -> Pipeline {
        let passes: Vec<Box<dyn Pass>> = vec![
            Box::new(Contract { hyperedges: false, ..Contract::eager() }),
            Box::new(Reachable),
            Box::new(Merge),
            Box::new(Simplify::default()),
            Box::new(Direct::default()),
            Box::new(Reachable),
        ];
        Pipeline::repeated(passes, 3)
    }

    /// What removes nested loops, for engines that are asked to do without them.
    pub fn without_nested_loops() -> Pipeline {
        Pipeline::new(vec![Box::new(NestedLoop)])
    }

    /// The same pipeline without the passes that are switched off.
    pub fn without(self, disabled: &DisabledPasses) -> Pipeline {
        self.retain(|pass| !disabled.contains(pass.name()))
    }

    fn retain(mut self, keep: impl Fn(&dyn Pass) -> bool) -> Pipeline {
        self.passes.retain(|pass| keep(&**pass));
        self
    }

    /// The passes, in order.
    pub fn passes(&self) -> impl Iterator<Item = &dyn Pass> {
        self.passes.iter().map(|pass| &**pass)
    }

    /// The passes themselves, in order.
    pub fn into_passes(self) -> Vec<Box<dyn Pass>> {
        self.passes
    }

    /// How often the list is applied, at most.
    pub(crate) fn rounds(&self) -> usize {
        self.rounds
    }

    /// Runs the passes; the observer is told of each.
    pub fn run(
        &self,
        store: &mut Store,
        graph: Graph,
        observer: &mut dyn PassObserver,
        budget: &mut Budget,
    ) -> Preprocessed {
        Preprocessed::new(store, graph).then(self, store, observer, budget)
    }
}
