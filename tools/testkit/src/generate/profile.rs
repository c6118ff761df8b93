//! The profiles: which corner of the language a script explores.

use super::numbers::Magnitude;
use super::outline::{OUTLINES, Outline, Writer, deep_script};
use super::systems;
use super::taste::Taste;
use super::theories::{self, Ingredients};
use super::transition;
use crate::rng::Rng;
use crate::sexpr::Sexpr;

/// A family of scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Profile {
    name: &'static str,
    source: Source,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    Lra,
    Lia,
    Mixed,
    Bool,
    Ite,
    DivMod,
    Divisible,
    Forms,
    Let,
    Define,
    EdgeInt,
    EdgeReal,
    HugeInt,
    HugeReal,
    Strict,
    Equalities,
    Unbounded,
    Stack,
    Assume,
    Core,
    Medley,
    All,
    Diophantine,
    Parity,
    Knapsack,
    Unrolling,
    Steps,
    Deep,
    Theories(Ingredients),
}

const fn profile(name: &'static str, source: Source) -> Profile {
    Profile { name, source }
}

/// The profiles of arithmetic, in the order in which numbered scripts take turns.
pub const PROFILES: &[Profile] = &[
    profile("lra", Source::Lra),
    profile("lia", Source::Lia),
    profile("mixed", Source::Mixed),
    profile("bool", Source::Bool),
    profile("ite", Source::Ite),
    profile("divmod", Source::DivMod),
    profile("divisible", Source::Divisible),
    profile("forms", Source::Forms),
    profile("let", Source::Let),
    profile("define", Source::Define),
    profile("edge-int", Source::EdgeInt),
    profile("edge-real", Source::EdgeReal),
    profile("huge-int", Source::HugeInt),
    profile("huge-real", Source::HugeReal),
    profile("strict", Source::Strict),
    profile("equalities", Source::Equalities),
    profile("unbounded", Source::Unbounded),
    profile("stack", Source::Stack),
    profile("assume", Source::Assume),
    profile("core", Source::Core),
    profile("medley", Source::Medley),
    profile("all", Source::All),
    profile("diophantine", Source::Diophantine),
    profile("parity", Source::Parity),
    profile("knapsack", Source::Knapsack),
    profile("unrolling", Source::Unrolling),
    profile("steps", Source::Steps),
    profile("deep", Source::Deep),
];

const fn theories(name: &'static str, ingredients: Ingredients) -> Profile {
    profile(name, Source::Theories(ingredients))
}

const NONE: Ingredients = Ingredients::NONE;

/// The profiles of other theories, in the order in which numbered scripts take turns.
pub const THEORY_PROFILES: &[Profile] = &[
    theories("functions", Ingredients { functions: true, ..NONE }),
    theories("real-functions", Ingredients { functions: true, reals: true, ..NONE }),
    theories("arrays", Ingredients { arrays: true, ..NONE }),
    theories("constant-arrays", Ingredients { arrays: true, constant: true, ..NONE }),
    theories("nested-arrays", Ingredients { arrays: true, nested: true, constant: true, ..NONE }),
    theories("array-functions", Ingredients { arrays: true, functions: true, ..NONE }),
    theories("records", Ingredients { records: true, ..NONE }),
    theories("recursive", Ingredients { recursive: true, ..NONE }),
    theories("datatypes", Ingredients { records: true, recursive: true, functions: true, ..NONE }),
    theories("array-records", Ingredients { arrays: true, nested: true, records: true, ..NONE }),
    theories("array-lists", Ingredients { arrays: true, recursive: true, ..NONE }),
    theories(
        "all-theories",
        Ingredients {
            functions: true,
            arrays: true,
            nested: true,
            constant: true,
            records: true,
            recursive: true,
            reals: true,
            ..NONE
        },
    ),
    theories("nonlinear", Ingredients { nonlinear: true, reals: true, ..NONE }),
];

const BITS: Ingredients = Ingredients { bits: Some(70), ..NONE };

/// The profiles of bit-vectors, in the order in which numbered scripts take turns. There are no integers in those before
/// the last two, and no datatypes in those before the last three.
pub const BIT_PROFILES: &[Profile] = &[
    theories("bits", BITS),
    theories("few-bits", Ingredients { bits: Some(4), ..NONE }),
    theories("many-bits", Ingredients { bits: Some(300), ..NONE }),
    theories("bit-functions", Ingredients { functions: true, ..BITS }),
    theories("bit-arrays", Ingredients { arrays: true, ..BITS }),
    theories("few-bit-arrays", Ingredients { arrays: true, functions: true, bits: Some(3), ..NONE }),
    theories("bit-constant-arrays", Ingredients { arrays: true, constant: true, bits: Some(6), ..NONE }),
    theories("bit-records", Ingredients { records: true, recursive: true, arrays: true, ..BITS }),
    theories("bit-integers", Ingredients { conversions: true, bits: Some(12), ..NONE }),
    theories(
        "all-bits",
        Ingredients {
            functions: true,
            arrays: true,
            constant: true,
            records: true,
            conversions: true,
            bits: Some(8),
            ..NONE
        },
    ),
];

/// The profiles of bit-vectors of whose operations there are proofs in Alethe, in the order in which numbered scripts take
/// turns.
pub const BIT_PROOF_PROFILES: &[Profile] = &[
    theories("bits-with-rules", Ingredients { with_rules: true, bits: Some(8), ..NONE }),
    theories("few-bits-with-rules", Ingredients { with_rules: true, bits: Some(3), ..NONE }),
    theories(
        "bit-functions-with-rules",
        Ingredients { with_rules: true, functions: true, bits: Some(4), ..NONE },
    ),
];

/// The profiles of bit-vectors with quantifiers, in the order in which numbered scripts take turns.
pub const QUANTIFIED_PROFILES: &[Profile] = &[
    theories("quantified-few-bits", Ingredients { quantifiers: true, bits: Some(3), ..NONE }),
    theories("quantified-bits", Ingredients { quantifiers: true, bits: Some(8), ..NONE }),
];

impl Profile {
    /// All profiles.
    pub fn all() -> impl Iterator<Item = Self> {
        let all = [PROFILES, THEORY_PROFILES, BIT_PROFILES, BIT_PROOF_PROFILES, QUANTIFIED_PROFILES];
        all.into_iter().flatten().copied()
    }

    /// The profile of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|profile| profile.name == name)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// Whether its scripts have terms that Shem reads but does not decide, products of variables: there *unknown* is
    /// an answer that may be given.
    pub fn is_incomplete(self) -> bool {
        matches!(self.source, Source::Theories(ingredients) if ingredients.nonlinear)
    }

    pub(super) fn script(self, rng: &mut Rng) -> Vec<Sexpr> {
        let outline = match self.source {
            Source::Diophantine => return systems::diophantine(rng),
            Source::Parity => return systems::parity(rng),
            Source::Knapsack => return systems::knapsack(rng),
            Source::Unrolling => return transition::unrolling(rng),
            Source::Steps => return transition::steps(rng),
            Source::Deep => return deep_script(rng),
            Source::Theories(ingredients) => return theories::Writer::script(rng, ingredients),
            Source::Stack => Outline::Stack,
            Source::Assume => Outline::Assume,
            Source::Core => Outline::Core,
            Source::Medley => Outline::Medley,
            _ => *rng.pick(OUTLINES),
        };
        let mut taste = self.source.taste(rng);
        if rng.chance(12) {
            taste.enlarge();
        }
        Writer::script(rng, &taste, outline)
    }
}

impl Source {
    fn taste(self, rng: &mut Rng) -> Taste {
        let ints = Taste::INTEGERS;
        let reals = Taste::REALS;
        let both = Taste { logic: "QF_LIRA", reals: (1, 3), ints: (1, 3), ..ints.clone() };
        let either = |rng: &mut Rng| match rng.below(5) {
            0 | 1 => Taste::INTEGERS,
            2 | 3 => Taste::REALS,
            _ => Taste { logic: "QF_LIRA", reals: (1, 3), ints: (1, 3), ..Taste::INTEGERS },
        };
        match self {
            Self::Lra => Taste { assertions: 9, reals: (2, 7), term_depth: 2, ..reals },
            Self::Lia => Taste { assertions: 9, term_depth: 2, ..ints },
            Self::Mixed => Taste { conversions: 25, term_depth: 2, ..both },
            Self::Bool => {
                Taste { ints: (0, 0), bools: (3, 9), formula_depth: 4, assertions: 12, bounded: 0, ..ints }
            }
            Self::Ite => Taste { ite: 35, term_depth: 3, formula_depth: 3, bools: (1, 3), ..either(rng) },
            Self::DivMod => Taste { divmod: 35, term_depth: 3, ..ints },
            Self::Divisible => Taste { divisible: 50, term_depth: 2, ..ints },
            Self::Forms => {
                Taste { chains: 50, abs: 30, equality: 40, bools: (1, 3), term_depth: 2, ..either(rng) }
            }
            Self::Let => Taste { lets: 35, bools: (1, 3), formula_depth: 3, term_depth: 2, ..either(rng) },
            Self::Define => Taste { macros: 4, bools: (1, 2), ite: 10, term_depth: 2, ..either(rng) },
            Self::EdgeInt => Taste { magnitude: Magnitude::Edge, bounded: 30, ..ints },
            Self::EdgeReal => Taste { magnitude: Magnitude::Edge, ..reals },
            Self::HugeInt => Taste { magnitude: Magnitude::Huge, bounded: 20, divmod: 5, ..ints },
            Self::HugeReal => Taste { magnitude: Magnitude::Huge, term_depth: 2, ..reals },
            Self::Strict => {
                let base = if rng.chance(70) { reals } else { both };
                Taste { strict: 95, equality: 10, assertions: 10, ..base }
            }
            Self::Equalities => Taste { equality: 80, chains: 15, formula_depth: 1, ..either(rng) },
            Self::Unbounded => Taste { bounded: 0, formula_depth: 1, ints: (2, 4), ..ints },
            Self::Stack | Self::Assume | Self::Core | Self::Medley => {
                Taste { bools: (0, 3), ite: 5, divmod: 3, assertions: 5, ..either(rng) }
            }
            Self::All => Taste {
                ite: 12,
                divmod: 10,
                divisible: 10,
                abs: 6,
                conversions: 8,
                lets: 10,
                chains: 12,
                macros: 2,
                bools: (1, 3),
                term_depth: 2,
                formula_depth: 3,
                magnitude: *rng.pick(&[
                    Magnitude::Small,
                    Magnitude::Medium,
                    Magnitude::Edge,
                    Magnitude::Huge,
                ]),
                ..both
            },
            Self::Diophantine
            | Self::Parity
            | Self::Knapsack
            | Self::Unrolling
            | Self::Steps
            | Self::Deep
            | Self::Theories(_) => ints,
        }
    }
}
