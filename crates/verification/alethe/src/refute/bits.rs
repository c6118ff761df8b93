//! Bit-vectors: the rules of Alethe that say what the bits of an operation are.
//!
//! A bit of a term is the formula `((_ @bit_of i) t)`, and a vector of bits is the term `(@bbterm b0 b1 …)`, the lowest
//! bit first. The rule of an operation says that a term is equal to a vector of formulas about the bits of its arguments;
//! `bitblast_equal` says that two terms are equal if their bits are. These two, with the rules of connectives, define every
//! bit: nothing is rewritten. The formulas have exactly the shape that the checker builds for itself.
//!
//! Operations without a rule are functions without a meaning. Where bit-vectors are arguments or values of functions, their
//! equations are known to congruence as well, and so are those that congruence may ask for.

use std::collections::BTreeMap;

use super::encode::Encoder;
use crate::error::{Result, unsupported};
use crate::written::bits::{indexed, indexed_name, literal, operation_sort};
use crate::written::{Script, Sort, TermId, Terms};

/// The most bits of a product whose circuit is written, which has some ten formulas for each pair of bits.
const WIDEST_PRODUCT: u32 = 256;

/// The most applications of one function whose arguments and values are compared in pairs.
const MOST_APPLICATIONS: usize = 100;

const VECTOR: &str = "@bbterm";
const BIT: &str = "@bit_of";

/// The rule for an operation with so many arguments.
fn rule(name: &str, args: usize) -> Option<&'static str> {
    if literal(name).is_some() {
        return Some("bitblast_const");
    }
    let (operator, _) = indexed(name).unwrap_or((name, Vec::new()));
    match (operator, args) {
        ("extract", 1) => Some("bitblast_extract"),
        ("sign_extend", 1) => Some("bitblast_sign_extend"),
        ("concat", _) => Some("bitblast_concat"),
        ("bvnot", 1) => Some("bitblast_not"),
        ("bvneg", 1) => Some("bitblast_neg"),
        ("bvand", _) => Some("bitblast_and"),
        ("bvor", _) => Some("bitblast_or"),
        ("bvxor", _) => Some("bitblast_xor"),
        ("bvxnor", 2) => Some("bitblast_xnor"),
        ("bvadd", _) => Some("bitblast_add"),
        ("bvmul", _) => Some("bitblast_mult"),
        ("bvcomp", 2) => Some("bitblast_comp"),
        ("bvult", 2) => Some("bitblast_ult"),
        ("bvslt", 2) => Some("bitblast_slt"),
        _ => None,
    }
}

/// Whether a symbol of the theory of bit-vectors, applied to these terms, has no rule.
fn has_no_rule(script: &Script, id: TermId) -> bool {
    let (name, args) = script.terms.parts(id);
    let sorts: Vec<Sort> = args.iter().map(|&arg| script.terms.sort(arg).clone()).collect();
    !script.is_declared(name) && rule(name, args.len()).is_none() && operation_sort(name, &sorts).is_some()
}

/// Whether a term is an operation on bit-vectors that counts as a function without a meaning. The checker's rule of
/// congruence is not for indexed symbols.
pub(crate) fn is_opaque(script: &Script, id: TermId) -> bool {
    indexed(script.terms.parts(id).0).is_none() && has_no_rule(script, id)
}

fn is_vector(terms: &Terms, id: TermId) -> bool {
    matches!(terms.sort(id), Sort::BitVec(_))
}

/// Circuits, in the shape that the rules want.
impl Terms {
    /// The bits of a term, the lowest first.
    fn bits(&mut self, id: TermId) -> Vec<TermId> {
        if let (VECTOR, bits) = self.parts(id) {
            return bits.to_vec();
        }
        let &Sort::BitVec(width) = self.sort(id) else { unreachable!("{id:?} is a bit-vector") };
        (0..width).map(|i| self.formula(&indexed_name(BIT, &[&i.to_string()]), &[id])).collect()
    }

    /// Bit by bit.
    fn pointwise(&mut self, name: &str, x: &[TermId], y: &[TermId]) -> Vec<TermId> {
        x.iter().zip(y).map(|(&x, &y)| self.formula(name, &[x, y])).collect()
    }

    fn carry(&mut self, x: TermId, y: TermId, before: TermId) -> TermId {
        let (both, one) = (self.formula("and", &[x, y]), self.formula("xor", &[x, y]));
        let passed = self.formula("and", &[one, before]);
        self.formula("or", &[both, passed])
    }

    fn digit(&mut self, x: TermId, y: TermId, carry: TermId) -> TermId {
        let sum = self.formula("xor", &[x, y]);
        self.formula("xor", &[sum, carry])
    }

    fn sum(&mut self, x: &[TermId], y: &[TermId], mut carry: TermId) -> Vec<TermId> {
        let mut sum = Vec::with_capacity(x.len());
        for (i, (&a, &b)) in x.iter().zip(y).enumerate() {
            sum.push(self.digit(a, b, carry));
            if i + 1 < x.len() {
                carry = self.carry(a, b, carry);
            }
        }
        sum
    }

    /// Multiples of the first, shifted, are added one after the other; what a row leaves as it is stays.
    fn product(&mut self, x: &[TermId], y: &[TermId]) -> Vec<TermId> {
        let none = self.truth(false);
        let mut row: Vec<TermId> = x.iter().map(|&x| self.formula("and", &[y[0], x])).collect();
        for j in 1..x.len() {
            let mut carry = none;
            for i in j..x.len() {
                let multiple = self.formula("and", &[y[j], x[i - j]]);
                let digit = self.digit(row[i], multiple, carry);
                if i + 1 < x.len() {
                    carry = self.carry(row[i], multiple, carry);
                }
                row[i] = digit;
            }
        }
        row
    }

    /// All bits are equal.
    fn equal_bits(&mut self, x: &[TermId], y: &[TermId]) -> TermId {
        match self.pointwise("=", x, y)[..] {
            [only] => only,
            ref all => self.formula("and", all),
        }
    }

    /// One number is less than the other: the lower bits decide where the higher ones are equal.
    fn less(&mut self, x: &[TermId], y: &[TermId], signed: bool) -> TermId {
        let top = x.len() - 1;
        let mut less = None;
        for (i, (&a, &b)) in x.iter().zip(y).enumerate() {
            // A sign that is set makes a number less.
            let below = if signed && i == top { [a, self.not(b)] } else { [self.not(a), b] };
            let below = self.formula("and", &below);
            less = Some(match less {
                None => below,
                Some(lower) => {
                    let same = self.equation(x[i], y[i]);
                    let lower = self.formula("and", &[same, lower]);
                    self.formula("or", &[lower, below])
                }
            });
        }
        less.expect("a bit-vector has bits")
    }

    /// The bits of an operation, by its rule.
    fn operation(&mut self, id: TermId) -> Result<Vec<TermId>> {
        let (name, args) = self.parts(id);
        let (name, args) = (name.to_owned(), args.to_vec());
        if let Some(value) = literal(&name) {
            return Ok((0..value.width()).map(|place| self.truth(value.bit(place))).collect());
        }
        let (operator, indices) = indexed(&name).unwrap_or((&name, Vec::new()));
        let mut words: Vec<Vec<TermId>> = args.iter().map(|&arg| self.bits(arg)).collect();
        if operator == "bvmul" && words[0].len() > WIDEST_PRODUCT as usize {
            return unsupported(format!("products of more than {WIDEST_PRODUCT} bits that are written out"));
        }
        if operator == "concat" {
            words.reverse();
            return Ok(words.concat());
        }
        let others = words.split_off(1);
        let first = words.swap_remove(0);
        Ok(match operator {
            "extract" => first[indices[1] as usize..=indices[0] as usize].to_vec(),
            "sign_extend" => {
                let sign = first[first.len() - 1];
                first.into_iter().chain((0..indices[0]).map(|_| sign)).collect()
            }
            "bvnot" => first.into_iter().map(|bit| self.not(bit)).collect(),
            "bvneg" => {
                let (one, none) = (self.truth(true), self.truth(false));
                let opposite: Vec<TermId> = first.into_iter().map(|bit| self.not(bit)).collect();
                let nothing = vec![none; opposite.len()];
                self.sum(&opposite, &nothing, one)
            }
            "bvcomp" => vec![self.equal_bits(&first, &others[0])],
            _ => others.into_iter().fold(first, |x, y| match operator {
                "bvand" => self.pointwise("and", &x, &y),
                "bvor" => self.pointwise("or", &x, &y),
                "bvxor" => self.pointwise("xor", &x, &y),
                "bvxnor" => self.pointwise("=", &x, &y),
                "bvadd" => {
                    let none = self.truth(false);
                    self.sum(&x, &y, none)
                }
                "bvmul" => self.product(&x, &y),
                _ => unreachable!("{operator} has a rule"),
            }),
        })
    }
}

impl Encoder<'_> {
    /// Whether functions are applied to bit-vectors or have such values; what congruence may ask for is defined.
    pub(crate) fn compare_arguments(&mut self, premises: &[TermId]) -> Result<()> {
        let mut applications: BTreeMap<String, Vec<TermId>> = BTreeMap::new();
        for id in self.script.terms.within(premises) {
            let terms = &self.script.terms;
            let (name, args) = terms.parts(id);
            let function = self.script.is_declared(name) || matches!(name, "select" | "store");
            let vectors = is_vector(terms, id) || args.iter().any(|&arg| is_vector(terms, arg));
            if vectors && !args.is_empty() && (function || is_opaque(self.script, id)) {
                applications.entry(name.to_owned()).or_default().push(id);
            }
        }
        self.has_functions_of_bits = !applications.is_empty();
        for (name, applications) in applications {
            if applications.len() > MOST_APPLICATIONS {
                return unsupported(format!("more than {MOST_APPLICATIONS} applications of {name}"));
            }
            for (i, &a) in applications.iter().enumerate() {
                for &b in &applications[i + 1..] {
                    let terms = &self.script.terms;
                    let parts = terms.parts(a).1.iter().zip(terms.parts(b).1);
                    let pairs: Vec<_> = parts.map(|(&a, &b)| (a, b)).chain([(a, b)]).collect();
                    for (a, b) in pairs {
                        let terms = &mut self.script.terms;
                        if a != b && is_vector(terms, a) && terms.sort(a) == terms.sort(b) {
                            let equation = terms.equation(a, b);
                            self.literal(equation);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// An equation of bit-vectors.
    pub(crate) fn define_equal_vectors(&mut self, id: TermId, a: TermId, b: TermId) {
        let terms = &mut self.script.terms;
        let (x, y) = (terms.bits(a), terms.bits(b));
        let equal = terms.equal_bits(&x, &y);
        self.equivalence("bitblast_equal", id, equal);
        let is_written = |id: TermId| self.script.terms.parts(id).0 != VECTOR;
        if self.has_functions_of_bits && is_written(a) && is_written(b) {
            let (a, b) = (self.value(a), self.value(b));
            let equal = self.store.eq(a, b);
            self.link(id, equal);
        }
    }

    /// A formula of the theory of bit-vectors that is no equation: returns whether it is one.
    pub(crate) fn define_bit_formula(&mut self, id: TermId) -> Result<bool> {
        let (name, args) = self.script.terms.parts(id);
        match (indexed(name), rule(name, args.len()), args) {
            (Some((BIT, _)), _, &[vector]) => self.define_vector(vector)?,
            (None, Some(rule), &[a, b]) => {
                let signed = name == "bvslt";
                let terms = &mut self.script.terms;
                let (x, y) = (terms.bits(a), terms.bits(b));
                let less = terms.less(&x, &y, signed);
                self.equivalence(rule, id, less);
            }
            _ if is_opaque(self.script, id) => {
                let (name, args) = (name.to_owned(), args.to_vec());
                let head = self.script.terms.head(&name);
                let application = self.application(head, &args, shem_term::Sort::Bool);
                self.link(id, application);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// What the bits of a term are.
    fn define_vector(&mut self, id: TermId) -> Result<()> {
        if !self.vectors.insert(id) {
            return Ok(());
        }
        let (name, args) = self.script.terms.parts(id);
        if name == "ite" {
            self.define_term(id);
        } else if let Some(rule) = rule(name, args.len()).filter(|_| !self.script.is_declared(name)) {
            // Extending by no bits is the term itself to the checker.
            let same = matches!(indexed(name), Some(("sign_extend", indices)) if indices == [0]);
            let terms = &mut self.script.terms;
            let vector = if same {
                terms.parts(id).1[0]
            } else {
                let sort = terms.sort(id).clone();
                let bits = terms.operation(id)?;
                terms.apply(VECTOR, &bits, sort)
            };
            let equation = terms.equation(id, vector);
            self.rule(rule, vec![(equation, true)], None);
        } else if has_no_rule(self.script, id) {
            let name = name.to_owned();
            self.uninterpreted.insert(name);
        }
        Ok(())
    }

    /// Whether a term of the solver that is a bit-vector has no structure there.
    pub(crate) fn is_plain_vector(&self, id: TermId) -> bool {
        let (name, _) = self.script.terms.parts(id);
        let function = self.script.is_declared(name) || matches!(name, "ite" | "select" | "store");
        is_vector(&self.script.terms, id) && !function && !is_opaque(self.script, id)
    }
}
