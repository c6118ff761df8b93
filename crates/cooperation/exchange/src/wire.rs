//! The wire format: a message is one line of JSON.
//!
//! ```text
//! {"shem-exchange":2,"sender":SENDER,"about":FINGERPRINT,"content":CONTENT}
//!
//! CONTENT: {"reach":{"level":LEVEL,"formula":FORMULA}}
//!          {"induction":{"level":LEVEL,"formula":FORMULA,"counterexample":FORMULA,"distance":DISTANCE}}
//!          {"power":{"span":SPAN,"level":LEVEL,"formula":FORMULA}}
//!          {"refuted":{"level":LEVEL,"formula":FORMULA}}
//!          {"height":{"vertex":VERTEX,"level":LEVEL,"formula":FORMULA}}
//!          {"derived":{"vertex":VERTEX,"formula":FORMULA}}
//!          {"invariant":[[PREDICATE,FORMULA]...]}
//!          {"verdict":{"model":[[PREDICATE,FORMULA]...]}}
//!          {"verdict":{"derivation":[[CLAUSE,[STEP...],[VALUE...]]...]}}
//!          {"verdict":{"inductive":[DEPTH,FORMULA]}}
//!          {"part":[NUMBER,[[PREDICATE,FORMULA]...]]}
//! ```
//!
//! The first number is the version; a message of another version is refused, not guessed at. Spans are `at-most`,
//! `less` or `equal`, formulas as [`Formula`] says, values a number such as `-1/3`, a truth value, or what the module
//! `value` says; all of these are strings. What is longer than [`MAX_BYTES`] is refused unread, since a broker may send anything; what is read nests
//! no deeper than the format, and a member that the format does not have is an error.
//!
//! A witness stands in the report of a worker in the same form, read under larger limits: [`WitnessText`].

use serde::{Deserialize, Serialize};
use shem_engine::Span;
use thiserror::Error;

use crate::note::{
    ALL_HEIGHTS, Bounded, BoundedKind, Content, Definitions, Note, SentNode, SentStep, SentWitness,
};
use crate::value::longest_number;
use shem_term::pack::{Formula, FormulaError, FormulaLimits};

/// The version of the format.
pub const VERSION: u64 = 2;

/// How every message begins.
pub const PREFIX: &str = "{\"shem-exchange\":";

/// A longer message is refused unread.
pub const MAX_BYTES: usize = 4 << 20;

/// A lemma is longer at most by what stands around its formulas.
const MAX_LEMMA_BYTES: usize = 2 * FormulaLimits::LEMMA.bytes + 512;

/// A larger level or distance is refused: no engine gets there.
const MAX_LEVEL: usize = ALL_HEIGHTS;

/// A larger depth of induction is refused: nobody could check it.
const MAX_DEPTH: usize = 10_000;

/// The number of coefficients that a value in a repetition may have.
const MAX_COEFFICIENTS: usize = 16;

/// What a witness may be at most; what is larger is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WitnessLimits {
    /// The steps of a derivation.
    pub steps: usize,
    /// The definitions of a model.
    pub definitions: usize,
    /// The characters of a number.
    pub digits: usize,
    /// The formula of a definition.
    pub formula: FormulaLimits,
}

impl WitnessLimits {
    /// For witnesses of other processes that have joined.
    pub const PEER: WitnessLimits = WitnessLimits {
        steps: 200_000,
        definitions: 10_000,
        digits: 2_000,
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

/// What is wrong with a message.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WireError {
    /// Too many bytes, steps, definitions or digits.
    #[error("the message is too long")]
    TooLong,
    /// A version that this program does not speak.
    #[error("version {0} of the format is not known")]
    Version(u64),
    /// It is not of the form that the format has.
    #[error("{0}")]
    Malformed(String),
    /// A number that stands for nothing: a level, a step or a value.
    #[error("{0} is no {1}")]
    Number(String, &'static str),
    /// A formula is not what it should be.
    #[error(transparent)]
    Formula(#[from] FormulaError),
}

/// A message as it stands on the wire.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Message {
    #[serde(rename = "shem-exchange")]
    version: u64,
    sender: u64,
    about: Box<str>,
    content: ContentText,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum ContentText {
    Reach {
        level: usize,
        formula: Box<str>,
    },
    Induction {
        level: usize,
        formula: Box<str>,
        counterexample: Box<str>,
        distance: usize,
    },
    Power {
        #[serde(with = "SpanText")]
        span: Span,
        level: usize,
        formula: Box<str>,
    },
    Refuted {
        level: usize,
        formula: Box<str>,
    },
    Height {
        vertex: usize,
        level: usize,
        formula: Box<str>,
    },
    Derived {
        vertex: usize,
        formula: Box<str>,
    },
    Invariant(DefinitionsText),
    Verdict(WitnessText),
    Part(usize, DefinitionsText),
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Span", rename_all = "kebab-case")]
enum SpanText {
    AtMost,
    Less,
    Equal,
}

/// Predicates with their formulas.
type DefinitionsText = Vec<(Box<str>, Box<str>)>;

/// A witness as it stands in messages and in reports of workers, not checked for anything but its form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WitnessText {
    /// Predicates with their formulas.
    Model(DefinitionsText),
    /// Steps.
    Derivation(Vec<SentStep>),
    /// Steps and repetitions.
    Repeating(Vec<SentNode>),
    /// A depth of induction and a formula.
    Inductive(usize, Box<str>),
}

/// The text of a message; `None` if it would be refused for its length.
pub fn encode(note: &Note) -> Option<String> {
    let content = match &note.content {
        Content::Bounded(Bounded { level, formula, kind }) => {
            let (level, formula) = (*level, formula.text().into());
            match kind {
                BoundedKind::Reach => ContentText::Reach { level, formula },
                BoundedKind::Induction(counterexample, distance) => {
                    let (counterexample, distance) = (counterexample.text().into(), *distance);
                    ContentText::Induction { level, formula, counterexample, distance }
                }
                BoundedKind::Power(span) => ContentText::Power { span: *span, level, formula },
                BoundedKind::Refuted => ContentText::Refuted { level, formula },
                BoundedKind::Height(vertex) => ContentText::Height { vertex: *vertex, level, formula },
                BoundedKind::Derived(vertex) => ContentText::Derived { vertex: *vertex, formula },
            }
        }
        Content::Invariant(definitions) => ContentText::Invariant(write_definitions(definitions)),
        Content::Verdict(witness) => ContentText::Verdict(witness.into()),
        Content::Part(number, model) => ContentText::Part(*number, write_definitions(model)),
    };
    let about = note.about.to_string().into();
    let message = Message { version: VERSION, sender: note.sender, about, content };
    serde_json::to_string(&message).ok().filter(|text| text.len() <= longest(&note.content))
}

/// The message in these bytes.
pub fn decode(bytes: &[u8]) -> Result<Note, WireError> {
    if bytes.len() > MAX_BYTES {
        return Err(WireError::TooLong);
    }
    let message: Message = serde_json::from_slice(bytes).map_err(|error| malformed(&error))?;
    let Message { version, sender, about, content } = message;
    if version != VERSION {
        return Err(WireError::Version(version));
    }
    let about = about.parse().map_err(|()| WireError::Number(shorten(&about), "fingerprint"))?;
    let content = match content {
        ContentText::Reach { level, formula } => bounded(level, &formula, BoundedKind::Reach)?,
        ContentText::Induction { level, formula, counterexample, distance } => {
            let counterexample = Formula::new(&counterexample, FormulaLimits::LEMMA)?;
            bounded(level, &formula, BoundedKind::Induction(counterexample, check_level(distance)?))?
        }
        ContentText::Power { span, level, formula } => bounded(level, &formula, BoundedKind::Power(span))?,
        ContentText::Refuted { level, formula } => bounded(level, &formula, BoundedKind::Refuted)?,
        ContentText::Height { vertex, level, formula } => {
            bounded(level, &formula, BoundedKind::Height(vertex))?
        }
        ContentText::Derived { vertex, formula } => bounded(0, &formula, BoundedKind::Derived(vertex))?,
        ContentText::Invariant(definitions) => {
            let limits = WitnessLimits { formula: FormulaLimits::LEMMA, ..WitnessLimits::PEER };
            Content::Invariant(read_definitions(definitions, limits)?)
        }
        ContentText::Verdict(witness) => Content::Verdict(witness.read(WitnessLimits::PEER)?),
        ContentText::Part(number, model) => {
            Content::Part(check_level(number)?, read_definitions(model, WitnessLimits::PEER)?)
        }
    };
    if bytes.len() > longest(&content) {
        return Err(WireError::TooLong);
    }
    Ok(Note { sender, about, content })
}

/// What is wrong with text that should be JSON; the message may repeat parts of the text.
pub fn malformed(error: &serde_json::Error) -> WireError {
    WireError::Malformed(shorten(&error.to_string()))
}

/// The beginning of a text, for messages.
fn shorten(text: &str) -> String {
    text.chars().take(100).collect()
}

/// The length that a message of this kind may have.
fn longest(content: &Content) -> usize {
    match content {
        Content::Bounded(_) => MAX_LEMMA_BYTES,
        Content::Invariant(_) | Content::Verdict(_) | Content::Part(..) => MAX_BYTES,
    }
}

fn bounded(level: usize, formula: &str, kind: BoundedKind) -> Result<Content, WireError> {
    let formula = Formula::new(formula, FormulaLimits::LEMMA)?;
    Ok(Content::Bounded(Bounded { level: check_level(level)?, formula, kind }))
}

fn check_level(level: usize) -> Result<usize, WireError> {
    if level > MAX_LEVEL { Err(WireError::Number(level.to_string(), "level")) } else { Ok(level) }
}

fn write_definitions(definitions: &Definitions) -> DefinitionsText {
    definitions.iter().map(|(name, formula)| (name.clone(), formula.text().into())).collect()
}

fn read_definitions(definitions: DefinitionsText, limits: WitnessLimits) -> Result<Definitions, WireError> {
    if definitions.len() > limits.definitions {
        return Err(WireError::TooLong);
    }
    let read = |(name, text): (_, Box<str>)| Ok((name, Formula::new(&text, limits.formula)?));
    definitions.into_iter().map(read).collect()
}

/// Whether a text may be that of a value.
fn check_value(text: &str, limits: WitnessLimits) -> Result<(), WireError> {
    match longest_number(text) {
        _ if text.len() > limits.formula.bytes => Err(WireError::TooLong),
        Some(length) if length > limits.digits => Err(WireError::TooLong),
        Some(_) => Ok(()),
        None => Err(WireError::Number(shorten(text), "value")),
    }
}

impl From<&SentWitness> for WitnessText {
    fn from(witness: &SentWitness) -> WitnessText {
        match witness {
            SentWitness::Model(definitions) => WitnessText::Model(write_definitions(definitions)),
            SentWitness::Derivation(steps) => WitnessText::Derivation(steps.clone()),
            SentWitness::Repeating(nodes) => WitnessText::Repeating(nodes.clone()),
            SentWitness::Inductive(k, formula) => WitnessText::Inductive(*k, formula.text().into()),
        }
    }
}

impl WitnessText {
    /// The witness, if it keeps to the limits.
    pub fn read(self, limits: WitnessLimits) -> Result<SentWitness, WireError> {
        match self {
            WitnessText::Model(definitions) => read_definitions(definitions, limits).map(SentWitness::Model),
            WitnessText::Inductive(k, formula) => {
                if !(1..=MAX_DEPTH).contains(&k) {
                    return Err(WireError::Number(k.to_string(), "depth of induction"));
                }
                Ok(SentWitness::Inductive(k, Formula::new(&formula, limits.formula)?))
            }
            WitnessText::Derivation(steps) => {
                if steps.len() > limits.steps {
                    return Err(WireError::TooLong);
                }
                for (at, step) in steps.iter().enumerate() {
                    check_step(step, at, limits)?;
                }
                Ok(SentWitness::Derivation(steps))
            }
            WitnessText::Repeating(nodes) => {
                let mut at = 0;
                for node in &nodes {
                    at += check_node(node, at, limits)?;
                    if at > limits.steps {
                        return Err(WireError::TooLong);
                    }
                }
                Ok(SentWitness::Repeating(nodes))
            }
        }
    }
}

/// Whether a text may be that of the step with this number.
fn check_step((_, premises, values): &SentStep, at: usize, limits: WitnessLimits) -> Result<(), WireError> {
    if let Some(late) = premises.iter().find(|&&premise| premise as usize >= at) {
        return Err(WireError::Number(late.to_string(), "earlier step"));
    }
    values.iter().try_for_each(|value| check_value(value, limits))
}

/// The same for a part of a derivation; gives the number of its steps.
fn check_node(node: &SentNode, at: usize, limits: WitnessLimits) -> Result<usize, WireError> {
    let (premise, rounds, word) = match node {
        SentNode::Step(step) => return check_step(step, at, limits).map(|()| 1),
        SentNode::Repeat(premise, rounds, word) => (*premise, *rounds, word),
        SentNode::Run(premise, steps, cases, values) => {
            if *steps == 0 || cases.is_empty() {
                return Err(WireError::Number(steps.to_string(), "number of steps"));
            }
            for (_, formula) in cases {
                Formula::new(formula, limits.formula)?;
            }
            return check_step(&(0, vec![*premise], values.clone()), at, limits).map(|()| 1);
        }
    };
    if premise as usize >= at {
        return Err(WireError::Number(premise.to_string(), "earlier step"));
    }
    if rounds == 0 || word.is_empty() {
        return Err(WireError::Number(rounds.to_string(), "number of rounds"));
    }
    for texts in word.iter().flat_map(|(_, courses)| courses) {
        if texts.is_empty() || texts.len() > MAX_COEFFICIENTS {
            return Err(WireError::Number(texts.len().to_string(), "number of coefficients"));
        }
        texts.iter().try_for_each(|text| check_value(text, limits))?;
    }
    Ok(word.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ABOUT: &str = "h000102030405060708090a0b0c0d0e0f";

    fn message(content: &str) -> String {
        format!("{PREFIX}2,\"sender\":7,\"about\":\"{ABOUT}\",\"content\":{content}}}")
    }

    #[test]
    fn messages_come_back_as_they_were() {
        for content in [
            r#"{"reach":{"level":3,"formula":"(<= x0 5)"}}"#,
            r#"{"induction":{"level":0,"formula":"(<= x0 5)","counterexample":"(and (= x0 6) x1)","distance":12}}"#,
            r#"{"power":{"span":"at-most","level":4,"formula":"(<= (+ y0 (* (- 1) x0)) 5)"}}"#,
            r#"{"refuted":{"level":4,"formula":"(<= x0 5)"}}"#,
            r#"{"height":{"vertex":2,"level":7,"formula":"(<= x0 5)"}}"#,
            r#"{"derived":{"vertex":0,"formula":"(= x0 5)"}}"#,
            r#"{"invariant":[["p","(<= x0 5)"],["a\nb","true"]]}"#,
            r#"{"verdict":{"model":[]}}"#,
            r#"{"verdict":{"inductive":[3,"(<= x0 5)"]}}"#,
            r#"{"verdict":{"derivation":[[0,[],["0","true"]],[3,[0,0],["-5","1/3","-1/3","false"]],[1,[1],[]]]}}"#,
            r#"{"verdict":{"repeating":[{"step":[0,[],["0","true"]]},{"repeat":[0,900000000000,[[1,[["5"],["true"]]],[2,[["-5","3","1/2"],["false"]]]]]},{"step":[3,[2],[]]}]}}"#,
            r#"{"verdict":{"repeating":[{"step":[0,[],["0"]]},{"run":[0,5000000,[[1,"(= y0 (+ x0 1))"]],["7"]]},{"step":[3,[1],[]]}]}}"#,
        ] {
            let text = message(content);
            let note = decode(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!((note.sender, encode(&note)), (7, Some(text)));
        }
    }

    #[test]
    fn mistakes_are_typed() {
        let check = |text: &str, error: WireError| assert_eq!(decode(text.as_bytes()), Err(error), "{text}");
        let number = |text: &str, what| WireError::Number(text.to_owned(), what);
        let reach = |level: &str, formula: &str| {
            message(&format!("{{\"reach\":{{\"level\":{level},\"formula\":\"{formula}\"}}}}"))
        };
        let good = reach("3", "true");
        check(&good.replacen('2', "3", 1), WireError::Version(3));
        check(&good.replace(ABOUT, "h12"), number("h12", "fingerprint"));
        check(&reach("1000000001", "true"), number("1000000001", "level"));
        check(&reach("3", "(foo)"), FormulaError::Symbol("foo".to_owned()).into());
        check(&reach("3", "(and"), FormulaError::Malformed.into());
        let steps = |steps: &str| message(&format!("{{\"verdict\":{{\"derivation\":[{steps}]}}}}"));
        check(&steps("[0,[0],[]]"), number("0", "earlier step"));
        check(&steps(r#"[0,[],["1/0"]]"#), number("1/0", "value"));
        check(&steps(&format!("[0,[],[\"{}\"]]", "1".repeat(3_000))), WireError::TooLong);
        for depth in ["0", "10001"] {
            let text = message(&format!("{{\"verdict\":{{\"inductive\":[{depth},\"true\"]}}}}"));
            check(&text, number(depth, "depth of induction"));
        }
        let nodes = |nodes: &str| {
            let start = "{\"step\":[0,[],[]]}";
            message(&format!("{{\"verdict\":{{\"repeating\":[{start},{nodes}]}}}}"))
        };
        check(&nodes(r#"{"repeat":[1,5,[[0,[]]]]}"#), number("1", "earlier step"));
        check(&nodes(r#"{"repeat":[0,0,[[0,[]]]]}"#), number("0", "number of rounds"));
        check(&nodes(r#"{"repeat":[0,5,[]]}"#), number("5", "number of rounds"));
        check(&nodes(r#"{"repeat":[0,5,[[0,[[]]]]]}"#), number("0", "number of coefficients"));
        let many = vec![r#""1""#; 17].join(",");
        check(
            &nodes(&format!("{{\"repeat\":[0,5,[[0,[[{many}]]]]]}}")),
            number("17", "number of coefficients"),
        );
        check(&steps(&vec!["[0,[],[]]"; 200_001].join(",")), WireError::TooLong);
        check(
            &message(&format!("{{\"invariant\":[{}]}}", vec![r#"["p","true"]"#; 10_001].join(","))),
            WireError::TooLong,
        );
        assert_eq!(decode(&vec![b' '; MAX_BYTES + 1]), Err(WireError::TooLong));
        check(&good.replace(':', &format!(":{}", " ".repeat(MAX_LEMMA_BYTES))), WireError::TooLong);
        // Other forms, other members, deep nesting, no text.
        let deep = message(&"[".repeat(1_000_000));
        let more = good.replacen('{', "{\"more\":1,", 1);
        for text in ["", "{", "[]", "null", &format!("{good} x"), &reach("-3", "true"), &deep, &more] {
            assert!(matches!(decode(text.as_bytes()), Err(WireError::Malformed(_))), "{text:.80}");
        }
        for content in
            ["{\"hello\":1}", "{\"reach\":{\"level\":1}}", "{\"verdict\":{\"derivation\":[[-1,[],[]]]}}"]
        {
            assert!(matches!(decode(message(content).as_bytes()), Err(WireError::Malformed(_))), "{content}");
        }
        assert!(matches!(decode(b"{\"shem\xff"), Err(WireError::Malformed(_))));
    }
}
