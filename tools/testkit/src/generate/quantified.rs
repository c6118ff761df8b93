//! Random formulas with one block of quantifiers, for elimination.
//!
//! A formula is a pure function of a [`Family`] and a seed. Each has one or two bound variables and one or
//! two free ones. Coefficients and moduli of integers are tiny: the result of an elimination may need as
//! many cases as their least common multiple, and the judge must decide it, too.

use super::grammar::{Grammar, Vocabulary};
use super::numbers::{self, Magnitude};
use super::taste::Taste;
use crate::rng::Rng;
use crate::sexpr::Sexpr;
use crate::sorts::Sort;

/// What formulas are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Booleans alone.
    Booleans,
    /// Reals.
    Reals,
    /// Reals with Booleans and conditionals.
    RealsWithConditionals,
    /// Reals with coefficients beyond machine words.
    RealsBeyondWords,
    /// Integers.
    Integers,
    /// Integers with Booleans and conditionals.
    IntegersWithConditionals,
    /// Integers with divisibility.
    Divisibility,
    /// Integers with `div`, `mod` and conditionals.
    Quotients,
    /// Integers and reals that meet in sums.
    Mixed,
}

/// All families.
pub const FAMILIES: &[Family] = &[
    Family::Booleans,
    Family::Reals,
    Family::RealsWithConditionals,
    Family::RealsBeyondWords,
    Family::Integers,
    Family::IntegersWithConditionals,
    Family::Divisibility,
    Family::Quotients,
    Family::Mixed,
];

/// A formula with one block of quantifiers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quantified {
    /// Whether the block is universal.
    pub universal: bool,
    /// The free variables with their sorts.
    pub free: Vec<(String, Sort)>,
    /// The bound variables with their sorts; no name is also free.
    pub bound: Vec<(String, Sort)>,
    /// The formula under the block.
    pub body: Sexpr,
}

impl Family {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Booleans => "booleans",
            Self::Reals => "reals",
            Self::RealsWithConditionals => "reals-ite",
            Self::RealsBeyondWords => "reals-huge",
            Self::Integers => "integers",
            Self::IntegersWithConditionals => "integers-ite",
            Self::Divisibility => "divisibility",
            Self::Quotients => "quotients",
            Self::Mixed => "mixed",
        }
    }

    /// The family of a name.
    pub fn named(name: &str) -> Option<Self> {
        FAMILIES.iter().copied().find(|family| family.name() == name)
    }

    /// The formula with a running number: the families take turns.
    pub fn numbered(number: u64, first_seed: u64) -> (Self, u64) {
        let count = FAMILIES.len() as u64;
        (FAMILIES[(number % count) as usize], first_seed + number / count)
    }

    /// The formula of a seed.
    pub fn generate(self, seed: u64) -> Quantified {
        let place = FAMILIES.iter().position(|&family| family == self).unwrap_or(0) as u64;
        let mut rng = Rng::new(seed.wrapping_mul(FAMILIES.len() as u64).wrapping_add(place));
        let taste = self.taste();
        let sorts = self.sorts();
        let mut vocabulary = Vocabulary::default();
        let variables = |rng: &mut Rng, letter: char| -> Vec<(String, Sort)> {
            let count = rng.range(1, if self == Self::Booleans { 4 } else { 2 });
            (0..count).map(|i| (format!("{letter}{i}"), *rng.pick(sorts))).collect()
        };
        let (mut free, mut bound) = (variables(&mut rng, 'a'), variables(&mut rng, 'x'));
        if self == Self::Mixed {
            // Both sorts occur on both sides of the block in turn.
            let sort = if seed % 2 == 0 { Sort::Int } else { Sort::Real };
            bound[0].1 = sort;
            free[0].1 = if sort == Sort::Int { Sort::Real } else { Sort::Int };
        }
        if taste.bools.1 > 0 && self != Self::Booleans && rng.chance(50) {
            let side = if rng.chance(50) { &mut free } else { &mut bound };
            side.push(("p".to_owned(), Sort::Bool));
        }
        for (name, sort) in free.iter().chain(&bound) {
            vocabulary.bind(name, *sort);
        }
        let mut grammar = Grammar { rng: &mut rng, taste: &taste, vocabulary };
        let count = 1 + grammar.rng.below(3);
        let members: Vec<Sexpr> = (0..count).map(|_| grammar.formula()).collect();
        let head = if grammar.rng.chance(60) { "and" } else { "or" };
        let mut body = if count == 1 { members[0].clone() } else { Sexpr::app(head, members) };
        let universal = grammar.rng.chance(30);
        if self != Self::Booleans && grammar.rng.chance(75) {
            let between = bounds(&mut grammar, &free, &bound);
            body = Sexpr::app(if universal { "=>" } else { "and" }, [between, body]);
        }
        Quantified { universal, free, bound, body }
    }

    fn sorts(self) -> &'static [Sort] {
        match self {
            Self::Booleans => &[Sort::Bool],
            Self::Reals | Self::RealsWithConditionals | Self::RealsBeyondWords => &[Sort::Real],
            Self::Mixed => &[Sort::Int, Sort::Real],
            _ => &[Sort::Int],
        }
    }

    fn taste(self) -> Taste {
        let integers = Taste { magnitude: Magnitude::Tiny, bools: (0, 0), ..Taste::INTEGERS };
        // The logic is that of numerals with a point: sorts may be mixed.
        let reals = Taste { logic: "ALL", bools: (0, 0), ..Taste::REALS };
        match self {
            Self::Booleans => Taste { bools: (1, 4), formula_depth: 3, ite: 10, ..reals },
            Self::Reals => reals,
            Self::RealsWithConditionals => Taste { bools: (0, 1), ite: 20, ..reals },
            Self::RealsBeyondWords => Taste { magnitude: Magnitude::Huge, ..reals },
            Self::Integers => integers,
            Self::IntegersWithConditionals => Taste { bools: (0, 1), ite: 20, ..integers },
            Self::Divisibility => Taste { divisible: 40, ..integers },
            Self::Quotients => Taste { divmod: 35, ite: 8, abs: 5, bools: (0, 1), ..integers },
            Self::Mixed => Taste { logic: "ALL", reals: (1, 2), conversions: 20, ..integers },
        }
    }
}

/// That the first bound variable lies between sums with the free variables, which keeps most blocks from being
/// simply true or false.
fn bounds(grammar: &mut Grammar<'_>, free: &[(String, Sort)], bound: &[(String, Sort)]) -> Sexpr {
    let (name, sort) = &bound[0];
    let whole = grammar.vocabulary.clone();
    grammar.vocabulary = Vocabulary::default();
    for (name, sort) in free {
        grammar.vocabulary.bind(name, *sort);
    }
    let ends = [(); 2].map(|()| {
        let end = grammar.term(*sort);
        match free.iter().find(|(_, other)| other == sort) {
            Some((other, _)) => Sexpr::app("+", [Sexpr::atom(other.as_str()), end]),
            None => end,
        }
    });
    grammar.vocabulary = whole;
    let multiples = [(); 2].map(|()| {
        let factor = grammar.rng.range(1, 3);
        let factor =
            if *sort == Sort::Real { numbers::real_literal(factor) } else { numbers::literal(factor) };
        Sexpr::app("*", [factor, Sexpr::atom(name.as_str())])
    });
    let [low, high] = ends;
    let [first, second] = multiples;
    Sexpr::app("and", [Sexpr::app("<=", [low, first]), Sexpr::app("<=", [second, high])])
}

impl Quantified {
    /// The formula with its block.
    pub fn formula(&self) -> Sexpr {
        let bound = self
            .bound
            .iter()
            .map(|(name, sort)| Sexpr::List(vec![Sexpr::atom(name.as_str()), Sexpr::atom(sort_name(*sort))]));
        let head = if self.universal { "forall" } else { "exists" };
        Sexpr::app(head, [Sexpr::List(bound.collect()), self.body.clone()])
    }

    /// Declarations of the free variables, a line each.
    pub fn declarations(&self) -> String {
        declarations(&self.free)
    }

    /// Declarations of the bound variables as constants, a line each.
    pub fn bound_declarations(&self) -> String {
        declarations(&self.bound)
    }

    /// The script that asks for the elimination.
    pub fn script(&self) -> String {
        format!("(set-logic ALL)\n{}(get-qe {})\n", self.declarations(), self.formula())
    }
}

fn declarations(variables: &[(String, Sort)]) -> String {
    variables.iter().map(|(name, sort)| format!("(declare-fun {name} () {})\n", sort_name(*sort))).collect()
}

fn sort_name(sort: Sort) -> &'static str {
    match sort {
        Sort::Bool => "Bool",
        Sort::Int => "Int",
        Sort::Real => "Real",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_a_function_of_family_and_seed() {
        for &family in FAMILIES {
            assert_eq!(Family::named(family.name()), Some(family));
            assert_eq!(family.generate(3), family.generate(3));
            assert_ne!(family.generate(3), family.generate(4));
        }
        assert_eq!(Family::numbered(FAMILIES.len() as u64 + 1, 5), (FAMILIES[1], 6));
    }

    #[test]
    fn operators_of_the_families_occur() {
        let text = |family: Family| (0..50).map(|seed| family.generate(seed).script()).collect::<String>();
        for (family, wanted) in [
            (Family::Divisibility, "divisible"),
            (Family::Quotients, "(mod "),
            (Family::Quotients, "(div "),
            (Family::RealsWithConditionals, "(ite "),
            (Family::Mixed, "(to_int "),
            (Family::Integers, "(forall "),
        ] {
            assert!(text(family).contains(wanted), "{} without {wanted}", family.name());
        }
    }
}
