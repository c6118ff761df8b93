//! Settings of Spacer.

use shem_smt::interpolate::ItpOptions;

/// What a lemma is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LemmaStyle {
    /// The negation of the literals of the obligation that were needed.
    Core,
    /// An interpolant of the edges and these literals.
    Interpolant,
}

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
    /// Whether an obligation that was blocked is tried again at the next height. Default: true.
    pub keep_obligations: bool,
    /// Whether a new lemma is raised at once as far as it holds, to all heights if possible. Default: true.
    pub lift_lemmas: bool,
    /// Whether the numerals of lemmas with one pattern are looked at for one lemma in the place of all.
    /// Default: true.
    pub subsume: bool,
    /// Whether obligations are tried without a literal that lemmas bound further and further. Default: true.
    pub conjecture: bool,
    /// Whether obligations become boxes where the coefficients of lemmas keep changing. Default: true.
    pub concretise: bool,
    /// Whether an obligation is excluded as it is where its lemma would be the next of a series. Default: true.
    pub restrain: bool,
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
            keep_obligations: true,
            lift_lemmas: true,
            subsume: true,
            conjecture: true,
            concretise: true,
            restrain: true,
            gas: 20,
            cluster_gas: 40,
        }
    }
}
