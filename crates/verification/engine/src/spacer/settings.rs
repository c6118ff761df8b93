//! Settings of Spacer.

use shem_smt::interpolate::ItpOptions;

use crate::choice;

/// What a lemma is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LemmaStyle {
    /// The negation of the literals of the obligation that were needed.
    Core,
    /// An interpolant of the edges and these literals.
    Interpolant,
}

/// When an obligation that was blocked at a height is tried at the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    /// Only if it is found again.
    Never,
    /// When the bound on heights is raised.
    NextBound,
    /// Before anything above it, up to a limit. That finds derivations that are higher than the bound.
    AtOnce,
}

choice!(LemmaStyle { "core" => LemmaStyle::Core, "interpolant" => LemmaStyle::Interpolant });
choice!(Retry { "never" => Retry::Never, "next" => Retry::NextBound, "once" => Retry::AtOnce });

/// Settings of Spacer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// What a lemma is made of. Default: an interpolant.
    pub lemmas: LemmaStyle,
    /// The interpolation algorithms.
    pub interpolation: ItpOptions,
    /// Whether literals are dropped while the lemma stays inductive relative to the lemmas below. Default:
    /// true.
    pub drop_literals: bool,
    /// When an obligation that was blocked is tried again at the next height. Default: at once.
    pub retry: Retry,
    /// Whether obligations consist of literals; otherwise what needs no projection stays whole. Default: true.
    pub split_obligations: bool,
    /// Whether an interpolant that is no conjunction of clauses is weakened to one. Default: true.
    pub clauses: bool,
    /// Whether bounds in lemmas are moved to other constants of the system while the lemma stays inductive
    /// relative to the lemmas below. Default: true.
    pub weaken_bounds: bool,
    /// Whether lemmas that a new one implies are forgotten. Default: true.
    pub forget_implied: bool,
    /// Whether an obligation is answered by the facts of its vertex before its edges are asked. Default: true.
    pub discharge: bool,
    /// Whether a fact for an obligation is propagated to its parent, and further up, by a query about one edge
    /// without lemmas. Default: true.
    pub climb: bool,
    /// Whether an obligation that a lemma is known to exclude is blocked without asking its edges. Default:
    /// true.
    pub recall: bool,
    /// Whether a lemma that could not be pushed is asked about again only when the states that were in its way
    /// are excluded. Default: true.
    pub remember_stuck: bool,
    /// Whether a new lemma is raised at once as far as it holds, to all heights if possible. Default: true.
    pub lift_lemmas: bool,
    /// Whether the search begins with the equations of arguments that hold of all facts, if there are other sorts
    /// than numbers and truth values. Default: true.
    pub equations: bool,
    /// Whether the numerals of lemmas with one pattern are looked at for one lemma in place of all.
    /// Default: true.
    pub subsume: bool,
    /// Whether obligations are tried without a literal whose polynomial lemmas bound further and further. Default:
    /// true.
    pub conjecture: bool,
    /// Whether obligations become boxes where the coefficients of lemmas keep changing. Default: true.
    pub concretise: bool,
    /// Whether the negation of the whole obligation is learnt where its lemma would only be the next one of a series.
    /// Default: true.
    pub restrain: bool,
    /// How many obligations of a vertex `restrain` may exclude whole at each bound on heights. Default: 2. With more,
    /// deep derivations are missed; with 0, series of lemmas do not end.
    pub restraints: u32,
    /// How often a tentative obligation and its descendants are worked on. Default: 20.
    pub gas: u32,
    /// How often the lemmas with one pattern are looked at. Default: 40.
    pub cluster_gas: u32,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            lemmas: LemmaStyle::Interpolant,
            interpolation: ItpOptions::default(),
            drop_literals: true,
            retry: Retry::AtOnce,
            split_obligations: true,
            clauses: true,
            weaken_bounds: true,
            forget_implied: true,
            discharge: true,
            climb: true,
            recall: true,
            remember_stuck: true,
            lift_lemmas: true,
            equations: true,
            subsume: true,
            conjecture: true,
            concretise: true,
            restrain: true,
            restraints: 2,
            gas: 20,
            cluster_gas: 40,
        }
    }
}
