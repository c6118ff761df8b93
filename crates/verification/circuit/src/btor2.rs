//! Reading of BTOR2.
//!
//! A line defines a sort, a word or an array, or says what one of them is for. Lines name earlier ones by their numbers;
//! a negative number stands for the word with each bit turned.
//!
//! The format: A. Niemetz, M. Preiner, C. Wolf, A. Biere, Btor2, BtorMC and Boolector 3.0, CAV 2018. The value of a
//! state at the start may be any expression here, wherever it stands: of other states, and of inputs, which have the
//! values of the first moment. The elements of an array may be arrays.

use rustc_hash::FxHashMap;
use shem_base::{BitVec, Int};
use shem_term::MAX_WIDTH;
use shem_term::smtlib::{ErrorKind, ReadError, Span};

use crate::circuit::{ArraySort, Circuit, MOST_DIMENSIONS, Node, NodeId, NodeSort, Op, Property, Question};
use crate::derived::BIT;
use crate::words::{Line, Word};

/// Whether a text begins like BTOR2: with a number and a word of the format, after comments.
pub fn is_btor2(text: &str) -> bool {
    let first = text.lines().map(str::trim_start).find(|line| !line.is_empty() && !line.starts_with(';'));
    let mut words = first.unwrap_or_default().split_ascii_whitespace();
    let number = words.next().is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
    // Whatever comes first, a sort has to be there before it.
    number && words.next() == Some("sort")
}

/// What a line defines.
#[derive(Clone, Copy)]
enum Defined {
    Sort(NodeSort),
    Node(NodeId),
    /// What a word is for: it has a number, which nothing may name.
    Use,
}

struct Reader<'t> {
    circuit: Circuit,
    defined: FxHashMap<u64, Defined>,
    line: Line<'t>,
    /// The places of the values at the start, by state.
    inits: Vec<Option<Span>>,
}

impl Circuit {
    /// Reads a circuit in BTOR2.
    ///
    /// # Errors
    /// A mistake in the text, with its place.
    pub fn read_btor2(text: &str) -> Result<Circuit, ReadError> {
        let mut reader = Reader {
            circuit: Circuit::default(),
            defined: FxHashMap::default(),
            line: Line::at(text, 0),
            inits: Vec::new(),
        };
        let mut start = 0;
        while start < text.len() {
            reader.line = Line::at(text, start);
            start = reader.line.end();
            reader.read_line()?;
        }
        reader.finish()
    }
}

impl<'t> Reader<'t> {
    fn read_line(&mut self) -> Result<(), ReadError> {
        let Some(first) = self.line.next().filter(|word| !word.text.starts_with(';')) else { return Ok(()) };
        let number = first.number()?;
        if number == 0 {
            return Err(first.error(ErrorKind::Syntax, "lines are numbered from 1"));
        }
        if self.defined.contains_key(&number) {
            let message = format!("the number {number} is that of an earlier line");
            return Err(first.error(ErrorKind::Redeclared, message));
        }
        let word = self.line.expect("an operator")?.before(';');
        let defined = match word.text {
            "sort" => Defined::Sort(self.read_sort()?),
            "bad" | "constraint" | "fair" | "output" | "justice" => {
                self.read_use(word)?;
                Defined::Use
            }
            "init" | "next" => {
                self.read_state_value(word)?;
                Defined::Use
            }
            _ => Defined::Node(self.read_node(word)?),
        };
        self.defined.insert(number, defined);
        Ok(())
    }

    /// The name at the end of a line, if there is one.
    fn symbol(&mut self) -> Result<Option<Box<str>>, ReadError> {
        let Some(word) = self.line.next().filter(|word| !word.text.starts_with(';')) else { return Ok(None) };
        match self.line.next().filter(|word| !word.text.starts_with(';')) {
            Some(more) => Err(more.error(ErrorKind::Syntax, "nothing is expected after the name")),
            None => Ok(Some(word.text.into())),
        }
    }

    fn argument(&mut self, what: &str) -> Result<Word<'t>, ReadError> {
        let word = self.line.clone().expect(what)?;
        if word.text.starts_with(';') {
            return Err(word.error(ErrorKind::Syntax, format!("the line ends where {what} is expected")));
        }
        self.line.next();
        Ok(word.before(';'))
    }

    fn number(&mut self, what: &str) -> Result<(u32, Word<'t>), ReadError> {
        let word = self.argument(what)?;
        let number = word.number()?;
        let small =
            u32::try_from(number).map_err(|_| word.error(ErrorKind::Unsupported, "the number is too large"));
        Ok((small?, word))
    }

    fn read_sort(&mut self) -> Result<NodeSort, ReadError> {
        let kind = self.argument("bitvec or array")?;
        let sort = match kind.text {
            "bitvec" => {
                let (width, word) = self.number("a width")?;
                if width == 0 || width > MAX_WIDTH {
                    let message = format!("a width is a number from 1 to {MAX_WIDTH}");
                    return Err(word.error(ErrorKind::Unsupported, message));
                }
                NodeSort::Bits(width)
            }
            "array" => {
                let (index, at) = self.sort()?;
                let (element, place) = self.sort()?;
                let NodeSort::Bits(index) = index else {
                    return Err(at.error(ErrorKind::Unsupported, "an array cannot be an index"));
                };
                let deep = || {
                    let message =
                        format!("more than {MOST_DIMENSIONS} arrays one inside the other are not supported");
                    place.error(ErrorKind::Unsupported, message)
                };
                NodeSort::Array(ArraySort::new(index, element).ok_or_else(deep)?)
            }
            other => {
                return Err(kind.error(ErrorKind::Syntax, format!("a sort is bitvec or array, not {other}")));
            }
        };
        self.symbol()?;
        Ok(sort)
    }

    /// A sort by its number.
    fn sort(&mut self) -> Result<(NodeSort, Word<'t>), ReadError> {
        let word = self.argument("a sort")?;
        let number = word.number()?;
        match self.defined.get(&number) {
            Some(Defined::Sort(sort)) => Ok((*sort, word)),
            Some(_) => Err(word.error(ErrorKind::IllSorted, format!("line {number} is no sort"))),
            None => Err(word.error(ErrorKind::Unknown, format!("there is no earlier line {number}"))),
        }
    }

    /// A node by its number, which may be negative.
    fn operand(&mut self) -> Result<(NodeId, Word<'t>), ReadError> {
        let word = self.argument("the number of a line")?;
        let (digits, negated) = match word.text.strip_prefix('-') {
            Some(digits) => (digits, true),
            None => (word.text, false),
        };
        let number: Option<u64> =
            digits.parse().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()));
        let Some(number) = number else {
            let message = format!("the number of a line is expected, not {}", word.text);
            return Err(word.error(ErrorKind::Syntax, message));
        };
        let node = match self.defined.get(&number) {
            Some(Defined::Node(node)) => *node,
            Some(_) => {
                return Err(word.error(ErrorKind::IllSorted, format!("line {number} is no word or array")));
            }
            None => return Err(word.error(ErrorKind::Unknown, format!("there is no earlier line {number}"))),
        };
        match (negated, self.circuit.sort(node)) {
            (false, _) => Ok((node, word)),
            (true, NodeSort::Bits(_)) => Ok((self.circuit.not(node), word)),
            (true, _) => Err(word.error(ErrorKind::IllSorted, "an array has no bits to turn")),
        }
    }

    /// A word by its number.
    fn word(&mut self) -> Result<(NodeId, u32, Word<'t>), ReadError> {
        let (node, word) = self.operand()?;
        match self.circuit.sort(node) {
            NodeSort::Bits(width) => Ok((node, width, word)),
            sort => Err(word.error(ErrorKind::IllSorted, format!("a word is expected, not an {sort}"))),
        }
    }

    /// Two operands of the same sort.
    fn two_of_one_sort(&mut self) -> Result<(NodeId, NodeId), ReadError> {
        let (a, _) = self.operand()?;
        let (b, place) = self.operand()?;
        let (left, right) = (self.circuit.sort(a), self.circuit.sort(b));
        if left == right {
            return Ok((a, b));
        }
        let message = format!("the sorts differ: {left} and {right}");
        Err(place.error(ErrorKind::IllSorted, message))
    }

    /// A word of this width by its number.
    fn word_of(&mut self, width: u32) -> Result<NodeId, ReadError> {
        let (node, found, word) = self.word()?;
        if found == width {
            return Ok(node);
        }
        Err(word.error(ErrorKind::IllSorted, format!("the width is {found}, and {width} is needed")))
    }

    /// An array by its number.
    fn array(&mut self) -> Result<(NodeId, ArraySort), ReadError> {
        let (node, word) = self.operand()?;
        match self.circuit.sort(node) {
            NodeSort::Array(array) => Ok((node, array)),
            sort => Err(word.error(ErrorKind::IllSorted, format!("an array is expected, not a {sort}"))),
        }
    }

    fn read_use(&mut self, word: Word<'t>) -> Result<(), ReadError> {
        let span = self.line.span();
        let question = match word.text {
            "output" => {
                self.operand()?;
                self.symbol()?;
                return Ok(());
            }
            "justice" => {
                let (count, place) = self.number("the number of conditions")?;
                if count == 0 {
                    return Err(place.error(ErrorKind::Unsupported, "justice has at least one condition"));
                }
                let conditions = (0..count).map(|_| self.word_of(1)).collect::<Result<_, _>>()?;
                Question::Justice(conditions)
            }
            _ => Question::Bad(self.word_of(1)?),
        };
        let symbol = self.symbol()?;
        match (word.text, question) {
            ("constraint", Question::Bad(node)) => self.circuit.constraints.push(node),
            ("fair", Question::Bad(node)) => self.circuit.fairness.push(node),
            (_, question) => self.circuit.properties.push(Property { question, symbol, span }),
        }
        Ok(())
    }

    fn read_state_value(&mut self, word: Word<'t>) -> Result<(), ReadError> {
        let (sort, sort_word) = self.sort()?;
        let (node, place) = self.operand()?;
        let &Node::State(at) = self.circuit.node(node) else {
            return Err(place.error(ErrorKind::IllSorted, format!("{} needs a state", word.text)));
        };
        if self.circuit.sort(node) != sort {
            let message = format!("the sort of the state is {}, not {sort}", self.circuit.sort(node));
            return Err(sort_word.error(ErrorKind::IllSorted, message));
        }
        let (value, value_word) = self.operand()?;
        let found = self.circuit.sort(value);
        let value = match word.text {
            "init" => self.circuit.everywhere(value, sort),
            _ => (sort == found).then_some(value),
        };
        let value = value.ok_or_else(|| {
            let message = format!("the sort of the value is {found}, and {sort} is needed");
            value_word.error(ErrorKind::IllSorted, message)
        })?;
        self.symbol()?;
        let state = &mut self.circuit.states[at as usize];
        let slot = if word.text == "init" { &mut state.init } else { &mut state.next };
        if slot.replace(value).is_some() {
            return Err(
                place.error(ErrorKind::Redeclared, format!("the state has a line {} already", word.text))
            );
        }
        if word.text == "init" {
            self.inits[at as usize] = Some(value_word.span());
        }
        Ok(())
    }

    /// A line that defines a word or an array.
    fn read_node(&mut self, word: Word<'t>) -> Result<NodeId, ReadError> {
        if !is_operator(word.text) {
            return Err(word.error(ErrorKind::Unknown, format!("there is no operator {}", word.text)));
        }
        let (sort, sort_word) = self.sort()?;
        if let "input" | "state" = word.text {
            let symbol = self.symbol()?;
            if word.text == "input" {
                return Ok(self.circuit.input(sort, symbol));
            }
            self.inits.push(None);
            return Ok(self.circuit.state(sort, symbol));
        }
        let node = match sort {
            NodeSort::Bits(width) if is_constant(word.text) => self.constant(word, width)?,
            _ if is_constant(word.text) => {
                return Err(sort_word.error(ErrorKind::IllSorted, "a constant is a word"));
            }
            _ => self.operation(word)?,
        };
        let found = self.circuit.sort(node);
        if found != sort {
            let message = format!("the sort of {} is {found} here, not {sort}", word.text);
            return Err(sort_word.error(ErrorKind::IllSorted, message));
        }
        self.symbol()?;
        Ok(node)
    }

    fn constant(&mut self, word: Word<'t>, width: u32) -> Result<NodeId, ReadError> {
        let value = match word.text {
            "zero" => BitVec::zero(width),
            "one" => BitVec::new(width, 1),
            "ones" => BitVec::ones(width),
            _ => {
                let digits = self.argument("a number")?;
                let value = match word.text {
                    "constd" => decimal(digits.text, width),
                    "const" => padded(BitVec::from_digits(digits.text, 1), width),
                    _ => padded(BitVec::from_digits(digits.text, 4), width),
                };
                value.ok_or_else(|| {
                    let message = format!("{} is no number of {width} bits", digits.text);
                    digits.error(ErrorKind::Syntax, message)
                })?
            }
        };
        Ok(self.circuit.constant(value))
    }

    /// An operation, with its arguments.
    fn operation(&mut self, word: Word<'t>) -> Result<NodeId, ReadError> {
        let name = word.text;
        match name {
            "not" | "inc" | "dec" | "neg" | "redand" | "redor" | "redxor" => {
                let (a, width, _) = self.word()?;
                Ok(self.unary(name, a, width))
            }
            "slice" => {
                let (a, width, _) = self.word()?;
                let (high, place) = self.number("the highest bit")?;
                let (low, _) = self.number("the lowest bit")?;
                if high >= width || low > high {
                    let message = format!("a word of {width} bits has no bits from {low} to {high}");
                    return Err(place.error(ErrorKind::IllSorted, message));
                }
                Ok(self.circuit.slice(high, low, a))
            }
            "uext" | "sext" => {
                let (a, width, _) = self.word()?;
                let (by, place) = self.number("a number of bits")?;
                if by > MAX_WIDTH - width {
                    let message = format!("a word has at most {MAX_WIDTH} bits");
                    return Err(place.error(ErrorKind::Unsupported, message));
                }
                Ok(match name {
                    "uext" => self.circuit.zero_extend(by, a),
                    _ => self.circuit.sign_extend(by, a),
                })
            }
            "concat" => {
                let (a, high, _) = self.word()?;
                let (b, low, place) = self.word()?;
                if low > MAX_WIDTH - high {
                    let message = format!("a word has at most {MAX_WIDTH} bits");
                    return Err(place.error(ErrorKind::Unsupported, message));
                }
                Ok(self.circuit.concat(a, b))
            }
            "eq" | "neq" => {
                let (a, b) = self.two_of_one_sort()?;
                let equal = self.circuit.compare(Op::Eq, a, b);
                Ok(if name == "eq" { equal } else { self.circuit.not(equal) })
            }
            "ite" => {
                let condition = self.word_of(1)?;
                let (a, b) = self.two_of_one_sort()?;
                let sort = self.circuit.sort(a);
                Ok(self.circuit.apply(Op::Ite, &[condition, a, b], sort))
            }
            "read" => {
                let (array, sort) = self.array()?;
                let index = self.word_of(sort.index())?;
                Ok(self.circuit.apply(Op::Read, &[array, index], sort.element()))
            }
            "write" => {
                let (array, sort) = self.array()?;
                let index = self.word_of(sort.index())?;
                let (element, place) = self.operand()?;
                let found = self.circuit.sort(element);
                if found != sort.element() {
                    let message =
                        format!("the sort of the element is {found}, and {} is needed", sort.element());
                    return Err(place.error(ErrorKind::IllSorted, message));
                }
                Ok(self.circuit.apply(Op::Write, &[array, index, element], NodeSort::Array(sort)))
            }
            _ => {
                let (a, width, place) = self.word()?;
                let b = self.word_of(width)?;
                if matches!(name, "iff" | "implies") && width != 1 {
                    return Err(place.error(ErrorKind::IllSorted, format!("{name} needs words of one bit")));
                }
                if matches!(name, "umulo" | "smulo") && width > MAX_WIDTH / 2
                    || matches!(name, "uaddo" | "saddo" | "ssubo") && width == MAX_WIDTH
                {
                    let message = format!("{name} of words of {width} bits is not supported");
                    return Err(place.error(ErrorKind::Unsupported, message));
                }
                Ok(self.binary(name, a, b))
            }
        }
    }

    fn unary(&mut self, name: &str, a: NodeId, width: u32) -> NodeId {
        let circuit = &mut self.circuit;
        match name {
            "not" => circuit.not(a),
            "neg" => circuit.apply(Op::Neg, &[a], NodeSort::Bits(width)),
            "inc" => circuit.add_number(a, &BitVec::new(width, 1)),
            "dec" => circuit.add_number(a, &BitVec::ones(width)),
            "redand" => circuit.is(a, &BitVec::ones(width)),
            "redor" => {
                let none = circuit.is(a, &BitVec::zero(width));
                circuit.not(none)
            }
            _ => circuit.apply(Op::Parity, &[a], BIT),
        }
    }

    /// A binary operation on words of the same width.
    fn binary(&mut self, name: &str, a: NodeId, b: NodeId) -> NodeId {
        let circuit = &mut self.circuit;
        let op = match name {
            "and" | "nand" => Op::And,
            "or" | "nor" => Op::Or,
            "xor" | "xnor" => Op::Xor,
            "add" => Op::Add,
            "mul" => Op::Mul,
            "udiv" => Op::Udiv,
            "urem" => Op::Urem,
            "sdiv" => Op::Sdiv,
            "srem" => Op::Srem,
            "smod" => Op::Smod,
            "sll" => Op::Sll,
            "srl" => Op::Srl,
            "sra" => Op::Sra,
            "rol" => Op::Rol,
            "ror" => Op::Ror,
            "iff" => return circuit.compare(Op::Eq, a, b),
            "implies" => {
                let not = circuit.not(a);
                return circuit.binary(Op::Or, not, b);
            }
            "ult" | "usubo" => return circuit.compare(Op::Ult, a, b),
            "ugt" => return circuit.compare(Op::Ult, b, a),
            "ulte" | "ugte" => {
                let (a, b) = if name == "ulte" { (b, a) } else { (a, b) };
                let less = circuit.compare(Op::Ult, a, b);
                return circuit.not(less);
            }
            "slt" => return circuit.compare(Op::Slt, a, b),
            "sgt" => return circuit.compare(Op::Slt, b, a),
            "slte" | "sgte" => {
                let (a, b) = if name == "slte" { (b, a) } else { (a, b) };
                let less = circuit.compare(Op::Slt, a, b);
                return circuit.not(less);
            }
            "sub" => return circuit.sub(a, b),
            "uaddo" => return circuit.uaddo(a, b),
            "saddo" => return circuit.saddo(a, b),
            "ssubo" => return circuit.ssubo(a, b),
            "umulo" => return circuit.umulo(a, b),
            "smulo" => return circuit.smulo(a, b),
            "sdivo" => return circuit.sdivo(a, b),
            _ => unreachable!("an operator of the list"),
        };
        let result = circuit.binary(op, a, b);
        if matches!(name, "nand" | "nor" | "xnor") { circuit.not(result) } else { result }
    }

    /// The circuit, once all is read.
    fn finish(self) -> Result<Circuit, ReadError> {
        let Reader { circuit, inits, .. } = self;
        if let Err(at) = circuit.initial_order() {
            let (place, message) = (
                inits[at].unwrap_or(Span::new(0, 0)),
                "the value of the state at the start depends on itself",
            );
            return Err(ReadError::new(ErrorKind::Unsupported, place, message));
        }
        Ok(circuit)
    }
}

fn is_constant(name: &str) -> bool {
    matches!(name, "zero" | "one" | "ones" | "const" | "constd" | "consth")
}

fn is_operator(name: &str) -> bool {
    const OTHERS: &str = "input state not inc dec neg redand redor redxor slice uext sext concat eq neq ite read write \
                          and nand or nor xor xnor add mul sub udiv urem sdiv srem smod sll srl sra rol ror iff implies \
                          ult ulte ugt ugte slt slte sgt sgte uaddo saddo usubo ssubo umulo smulo sdivo";
    is_constant(name) || OTHERS.split_ascii_whitespace().any(|other| other == name)
}

/// A word with zeros above it, if it is not too wide.
fn padded(value: Option<BitVec>, width: u32) -> Option<BitVec> {
    let value = value?;
    match width.checked_sub(value.width()) {
        Some(0) => Some(value),
        Some(by) => Some(BitVec::zero(by).concat(&value)),
        None => (width..value.width()).all(|at| !value.bit(at)).then(|| value.extract(width - 1, 0)),
    }
}

/// A decimal number as a word, if it fits: without a sign, or as a negative number with one.
fn decimal(text: &str, width: u32) -> Option<BitVec> {
    let (digits, negative) = match text.strip_prefix('-') {
        Some(digits) => (digits, true),
        None => (text, false),
    };
    let good = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number: Int = digits.parse().ok().filter(|_| good)?;
    let limit = Int::from(2).pow(if negative { width - 1 } else { width });
    let fits = if negative { number <= limit } else { number < limit };
    fits.then(|| BitVec::from_int(width, &if negative { -&number } else { number }))
}
