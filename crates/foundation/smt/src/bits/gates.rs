//! Gates: conjunctions, exclusive disjunctions, choices and majorities of literals, each once.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use shem_base::{Budget, Lit, UnknownReason, Var};

use crate::theory::Definitions;

/// A gate by its inputs, which are in normal form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gate {
    /// Both hold; the smaller one first.
    And([Lit; 2]),
    /// One of the two holds; both are positive, the smaller one first.
    Xor([Lit; 2]),
    /// If the first holds then the second, else the third. The first two are positive.
    Choose([Lit; 3]),
    /// Two of the three hold; sorted.
    Majority([Lit; 3]),
}

impl Gate {
    /// The inputs.
    pub fn inputs(&self) -> &[Lit] {
        match self {
            Gate::And(inputs) | Gate::Xor(inputs) => inputs,
            Gate::Choose(inputs) | Gate::Majority(inputs) => inputs,
        }
    }

    /// The value of the output, given those of the inputs.
    pub fn evaluate(&self, value: impl Fn(Lit) -> bool) -> bool {
        match *self {
            Gate::And([a, b]) => value(a) && value(b),
            Gate::Xor([a, b]) => value(a) != value(b),
            Gate::Choose([condition, then, otherwise]) => {
                if value(condition) {
                    value(then)
                } else {
                    value(otherwise)
                }
            }
            Gate::Majority([a, b, c]) => {
                if value(a) == value(b) {
                    value(a)
                } else {
                    value(c)
                }
            }
        }
    }

    /// The clauses that make a literal the output.
    pub fn define(&self, output: Lit, mut clause: impl FnMut(&[Lit])) {
        match *self {
            Gate::And([a, b]) => {
                clause(&[!output, a]);
                clause(&[!output, b]);
                clause(&[output, !a, !b]);
            }
            Gate::Xor([a, b]) => {
                clause(&[!output, a, b]);
                clause(&[!output, !a, !b]);
                clause(&[output, !a, b]);
                clause(&[output, a, !b]);
            }
            Gate::Choose([condition, then, otherwise]) => {
                clause(&[!condition, !output, then]);
                clause(&[!condition, output, !then]);
                clause(&[condition, !output, otherwise]);
                clause(&[condition, output, !otherwise]);
                // What both branches say needs no condition.
                clause(&[!output, then, otherwise]);
                clause(&[output, !then, !otherwise]);
            }
            Gate::Majority([a, b, c]) => {
                for [x, y] in [[a, b], [a, c], [b, c]] {
                    clause(&[output, !x, !y]);
                    clause(&[!output, x, y]);
                }
            }
        }
    }
}

/// The answer if there would be too many gates.
const TOO_MANY: UnknownReason = UnknownReason::Incomplete("the circuits of bit-vectors are too large");

/// How many gates are made between two looks at the stop token.
const GATES_BETWEEN_LOOKS: usize = 1 << 12;

/// The gates that have been made.
#[derive(Debug)]
pub(crate) struct Gates {
    /// A literal that is always true.
    truth: Lit,
    table: HashMap<Gate, Lit, FxBuildHasher>,
    /// In the order in which they were made, which is that of their variables.
    made: Vec<(Gate, Lit)>,
    /// How many there may be.
    limit: usize,
}

impl Gates {
    pub(crate) fn new(truth: Lit, limit: usize) -> Gates {
        Gates { truth, table: HashMap::default(), made: Vec::new(), limit }
    }

    pub(crate) fn len(&self) -> usize {
        self.made.len()
    }

    /// Forgets the youngest gates until so many are left.
    pub(crate) fn truncate(&mut self, count: usize) {
        for (gate, _) in self.made.drain(count..) {
            self.table.remove(&gate);
        }
    }

    /// Fails if there is no room for so many more gates.
    pub(crate) fn make_room(&self, count: u64) -> Result<(), UnknownReason> {
        let room = (self.limit - self.made.len()) as u64;
        if count > room { Err(TOO_MANY) } else { Ok(()) }
    }

    /// The gates with their outputs, in the order in which they were made.
    pub(crate) fn made(&self) -> &[(Gate, Lit)] {
        &self.made
    }

    /// The gate whose output a variable is.
    pub(crate) fn of(&self, var: Var) -> Option<Gate> {
        let place = self.made.binary_search_by_key(&var, |(_, output)| output.var()).ok()?;
        Some(self.made[place].0)
    }

    pub(crate) fn constant(&self, value: bool) -> Lit {
        self.truth.xor(!value)
    }

    /// How many literals are not constant.
    pub(crate) fn open_count(&self, word: &[Lit]) -> u64 {
        word.iter().filter(|&&lit| self.as_constant(lit).is_none()).count() as u64
    }

    /// The value of a literal that is constant.
    pub(crate) fn as_constant(&self, lit: Lit) -> Option<bool> {
        (lit.var() == self.truth.var()).then(|| lit == self.truth)
    }
}

/// Gates in the making.
pub(crate) struct Maker<'a> {
    pub(crate) gates: &'a mut Gates,
    pub(crate) wires: &'a mut Definitions,
    pub(crate) budget: &'a Budget,
}

/// A literal, unless a limit was reached.
pub(crate) type Wire = Result<Lit, UnknownReason>;

impl Maker<'_> {
    /// The literal of a gate, which is made if it is new.
    fn gate(&mut self, gate: Gate) -> Wire {
        if let Some(&lit) = self.gates.table.get(&gate) {
            return Ok(lit);
        }
        if self.gates.made.len() >= self.gates.limit {
            return Err(TOO_MANY);
        }
        if self.gates.made.len().is_multiple_of(GATES_BETWEEN_LOOKS) {
            self.budget.check_stop()?;
        }
        let output = self.wires.fresh();
        gate.define(output, |clause| self.wires.clause(clause));
        self.gates.table.insert(gate, output);
        self.gates.made.push((gate, output));
        Ok(output)
    }

    pub(crate) fn and(&mut self, a: Lit, b: Lit) -> Wire {
        let [a, b] = [a.min(b), a.max(b)];
        match (self.gates.as_constant(a), self.gates.as_constant(b)) {
            (Some(true), _) => return Ok(b),
            (_, Some(true)) => return Ok(a),
            (Some(false), _) | (_, Some(false)) => return Ok(self.gates.constant(false)),
            _ if a == b => return Ok(a),
            _ if a == !b => return Ok(self.gates.constant(false)),
            _ => {}
        }
        self.gate(Gate::And([a, b]))
    }

    pub(crate) fn or(&mut self, a: Lit, b: Lit) -> Wire {
        Ok(!self.and(!a, !b)?)
    }

    pub(crate) fn xor(&mut self, a: Lit, b: Lit) -> Wire {
        let negated = a.is_positive() != b.is_positive();
        let [a, b] = [a.var().positive(), b.var().positive()];
        let [a, b] = [a.min(b), a.max(b)];
        // Positive, the constant is true or false as the sign of the literal says.
        match (self.gates.as_constant(a), self.gates.as_constant(b)) {
            (Some(value), _) => return Ok(b.xor(negated ^ value)),
            (_, Some(value)) => return Ok(a.xor(negated ^ value)),
            _ if a == b => return Ok(self.gates.constant(negated)),
            _ => {}
        }
        let output = self.gate(Gate::Xor([a, b]))?;
        Ok(output.xor(negated))
    }

    /// If the condition holds then one, else the other.
    pub(crate) fn choose(&mut self, condition: Lit, then: Lit, otherwise: Lit) -> Wire {
        if !condition.is_positive() {
            return self.choose(!condition, otherwise, then);
        }
        let constants = [condition, then, otherwise].map(|lit| self.gates.as_constant(lit));
        match constants {
            [Some(value), _, _] => return Ok(if value { then } else { otherwise }),
            _ if then == otherwise => return Ok(then),
            _ if then == !otherwise => return Ok(!self.xor(condition, then)?),
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
        let negated = !then.is_positive();
        let [then, otherwise] = [then.xor(negated), otherwise.xor(negated)];
        let output = self.gate(Gate::Choose([condition, then, otherwise]))?;
        Ok(output.xor(negated))
    }

    /// Whether at least two hold.
    pub(crate) fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Wire {
        let mut inputs = [a, b, c];
        inputs.sort_unstable();
        for (at, &input) in inputs.iter().enumerate() {
            let [x, y] = [inputs[(at + 1) % 3], inputs[(at + 2) % 3]];
            match self.gates.as_constant(input) {
                Some(true) => return self.or(x, y),
                Some(false) => return self.and(x, y),
                None if x == y => return Ok(x),
                None if x == !y => return Ok(input),
                None => {}
            }
        }
        self.gate(Gate::Majority(inputs))
    }
}
