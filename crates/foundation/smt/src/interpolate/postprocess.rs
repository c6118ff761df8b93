//! Simplification of interpolants after they have been found.
//!
//! The result is equivalent, so interpolants of paths and trees still fit together. The effort is bounded by the
//! interpolant's size, and a larger result is not taken: facts from different contexts can turn one shared
//! subformula into several.

use rustc_hash::FxHashSet;
use shem_base::Budget;
use shem_term::{Store, Term};

use super::lift::lift;
use super::options::ItpOptions;
use super::prune::prune;
use super::simplify::Simplifier;
use super::statistics::ItpCounters;

/// Makes interpolants smaller; keeps its buffers from one to the next.
#[derive(Debug, Default)]
pub(super) struct Postprocessor {
    simplifier: Simplifier,
    seen: FxHashSet<Term>,
    stack: Vec<Term>,
}

impl Postprocessor {
    /// An equivalent formula, as the options say.
    pub(super) fn postprocess(
        &mut self,
        store: &mut Store,
        term: Term,
        options: &ItpOptions,
        budget: &Budget,
        counters: &mut ItpCounters,
    ) -> Term {
        let raw_size = self.size(store, term);
        counters.raw_size += raw_size as u64;
        let (mut result, mut size) = (term, raw_size);
        if options.simplify {
            let simple = self.simplifier.simplify(store, term, 64 + raw_size);
            if simple != term {
                let simple_size = self.size(store, simple);
                if simple_size <= size {
                    (result, size) = (simple, simple_size);
                }
            }
        }
        if options.simplify && store.has_bit_vectors() {
            let lifted = lift(store, result, budget);
            if lifted != result {
                let lifted_size = self.size(store, lifted);
                if lifted_size <= size {
                    (result, size) = (lifted, lifted_size);
                }
            }
        }
        if options.prune {
            let pruned = prune(store, result, budget, counters);
            if pruned != result {
                (result, size) = (pruned, self.size(store, pruned));
            }
        }
        counters.size += size as u64;
        result
    }

    /// The number of distinct subterms.
    fn size(&mut self, store: &Store, term: Term) -> usize {
        self.seen.clear();
        self.stack.clear();
        self.stack.push(term);
        self.seen.insert(term.positive());
        let mut size = 0;
        while let Some(term) = self.stack.pop() {
            size += 1;
            store.for_each_child(term, |child| {
                if self.seen.insert(child.positive()) {
                    self.stack.push(child);
                }
            });
        }
        size
    }
}
