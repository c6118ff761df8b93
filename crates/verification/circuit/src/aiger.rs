//! Reading of AIGER, as text (`aag`) and with encoded gates (`aig`).
//!
//! A file begins with counts, and has so many lines of each kind: inputs, latches, outputs, bad states, constraints,
//! conditions of justice, fairness, gates. A literal is an even number for a variable, and the odd number after it for its
//! negation. If there are neither bad states nor conditions of justice, the outputs are bad states, as in the version
//! before 1.9.
//!
//! The format: A. Biere, K. Heljanko, S. Wieringa, AIGER 1.9 and Beyond, FMV report 11/2, Linz 2011. The bytes of encoded
//! gates are no text; who reads a file gives each of its bytes as the character with that number ([`aiger_text`]).

use rustc_hash::FxHashMap;
use shem_base::BitVec;
use shem_term::smtlib::{ErrorKind, ReadError, Span};

use crate::circuit::{Circuit, NodeId, Op, Property, Question};
use crate::derived::BIT;
use crate::words::{Line, Word};

/// The most inputs of a file with encoded gates, where they have no lines of their own.
const MOST_INPUTS: u64 = 1 << 22;

/// Whether a text begins like AIGER: with the name of the format and five counts.
pub fn is_aiger(text: &str) -> bool {
    let mut words = text.lines().next().unwrap_or_default().split(' ');
    let named = matches!(words.next(), Some("aag" | "aig"));
    named && words.clone().count() >= 5 && words.all(|word| word.trim_end().parse::<u64>().is_ok())
}

/// The bytes of an input in AIGER with encoded gates as a text; nothing for other inputs.
pub fn aiger_text(bytes: &[u8]) -> Option<String> {
    bytes.starts_with(b"aig ").then(|| bytes.iter().map(|&byte| char::from(byte)).collect())
}

/// What a variable is.
#[derive(Clone, Copy)]
enum Variable {
    Known(NodeId),
    Gate([u64; 2], Span),
}

struct Reader<'t> {
    text: &'t str,
    /// Where the next line begins.
    at: usize,
    greatest: u64,
    variables: FxHashMap<u64, Variable>,
    circuit: Circuit,
}

/// The counts of the first line.
#[derive(Clone, Copy)]
struct Counts {
    encoded: bool,
    inputs: u64,
    latches: u64,
    outputs: u64,
    gates: u64,
    bad: u64,
    constraints: u64,
    justice: u64,
    fairness: u64,
}

/// A literal with its place.
type Literal = (u64, Span);

impl Circuit {
    /// Reads a circuit in AIGER.
    ///
    /// # Errors
    /// A mistake in the text, with its place.
    pub fn read_aiger(text: &str) -> Result<Circuit, ReadError> {
        let mut reader =
            Reader { text, at: 0, greatest: 0, variables: FxHashMap::default(), circuit: Circuit::default() };
        let counts = reader.read_counts()?;
        reader.read(counts)?;
        Ok(reader.circuit)
    }
}

impl<'t> Reader<'t> {
    fn line(&mut self) -> Result<Line<'t>, ReadError> {
        let length = self.text.len();
        if self.at >= length {
            let span = Span::new(length as u32, length as u32);
            return Err(ReadError::new(
                ErrorKind::Syntax,
                span,
                "the text ends before all that its counts promise",
            ));
        }
        let line = Line::at(self.text, self.at);
        self.at = line.end();
        Ok(line)
    }

    fn read_counts(&mut self) -> Result<Counts, ReadError> {
        let mut line = self.line()?;
        let format = line.expect("aag or aig")?;
        let encoded = match format.text {
            "aag" => false,
            "aig" => true,
            other => {
                return Err(format.error(ErrorKind::Syntax, format!("aag or aig is expected, not {other}")));
            }
        };
        let mut numbers = [0_u64; 9];
        let mut first = None;
        for (at, number) in numbers.iter_mut().enumerate() {
            let word = if at < 5 { Some(line.expect("a count")?) } else { line.next() };
            let Some(word) = word else { break };
            first = first.or(Some(word));
            *number = word.number()?;
        }
        if let Some(word) = line.next() {
            return Err(word.error(ErrorKind::Unsupported, "there are nine counts at most"));
        }
        let [greatest, inputs, latches, outputs, gates, bad, constraints, justice, fairness] = numbers;
        let (Some(first), true) = (first, greatest < u64::from(u32::MAX) / 2) else {
            return Err(format.error(ErrorKind::Unsupported, "there are too many variables"));
        };
        if encoded && inputs.checked_add(latches).and_then(|sum| sum.checked_add(gates)) != Some(greatest) {
            let message = "inputs, latches and gates together are not as many as variables";
            return Err(first.error(ErrorKind::Syntax, message));
        }
        if encoded && inputs > MOST_INPUTS {
            let message = format!("more than {MOST_INPUTS} inputs are not supported");
            return Err(first.error(ErrorKind::Unsupported, message));
        }
        self.greatest = greatest;
        Ok(Counts { encoded, inputs, latches, outputs, gates, bad, constraints, justice, fairness })
    }

    fn literal(&self, word: Word<'t>) -> Result<Literal, ReadError> {
        let number = word.number()?;
        if number / 2 > self.greatest {
            let message = format!("{number} is no literal: the greatest variable is {}", self.greatest);
            return Err(word.error(ErrorKind::Unknown, message));
        }
        Ok((number, word.span()))
    }

    /// A literal that is to be defined.
    fn variable(&self, word: Word<'t>) -> Result<u64, ReadError> {
        let (number, _) = self.literal(word)?;
        if number < 2 || number % 2 == 1 {
            let message = format!("{number} cannot be defined: an even number above 0 is needed");
            return Err(word.error(ErrorKind::Syntax, message));
        }
        if self.variables.contains_key(&(number / 2)) {
            return Err(word.error(ErrorKind::Redeclared, format!("{number} is defined already")));
        }
        Ok(number / 2)
    }

    /// So many lines of one literal each.
    fn literals(&mut self, count: u64) -> Result<Vec<Literal>, ReadError> {
        let mut literals = Vec::new();
        for _ in 0..count {
            let mut line = self.line()?;
            literals.push(self.literal(line.expect("a literal")?)?);
            nothing_more(&mut line)?;
        }
        Ok(literals)
    }

    fn read(&mut self, counts: Counts) -> Result<(), ReadError> {
        for at in 0..counts.inputs {
            let variable = match counts.encoded {
                true => at + 1,
                false => {
                    let mut line = self.line()?;
                    let variable = self.variable(line.expect("a literal")?)?;
                    nothing_more(&mut line)?;
                    variable
                }
            };
            let node = self.circuit.input(BIT, None);
            self.variables.insert(variable, Variable::Known(node));
        }
        let mut nexts = Vec::new();
        for at in 0..counts.latches {
            nexts.push(self.read_latch(counts.encoded.then_some(counts.inputs + at + 1))?);
        }
        let outputs = self.literals(counts.outputs)?;
        let bad = self.literals(counts.bad)?;
        let constraints = self.literals(counts.constraints)?;
        let mut sizes = Vec::new();
        for _ in 0..counts.justice {
            let mut line = self.line()?;
            let word = line.expect("the number of conditions")?;
            sizes.push((word.number()?, word.span()));
            nothing_more(&mut line)?;
        }
        let mut justice = Vec::new();
        for (size, span) in sizes {
            if size == 0 {
                return Err(ReadError::new(
                    ErrorKind::Unsupported,
                    span,
                    "justice has at least one condition",
                ));
            }
            justice.push((self.literals(size)?, span));
        }
        let fairness = self.literals(counts.fairness)?;
        match counts.encoded {
            true => self.read_encoded(counts)?,
            false => self.read_gates(counts.gates)?,
        }
        for (at, next) in nexts.into_iter().enumerate() {
            let next = self.node(next)?;
            self.circuit.states[at].next = Some(next);
        }
        let bad = if counts.bad == 0 && counts.justice == 0 { outputs } else { bad };
        for literal in bad {
            let question = Question::Bad(self.node(literal)?);
            self.circuit.properties.push(Property { question, symbol: None, span: literal.1 });
        }
        for literal in constraints {
            let node = self.node(literal)?;
            self.circuit.constraints.push(node);
        }
        for (conditions, span) in justice {
            let conditions = conditions.into_iter().map(|condition| self.node(condition));
            let question = Question::Justice(conditions.collect::<Result<_, _>>()?);
            self.circuit.properties.push(Property { question, symbol: None, span });
        }
        for literal in fairness {
            let node = self.node(literal)?;
            self.circuit.fairness.push(node);
        }
        self.read_symbols(counts)
    }

    /// A latch: its literal, unless that is known, its next value, and the one at the start, zero if there is none.
    fn read_latch(&mut self, known: Option<u64>) -> Result<Literal, ReadError> {
        let mut line = self.line()?;
        let variable = match known {
            Some(variable) => variable,
            None => self.variable(line.expect("a literal")?)?,
        };
        let next = self.literal(line.expect("the next value")?)?;
        let state = self.circuit.state(BIT, None);
        self.variables.insert(variable, Variable::Known(state));
        let reset = line.next();
        let value = match reset.map(Word::number).transpose()? {
            None => Some(0),
            Some(value) if value < 2 => Some(value),
            Some(value) if value == 2 * variable => None,
            Some(value) => {
                let message =
                    format!("a latch begins with 0, 1, or any value by its own literal, not {value}");
                return Err(reset.expect("a word").error(ErrorKind::Syntax, message));
            }
        };
        nothing_more(&mut line)?;
        let init = value.map(|value| self.circuit.constant(BitVec::new(1, value)));
        self.circuit.states.last_mut().expect("a state").init = init;
        Ok(next)
    }

    fn read_gates(&mut self, count: u64) -> Result<(), ReadError> {
        for _ in 0..count {
            let mut line = self.line()?;
            let span = line.span();
            let variable = self.variable(line.expect("a literal")?)?;
            let left = self.literal(line.expect("a literal")?)?.0;
            let right = self.literal(line.expect("a literal")?)?.0;
            nothing_more(&mut line)?;
            self.variables.insert(variable, Variable::Gate([left, right], span));
        }
        Ok(())
    }

    /// Gates as differences of their literals, seven bits a byte, the lowest first.
    fn read_encoded(&mut self, counts: Counts) -> Result<(), ReadError> {
        let mut characters = self.text[self.at.min(self.text.len())..].char_indices();
        let start = self.at;
        let mut end = 0;
        let mut difference = || {
            let mut value = 0_u64;
            for shift in (0..35).step_by(7) {
                let Some((at, byte)) = characters.next() else { break };
                end = at + byte.len_utf8();
                value |= (u64::from(u32::from(byte)) & 0x7f) << shift;
                if u32::from(byte) < 0x80 {
                    return Ok((value, Span::new((start + at) as u32, (start + end) as u32)));
                }
            }
            let span = Span::new((start + end) as u32, (start + end) as u32);
            Err(ReadError::new(ErrorKind::Syntax, span, "the difference of two literals is expected"))
        };
        for at in 0..counts.gates {
            let own = 2 * (counts.inputs + counts.latches + at + 1);
            let (first, place) = difference()?;
            let (second, span) = difference()?;
            let left = own.checked_sub(first).filter(|&left| left < own);
            let right = left.and_then(|left| left.checked_sub(second));
            let (Some(left), Some(right)) = (left, right) else {
                return Err(ReadError::new(
                    ErrorKind::Syntax,
                    place,
                    "the literals of a gate are not smaller ones",
                ));
            };
            self.variables.insert(own / 2, Variable::Gate([left, right], place.to(span)));
        }
        self.at = start + end;
        Ok(())
    }

    /// The node of a literal. Gates are made on the way, those that others need first.
    fn node(&mut self, (literal, span): Literal) -> Result<NodeId, ReadError> {
        let mut stack = vec![(literal / 2, span)];
        // The gates that were opened: one that is needed for itself is met again.
        let mut open: FxHashMap<u64, ()> = FxHashMap::default();
        while let Some(&(variable, span)) = stack.last() {
            let args = match self.variables.get(&variable) {
                _ if variable == 0 => {
                    stack.pop();
                    continue;
                }
                Some(Variable::Known(_)) => {
                    stack.pop();
                    continue;
                }
                Some(Variable::Gate(args, place)) => (*args, *place),
                None => {
                    let message = format!("the variable of literal {} is not defined", 2 * variable);
                    return Err(ReadError::new(ErrorKind::Unknown, span, message));
                }
            };
            let (args, place) = args;
            match args.map(|arg| self.known(arg)) {
                [Some(left), Some(right)] => {
                    let node = self.circuit.binary(Op::And, left, right);
                    self.variables.insert(variable, Variable::Known(node));
                    stack.pop();
                }
                known => {
                    if open.insert(variable, ()).is_some() {
                        return Err(ReadError::new(ErrorKind::Syntax, place, "the gate depends on itself"));
                    }
                    let missing = args.iter().zip(known).filter(|(_, node)| node.is_none());
                    stack.extend(missing.map(|(arg, _)| (arg / 2, place)));
                }
            }
        }
        Ok(self.known(literal).expect("made above"))
    }

    /// The node of a literal, if it is there.
    fn known(&mut self, literal: u64) -> Option<NodeId> {
        let node = match (literal / 2, self.variables.get(&(literal / 2))) {
            (0, _) => self.circuit.constant(BitVec::zero(1)),
            (_, Some(Variable::Known(node))) => *node,
            _ => return None,
        };
        Some(if literal % 2 == 1 { self.circuit.not(node) } else { node })
    }

    /// Names, up to the comments.
    fn read_symbols(&mut self, counts: Counts) -> Result<(), ReadError> {
        while self.at < self.text.len() {
            let mut line = self.line()?;
            let Some(word) = line.next() else { continue };
            if word.text == "c" {
                break;
            }
            let symbol = || Some(line.rest()).filter(|name| !name.is_empty()).map(Box::from);
            let Some((kind, position)) = word.text.split_at_checked(1) else { continue };
            let Ok(position) = position.parse::<usize>() else {
                let message = format!("a name or a comment is expected, not {}", word.text);
                return Err(word.error(ErrorKind::Syntax, message));
            };
            let outputs_are_bad = counts.bad == 0 && counts.justice == 0;
            let slot = match kind {
                "i" => self.circuit.inputs.get_mut(position).map(|input| &mut input.symbol),
                "l" => self.circuit.states.get_mut(position).map(|state| &mut state.symbol),
                "b" if (position as u64) < counts.bad => {
                    self.circuit.properties.get_mut(position).map(|property| &mut property.symbol)
                }
                "o" if outputs_are_bad => {
                    self.circuit.properties.get_mut(position).map(|property| &mut property.symbol)
                }
                "j" if (position as u64) < counts.justice => {
                    let position = counts.bad as usize + position;
                    self.circuit.properties.get_mut(position).map(|property| &mut property.symbol)
                }
                "o" if (position as u64) < counts.outputs => continue,
                "c" if (position as u64) < counts.constraints => continue,
                "f" if (position as u64) < counts.fairness => continue,
                _ => None,
            };
            match slot {
                Some(slot) => *slot = symbol(),
                None => {
                    let message = format!("there is nothing that {} could name", word.text);
                    return Err(word.error(ErrorKind::Unknown, message));
                }
            }
        }
        Ok(())
    }
}

/// The end of a line.
fn nothing_more(line: &mut Line<'_>) -> Result<(), ReadError> {
    match line.next() {
        Some(word) => Err(word.error(ErrorKind::Syntax, "the end of the line is expected")),
        None => Ok(()),
    }
}
