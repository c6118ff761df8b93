//! Proofs: what one clause needs of a record, with all pivots and resolvents.
//!
//! A proof is read off a [`ProofLog`] in two passes: one from the root to find the clauses that it needs, then
//! one forwards to replay their resolutions. A step stands behind all its premises, so whoever works on a proof
//! (a checker, an interpolator) does so in one loop.

use crate::log::{ProofLog, Record};
use crate::sink::{ClauseId, LemmaKind, Origin};
use shem_base::{Lit, Rat, StampMap, StampSet};
use std::fmt;

/// A step of a proof: a dense index in the order of the derivation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StepId(u32);

impl StepId {
    /// The index of the step.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One resolution: the clause so far contains the negation of the pivot, the premise the pivot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resolution {
    /// The literal that the premise contributes to the resolution.
    pub pivot: Lit,
    /// The clause resolved with.
    pub premise: StepId,
}

/// How a step is justified.
#[derive(Clone, Copy, Debug)]
pub enum Rule<'a> {
    /// An input clause.
    Input(Origin),
    /// A lemma of the theory.
    Lemma {
        /// Why it is valid.
        kind: LemmaKind,
        /// One coefficient a literal of the clause, in its order, or none, as the kind has it.
        coeffs: &'a [Rat],
        /// The nodes that it lists; none if the kind has coefficients.
        nodes: &'a [u32],
    },
    /// A linear resolution.
    Resolution {
        /// The clause to start with.
        first: StepId,
        /// The clauses to resolve with, one after the other.
        rest: &'a [Resolution],
    },
}

/// Why a record is not a derivation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofError {
    /// There is no clause with this identity.
    NoSuchClause(ClauseId),
    /// A derivation names no antecedent.
    NoAntecedent(ClauseId),
    /// A derivation names an antecedent that is not older than itself.
    Circular(ClauseId),
    /// The antecedent at this index cannot be resolved with the clause so far.
    NoPivot(ClauseId, usize),
    /// The antecedent at this index can be resolved in two ways.
    ManyPivots(ClauseId, usize),
}

impl fmt::Display for ProofError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProofError::NoSuchClause(id) => write!(f, "clause {} is not in the record", id.0),
            ProofError::NoAntecedent(id) => write!(f, "clause {} is derived from nothing", id.0),
            ProofError::Circular(id) => write!(f, "clause {} is derived from a younger one", id.0),
            ProofError::NoPivot(id, index) => {
                write!(f, "antecedent {index} of clause {} has no pivot", id.0)
            }
            ProofError::ManyPivots(id, index) => {
                write!(f, "antecedent {index} of clause {} has several pivots", id.0)
            }
        }
    }
}

impl std::error::Error for ProofError {}

#[derive(Clone, Copy, Debug)]
enum Source {
    Input(Origin),
    /// The kind, and where the coefficients, or the nodes if the kind has no coefficients, start and end.
    Lemma(LemmaKind, usize, usize),
    /// The first clause, and where the resolutions start and end.
    Resolution(StepId, usize, usize),
}

#[derive(Clone, Copy, Debug)]
struct Step {
    source: Source,
    /// Where the literals start and end.
    start: usize,
    end: usize,
}

/// A derivation of one clause; its last step is the clause itself.
#[derive(Clone, Debug, Default)]
pub struct Proof {
    steps: Vec<Step>,
    lits: Vec<Lit>,
    coeffs: Vec<Rat>,
    nodes: Vec<u32>,
    resolutions: Vec<Resolution>,
}

impl Proof {
    /// The derivation of the clause `root` in `log`.
    pub fn extract(log: &ProofLog, root: ClauseId) -> Result<Proof, ProofError> {
        let mut extractor = Extractor::default();
        extractor.find(log, root)?;
        extractor.replay(log)?;
        Ok(extractor.proof)
    }

    fn clear(&mut self) {
        self.steps.clear();
        self.lits.clear();
        self.coeffs.clear();
        self.nodes.clear();
        self.resolutions.clear();
    }

    /// The number of steps.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there is no step; an extracted proof has one at least.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// All steps, premises first.
    pub fn steps(&self) -> impl DoubleEndedIterator<Item = StepId> + use<> {
        (0..self.steps.len() as u32).map(StepId)
    }

    /// The step with this index.
    ///
    /// # Panics
    /// If there are not as many.
    pub fn step(&self, index: usize) -> StepId {
        assert!(index < self.steps.len(), "no such step");
        StepId(index as u32)
    }

    /// The clause that a step proves.
    pub fn clause(&self, step: StepId) -> &[Lit] {
        let step = &self.steps[step.index()];
        &self.lits[step.start..step.end]
    }

    /// How a step is justified.
    pub fn rule(&self, step: StepId) -> Rule<'_> {
        let step = &self.steps[step.index()];
        match step.source {
            Source::Input(origin) => Rule::Input(origin),
            Source::Lemma(kind, start, end) if kind.has_coefficients() => {
                Rule::Lemma { kind, coeffs: &self.coeffs[start..end], nodes: &[] }
            }
            Source::Lemma(kind, start, end) => {
                Rule::Lemma { kind, coeffs: &[], nodes: &self.nodes[start..end] }
            }
            Source::Resolution(first, start, end) => {
                Rule::Resolution { first, rest: &self.resolutions[start..end] }
            }
        }
    }

    /// The clause that the whole derivation proves.
    pub fn conclusion(&self) -> &[Lit] {
        self.steps.last().map_or(&[], |step| &self.lits[step.start..step.end])
    }
}

/// Reads proofs off a record and keeps its buffers from one to the next: what most proofs cost otherwise is
/// the memory for them. The work is in proportion to the proof, however long the record is.
#[derive(Debug, Default)]
pub struct Extractor {
    /// The clauses that the root needs. SORTED after [`Extractor::find`].
    needed: Vec<ClauseId>,
    /// The assertions that input clauses among them come from, perhaps repeatedly.
    assertions: Vec<u32>,
    /// By identity: the step that a needed clause becomes.
    steps: StampMap<u32>,
    replay: Replay,
    proof: Proof,
}

impl Extractor {
    /// Finds the clauses that the root's derivation needs.
    pub fn find(&mut self, log: &ProofLog, root: ClauseId) -> Result<(), ProofError> {
        self.needed.clear();
        self.assertions.clear();
        self.steps.clear();
        self.steps.insert(root.0 as usize, 0);
        self.needed.push(root);
        let mut next = 0;
        while let Some(&id) = self.needed.get(next) {
            next += 1;
            let record = log.record(id).ok_or(ProofError::NoSuchClause(id))?;
            let antecedents = match record {
                Record::Derived { antecedents } => antecedents,
                Record::Input { origin: Origin::Assertion(number), .. } => {
                    self.assertions.push(number);
                    continue;
                }
                _ => continue,
            };
            if antecedents.is_empty() {
                return Err(ProofError::NoAntecedent(id));
            }
            for &antecedent in antecedents {
                if antecedent.0 >= id.0 {
                    return Err(ProofError::Circular(id));
                }
                if !self.steps.contains(antecedent.0 as usize) {
                    self.steps.insert(antecedent.0 as usize, 0);
                    self.needed.push(antecedent);
                }
            }
        }
        // Antecedents are older, so the order of identities is one of derivation.
        self.needed.sort_unstable_by_key(|id| id.0);
        for (step, id) in self.needed.iter().enumerate() {
            self.steps.insert(id.0 as usize, step as u32);
        }
        Ok(())
    }

    /// The assertions that the derivation found uses, perhaps repeatedly.
    pub fn assertions(&self) -> &[u32] {
        &self.assertions
    }

    /// The proof of the root that was found last, with its pivots.
    pub fn replay(&mut self, log: &ProofLog) -> Result<&Proof, ProofError> {
        let Extractor { needed, steps, replay, proof, .. } = self;
        let premise = |id: ClauseId| StepId(steps.get(id.0 as usize).copied().unwrap_or(0));
        proof.clear();
        for &id in needed.iter() {
            let start = proof.lits.len();
            let source = match log.record(id).ok_or(ProofError::NoSuchClause(id))? {
                Record::Input { lits, origin } => {
                    proof.lits.extend_from_slice(lits);
                    Source::Input(origin)
                }
                Record::Lemma { lits, kind, coeffs, .. } if kind.has_coefficients() => {
                    proof.lits.extend_from_slice(lits);
                    proof.coeffs.extend_from_slice(coeffs);
                    Source::Lemma(kind, proof.coeffs.len() - coeffs.len(), proof.coeffs.len())
                }
                Record::Lemma { lits, kind, nodes, .. } => {
                    proof.lits.extend_from_slice(lits);
                    proof.nodes.extend_from_slice(nodes);
                    Source::Lemma(kind, proof.nodes.len() - nodes.len(), proof.nodes.len())
                }
                Record::Derived { antecedents } => {
                    let first_resolution = proof.resolutions.len();
                    replay.start(proof.clause(premise(antecedents[0])));
                    for (position, &antecedent) in antecedents.iter().enumerate().skip(1) {
                        let premise = premise(antecedent);
                        let pivot = replay.resolve(proof.clause(premise)).map_err(|found| match found {
                            0 => ProofError::NoPivot(id, position),
                            _ => ProofError::ManyPivots(id, position),
                        })?;
                        proof.resolutions.push(Resolution { pivot, premise });
                    }
                    replay.finish(&mut proof.lits);
                    Source::Resolution(premise(antecedents[0]), first_resolution, proof.resolutions.len())
                }
            };
            proof.steps.push(Step { source, start, end: proof.lits.len() });
        }
        Ok(proof)
    }
}

/// The clause so far of a linear resolution.
#[derive(Debug, Default)]
struct Replay {
    /// The literals of the clause.
    present: StampSet,
    /// All literals that are or were in the clause, perhaps repeatedly.
    lits: Vec<Lit>,
}

impl Replay {
    fn start(&mut self, clause: &[Lit]) {
        self.present.clear();
        self.lits.clear();
        for &lit in clause {
            self.add(lit);
        }
    }

    fn add(&mut self, lit: Lit) {
        if self.present.insert(lit.index()) {
            self.lits.push(lit);
        }
    }

    /// Resolves with a clause and returns its pivot, or the number of candidates if it is not one.
    fn resolve(&mut self, clause: &[Lit]) -> Result<Lit, usize> {
        let mut pivots = clause.iter().filter(|&&lit| self.present.contains((!lit).index()));
        let pivot = *pivots.next().ok_or(0usize)?;
        let others = pivots.count();
        if others > 0 {
            return Err(others + 1);
        }
        self.present.remove((!pivot).index());
        for &lit in clause {
            if lit != pivot {
                self.add(lit);
            }
        }
        Ok(pivot)
    }

    /// Moves the clause to the end of `out`, sorted.
    fn finish(&mut self, out: &mut Vec<Lit>) {
        let start = out.len();
        for &lit in &self.lits {
            if self.present.remove(lit.index()) {
                out.push(lit);
            }
        }
        out[start..].sort_unstable();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sink::ProofSink;
    use shem_base::Var;

    fn lit(code: i32) -> Lit {
        Var::new(code.unsigned_abs()).lit(code > 0)
    }

    fn clause(log: &mut ProofLog, codes: &[i32]) -> ClauseId {
        let lits: Vec<Lit> = codes.iter().map(|&code| lit(code)).collect();
        log.input(&lits, Origin::Definition)
    }

    #[test]
    fn replay_finds_pivots() {
        let mut log = ProofLog::new();
        let first = clause(&mut log, &[1, 2, 3]);
        clause(&mut log, &[7]);
        let second = clause(&mut log, &[-1, 3]);
        let third = clause(&mut log, &[-3, 1]);
        let derived = log.derive(&[first, second, third]);
        let proof = Proof::extract(&log, derived).unwrap();
        assert_eq!(proof.len(), 4);
        assert_eq!(proof.conclusion(), &[lit(1), lit(2)]);
        let Rule::Resolution { rest, .. } = proof.rule(proof.steps().next_back().unwrap()) else { panic!() };
        assert_eq!(rest.iter().map(|step| step.pivot).collect::<Vec<_>>(), [lit(-1), lit(-3)]);
    }

    #[test]
    fn bad_chains_are_refused() {
        let mut log = ProofLog::new();
        let first = clause(&mut log, &[1, 2]);
        let second = clause(&mut log, &[-1, -2]);
        let third = clause(&mut log, &[3]);
        let many = log.derive(&[first, second]);
        let none = log.derive(&[first, third]);
        let nothing = log.derive(&[]);
        assert_eq!(Proof::extract(&log, many).unwrap_err(), ProofError::ManyPivots(many, 1));
        assert_eq!(Proof::extract(&log, none).unwrap_err(), ProofError::NoPivot(none, 1));
        assert_eq!(Proof::extract(&log, nothing).unwrap_err(), ProofError::NoAntecedent(nothing));
        let missing = ClauseId(99);
        assert_eq!(Proof::extract(&log, missing).unwrap_err(), ProofError::NoSuchClause(missing));
    }
}
