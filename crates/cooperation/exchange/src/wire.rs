//! The wire format: one S-expression a message.
//!
//! ```text
//! (shem-exchange 1 SENDER (reach FINGERPRINT state LEVEL FORMULA))
//! (shem-exchange 1 SENDER (induction FINGERPRINT state LEVEL FORMULA COUNTEREXAMPLE DISTANCE))
//! (shem-exchange 1 SENDER (power FINGERPRINT state SPAN LEVEL FORMULA))
//! (shem-exchange 1 SENDER (invariant FINGERPRINT (PREDICATE FORMULA)...))
//! (shem-exchange 1 SENDER (model FINGERPRINT (PREDICATE FORMULA)...))
//! (shem-exchange 1 SENDER (refutation FINGERPRINT (CLAUSE (STEP...) (VALUE...))...))
//! ```
//!
//! The number after the name is the version; a message of another version is refused, not guessed at. Numbers are
//! decimal, spans `at-most`, `less` or `equal`, predicates SMT-LIB symbols, formulas as [`Formula`] says, values
//! numerals, `(- N)`, `(/ N N)`, `(- (/ N N))` or truth values. What is longer than [`MAX_BYTES`] is refused
//! unread; whatever else is wrong is a [`WireError`]. The text is valid SMT-LIB syntax, so that any reader of
//! S-expressions can look at it.
//!
//! The definitions and steps of a witness stand in the report of a worker in the same form, one a line and with
//! larger limits: [`write_definition`], [`read_definition`], [`write_step`], [`read_step`].

use std::fmt::{self, Write};

use shem_base::{Int, Rat};
use shem_chc::{ClauseId, Derivation, Fingerprint, Step, StepId};
use shem_engine::Span;
use shem_term::smtlib::{Lexer, Token, TokenKind};
use shem_term::{Value, quote_symbol, write_rational};

use crate::formula::{Formula, FormulaError, FormulaLimits};
use crate::note::{Bounded, BoundedKind, Content, Definitions, Note, Refutation};

/// The version of the format.
pub const VERSION: u64 = 1;

/// A longer message is refused unread.
pub const MAX_BYTES: usize = 4 << 20;

/// A lemma is longer at most by what stands around its formulas.
const MAX_LEMMA_BYTES: usize = 2 * FormulaLimits::LEMMA.bytes + 512;

/// What a witness may be at most; what is larger is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WitnessLimits {
    /// The steps of a derivation.
    pub steps: usize,
    /// The definitions of a model.
    pub definitions: usize,
    /// The digits of a number in a value.
    pub digits: usize,
    /// The formula of a definition.
    pub formula: FormulaLimits,
}

impl WitnessLimits {
    /// For witnesses of others.
    pub const PEER: WitnessLimits = WitnessLimits {
        steps: 200_000,
        definitions: 10_000,
        digits: 1_000,
        formula: FormulaLimits::DEFINITION,
    };
    /// For witnesses of a process that this program has started; the bytes of its whole report are limited.
    pub const WORKER: WitnessLimits = WitnessLimits {
        steps: usize::MAX,
        definitions: usize::MAX,
        digits: usize::MAX,
        formula: FormulaLimits::NONE,
    };
}

/// A larger level or distance is refused: nobody has got there.
const MAX_LEVEL: u64 = 1_000_000_000;

const NAME: &str = "shem-exchange";
const STATE: &str = "state";

/// What is wrong with a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WireError {
    /// Too many bytes, steps, definitions or digits.
    TooLong,
    /// The bytes are no text.
    Encoding,
    /// A version that this program does not speak.
    Version(u64),
    /// This was expected at this byte.
    Expected(&'static str, u32),
    /// A formula is not what it should be.
    Formula(FormulaError),
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WireError::TooLong => f.write_str("the message is too long"),
            WireError::Encoding => f.write_str("the message is no UTF-8 text"),
            WireError::Version(version) => write!(f, "version {version} of the format is not known"),
            WireError::Expected(what, at) => write!(f, "{what} expected at byte {at}"),
            WireError::Formula(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for WireError {}

impl From<FormulaError> for WireError {
    fn from(error: FormulaError) -> WireError {
        WireError::Formula(error)
    }
}

/// The text of a message; `None` if it would be refused for its length.
pub fn encode(note: &Note) -> Option<String> {
    let mut text = String::with_capacity(256);
    write(&mut text, note).expect("a string takes all");
    (text.len() <= longest(&note.content)).then_some(text)
}

/// The length that a message of this kind may have.
fn longest(content: &Content) -> usize {
    match content {
        Content::Bounded(_) => MAX_LEMMA_BYTES,
        _ => MAX_BYTES,
    }
}

fn write(out: &mut String, note: &Note) -> fmt::Result {
    let word = note.content.word();
    write!(out, "({NAME} {VERSION} {} ({word}", note.sender)?;
    match &note.content {
        Content::Bounded(Bounded { about, level, formula, kind }) => {
            write!(out, " {about} {STATE}")?;
            if let BoundedKind::Power(span) = kind {
                write!(out, " {}", span_word(*span))?;
            }
            write!(out, " {level} {}", formula.text())?;
            if let BoundedKind::Induction(counterexample, distance) = kind {
                write!(out, " {} {distance}", counterexample.text())?;
            }
        }
        Content::Invariant(Definitions { about, definitions })
        | Content::Model(Definitions { about, definitions }) => {
            write!(out, " {about}")?;
            for (name, formula) in definitions {
                out.write_str(" ")?;
                write_definition(out, name, formula)?;
            }
        }
        Content::Refutation(Refutation { about, derivation }) => {
            write!(out, " {about}")?;
            for (_, step) in derivation.steps() {
                out.write_str(" ")?;
                write_step(out, &step)?;
            }
        }
    }
    out.write_str("))")
}

/// Writes `(PREDICATE FORMULA)`.
pub fn write_definition(out: &mut String, name: &str, formula: &Formula) -> fmt::Result {
    write!(out, "({} {})", quote_symbol(name), formula.text())
}

/// Writes `(CLAUSE (STEP...) (VALUE...))`.
pub fn write_step(out: &mut String, step: &Step<'_, ClauseId>) -> fmt::Result {
    write!(out, "({} (", step.rule.index())?;
    for (at, premise) in step.premises.iter().enumerate() {
        write!(out, "{}{}", if at == 0 { "" } else { " " }, premise.index())?;
    }
    out.write_str(") (")?;
    for (at, value) in step.values.iter().enumerate() {
        out.write_str(if at == 0 { "" } else { " " })?;
        match value {
            Value::Bool(truth) => write!(out, "{truth}")?,
            Value::Num(number) => write_rational(out, number, false)?,
            // Values of other sorts have no form yet: this one is refused by whoever reads it.
            Value::Array(_) | Value::Data(_) | Value::Element(..) => out.write_str("_")?,
        }
    }
    out.write_str("))")
}

fn span_word(span: Span) -> &'static str {
    match span {
        Span::AtMost => "at-most",
        Span::Less => "less",
        Span::Equal => "equal",
    }
}

/// The message in these bytes.
pub fn decode(bytes: &[u8]) -> Result<Note, WireError> {
    if bytes.len() > MAX_BYTES {
        return Err(WireError::TooLong);
    }
    let text = std::str::from_utf8(bytes).map_err(|_| WireError::Encoding)?;
    let mut decoder = Decoder::new(text, WitnessLimits::PEER)?;
    let note = decoder.note()?;
    if bytes.len() > longest(&note.content) {
        return Err(WireError::TooLong);
    }
    Ok(note)
}

/// Reads the definition of a predicate that stands in a text of its own.
pub fn read_definition(text: &str, limits: WitnessLimits) -> Result<(Box<str>, Formula), WireError> {
    let mut decoder = Decoder::new(text, limits)?;
    let definition = decoder.definition(limits.formula)?;
    decoder.expect(TokenKind::End, "the end")?;
    Ok(definition)
}

/// Reads a step that stands in a text of its own, and adds it to a derivation.
pub fn read_step(
    text: &str,
    derivation: &mut Derivation<ClauseId>,
    limits: WitnessLimits,
) -> Result<(), WireError> {
    let mut decoder = Decoder::new(text, limits)?;
    decoder.step(derivation)?;
    decoder.expect(TokenKind::End, "the end")
}

struct Decoder<'t> {
    lexer: Lexer<'t>,
    limits: WitnessLimits,
}

impl<'t> Decoder<'t> {
    fn new(text: &'t str, limits: WitnessLimits) -> Result<Decoder<'t>, WireError> {
        let lexer = Lexer::new(text).map_err(|_| WireError::TooLong)?;
        Ok(Decoder { lexer, limits })
    }

    fn note(&mut self) -> Result<Note, WireError> {
        self.expect(TokenKind::Open, "an open parenthesis")?;
        self.word(NAME)?;
        let version = self.number(u64::MAX)?;
        if version != VERSION {
            return Err(WireError::Version(version));
        }
        let sender = self.number(u64::MAX)?;
        self.expect(TokenKind::Open, "an open parenthesis")?;
        let token = self.lexer.next_token();
        let content = match self.lexer.slice(token.span()) {
            "reach" => Content::Bounded(self.bounded(|_| Ok(BoundedKind::Reach), false)?),
            "induction" => Content::Bounded(self.bounded(
                |decoder| {
                    let counterexample = Formula::take(&mut decoder.lexer, FormulaLimits::LEMMA)?;
                    Ok(BoundedKind::Induction(counterexample, decoder.number(MAX_LEVEL)? as usize))
                },
                false,
            )?),
            "power" => Content::Bounded(self.bounded(|_| Ok(BoundedKind::Reach), true)?),
            "invariant" => Content::Invariant(self.definitions(FormulaLimits::LEMMA)?),
            "model" => Content::Model(self.definitions(self.limits.formula)?),
            "refutation" => Content::Refutation(self.refutation()?),
            _ => return Err(WireError::Expected("a kind of message", token.start)),
        };
        self.expect(TokenKind::Close, "a closing parenthesis")?;
        self.expect(TokenKind::Close, "a closing parenthesis")?;
        self.expect(TokenKind::End, "the end")?;
        Ok(Note { sender, content })
    }

    fn bounded(
        &mut self,
        rest: impl FnOnce(&mut Self) -> Result<BoundedKind, WireError>,
        power: bool,
    ) -> Result<Bounded, WireError> {
        let about = self.fingerprint()?;
        self.word(STATE)?;
        let mut span = None;
        if power {
            let token = self.lexer.next_token();
            let all = [Span::AtMost, Span::Less, Span::Equal];
            let found = all.into_iter().find(|&span| self.lexer.slice(token.span()) == span_word(span));
            span = Some(found.ok_or(WireError::Expected("a span", token.start))?);
        }
        let level = self.number(MAX_LEVEL)? as usize;
        let formula = Formula::take(&mut self.lexer, FormulaLimits::LEMMA)?;
        let kind = match span {
            Some(span) => BoundedKind::Power(span),
            None => rest(self)?,
        };
        Ok(Bounded { about, level, formula, kind })
    }

    fn definitions(&mut self, limits: FormulaLimits) -> Result<Definitions, WireError> {
        let about = self.fingerprint()?;
        let mut definitions = Vec::new();
        while self.lexer.peek().kind == TokenKind::Open {
            definitions.push(self.definition(limits)?);
            if definitions.len() > self.limits.definitions {
                return Err(WireError::TooLong);
            }
        }
        Ok(Definitions { about, definitions })
    }

    fn definition(&mut self, limits: FormulaLimits) -> Result<(Box<str>, Formula), WireError> {
        self.expect(TokenKind::Open, "an open parenthesis")?;
        let token = self.lexer.next_token();
        let text = self.lexer.slice(token.span());
        let name = match token.kind {
            TokenKind::Symbol => text,
            TokenKind::Quoted => &text[1..text.len() - 1],
            _ => return Err(WireError::Expected("a predicate", token.start)),
        };
        let formula = Formula::take(&mut self.lexer, limits)?;
        self.expect(TokenKind::Close, "a closing parenthesis")?;
        Ok((name.into(), formula))
    }

    fn refutation(&mut self) -> Result<Refutation, WireError> {
        let about = self.fingerprint()?;
        let mut derivation = Derivation::new();
        while self.lexer.peek().kind == TokenKind::Open {
            self.step(&mut derivation)?;
            if derivation.len() > self.limits.steps {
                return Err(WireError::TooLong);
            }
        }
        Ok(Refutation { about, derivation })
    }

    fn step(&mut self, derivation: &mut Derivation<ClauseId>) -> Result<(), WireError> {
        self.expect(TokenKind::Open, "an open parenthesis")?;
        let clause = self.number(u64::from(u32::MAX - 1))? as usize;
        self.expect(TokenKind::Open, "an open parenthesis")?;
        let mut premises = Vec::new();
        while self.lexer.peek().kind != TokenKind::Close {
            let at = self.lexer.offset();
            let premise = self.number(u64::from(u32::MAX))? as usize;
            if premise >= derivation.len() {
                return Err(WireError::Expected("an earlier step", at));
            }
            premises.push(StepId::new(premise));
        }
        self.lexer.next_token();
        self.expect(TokenKind::Open, "an open parenthesis")?;
        let mut values = Vec::new();
        while self.lexer.peek().kind != TokenKind::Close {
            values.push(self.value()?);
        }
        self.lexer.next_token();
        self.expect(TokenKind::Close, "a closing parenthesis")?;
        derivation.push(ClauseId::new(clause), &premises, values);
        Ok(())
    }

    fn value(&mut self) -> Result<Value, WireError> {
        let token = self.lexer.next_token();
        match (token.kind, self.lexer.slice(token.span())) {
            (TokenKind::Symbol, "true") => return Ok(Value::Bool(true)),
            (TokenKind::Symbol, "false") => return Ok(Value::Bool(false)),
            (TokenKind::Numeral | TokenKind::Decimal, _) => {
                return Ok(Value::Num(self.integer(token)?.into()));
            }
            (TokenKind::Open, _) => {}
            _ => return Err(WireError::Expected("a value", token.start)),
        }
        let operator = self.lexer.next_token();
        let number = match self.lexer.slice(operator.span()) {
            "/" => self.quotient()?,
            "-" => {
                let token = self.lexer.next_token();
                let number = match token.kind {
                    TokenKind::Open => {
                        self.word("/")?;
                        let number = self.quotient()?;
                        self.expect(TokenKind::Close, "a closing parenthesis")?;
                        number
                    }
                    _ => self.integer(token)?.into(),
                };
                -number
            }
            _ => return Err(WireError::Expected("a value", operator.start)),
        };
        self.expect(TokenKind::Close, "a closing parenthesis")?;
        Ok(Value::Num(number))
    }

    fn quotient(&mut self) -> Result<Rat, WireError> {
        let over = self.lexer.next_token();
        let over = self.integer(over)?;
        let token = self.lexer.next_token();
        let under = self.integer(token)?;
        if under.is_zero() {
            return Err(WireError::Expected("a number other than zero", token.start));
        }
        Ok(&Rat::from(over) / &Rat::from(under))
    }

    /// A numeral, or a decimal whose fraction is zero.
    fn integer(&mut self, token: Token) -> Result<Int, WireError> {
        let expected = WireError::Expected("a whole number", token.start);
        if !matches!(token.kind, TokenKind::Numeral | TokenKind::Decimal) {
            return Err(expected);
        }
        let text = self.lexer.slice(token.span());
        if text.len() > self.limits.digits {
            return Err(WireError::TooLong);
        }
        let digits = text.strip_suffix(".0").unwrap_or(text);
        digits.parse().map_err(|_| expected)
    }

    fn fingerprint(&mut self) -> Result<Fingerprint, WireError> {
        let token = self.lexer.next_token();
        let text = self.lexer.slice(token.span());
        text.parse().map_err(|()| WireError::Expected("a fingerprint", token.start))
    }

    fn number(&mut self, most: u64) -> Result<u64, WireError> {
        let token = self.lexer.next_token();
        let number = self.lexer.slice(token.span()).parse().ok().filter(|&number| number <= most);
        match (token.kind, number) {
            (TokenKind::Numeral, Some(number)) => Ok(number),
            _ => Err(WireError::Expected("a number", token.start)),
        }
    }

    fn word(&mut self, word: &'static str) -> Result<(), WireError> {
        let token = self.lexer.next_token();
        if token.kind == TokenKind::Symbol && self.lexer.slice(token.span()) == word {
            return Ok(());
        }
        Err(WireError::Expected(word, token.start))
    }

    fn expect(&mut self, kind: TokenKind, what: &'static str) -> Result<(), WireError> {
        let token = self.lexer.next_token();
        if token.kind == kind { Ok(()) } else { Err(WireError::Expected(what, token.start)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ABOUT: &str = "h000102030405060708090a0b0c0d0e0f";

    fn message(rest: &str) -> String {
        format!("({NAME} 1 7 {})", rest.replace("FP", ABOUT))
    }

    #[test]
    fn messages_come_back_as_they_were() {
        for rest in [
            "(reach FP state 3 (<= x0 5))",
            "(induction FP state 0 (<= x0 5) (and (= x0 6) x1) 12)",
            "(power FP state less 4 (<= (+ y0 (* (- 1) x0)) 5))",
            "(invariant FP (p (<= x0 5)) (|a b| true))",
            "(model FP)",
            "(refutation FP (0 () (0 true)) (3 (0 0) ((- 5) (/ 1.0 3.0) (- (/ 1.0 3.0)) false)) (1 (1) ()))",
        ] {
            let text = message(rest);
            let note = decode(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!((note.sender, encode(&note)), (7, Some(text)));
        }
    }

    #[test]
    fn mistakes_are_typed() {
        let check = |text: &str, error: WireError| assert_eq!(decode(text.as_bytes()), Err(error), "{text}");
        check("", WireError::Expected("an open parenthesis", 0));
        check("(shem-exchange 2 7 (later))", WireError::Version(2));
        check("(shem-exchange 1 x (reach))", WireError::Expected("a number", 17));
        check(&message("(hello FP)"), WireError::Expected("a kind of message", 20));
        check(&message("(reach h12 state 3 true)"), WireError::Expected("a fingerprint", 26));
        check(&message("(reach FP state -3 true)"), WireError::Expected("a number", 66));
        check(&message("(reach FP state 3 true) x"), WireError::Expected("a closing parenthesis", 74));
        check(&format!("{} x", message("(model FP)")), WireError::Expected("the end", 62));
        check(&message("(reach FP state 3 (foo))"), FormulaError::Symbol("foo".to_owned()).into());
        check(&message("(refutation FP (0 (0) ()))"), WireError::Expected("an earlier step", 69));
        check(
            &message("(refutation FP (0 () ((/ 1 0))))"),
            WireError::Expected("a number other than zero", 77),
        );
        assert_eq!(decode(b"(shem\xff"), Err(WireError::Encoding));
        assert_eq!(decode(&vec![b' '; MAX_BYTES + 1]), Err(WireError::TooLong));
        let padded = message(&format!("(reach FP state 3{} true)", " ".repeat(MAX_LEMMA_BYTES)));
        check(&padded, WireError::TooLong);
    }
}
