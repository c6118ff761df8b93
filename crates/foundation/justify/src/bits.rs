//! Bit-vectors: what the bits of a value are, by circuits of the judge's own.
//!
//! A bit of a constant, of a conditional's or an operation's result is a formula over bits of other values; any other bit
//! is a statement of its own. So a literal of a circuit says what it says over such bits, and an equation or a
//! comparison of two values has to do with their bits. A translation may build the same circuits, gate by gate, and no
//! others: gates are normalised here, so that the order of inputs and constants among them do not matter.

use std::rc::Rc;

use shem_base::{BitVec, Int, Rat};
use shem_term::{BitOp, Role, Sort, Symbol, Term, View};

use crate::linear::{Leaf, Linear};
use crate::literal::{Literal, Statement, Statements};
use crate::translation::Translation;
use crate::value::Value;

/// A gate by what its inputs say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Gate {
    /// Both hold; sorted.
    And([Literal; 2]),
    /// One of the two holds; not negated, sorted.
    Xor([Literal; 2]),
    /// If the first holds then the second, else the third. The first two are not negated.
    Choose([Literal; 3]),
    /// Two of the three hold; sorted.
    Majority([Literal; 3]),
}

impl Gate {
    fn inputs(&self) -> &[Literal] {
        match self {
            Gate::And(inputs) | Gate::Xor(inputs) => inputs,
            Gate::Choose(inputs) | Gate::Majority(inputs) => inputs,
        }
    }

    fn value(&self, inputs: &[bool]) -> bool {
        match self {
            Gate::And(_) => inputs[0] && inputs[1],
            Gate::Xor(_) => inputs[0] != inputs[1],
            Gate::Choose(_) => inputs[if inputs[0] { 1 } else { 2 }],
            Gate::Majority(_) => inputs.iter().filter(|&&input| input).count() >= 2,
        }
    }

    /// Whether a clause with the gate as this literal holds for all inputs, by the table of the gate.
    pub(crate) fn implies(&self, gate: Literal, clause: &[Literal]) -> bool {
        let inputs = self.inputs();
        (0..1_u32 << inputs.len()).all(|row| {
            let values: Vec<bool> = (0..inputs.len()).map(|at| row >> at & 1 == 1).collect();
            let output = self.value(&values) != gate.is_negated();
            let holds = |(at, input): (usize, &Literal)| clause.contains(&input.xor(!values[at]));
            output || inputs.iter().enumerate().any(holds)
        })
    }
}

pub(crate) fn constant(value: bool) -> Literal {
    if value { Literal::TRUE } else { Literal::FALSE }
}

pub(crate) fn as_constant(literal: Literal) -> Option<bool> {
    match literal {
        Literal::TRUE => Some(true),
        Literal::FALSE => Some(false),
        _ => None,
    }
}

fn negation(word: &[Literal]) -> Vec<Literal> {
    word.iter().map(|&bit| !bit).collect()
}

impl<T: Translation> Statements<'_, T> {
    pub(crate) fn and(&mut self, a: Literal, b: Literal) -> Literal {
        match (as_constant(a), as_constant(b)) {
            (Some(true), _) => b,
            (_, Some(true)) => a,
            (Some(false), _) | (_, Some(false)) => Literal::FALSE,
            _ if a == b => a,
            _ if a == !b => Literal::FALSE,
            _ => self.state(Statement::Gate(Gate::And([a.min(b), a.max(b)]))),
        }
    }

    fn or(&mut self, a: Literal, b: Literal) -> Literal {
        !self.and(!a, !b)
    }

    pub(crate) fn xor(&mut self, a: Literal, b: Literal) -> Literal {
        let negated = a.is_negated() != b.is_negated();
        let [a, b] = [a, b].map(|input| input.xor(input.is_negated()));
        match (as_constant(a), as_constant(b)) {
            (Some(_), _) => b.xor(!negated),
            (_, Some(_)) => a.xor(!negated),
            _ if a == b => constant(negated),
            _ => self.state(Statement::Gate(Gate::Xor([a.min(b), a.max(b)]))).xor(negated),
        }
    }

    pub(crate) fn choose(&mut self, condition: Literal, then: Literal, otherwise: Literal) -> Literal {
        if condition.is_negated() {
            return self.choose(!condition, otherwise, then);
        }
        match [condition, then, otherwise].map(as_constant) {
            [Some(_), _, _] => return then,
            _ if then == otherwise => return then,
            _ if then == !otherwise => return !self.xor(condition, then),
            [_, Some(true), _] => return self.or(condition, otherwise),
            [_, Some(false), _] => return self.and(!condition, otherwise),
            [_, _, Some(true)] => return self.or(!condition, then),
            [_, _, Some(false)] => return self.and(condition, then),
            _ if then == condition => return self.or(condition, otherwise),
            _ if then == !condition => return self.and(!condition, otherwise),
            _ if otherwise == condition => return self.and(condition, then),
            _ if otherwise == !condition => return self.or(!condition, then),
            _ => {}
        }
        let negated = then.is_negated();
        let inputs = [condition, then.xor(negated), otherwise.xor(negated)];
        self.state(Statement::Gate(Gate::Choose(inputs))).xor(negated)
    }

    pub(crate) fn majority(&mut self, a: Literal, b: Literal, c: Literal) -> Literal {
        let mut inputs = [a, b, c];
        inputs.sort_unstable();
        for at in 0..3 {
            let [input, x, y] = [0, 1, 2].map(|by| inputs[(at + by) % 3]);
            match as_constant(input) {
                Some(true) => return self.or(x, y),
                Some(false) => return self.and(x, y),
                None if x == y => return x,
                None if x == !y => return input,
                None => {}
            }
        }
        self.state(Statement::Gate(Gate::Majority(inputs)))
    }

    /// The sort of a value that is neither a number nor a truth value.
    fn sort_of_value(&self, value: u32) -> Option<Sort> {
        match &**self.values.get(value) {
            Value::Symbol(symbol) | Value::Application(symbol, _) => {
                Some(self.store.signature(*symbol).result)
            }
            Value::Conditional(term) => Some(self.store.sort(*term)),
            Value::Free(node) => self.sort_of_node(*node),
            Value::Number(_) | Value::Truth(_) => None,
        }
    }

    /// The operation on bit-vectors that a value is, with its arguments.
    pub(crate) fn bit_op(&self, value: u32) -> Option<(BitOp, Box<[u32]>)> {
        let Value::Application(symbol, args) = &**self.values.get(value) else { return None };
        match self.store.role(*symbol) {
            Role::Bits(op) => Some((op, args.clone())),
            _ => None,
        }
    }

    fn number_of_value(&self, value: u32) -> Option<BitVec> {
        let Value::Application(symbol, _) = &**self.values.get(value) else { return None };
        self.store.bit_constant(*symbol).cloned()
    }

    /// A summand as a number, if there is one, times a value.
    fn summand(&self, value: u32) -> (Option<BitVec>, u32) {
        if let Some((BitOp::Multiply, args)) = self.bit_op(value)
            && let [factor, rest] = *args
            && let Some(number) = self.number_of_value(factor)
        {
            return (Some(number), rest);
        }
        (None, value)
    }

    /// The bits of a value, the lowest first; `None` if it is no bit-vector.
    pub(crate) fn bits(&mut self, root: u32) -> Option<Rc<[Literal]>> {
        self.sort_of_value(root)?.bit_width()?;
        let mut stack = vec![root];
        while let Some(&value) = stack.last() {
            if self.words.contains_key(&value) {
                stack.pop();
                continue;
            }
            let parts: Vec<u32> = match (&**self.values.get(value), self.bit_op(value)) {
                (&Value::Conditional(term), _) => match self.store.view(term) {
                    View::Ite(_, then, otherwise) => {
                        [then, otherwise].into_iter().map(|branch| self.value_of_term(branch)).collect()
                    }
                    _ => return None,
                },
                (_, Some((BitOp::Constant(_) | BitOp::FromInt, _))) => Vec::new(),
                (_, Some((BitOp::Add, args))) => args.iter().map(|&arg| self.summand(arg).1).collect(),
                (_, Some((_, args))) => args.to_vec(),
                _ => Vec::new(),
            };
            let before = stack.len();
            stack.extend(parts.iter().filter(|part| !self.words.contains_key(*part)));
            if stack.len() == before {
                let word: Rc<[Literal]> = self.word(value)?.into();
                self.words.insert(value, word);
                stack.pop();
            }
        }
        self.words.get(&root).cloned()
    }

    /// The bits of a value whose parts have bits.
    fn word(&mut self, value: u32) -> Option<Vec<Literal>> {
        let width = self.sort_of_value(value)?.bit_width()?;
        if let Value::Conditional(term) = **self.values.get(value)
            && let View::Ite(condition, then, otherwise) = self.store.view(term)
        {
            let condition = self.of_formula(condition);
            let [then, otherwise] = [then, otherwise].map(|branch| self.value_of_term(branch));
            let [then, otherwise] = [self.known_word(then)?, self.known_word(otherwise)?];
            return Some(self.choose_word(condition, &then, &otherwise));
        }
        if let Some(number) = self.number_of_value(value) {
            return Some((0..width).map(|at| constant(number.bit(at))).collect());
        }
        let operation = self.bit_op(value).filter(|_| !self.bounds.contains_key(&value));
        match operation {
            None | Some((BitOp::FromInt, _)) => {
                Some((0..width).map(|at| self.state(Statement::Bit(value, at))).collect())
            }
            Some((BitOp::Add, args)) => {
                let mut summands: Vec<(bool, Vec<Literal>)> = Vec::new();
                for &arg in &args {
                    let (number, rest) = self.summand(arg);
                    let word = self.known_word(rest)?;
                    match number {
                        None => summands.push((false, word.to_vec())),
                        Some(number) => summands.extend(multiples(&number, &word)),
                    }
                }
                summands.sort_by_key(|summand| summand.0);
                Some(self.sum(&summands, width as usize))
            }
            Some((op, args)) => {
                let words = args.iter().map(|&arg| self.known_word(arg)).collect::<Option<Vec<_>>>()?;
                self.operation(op, &words, width as usize)
            }
        }
    }

    fn known_word(&self, value: u32) -> Option<Rc<[Literal]>> {
        self.words.get(&value).cloned()
    }

    pub(crate) fn operation(
        &mut self,
        op: BitOp,
        words: &[Rc<[Literal]>],
        width: usize,
    ) -> Option<Vec<Literal>> {
        let first = words.first()?.to_vec();
        let rest = &words[1..];
        let pairs = |result: &[Literal], word: &[Literal]| -> Vec<(Literal, Literal)> {
            result.iter().copied().zip(word.iter().copied()).collect()
        };
        Some(match op {
            BitOp::Concat => words[1].iter().chain(&first).copied().collect(),
            BitOp::Extract { high, low } => first.get(low as usize..=high as usize)?.to_vec(),
            BitOp::SignExtend(_) => {
                let top = *first.last()?;
                first.iter().copied().chain(std::iter::repeat(top)).take(width).collect()
            }
            BitOp::Not => negation(&first),
            BitOp::And => rest.iter().fold(first, |result, word| {
                pairs(&result, word).into_iter().map(|(x, y)| self.and(x, y)).collect()
            }),
            BitOp::Xor => rest.iter().fold(first, |result, word| {
                pairs(&result, word).into_iter().map(|(x, y)| self.xor(x, y)).collect()
            }),
            BitOp::Multiply => rest.iter().fold(first, |result, word| self.product(&result, word)),
            BitOp::Quotient => self.divide(&first, &words[1]).0,
            BitOp::Remainder => self.divide(&first, &words[1]).1,
            BitOp::ShiftLeft => self.shift(&first, &words[1], true, Literal::FALSE),
            BitOp::ShiftRight => self.shift(&first, &words[1], false, Literal::FALSE),
            BitOp::ShiftRightSigned => {
                let top = *first.last()?;
                self.shift(&first, &words[1], false, top)
            }
            BitOp::Constant(_)
            | BitOp::Add
            | BitOp::LessEqual
            | BitOp::SignedLessEqual
            | BitOp::ToInt
            | BitOp::FromInt => return None,
        })
    }

    fn choose_word(&mut self, condition: Literal, then: &[Literal], otherwise: &[Literal]) -> Vec<Literal> {
        then.iter().zip(otherwise).map(|(&a, &b)| self.choose(condition, a, b)).collect()
    }

    /// A ripple-carry adder: the sum, and the carry at the end.
    fn add(&mut self, a: &[Literal], b: &[Literal], carry: Literal) -> (Vec<Literal>, Literal) {
        let mut carry = carry;
        let mut sum = Vec::new();
        for (&x, &y) in a.iter().zip(b) {
            let half = self.xor(x, y);
            sum.push(self.xor(half, carry));
            carry = self.majority(x, y, carry);
        }
        (sum, carry)
    }

    /// The sum of words, some of which are taken away.
    fn sum(&mut self, summands: &[(bool, Vec<Literal>)], width: usize) -> Vec<Literal> {
        summands.iter().fold(vec![Literal::FALSE; width], |sum, (negative, word)| match negative {
            true => self.add(&sum, &negation(word), Literal::TRUE).0,
            false => self.add(&sum, word, Literal::FALSE).0,
        })
    }

    fn product(&mut self, a: &[Literal], b: &[Literal]) -> Vec<Literal> {
        let width = a.len();
        let constants = |word: &[Literal]| word.iter().filter(|&&bit| as_constant(bit).is_some()).count();
        for (factor, word) in [(a, b), (b, a)] {
            if constants(factor) == width {
                let number = BitVec::from_bits(width as u32, |at| factor[at as usize] == Literal::TRUE);
                return self.sum(&multiples(&number, word), width);
            }
        }
        let (word, digits) = if constants(a) > constants(b) { (b, a) } else { (a, b) };
        let mut product = vec![Literal::FALSE; width];
        for (at, &digit) in digits.iter().enumerate() {
            if digit == Literal::FALSE {
                continue;
            }
            let row: Vec<Literal> = word[..width - at].iter().map(|&bit| self.and(bit, digit)).collect();
            let (upper, _) = self.add(&product[at..], &row, Literal::FALSE);
            product.truncate(at);
            product.extend(upper);
        }
        product
    }

    /// Quotient and remainder by long division: the divisor is subtracted where it fits.
    fn divide(&mut self, a: &[Literal], b: &[Literal]) -> (Vec<Literal>, Vec<Literal>) {
        let width = a.len();
        let complement: Vec<Literal> = b.iter().map(|&bit| !bit).chain([Literal::TRUE]).collect();
        let mut rest = vec![Literal::FALSE; width];
        let mut quotient = Vec::new();
        for &digit in a.iter().rev() {
            rest.insert(0, digit);
            let (difference, fits) = self.add(&rest, &complement, Literal::TRUE);
            quotient.insert(0, fits);
            rest = self.choose_word(fits, &difference[..width], &rest[..width]);
        }
        (quotient, rest)
    }

    /// A word shifted by each power of two that the distance has; `fill` comes in.
    fn shift(&mut self, word: &[Literal], distance: &[Literal], up: bool, fill: Literal) -> Vec<Literal> {
        let width = word.len();
        let mut result = word.to_vec();
        let mut beyond = Literal::FALSE;
        for (stage, &bit) in distance.iter().enumerate() {
            let by = if stage < 32 { 1_usize << stage } else { usize::MAX };
            if by >= width {
                beyond = self.or(beyond, bit);
                continue;
            }
            let filled = vec![fill; by];
            let moved = if up { [&filled, &result[..width - by]] } else { [&result[by..], &filled] }.concat();
            result = self.choose_word(bit, &moved, &result);
        }
        self.choose_word(beyond, &vec![fill; width], &result)
    }

    /// What a comparison of two values says about their bits.
    pub(crate) fn at_most(&mut self, signed: bool, a: u32, b: u32) -> Option<Literal> {
        let (a, b) = (self.bits(a)?, self.bits(b)?);
        let mut result = Literal::TRUE;
        for (at, (&x, &y)) in a.iter().zip(b.iter()).enumerate() {
            let (x, y) = if signed && at + 1 == a.len() { (y, x) } else { (x, y) };
            result = self.majority(!x, y, result);
        }
        Some(result)
    }

    /// Whether a clause says in one direction what an equation of two values, its literal, has to do with their bits.
    pub(crate) fn ties_equation(&mut self, literal: Literal, [a, b]: [u32; 2], clause: &[Literal]) -> bool {
        let (Some(a), Some(b)) = (self.bits(a), self.bits(b)) else { return false };
        if a.len() != b.len() {
            return false;
        }
        let agreements: Vec<Literal> = a.iter().zip(b.iter()).map(|(&x, &y)| !self.xor(x, y)).collect();
        match literal.is_negated() {
            // Equal words agree at each place.
            true => agreements.iter().any(|&agree| agree == Literal::FALSE || clause.contains(&agree)),
            // Words that agree everywhere are equal.
            false => agreements.iter().all(|&agree| agree == Literal::TRUE || clause.contains(&!agree)),
        }
    }

    /// Whether a clause says in one direction what a comparison of two values, its literal, has to do with their bits.
    pub(crate) fn ties_comparison(
        &mut self,
        literal: Literal,
        symbol: Symbol,
        args: &[u32],
        clause: &[Literal],
    ) -> bool {
        let signed = match self.store.role(symbol) {
            Role::Bits(BitOp::LessEqual) => false,
            Role::Bits(BitOp::SignedLessEqual) => true,
            _ => return false,
        };
        let [a, b] = *args else { return false };
        let Some(holds) = self.at_most(signed, a, b) else { return false };
        let other = holds.xor(!literal.is_negated());
        other == Literal::FALSE || clause.contains(&other)
    }

    /// The sum that is zero because an integer is made of the bits of a value: of a word as an integer, if the leaf is
    /// one; or of an integer of which the leaf's literal is a bit, modulo a power of two.
    pub(crate) fn sum_of_bits(&mut self, leaf: u32) -> Option<Linear> {
        let (mut sum, word, wraps) = match &*self.forms.leaf(leaf).clone() {
            Leaf::Application(symbol, args) if self.store.role(*symbol) == Role::Bits(BitOp::ToInt) => {
                (Linear::leaf(leaf), *args.first()?, None)
            }
            Leaf::Digit(literal) => {
                let Statement::Bit(word, _) = **self.statement(*literal) else { return None };
                let (BitOp::FromInt, args) = self.bit_op(word)? else { return None };
                let Value::Number(form) = (**self.values.get(*args.first()?)).clone() else { return None };
                (form.clone(), word, Some(form))
            }
            _ => return None,
        };
        let bits = self.bits(word)?;
        let mut power = Int::ONE;
        for &bit in bits.iter() {
            let digit = self.forms.intern(Leaf::Digit(bit), true);
            sum.terms.push((digit, -Rat::from(power.clone())));
            power = &power + &power;
        }
        if let Some(form) = wraps {
            let quotient = self.forms.quotient(&form, &power);
            sum.terms.push((quotient, -Rat::from(power)));
        }
        sum.add_up();
        Some(sum)
    }

    /// The bit of a value that a node has at a place.
    pub(crate) fn bit_of_node(&mut self, node: u32, place: u32) -> Option<Literal> {
        let value = self.value_of_node(node)?;
        self.bits(value)?.get(place as usize).copied()
    }

    /// The term of a number of bits that a numeral of their sort stands for.
    pub(crate) fn numeral_of_bits(&mut self, value: &Rat, sort: Sort) -> Option<Term> {
        let number = BitVec::from_int(sort.bit_width()?, &value.to_int()?);
        (Rat::from(number.to_int()) == *value).then(|| self.store.bit_vector(&number))
    }
}

/// What a number times a word is the sum of: the word moved up, taken away where that is true. The number is written
/// with digits 1 and -1 of which no two are neighbours.
fn multiples(number: &BitVec, word: &[Literal]) -> Vec<(bool, Vec<Literal>)> {
    let width = word.len();
    let digit = |place: usize| place < width && number.bit(place as u32);
    let mut found = Vec::new();
    let mut carry = false;
    for place in 0..width {
        // What is left of the number here is odd: its next two digits say which multiple of four is nearer.
        let odd = digit(place) != carry;
        let next = if odd { digit(place + 1) } else { digit(place) && carry };
        if odd {
            let moved = std::iter::repeat_n(Literal::FALSE, place).chain(word.iter().copied()).take(width);
            found.push((next, moved.collect()));
        }
        carry = next;
    }
    found
}
