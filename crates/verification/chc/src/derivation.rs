//! Derivations: ground facts, each with the rule and the earlier facts from which it follows.

use shem_base::dense_id;
use shem_term::Value;

dense_id! {
    /// A step of a derivation.
    pub struct StepId("s");
}

/// A step of a derivation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step<'a, R> {
    /// The rule: an edge of a graph, or a clause of a system.
    pub rule: R,
    /// The steps of the body's facts, in the order of the body; all earlier than this one.
    pub premises: &'a [StepId],
    /// The arguments of the fact that is derived.
    pub values: &'a [Value],
}

/// The witness of unsafety: a list of steps, the last of which derives falsehood. A fact may be used many
/// times. Rules are edges of a graph ([`EdgeId`](crate::EdgeId)) or clauses of a system
/// ([`ClauseId`](crate::ClauseId)).
///
/// The steps are in flat arrays, since there may be millions of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Derivation<R> {
    rules: Vec<R>,
    /// Where the premises and values of a step end; they begin where those of the step before end.
    ends: Vec<(u32, u32)>,
    premises: Vec<StepId>,
    values: Vec<Value>,
}

impl<R: Copy> Derivation<R> {
    /// A derivation without steps.
    pub fn new() -> Derivation<R> {
        Derivation { rules: Vec::new(), ends: Vec::new(), premises: Vec::new(), values: Vec::new() }
    }

    /// Adds a step.
    ///
    /// # Panics
    /// If a premise is not an earlier step.
    pub fn push(&mut self, rule: R, premises: &[StepId], values: impl IntoIterator<Item = Value>) -> StepId {
        let id = StepId::new(self.rules.len());
        assert!(premises.iter().all(|&p| p < id), "a premise comes before its use");
        self.rules.push(rule);
        self.premises.extend_from_slice(premises);
        self.values.extend(values);
        let end = |n: usize| u32::try_from(n).expect("a derivation of less than 2^32 entries");
        self.ends.push((end(self.premises.len()), end(self.values.len())));
        id
    }

    /// The number of steps.
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Whether there is no step.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The step with this id.
    pub fn step(&self, id: StepId) -> Step<'_, R> {
        let at = id.index();
        let (premises, values) = if at == 0 { (0, 0) } else { self.ends[at - 1] };
        let (premises_end, values_end) = self.ends[at];
        Step {
            rule: self.rules[at],
            premises: &self.premises[premises as usize..premises_end as usize],
            values: &self.values[values as usize..values_end as usize],
        }
    }

    /// The steps in order.
    pub fn steps(&self) -> impl Iterator<Item = (StepId, Step<'_, R>)> {
        (0..self.len()).map(StepId::new).map(|id| (id, self.step(id)))
    }

    /// The same derivation with other rules.
    pub fn map_rules<S>(self, rule: impl FnMut(R) -> S) -> Derivation<S> {
        Derivation {
            rules: self.rules.into_iter().map(rule).collect(),
            ends: self.ends,
            premises: self.premises,
            values: self.values,
        }
    }
}

impl<R: Copy> Default for Derivation<R> {
    fn default() -> Derivation<R> {
        Derivation::new()
    }
}
