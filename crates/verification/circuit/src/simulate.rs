//! Simulation: the values of all nodes at a moment, and runs.
//!
//! It is the judge of witnesses ([`Run::check`]) and shares nothing with the translation to terms.

use std::collections::BTreeMap;

use shem_base::BitVec;
use thiserror::Error;

use crate::circuit::{Circuit, Node, NodeId, NodeSort, Op, Question};

/// A value of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A word.
    Bits(BitVec),
    /// An array: the elements that differ from the one that all others are.
    ///
    /// Invariant *different*: none of the entries is the default.
    Array {
        /// The element at all other indices.
        default: Box<Value>,
        /// Elements by index.
        entries: BTreeMap<BitVec, Value>,
    },
}

impl Value {
    /// The value whose bits are all zero.
    pub fn zero(sort: NodeSort) -> Value {
        match sort {
            NodeSort::Bits(width) => Value::Bits(BitVec::zero(width)),
            NodeSort::Array(array) => {
                Value::Array { default: Box::new(Value::zero(array.element())), entries: BTreeMap::new() }
            }
        }
    }

    /// The array with these elements at some indices, and this one at all others.
    pub fn array(default: Value, entries: impl IntoIterator<Item = (BitVec, Value)>) -> Value {
        let entries = entries.into_iter().filter(|(_, element)| *element != default).collect();
        Value::Array { default: Box::new(default), entries }
    }

    /// Whether the value is of a sort.
    pub fn fits(&self, sort: NodeSort) -> bool {
        match (self, sort) {
            (Value::Bits(bits), NodeSort::Bits(width)) => bits.width() == width,
            (Value::Array { default, entries }, NodeSort::Array(array)) => {
                let element = array.element();
                let good =
                    |(at, value): (&BitVec, &Value)| at.width() == array.index() && value.fits(element);
                default.fits(element) && entries.iter().all(good)
            }
            _ => false,
        }
    }

    /// The word.
    fn bits(&self) -> &BitVec {
        match self {
            Value::Bits(bits) => bits,
            Value::Array { .. } => unreachable!("the sorts of arguments were checked"),
        }
    }

    fn is_one(&self) -> bool {
        self.bits().is_one()
    }
}

/// The arrays of a sort have so many indices, if that fits a word.
fn index_count(index: u32) -> Option<u64> {
    1_u64.checked_shl(index).filter(|_| index < 64)
}

/// Whether two values of a sort are the same: arrays are if they have the same elements.
fn same(sort: NodeSort, a: &Value, b: &Value) -> bool {
    let NodeSort::Array(array) = sort else { return a == b };
    let (Value::Array { default, entries }, Value::Array { default: other, entries: others }) = (a, b) else {
        unreachable!("the sorts of arguments were checked")
    };
    let mut indices: Vec<&BitVec> = entries.keys().chain(others.keys()).collect();
    indices.sort_unstable();
    indices.dedup();
    let has_defaults = index_count(array.index()) != Some(indices.len() as u64);
    (!has_defaults || same(array.element(), default, other))
        && indices.iter().all(|&at| {
            same(array.element(), entries.get(at).unwrap_or(default), others.get(at).unwrap_or(other))
        })
}

fn truth(value: bool) -> BitVec {
    BitVec::new(1, u64::from(value))
}

/// A quotient or remainder with signs, from those without.
fn signed(a: &BitVec, b: &BitVec, op: Op) -> BitVec {
    let size = |word: &BitVec| if word.is_negative() { word.neg() } else { word.clone() };
    let turned = |word: BitVec, turn: bool| if turn { word.neg() } else { word };
    match op {
        Op::Sdiv => turned(size(a).udiv(&size(b)), a.is_negative() != b.is_negative()),
        Op::Srem => turned(size(a).urem(&size(b)), a.is_negative()),
        _ => {
            let rest = turned(size(a).urem(&size(b)), a.is_negative());
            let apart = !rest.is_zero() && !b.is_zero() && a.is_negative() != b.is_negative();
            if apart { rest.add(b) } else { rest }
        }
    }
}

/// The word, rotated to the left by a distance modulo its width.
fn rotated(word: &BitVec, distance: &BitVec, left: bool) -> BitVec {
    let width = word.width();
    // The width of a word is a number that fits the word.
    let by = distance.urem(&BitVec::new(width, u64::from(width))).to_u64().unwrap_or(0) as u32;
    BitVec::from_bits(width, |at| word.bit(if left { (at + width - by) % width } else { (at + by) % width }))
}

/// The value of an operation.
fn evaluate(op: Op, sort: NodeSort, argument: NodeSort, args: [&Value; 3]) -> Value {
    let [a, b, c] = args;
    let bits = |value: BitVec| Value::Bits(value);
    match op {
        Op::Not => bits(a.bits().not()),
        Op::And => bits(a.bits().and(b.bits())),
        Op::Or => bits(a.bits().not().and(&b.bits().not()).not()),
        Op::Xor => bits(a.bits().xor(b.bits())),
        Op::Parity => {
            let ones = (0..a.bits().width()).filter(|&at| a.bits().bit(at)).count();
            bits(truth(ones % 2 == 1))
        }
        Op::Neg => bits(a.bits().neg()),
        Op::Add => bits(a.bits().add(b.bits())),
        Op::Mul => bits(a.bits().mul(b.bits())),
        Op::Udiv => bits(a.bits().udiv(b.bits())),
        Op::Urem => bits(a.bits().urem(b.bits())),
        Op::Sdiv | Op::Srem | Op::Smod => bits(signed(a.bits(), b.bits(), op)),
        Op::Sll => bits(a.bits().shl(b.bits())),
        Op::Srl => bits(a.bits().lshr(b.bits())),
        Op::Sra => bits(a.bits().ashr(b.bits())),
        Op::Rol => bits(rotated(a.bits(), b.bits(), true)),
        Op::Ror => bits(rotated(a.bits(), b.bits(), false)),
        Op::Eq => bits(truth(same(argument, a, b))),
        Op::Ult => bits(truth(a.bits() < b.bits())),
        Op::Slt => bits(truth(a.bits().signed_cmp(b.bits()).is_lt())),
        Op::Concat => bits(a.bits().concat(b.bits())),
        Op::Slice { low } => bits(a.bits().extract(low + sort.width().expect("a word") - 1, low)),
        Op::SignExtend => bits(a.bits().sign_extend(sort.width().expect("a word") - a.bits().width())),
        Op::Ite => if a.is_one() { b } else { c }.clone(),
        Op::Read => match a {
            Value::Array { default, entries } => entries.get(b.bits()).unwrap_or(default).clone(),
            Value::Bits(_) => unreachable!("the sorts of arguments were checked"),
        },
        Op::Write => match a.clone() {
            Value::Array { default, mut entries } => {
                if *c == *default {
                    entries.remove(b.bits());
                } else {
                    entries.insert(b.bits().clone(), c.clone());
                }
                Value::Array { default, entries }
            }
            Value::Bits(_) => unreachable!("the sorts of arguments were checked"),
        },
        Op::ConstantArray => Value::Array { default: Box::new(a.clone()), entries: BTreeMap::new() },
    }
}

impl Circuit {
    /// The values of all nodes under values of states and inputs; a node that depends on a missing one has none.
    pub fn simulate(&self, states: &[Option<Value>], inputs: &[Value]) -> Vec<Option<Value>> {
        let mut values: Vec<Option<Value>> = Vec::with_capacity(self.len());
        for (_, node, sort) in self.nodes() {
            let value = match node {
                Node::Constant(word) => Some(Value::Bits(word.clone())),
                Node::Input(at) => inputs.get(*at as usize).cloned(),
                Node::State(at) => states[*at as usize].clone(),
                Node::Apply(op, args) => match args.map(|arg| values[arg.index()].as_ref()) {
                    [Some(a), Some(b), Some(c)] => Some(evaluate(*op, sort, self.sort(args[0]), [a, b, c])),
                    _ => None,
                },
            };
            values.push(value);
        }
        values
    }
}

/// A moment of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Values of states. They count at the first moment for states without an `init`, and at later ones for those
    /// without a `next`; all others follow.
    pub states: Vec<Value>,
    /// The values of the inputs.
    pub inputs: Vec<Value>,
}

/// A run that answers the question of a property with yes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The position of the property in the circuit.
    pub property: usize,
    /// The moments. The last one of a bad run is the bad one; after the last one of a run of justice comes an earlier one
    /// again.
    pub frames: Vec<Frame>,
    /// The moment that comes after the last one of a run of justice.
    pub repeats: Option<usize>,
}

/// Why a run answers no question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum RunFault {
    /// There is no such property, or a moment has a wrong number of values, or some of wrong sorts.
    #[error("the run is not one of this circuit")]
    Malformed,
    /// A constraint does not hold at a moment.
    #[error("constraint {constraint} does not hold in step {step}")]
    Constraint {
        /// The position of the constraint.
        constraint: usize,
        /// The moment.
        step: usize,
    },
    /// The bad word is not one at the end.
    #[error("the bad state is not reached")]
    NotBad,
    /// The state after the last moment is not the one that is to be met again.
    #[error("the state after the last step is not the one of step {0}")]
    NotClosed(usize),
    /// A condition of justice or fairness does not hold in the part that is repeated.
    #[error("condition {0} of justice or fairness does not hold in the part that is repeated")]
    NotJust(usize),
}

impl Run {
    /// Runs the circuit and judges the run. Gives the values of the states at each moment.
    ///
    /// # Errors
    /// Why the run does not answer the question of its property.
    pub fn check(&self, circuit: &Circuit) -> Result<Vec<Vec<Value>>, RunFault> {
        let property = circuit.properties.get(self.property).ok_or(RunFault::Malformed)?;
        let order = circuit.initial_order().map_err(|_| RunFault::Malformed)?;
        let mut trace: Vec<Vec<Value>> = Vec::new();
        let mut frames: Vec<Vec<Option<Value>>> = Vec::new();
        for (step, frame) in self.frames.iter().enumerate() {
            let states_fit = frame.states.len() == circuit.states.len()
                && frame
                    .states
                    .iter()
                    .zip(&circuit.states)
                    .all(|(value, s)| value.fits(circuit.sort(s.node)));
            let inputs_fit = frame.inputs.len() == circuit.inputs.len()
                && frame
                    .inputs
                    .iter()
                    .zip(&circuit.inputs)
                    .all(|(value, i)| value.fits(circuit.sort(i.node)));
            if !states_fit || !inputs_fit {
                return Err(RunFault::Malformed);
            }
            let states = match frames.last() {
                None => initial(circuit, &order, frame)?,
                Some(before) => successor(circuit, before, &frame.states)?,
            };
            let values =
                circuit.simulate(&states.iter().cloned().map(Some).collect::<Vec<_>>(), &frame.inputs);
            let broken = circuit.constraints.iter().position(|at| !is_one(&values[at.index()]));
            if let Some(constraint) = broken {
                return Err(RunFault::Constraint { constraint, step });
            }
            trace.push(states);
            frames.push(values);
        }
        let last = frames.last().ok_or(RunFault::Malformed)?;
        match (&property.question, self.repeats) {
            (Question::Bad(bad), None) if is_one(&last[bad.index()]) => Ok(trace),
            (Question::Bad(_), None) => Err(RunFault::NotBad),
            (Question::Justice(conditions), Some(start)) if start < frames.len() => {
                // What the question does not depend on may go on for ever.
                let after = successor(circuit, last, &trace[start])?;
                if circuit.relevant_states().into_iter().any(|at| after[at] != trace[start][at]) {
                    return Err(RunFault::NotClosed(start));
                }
                let holds = |at: &NodeId| frames[start..].iter().any(|frame| is_one(&frame[at.index()]));
                match conditions.iter().chain(&circuit.fairness).position(|at| !holds(at)) {
                    Some(condition) => Err(RunFault::NotJust(condition)),
                    None => Ok(trace),
                }
            }
            _ => Err(RunFault::Malformed),
        }
    }
}

fn is_one(value: &Option<Value>) -> bool {
    value.as_ref().is_some_and(Value::is_one)
}

/// The states at the start.
fn initial(circuit: &Circuit, order: &[usize], frame: &Frame) -> Result<Vec<Value>, RunFault> {
    let mut states: Vec<Option<Value>> = vec![None; circuit.states.len()];
    for (state, given) in
        circuit.states.iter().zip(&frame.states).enumerate().filter_map(|(at, (state, given))| {
            let free = state.init.is_none();
            free.then_some((at, given))
        })
    {
        states[state] = Some(given.clone());
    }
    let plain = |at: usize| circuit.states[at].init.and_then(|init| circuit.as_constant(init));
    for &at in order {
        let Some(init) = circuit.states[at].init else { continue };
        states[at] = match plain(at) {
            Some(word) => Some(Value::Bits(word.clone())),
            None => circuit.simulate(&states, &frame.inputs)[init.index()].clone(),
        };
    }
    states.into_iter().collect::<Option<_>>().ok_or(RunFault::Malformed)
}

/// The states after a moment; those without a `next` are as given.
fn successor(circuit: &Circuit, values: &[Option<Value>], given: &[Value]) -> Result<Vec<Value>, RunFault> {
    let states = circuit.states.iter().zip(given);
    let next = states.map(|(state, given)| match state.next {
        Some(next) => values[next.index()].clone(),
        None => Some(given.clone()),
    });
    next.collect::<Option<_>>().ok_or(RunFault::Malformed)
}
