//! Random terms of bit-vectors as they are written, with their values by definition.
//!
//! Values are computed with machine integers, by SMT-LIB's definitions and nothing else: up to 60 bits, so that products
//! of two fit 128. Wider terms can be written, and judged by another solver.

use std::fmt::{self, Write};

use shem_base::Rng;

/// The greatest width with values.
pub const VALUE_WIDTH: u32 = 60;

/// A term: an operation with indices and arguments, a variable or a number.
#[derive(Clone, Debug)]
pub struct BitTerm {
    /// What stands at the head: the name of the operation, a variable, or a literal.
    pub head: String,
    /// The indices of the operation.
    pub indices: Vec<u32>,
    /// The arguments.
    pub args: Vec<BitTerm>,
    /// The width; `None` for a formula.
    pub width: Option<u32>,
    /// The place of a variable, or the value of a literal.
    leaf: Option<Leaf>,
}

#[derive(Clone, Copy, Debug)]
enum Leaf {
    Variable(usize),
    Literal(u128),
}

/// Operations on two bit-vectors of one width with a result of that width.
pub const WORDS: [&str; 21] = [
    "bvadd", "bvsub", "bvmul", "bvand", "bvor", "bvxor", "bvnand", "bvnor", "bvxnor", "bvudiv", "bvurem",
    "bvsdiv", "bvsrem", "bvsmod", "bvshl", "bvlshr", "bvashr", "bvadd", "bvmul", "bvand", "bvor",
];

/// Relations between two bit-vectors of one width.
pub const RELATIONS: [&str; 18] = [
    "=", "distinct", "bvult", "bvule", "bvugt", "bvuge", "bvslt", "bvsle", "bvsgt", "bvsge", "bvuaddo",
    "bvsaddo", "bvumulo", "bvsmulo", "bvusubo", "bvssubo", "bvsdivo", "=",
];

impl BitTerm {
    /// The variable with this number, as a term.
    pub fn variable(at: usize, width: u32) -> BitTerm {
        let leaf = Some(Leaf::Variable(at));
        BitTerm { head: format!("x{at}"), indices: Vec::new(), args: Vec::new(), width: Some(width), leaf }
    }

    /// An operator applied to terms; a formula has no width.
    pub fn apply(head: &str, indices: &[u32], args: Vec<BitTerm>, width: Option<u32>) -> BitTerm {
        BitTerm { head: head.to_owned(), indices: indices.to_vec(), args, width, leaf: None }
    }

    /// A literal, in one of the three forms.
    pub fn literal(rng: &mut Rng, width: u32) -> BitTerm {
        let bits = width.min(127);
        let value = match rng.below(5) {
            0 => u128::from(rng.below(3)),
            1 => u128::MAX,
            2 => 1 << (bits - 1),
            _ => u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64()),
        };
        let value = value & mask(bits);
        let head = match rng.below(3) {
            0 => format!("(_ bv{value} {width})"),
            1 if width.is_multiple_of(4) => format!("#x{value:0digits$x}", digits = width as usize / 4),
            _ => format!("#b{value:0digits$b}", digits = width as usize),
        };
        let leaf = Some(Leaf::Literal(value));
        BitTerm { head, indices: Vec::new(), args: Vec::new(), width: Some(width), leaf }
    }

    /// The value: that of a formula is 0 or 1.
    pub fn value(&self, variables: &[u128]) -> u128 {
        match self.leaf {
            Some(Leaf::Variable(at)) => variables[at],
            Some(Leaf::Literal(value)) => value,
            None => {
                let args: Vec<(u128, u32)> =
                    self.args.iter().map(|arg| (arg.value(variables), arg.width.unwrap_or(1))).collect();
                meaning(&self.head, &self.indices, &args) & mask(self.width.unwrap_or(1))
            }
        }
    }
}

impl fmt::Display for BitTerm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.args.is_empty() {
            return f.write_str(&self.head);
        }
        if self.indices.is_empty() {
            write!(f, "({}", self.head)?;
        } else {
            let mut indices = String::new();
            self.indices.iter().try_for_each(|index| write!(indices, " {index}"))?;
            write!(f, "((_ {}{indices})", self.head)?;
        }
        self.args.iter().try_for_each(|arg| write!(f, " {arg}"))?;
        f.write_str(")")
    }
}

fn mask(width: u32) -> u128 {
    (1 << width) - 1
}

/// The number whose sign is the highest bit.
fn signed((value, width): (u128, u32)) -> i128 {
    if value >> (width - 1) & 1 == 1 { value as i128 - (1 << width) } else { value as i128 }
}

/// The value of an operation at these arguments, each with its width; the result is to be cut to its width.
pub fn meaning(name: &str, indices: &[u32], args: &[(u128, u32)]) -> u128 {
    let (a, width) = args[0];
    let (b, low_width) = args.get(1).copied().unwrap_or((0, 1));
    let all = mask(width);
    let least = -(1_i128 << (width - 1));
    let (x, y) = (signed((a, width)), signed((b, low_width)));
    let outside = |number: i128| u128::from(number < least || number >= -least);
    let fold = |start: u128, operation: fn(u128, u128) -> u128| {
        args.iter().fold(start, |result, arg| operation(result, arg.0) & all)
    };
    let rotated = |by: u32| (a << (by % width) | a >> ((width - by % width) % width)) & all;
    match name {
        "concat" => args.iter().fold(0, |result, arg| result << arg.1 | arg.0),
        "extract" => a >> indices[1] & mask(indices[0] - indices[1] + 1),
        "zero_extend" => a,
        "sign_extend" => x as u128,
        "repeat" => (0..indices[0]).fold(0, |result, _| result << width | a),
        "rotate_left" => rotated(indices[0]),
        "rotate_right" => rotated(width - indices[0] % width),
        "bvnot" => !a,
        "bvneg" => a.wrapping_neg(),
        "bvadd" => fold(0, u128::wrapping_add),
        "bvsub" => a.wrapping_sub(b),
        "bvmul" => fold(1, u128::wrapping_mul),
        "bvand" => fold(all, |a, b| a & b),
        "bvor" => fold(0, |a, b| a | b),
        "bvxor" => fold(0, |a, b| a ^ b),
        "bvnand" => !(a & b),
        "bvnor" => !(a | b),
        "bvxnor" => !(a ^ b),
        "bvudiv" => a.checked_div(b).unwrap_or(all),
        "bvurem" => a.checked_rem(b).unwrap_or(a),
        "bvsdiv" if y == 0 => {
            if x < 0 {
                1
            } else {
                all
            }
        }
        "bvsdiv" => (x / y) as u128,
        "bvsrem" => x.checked_rem(y).unwrap_or(x) as u128,
        // The remainder has the sign of the divisor: rounded down.
        "bvsmod" if y == 0 => a,
        "bvsmod" => (x - y * x.div_euclid(y) + if y < 0 && x.rem_euclid(y) != 0 { y } else { 0 }) as u128,
        "bvshl" => {
            if b >= u128::from(width) {
                0
            } else {
                a << b
            }
        }
        "bvlshr" => {
            if b >= u128::from(width) {
                0
            } else {
                a >> b
            }
        }
        "bvashr" => (x >> b.min(100)) as u128,
        "bvcomp" | "=" => u128::from(a == b),
        "distinct" => u128::from(a != b),
        "bvult" => u128::from(a < b),
        "bvule" => u128::from(a <= b),
        "bvugt" => u128::from(a > b),
        "bvuge" => u128::from(a >= b),
        "bvslt" => u128::from(x < y),
        "bvsle" => u128::from(x <= y),
        "bvsgt" => u128::from(x > y),
        "bvsge" => u128::from(x >= y),
        "bvnego" => outside(-x),
        "bvuaddo" => u128::from(a + b > all),
        "bvsaddo" => outside(x + y),
        "bvumulo" => u128::from(a * b > all),
        "bvsmulo" => outside(x * y),
        "bvusubo" => u128::from(a < b),
        "bvssubo" => outside(x - y),
        "bvsdivo" => u128::from(y != 0 && outside(x / if y == 0 { 1 } else { y }) == 1),
        "ite" => {
            if a == 1 {
                b
            } else {
                args[2].0
            }
        }
        "not" => u128::from(a == 0),
        _ => panic!("{name} has no meaning here"),
    }
}

/// Makes random terms over variables with these widths, named `x0`, `x1`, ….
#[derive(Debug)]
pub struct BitTerms<'r> {
    /// Where choices come from.
    pub rng: &'r mut Rng,
    /// The widths of the variables.
    pub variables: Vec<u32>,
    /// No subterm is wider.
    pub widest: u32,
}

impl BitTerms<'_> {
    fn leaf(&mut self, width: u32) -> BitTerm {
        let fitting: Vec<usize> =
            (0..self.variables.len()).filter(|&at| self.variables[at] == width).collect();
        if fitting.is_empty() || self.rng.chance(30) {
            return BitTerm::literal(self.rng, width);
        }
        BitTerm::variable(*self.rng.pick(&fitting), width)
    }

    /// A width that has variables, mostly.
    fn some_width(&mut self) -> u32 {
        match self.rng.chance(80) {
            true => self.variables[self.rng.index(self.variables.len())],
            false => 1 + self.rng.below(u64::from(self.widest)) as u32,
        }
    }

    /// A formula.
    pub fn formula(&mut self, depth: usize) -> BitTerm {
        let width = self.some_width();
        if self.rng.chance(5) {
            let arg = self.term(width, depth);
            return BitTerm::apply("bvnego", &[], vec![arg], None);
        }
        if depth > 0 && self.rng.chance(10) {
            let arg = self.formula(depth - 1);
            return BitTerm::apply("not", &[], vec![arg], None);
        }
        let head = RELATIONS[self.rng.index(RELATIONS.len())];
        let doubled = matches!(head, "bvumulo" | "bvsmulo") && 2 * width > VALUE_WIDTH;
        let head = if doubled { "bvule" } else { head };
        let args = vec![self.term(width, depth), self.term(width, depth)];
        BitTerm::apply(head, &[], args, None)
    }

    /// A bit-vector of this width.
    pub fn term(&mut self, width: u32, depth: usize) -> BitTerm {
        if depth == 0 || self.rng.chance(10) {
            return self.leaf(width);
        }
        let inner = depth - 1;
        let apply = |head: &str, indices: &[u32], args| BitTerm::apply(head, indices, args, Some(width));
        match self.rng.below(20) {
            0 if width > 1 => {
                let low = 1 + self.rng.below(u64::from(width) - 1) as u32;
                let args = vec![self.term(width - low, inner), self.term(low, inner)];
                apply("concat", &[], args)
            }
            1 | 2 if width < self.widest => {
                let whole = width + 1 + self.rng.below(u64::from(self.widest - width)) as u32;
                let low = self.rng.below(u64::from(whole - width) + 1) as u32;
                let arg = self.term(whole, inner);
                apply("extract", &[low + width - 1, low], vec![arg])
            }
            3 if width > 1 => {
                let by = 1 + self.rng.below(u64::from(width) - 1) as u32;
                let head = if self.rng.bool() { "zero_extend" } else { "sign_extend" };
                let arg = self.term(width - by, inner);
                apply(head, &[by], vec![arg])
            }
            4 => {
                let times: Vec<u32> = (1..=width).filter(|&times| width.is_multiple_of(times)).collect();
                let times = *self.rng.pick(&times);
                let arg = self.term(width / times, inner);
                apply("repeat", &[times], vec![arg])
            }
            5 => {
                let head = if self.rng.bool() { "rotate_left" } else { "rotate_right" };
                let by = self.rng.below(u64::from(width) * 2 + 1) as u32;
                let arg = self.term(width, inner);
                apply(head, &[by], vec![arg])
            }
            6 | 7 => {
                let head = if self.rng.bool() { "bvnot" } else { "bvneg" };
                let arg = self.term(width, inner);
                apply(head, &[], vec![arg])
            }
            8 => {
                let condition = self.formula(inner);
                let args = vec![condition, self.term(width, inner), self.term(width, inner)];
                apply("ite", &[], args)
            }
            9 if width == 1 => {
                let wide = self.some_width();
                let args = vec![self.term(wide, inner), self.term(wide, inner)];
                apply("bvcomp", &[], args)
            }
            10 => {
                let head = *self.rng.pick(&["bvadd", "bvmul", "bvand", "bvor", "bvxor"]);
                let args = (0..2 + self.rng.below(3)).map(|_| self.term(width, inner)).collect();
                apply(head, &[], args)
            }
            _ => {
                let head = WORDS[self.rng.index(WORDS.len())];
                let args = vec![self.term(width, inner), self.term(width, inner)];
                apply(head, &[], args)
            }
        }
    }
}
