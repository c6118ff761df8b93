//! Where a solver's derivations go while it searches.
//!
//! The search tells a [`ProofSink`] of every input clause, of every theory lemma that it used and of the
//! antecedents of every clause that it learnt, and gets a [`ClauseId`] back. Pivots and resolvents are not
//! told: they follow from the antecedents, and only the few derivations that a refutation needs are ever
//! replayed. [`NoProof`] is the twin that records nothing.

use shem_base::{Lit, Rat};

/// The identity of a clause in a derivation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClauseId(pub u32);

/// Where an input clause comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// Part of the assertion with this number.
    Assertion(u32),
    /// Part of the definition of an auxiliary symbol: it holds whatever is asserted.
    Definition,
}

/// The reason why a theory lemma is valid: what its certificate means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LemmaKind {
    /// Each negated literal of the clause is a linear inequality `p <= c` or `p >= c` (strict for reals,
    /// tightened for integers). Their sum, weighted by the coefficients (all positive), is a
    /// contradiction over the rationals: `0 <= d` with `d < 0`, or `0 < 0`.
    Farkas,
    /// The negated literals come in pairs, the two bounds of an equality `p = c` over integer variables;
    /// both carry the multiplier of that equality (`p` being the polynomial of the two atoms, as the atoms
    /// state it) and stand next to each other. The weighted sum of the equalities has integer
    /// coefficients and a constant that is not an integer.
    Dioph,
    /// Every literal is an equation of two nodes or its negation. Their negations contradict each other by
    /// congruence and the rules of datatypes and arrays, over the nodes of the clause, their subnodes, and the
    /// nodes that the lemma lists. There are no coefficients.
    Equality,
    /// One literal is an equation of two arithmetic nodes or its negation, the others are bounds of the
    /// difference of these nodes: what the equation has to do with the bounds. There are no coefficients.
    Bridge,
}

impl LemmaKind {
    /// Whether lemmas of this kind have one coefficient a literal; others have nodes instead.
    pub fn has_coefficients(self) -> bool {
        match self {
            LemmaKind::Farkas | LemmaKind::Dioph => true,
            LemmaKind::Equality | LemmaKind::Bridge => false,
        }
    }
}

/// A clause that is valid in the theory, with its certificate. A buffer, reused from one use to the next.
#[derive(Clone, Debug)]
pub struct Lemma {
    /// The literals of the clause.
    pub lits: Vec<Lit>,
    /// Why the clause is valid.
    pub kind: LemmaKind,
    /// One coefficient a literal, in the order of `lits`, if the kind has coefficients.
    pub coeffs: Vec<Rat>,
    /// Nodes that the argument needs beside those of the clause, if the kind has no coefficients.
    pub nodes: Vec<u32>,
}

impl Default for Lemma {
    fn default() -> Self {
        Lemma { lits: Vec::new(), kind: LemmaKind::Farkas, coeffs: Vec::new(), nodes: Vec::new() }
    }
}

impl Lemma {
    /// Empties the buffer for a lemma of this kind.
    pub fn start(&mut self, kind: LemmaKind) {
        self.lits.clear();
        self.coeffs.clear();
        self.nodes.clear();
        self.kind = kind;
    }

    /// Adds a literal with its coefficient.
    pub fn add(&mut self, lit: Lit, coeff: Rat) {
        self.lits.push(lit);
        self.coeffs.push(coeff);
    }

    /// Adds a literal to a lemma of a kind that has no coefficients.
    pub fn add_lit(&mut self, lit: Lit) {
        debug_assert!(!self.kind.has_coefficients());
        self.lits.push(lit);
    }
}

/// The observer of a search.
///
/// Scopes follow the solver's push and pop. A clause that outlives the scope in which it was derived
/// depends only on clauses that outlive it too; the solver names those that it keeps.
pub trait ProofSink {
    /// An input clause.
    fn input(&mut self, lits: &[Lit], origin: Origin) -> ClauseId;

    /// A theory lemma that is used as a clause.
    fn lemma(&mut self, lemma: &Lemma) -> ClauseId;

    /// A clause derived by linear resolution: the first antecedent is resolved with the second, the
    /// result with the third, and so on; each step has exactly one pivot.
    fn derive(&mut self, antecedents: &[ClauseId]) -> ClauseId;

    /// A scope is opened.
    fn push(&mut self);

    /// The innermost scope is closed. Only the clauses in `kept`, which may have been derived inside it,
    /// and all clauses older than the scope stay in use; those in `kept` may get new identities, which are
    /// written back.
    fn pop(&mut self, kept: &mut [ClauseId]);

    /// Whether so much has been recorded that the solver should soon call [`ProofSink::collect`].
    fn is_bloated(&self) -> bool;

    /// Forgets all clauses but those in `kept` and what they were derived from. The identities in `kept`
    /// may change and are written back; all other identities become void.
    fn collect(&mut self, kept: &mut [ClauseId]);
}

/// Records nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProof;

impl ProofSink for NoProof {
    #[inline]
    fn input(&mut self, _: &[Lit], _: Origin) -> ClauseId {
        ClauseId(0)
    }

    #[inline]
    fn lemma(&mut self, _: &Lemma) -> ClauseId {
        ClauseId(0)
    }

    #[inline]
    fn derive(&mut self, _: &[ClauseId]) -> ClauseId {
        ClauseId(0)
    }

    #[inline]
    fn push(&mut self) {}

    #[inline]
    fn pop(&mut self, _: &mut [ClauseId]) {}

    #[inline]
    fn is_bloated(&self) -> bool {
        false
    }

    #[inline]
    fn collect(&mut self, _: &mut [ClauseId]) {}
}
