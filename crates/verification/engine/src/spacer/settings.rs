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
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            lemmas: LemmaStyle::Interpolant,
            interpolation: ItpOptions::default(),
            drop_literals: true,
            keep_obligations: true,
        }
    }
}
