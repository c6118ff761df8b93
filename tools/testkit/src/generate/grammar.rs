//! Random terms over the symbols in force.

use super::numbers::{self, Magnitude};
use super::taste::Taste;
use crate::rng::Rng;
use crate::sexpr::Sexpr;
use crate::sorts::Sort;

/// A defined function.
#[derive(Clone, Debug)]
pub struct Macro {
    /// Its symbol.
    pub name: String,
    /// The sorts of its parameters.
    pub parameters: Vec<Sort>,
    /// The sort of its value.
    pub sort: Sort,
}

/// The symbols in force.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    /// Integer constants and variables.
    pub ints: Vec<String>,
    /// Real constants and variables.
    pub reals: Vec<String>,
    /// Boolean constants and variables.
    pub bools: Vec<String>,
    /// Defined functions.
    pub macros: Vec<Macro>,
}

impl Vocabulary {
    /// The symbols of a sort.
    pub fn of(&self, sort: Sort) -> &[String] {
        match sort {
            Sort::Int => &self.ints,
            Sort::Real => &self.reals,
            Sort::Bool => &self.bools,
        }
    }

    /// Adds a symbol, which hides its namesakes.
    pub fn bind(&mut self, name: &str, sort: Sort) {
        for names in [&mut self.ints, &mut self.reals, &mut self.bools] {
            names.retain(|other| other != name);
        }
        self.macros.retain(|definition| definition.name != name);
        match sort {
            Sort::Int => self.ints.push(name.to_owned()),
            Sort::Real => self.reals.push(name.to_owned()),
            Sort::Bool => self.bools.push(name.to_owned()),
        }
    }

    /// The number of symbols that are not functions.
    pub fn len(&self) -> usize {
        self.ints.len() + self.reals.len() + self.bools.len()
    }
}

/// A source of terms over a vocabulary.
pub struct Grammar<'a> {
    /// The randomness.
    pub rng: &'a mut Rng,
    /// What is liked.
    pub taste: &'a Taste,
    /// The symbols that may occur.
    pub vocabulary: Vocabulary,
}

impl Grammar<'_> {
    /// A formula of the profile's usual depth.
    pub fn formula(&mut self) -> Sexpr {
        let depth = self.rng.below(self.taste.formula_depth + 1);
        self.formula_of(depth)
    }

    /// A term of any sort.
    pub fn term(&mut self, sort: Sort) -> Sexpr {
        match sort {
            Sort::Bool => self.formula(),
            Sort::Int | Sort::Real => self.number(sort, self.taste.term_depth),
        }
    }

    /// A literal: an atom or a Boolean constant, perhaps negated.
    pub fn literal(&mut self) -> Sexpr {
        self.literal_of(self.taste.term_depth)
    }

    fn literal_of(&mut self, depth: usize) -> Sexpr {
        let atom = if !self.vocabulary.bools.is_empty() && (self.is_boolean() || self.rng.chance(25)) {
            Sexpr::atom(self.rng.pick(&self.vocabulary.bools).as_str())
        } else {
            let depth = self.rng.below(depth + 1);
            self.atom(depth)
        };
        if self.rng.chance(25) { Sexpr::app("not", [atom]) } else { atom }
    }

    fn is_boolean(&self) -> bool {
        self.vocabulary.ints.is_empty() && self.vocabulary.reals.is_empty()
    }

    fn formula_of(&mut self, depth: usize) -> Sexpr {
        if depth == 0 {
            return self.literal();
        }
        if self.rng.chance(self.taste.lets) {
            return self.binding(Sort::Bool, depth - 1);
        }
        if self.rng.chance(self.taste.ite.max(4)) {
            let parts = [(); 3].map(|()| self.formula_of(depth - 1));
            return Sexpr::app("ite", parts);
        }
        if let Some(call) = self.call(Sort::Bool) {
            return call;
        }
        let (head, count) = match self.rng.below(100) {
            0..35 => ("or", 2 + self.rng.below(3)),
            35..65 => ("and", 2 + self.rng.below(3)),
            65..75 => ("not", 1),
            75..87 => ("=>", 2 + usize::from(self.rng.chance(15))),
            87..92 => ("xor", 2 + usize::from(self.rng.chance(15))),
            92..98 => ("=", 2 + usize::from(self.rng.chance(15))),
            _ => ("distinct", 2),
        };
        let parts: Vec<_> = (0..count).map(|_| self.formula_of(depth - 1)).collect();
        Sexpr::app(head, parts)
    }

    /// A `let` of one or two bindings, half of which hide a symbol in force.
    fn binding(&mut self, sort: Sort, depth: usize) -> Sexpr {
        let outer = self.vocabulary.clone();
        let mut bound: Vec<(String, Sort)> = Vec::new();
        let mut bindings = Vec::new();
        for number in 0..1 + self.rng.below(2) {
            let kind = self.some_sort();
            let value = match kind {
                Sort::Bool => self.condition(depth.min(1)),
                _ => self.number(kind, depth.min(1)),
            };
            let hidden = outer.of(self.some_sort());
            let name = if !hidden.is_empty() && self.rng.chance(50) {
                self.rng.pick(hidden).clone()
            } else {
                format!("l{number}")
            };
            if !bound.iter().any(|(other, _)| *other == name) {
                bindings.push(Sexpr::List(vec![Sexpr::atom(name.as_str()), value]));
                bound.push((name, kind));
            }
        }
        for (name, kind) in &bound {
            self.vocabulary.bind(name, *kind);
        }
        let body = match sort {
            Sort::Bool => self.formula_of(depth),
            _ => self.number(sort, depth),
        };
        self.vocabulary = outer;
        Sexpr::app("let", [Sexpr::List(bindings), body])
    }

    /// A sort that the vocabulary has constants of; integers where it has none.
    fn some_sort(&mut self) -> Sort {
        let sorts: Vec<_> = [Sort::Int, Sort::Real, Sort::Bool]
            .into_iter()
            .filter(|&sort| !self.vocabulary.of(sort).is_empty())
            .collect();
        if sorts.is_empty() { self.number_sort() } else { *self.rng.pick(&sorts) }
    }

    /// A sort of numbers that the script's logic has.
    fn number_sort(&mut self) -> Sort {
        let (ints, reals) = (self.taste.ints.1 > 0, self.taste.reals.1 > 0);
        if reals && (!ints || self.rng.chance(50)) { Sort::Real } else { Sort::Int }
    }

    /// An application of a defined function.
    fn call(&mut self, sort: Sort) -> Option<Sexpr> {
        if self.vocabulary.macros.is_empty() || !self.rng.chance(30) {
            return None;
        }
        let known: Vec<_> = self.vocabulary.macros.iter().filter(|known| known.sort == sort).collect();
        if known.is_empty() {
            return None;
        }
        let known = (*self.rng.pick(&known)).clone();
        if known.parameters.is_empty() {
            return Some(Sexpr::atom(known.name));
        }
        let arguments: Vec<_> = known
            .parameters
            .iter()
            .map(|&sort| match sort {
                Sort::Bool => self.literal_of(0),
                _ => self.number(sort, 0),
            })
            .collect();
        Some(Sexpr::app(&known.name, arguments))
    }

    /// The condition of a term: its depth comes out of the term's, or the nesting would have no end.
    fn condition(&mut self, depth: usize) -> Sexpr {
        if self.rng.chance(75) {
            return self.literal_of(depth);
        }
        let head = *self.rng.pick(&["and", "or", "="]);
        let parts = [(); 2].map(|()| self.literal_of(depth));
        Sexpr::app(head, parts)
    }

    /// An arithmetic atom over terms of a depth.
    fn atom(&mut self, depth: usize) -> Sexpr {
        let sort = self.number_sort();
        if sort == Sort::Int && self.rng.chance(self.taste.divisible) {
            let magnitude = self.small_or_liked();
            let modulus = numbers::positive(self.rng, magnitude);
            let index = ["_", "divisible", &modulus].map(Sexpr::atom);
            let argument = self.number(Sort::Int, depth);
            return Sexpr::List(vec![Sexpr::List(index.into()), argument]);
        }
        if sort == Sort::Real && self.rng.chance(self.taste.conversions) {
            let argument = self.number(Sort::Real, depth);
            return Sexpr::app("is_int", [argument]);
        }
        if self.rng.chance(self.taste.chains) {
            let head = *self.rng.pick(&["distinct", "<", "<=", "=", ">=", ">"]);
            let count = 2 + self.rng.below(3);
            let parts: Vec<_> = (0..count).map(|_| self.number(sort, depth.min(1))).collect();
            return Sexpr::app(head, parts);
        }
        let head = if self.rng.chance(self.taste.equality) {
            "="
        } else if self.rng.chance(self.taste.strict) {
            *self.rng.pick(&["<", ">"])
        } else {
            *self.rng.pick(&["<=", ">="])
        };
        let left = self.number(sort, depth);
        let right = if self.rng.chance(70) { self.constant(sort) } else { self.number(sort, depth) };
        if self.rng.chance(15) { Sexpr::app(head, [right, left]) } else { Sexpr::app(head, [left, right]) }
    }

    fn constant(&mut self, sort: Sort) -> Sexpr {
        let bare = self.taste.logic == "QF_LRA";
        match sort {
            Sort::Real => numbers::real(self.rng, self.taste.magnitude, bare),
            _ => numbers::integer(self.rng, self.taste.magnitude),
        }
    }

    /// The liked magnitude for a fifth of the coefficients and moduli: more of them only make the
    /// same constants grow.
    fn small_or_liked(&mut self) -> Magnitude {
        let liked = self.rng.chance(20) || self.taste.magnitude == Magnitude::Tiny;
        if liked { self.taste.magnitude } else { Magnitude::Small }
    }

    /// A variable or a constant.
    fn leaf(&mut self, sort: Sort) -> Sexpr {
        let names = self.vocabulary.of(sort);
        if names.is_empty() || self.rng.chance(8) {
            return self.constant(sort);
        }
        Sexpr::atom(self.rng.pick(self.vocabulary.of(sort)).as_str())
    }

    fn number(&mut self, sort: Sort, depth: usize) -> Sexpr {
        if depth == 0 {
            return if self.rng.chance(60) { self.leaf(sort) } else { self.product(sort, 0) };
        }
        let below = depth - 1;
        if self.rng.chance(self.taste.ite) {
            let condition = self.condition(below);
            let (first, second) = (self.number(sort, below), self.number(sort, below));
            return Sexpr::app("ite", [condition, first, second]);
        }
        if self.rng.chance(self.taste.abs) && sort == Sort::Int {
            let inner = self.number(sort, below);
            return Sexpr::app("abs", [inner]);
        }
        if self.rng.chance(self.taste.divmod) && sort == Sort::Int {
            let head = *self.rng.pick(&["div", "mod"]);
            let inner = self.number(sort, below);
            let divisor = self.divisor();
            return Sexpr::app(head, [inner, divisor]);
        }
        if self.rng.chance(self.taste.conversions) {
            return match sort {
                Sort::Real => {
                    let inner = self.number(Sort::Int, below);
                    Sexpr::app("to_real", [inner])
                }
                _ => {
                    let inner = self.number(Sort::Real, below);
                    Sexpr::app("to_int", [inner])
                }
            };
        }
        if self.rng.chance(self.taste.lets) {
            return self.binding(sort, below);
        }
        if let Some(call) = self.call(sort) {
            return call;
        }
        match self.rng.below(100) {
            0..65 => {
                let count = 2 + self.rng.below(3);
                let parts: Vec<_> = (0..count).map(|_| self.product(sort, below)).collect();
                Sexpr::app("+", parts)
            }
            65..85 => {
                let count = 1 + self.rng.below(3);
                let parts: Vec<_> = (0..count).map(|_| self.product(sort, below)).collect();
                Sexpr::app("-", parts)
            }
            _ => self.product(sort, below),
        }
    }

    /// A term times a constant, in one of the notations that stay linear.
    fn product(&mut self, sort: Sort, depth: usize) -> Sexpr {
        let factor = if depth == 0 { self.leaf(sort) } else { self.number(sort, depth) };
        let magnitude = self.small_or_liked();
        match (self.rng.below(10), sort) {
            (0..5, _) => factor,
            (5, Sort::Real) => {
                let below = numbers::positive(self.rng, magnitude);
                Sexpr::app("/", [factor, Sexpr::atom(format!("{below}.0"))])
            }
            (kind, _) => {
                let coefficient = match sort {
                    Sort::Real => numbers::real(self.rng, magnitude, self.taste.logic == "QF_LRA"),
                    _ => numbers::coefficient(self.rng, magnitude),
                };
                if kind == 9 {
                    Sexpr::app("*", [factor, coefficient])
                } else {
                    Sexpr::app("*", [coefficient, factor])
                }
            }
        }
    }

    /// A divisor that is not 0: often 1, -1 or small, sometimes of the liked magnitude.
    fn divisor(&mut self) -> Sexpr {
        match self.rng.below(10) {
            0 => Sexpr::atom("1"),
            1 => numbers::literal(-1),
            2..8 => {
                let value = self.rng.range(2, if self.taste.magnitude == Magnitude::Tiny { 5 } else { 9 });
                numbers::literal(if self.rng.chance(30) { -value } else { value })
            }
            _ => numbers::coefficient(self.rng, self.taste.magnitude),
        }
    }
}
