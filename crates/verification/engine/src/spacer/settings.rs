//! Settings of Spacer.

use shem_smt::interpolate::ItpOptions;

use crate::interpolation::{proof_system, theory_rule};
use crate::{choice, settings};

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

/// Which obligation of the least height is worked on next. Ties are broken by age, or by the seed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The one that most others wait for.
    #[default]
    Deep,
    /// The one with the fewest literals.
    Small,
}

choice!(Order { "deep" => Order::Deep, "small" => Order::Small });
choice!(LemmaStyle { "core" => LemmaStyle::Core, "interpolant" => LemmaStyle::Interpolant });
choice!(Retry { "never" => Retry::Never, "next" => Retry::NextBound, "once" => Retry::AtOnce });

settings! {
    /// Settings of Spacer.
    pub struct Settings {
        /// The interpolation algorithms.
        interpolation: ItpOptions = ItpOptions::default();
        lemmas: LemmaStyle = LemmaStyle::Interpolant,
            "spacer.lemmas", "what lemmas are made of", "options.md#engine-spacer";
        retry: Retry = Retry::AtOnce,
            "spacer.retry",
            "when a blocked obligation is tried one height up: never, with the next bound, at once",
            "options.md#engine-spacer";
        order: Order = Order::Deep,
            "spacer.order", "which obligation of the least height is next: one that many wait for, or a small one",
            "portfolio.md#instances";
        clauses: bool = true, "spacer.clauses", "weaken interpolants to clauses", "options.md#engine-spacer";
        subsume: bool = true,
            "spacer.subsume", "global guidance: one lemma in place of a cluster", "options.md#engine-spacer";
        conjecture: bool = true,
            "spacer.conjecture",
            "global guidance: try obligations without a literal that lemmas bound further and further",
            "options.md#engine-spacer";
        concretise: bool = true,
            "spacer.concretise",
            "global guidance: boxes where coefficients of lemmas diverge",
            "options.md#engine-spacer";
        restrain: bool = true,
            "spacer.restrain",
            "global guidance: learn the negation of an obligation where lemmas would form a series",
            "options.md#engine-spacer";
        restraints: u32 = 2,
            "spacer.restraints",
            "how many obligations of a predicate spacer.restrain may exclude at each bound",
            "options.md#engine-spacer";
        share_size: usize = 60,
            "spacer.share-size", "lemmas and facts with more subterms are neither sent to other instances nor taken",
            "portfolio.md#instances";
        share_behind: usize = 1,
            "spacer.share-behind",
            "how far below the bound on heights a lemma of another instance may hold to be taken",
            "portfolio.md#instances";
        share_facts: bool = true,
            "spacer.share-facts", "exchange facts that are derived, too",
            "portfolio.md#instances";
        /// How often a conjectured obligation is worked on, so that a wrong conjecture comes to an end.
        gas: u32 = 20;
        /// How often the lemmas of one pattern are looked at: there may be a new one for ever.
        cluster_gas: u32 = 40;
    }
    rows [
        theory_rule!(interpolation.theory),
        proof_system!(interpolation.system),
    ]
}
