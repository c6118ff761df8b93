//! Terms of bit-vectors in scripts of many theories.

use super::theories::Writer;
use crate::rng::Rng;
use crate::sexpr::Sexpr;

/// The sort of bit-vectors of a width.
pub(super) fn bit_sort(width: u32) -> String {
    format!("(_ BitVec {width})")
}

/// The width of a sort of bit-vectors.
pub(super) fn bit_width(sort: &str) -> Option<u32> {
    sort.strip_prefix("(_ BitVec ")?.strip_suffix(')')?.parse().ok()
}

/// A literal, in one of the three forms.
pub(super) fn literal(rng: &mut Rng, width: u32) -> Sexpr {
    let special = rng.below(4);
    let digits: String = (0..width)
        .map(|place| match special {
            0 => '0',
            1 => '1',
            2 => {
                if place + 2 >= width {
                    ['0', '1'][rng.below(2)]
                } else {
                    '0'
                }
            }
            _ => ['0', '1'][rng.below(2)],
        })
        .collect();
    if width.is_multiple_of(4) && rng.chance(50) {
        let hex = |four: &[u8]| four.iter().fold(0, |value, digit| 2 * value + u32::from(digit - b'0'));
        let digits: String = digits.as_bytes().chunks(4).map(|four| format!("{:x}", hex(four))).collect();
        return Sexpr::atom(format!("#x{digits}"));
    }
    if width <= 60 && rng.chance(30) {
        let number = digits.bytes().fold(0_u64, |value, digit| 2 * value + u64::from(digit - b'0'));
        let words = ["_".to_owned(), format!("bv{number}"), width.to_string()];
        return Sexpr::List(words.into_iter().map(Sexpr::atom).collect());
    }
    Sexpr::atom(format!("#b{digits}"))
}

fn indexed(name: &str, indices: &[u32], args: Vec<Sexpr>) -> Sexpr {
    let words = ["_".to_owned(), name.to_owned()].into_iter().chain(indices.iter().map(u32::to_string));
    let head = Sexpr::List(words.map(Sexpr::atom).collect());
    Sexpr::List([head].into_iter().chain(args).collect())
}

const RELATIONS: [&str; 10] =
    ["bvult", "bvule", "bvugt", "bvuge", "bvslt", "bvsle", "bvsgt", "bvsge", "=", "distinct"];
const OVERFLOWS: [&str; 7] = ["bvuaddo", "bvsaddo", "bvumulo", "bvsmulo", "bvusubo", "bvssubo", "bvsdivo"];
const CHEAP: [&str; 12] = [
    "bvadd", "bvsub", "bvand", "bvor", "bvxor", "bvnand", "bvnor", "bvxnor", "bvshl", "bvlshr", "bvashr",
    "bvadd",
];
/// What Alethe has rules for.
const WITH_RULES: [&str; 16] = [
    "bvult",
    "bvslt",
    "=",
    "distinct",
    "bvadd",
    "bvand",
    "bvor",
    "bvxor",
    "bvxnor",
    "bvmul",
    "bvnot",
    "bvneg",
    "bvcomp",
    "concat",
    "extract",
    "sign_extend",
];
/// The numbers of the terms in [`Writer::bit_term`] that Alethe has rules for.
const TERMS_WITH_RULES: [usize; 11] = [0, 1, 2, 3, 6, 7, 8, 9, 11, 14, 15];
const COSTLY: [&str; 6] = ["bvmul", "bvudiv", "bvurem", "bvsdiv", "bvsrem", "bvsmod"];
/// Products and quotients of wider terms keep solvers busy for long, and so does the elimination of quantifiers over them.
const COSTLY_WIDTH: u32 = 12;
const COSTLY_WIDTH_UNDER_QUANTIFIERS: u32 = 4;

impl Writer<'_> {
    /// A width: mostly small, as formulas with wide products take long.
    pub(super) fn width(&mut self, widest: u32) -> u32 {
        let most = if self.rng.chance(50) { widest.min(8) } else { widest };
        1 + self.rng.below(most as usize) as u32
    }

    /// The width of some sort of the signature.
    pub(super) fn some_width(&mut self) -> u32 {
        let widths: Vec<u32> = self.signature.sorts.iter().filter_map(|sort| bit_width(sort)).collect();
        *self.rng.pick(&widths)
    }

    /// The greatest width of products and quotients.
    fn costly_width(&self) -> u32 {
        if self.ingredients.quantifiers { COSTLY_WIDTH_UNDER_QUANTIFIERS } else { COSTLY_WIDTH }
    }

    /// One of these operators.
    fn operator(&mut self, names: &[&'static str]) -> &'static str {
        let all = !self.ingredients.with_rules;
        let names: Vec<&str> =
            names.iter().copied().filter(|name| all || WITH_RULES.contains(name)).collect();
        names[self.rng.below(names.len())]
    }

    fn bits(&mut self, width: u32, depth: i64) -> Sexpr {
        self.term(&bit_sort(width), depth)
    }

    /// A comparison of bit-vectors.
    pub(super) fn bit_relation(&mut self, depth: i64) -> Sexpr {
        let width = self.some_width();
        let all = !self.ingredients.with_rules;
        if all && self.rng.chance(12) && width <= self.costly_width() {
            let name = *self.rng.pick(&OVERFLOWS);
            return Sexpr::app(name, [self.bits(width, depth - 1), self.bits(width, depth - 1)]);
        }
        if all && self.rng.chance(4) {
            return Sexpr::app("bvnego", [self.bits(width, depth)]);
        }
        let name = self.operator(&RELATIONS);
        Sexpr::app(name, [self.bits(width, depth), self.bits(width, depth)])
    }

    /// A bit-vector with an operator at its head.
    pub(super) fn bit_term(&mut self, width: u32, depth: i64) -> Sexpr {
        let widest = self.ingredients.bits.unwrap_or(width).max(width);
        let number =
            if self.ingredients.with_rules { *self.rng.pick(&TERMS_WITH_RULES) } else { self.rng.below(16) };
        match number {
            0 if width > 1 => {
                let low = 1 + self.rng.below(width as usize - 1) as u32;
                Sexpr::app("concat", [self.bits(width - low, depth), self.bits(low, depth)])
            }
            1 | 2 if width < widest => {
                let whole = width + 1 + self.rng.below((widest - width) as usize) as u32;
                let whole = if self.rng.chance(60) { self.some_width().max(width) } else { whole };
                let low = self.rng.below((whole - width) as usize + 1) as u32;
                indexed("extract", &[low + width - 1, low], vec![self.bits(whole, depth)])
            }
            3 if width > 1 => {
                let by = 1 + self.rng.below(width as usize - 1) as u32;
                let name = self.operator(&["zero_extend", "sign_extend"]);
                indexed(name, &[by], vec![self.bits(width - by, depth)])
            }
            4 => {
                let times: Vec<u32> = (1..=width).filter(|&times| width.is_multiple_of(times)).collect();
                let times = *self.rng.pick(&times);
                indexed("repeat", &[times], vec![self.bits(width / times, depth)])
            }
            5 => {
                let name = *self.rng.pick(&["rotate_left", "rotate_right"]);
                let by = self.rng.below(2 * width as usize + 1) as u32;
                indexed(name, &[by], vec![self.bits(width, depth)])
            }
            6 => {
                let name = self.operator(&["bvnot", "bvneg"]);
                Sexpr::app(name, [self.bits(width, depth)])
            }
            7 => {
                let condition = self.atom_below(depth);
                Sexpr::app("ite", [condition, self.bits(width, depth), self.bits(width, depth)])
            }
            8 if width == 1 => {
                let wide = self.some_width();
                Sexpr::app("bvcomp", [self.bits(wide, depth), self.bits(wide, depth)])
            }
            9 => {
                let name = self.operator(&["bvadd", "bvand", "bvor", "bvxor"]);
                let args: Vec<Sexpr> = (0..self.rng.range(2, 4)).map(|_| self.bits(width, depth)).collect();
                Sexpr::app(name, args)
            }
            10 if self.ingredients.conversions => {
                indexed("int_to_bv", &[width], vec![self.term("Int", depth)])
            }
            11..14 if width <= self.costly_width() => {
                let name = self.operator(&COSTLY);
                Sexpr::app(name, [self.bits(width, depth), self.bits(width, depth)])
            }
            11 => {
                // A product with a number.
                let number = literal(self.rng, width);
                Sexpr::app("bvmul", [number, self.bits(width, depth)])
            }
            _ => {
                let name = self.operator(&CHEAP);
                Sexpr::app(name, [self.bits(width, depth), self.bits(width, depth)])
            }
        }
    }
}
