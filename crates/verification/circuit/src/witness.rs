//! Runs that violate a property, as BTOR2 and AIGER tell them.

use std::fmt::Write;

use shem_base::BitVec;
use shem_term::Value as TermValue;
use shem_vmt::SortedValue;
use thiserror::Error;

use crate::circuit::{Circuit, NodeSort};
use crate::simulate::{Frame, Run, RunFault, Value};
use crate::transition::Transitions;

/// The most elements of an array that a witness lists.
const MOST_ELEMENTS: u32 = 12;

/// Why there is no witness.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoWitness {
    /// The circuit does not do what the run says.
    #[error("the witness does not replay on the circuit: {0}")]
    Fault(#[from] RunFault),
    /// The format cannot say it.
    #[error("{0}")]
    Unsupported(&'static str),
}

impl Run {
    /// The run of a transition system as one of its circuit.
    pub fn of(circuit: &Circuit, transitions: &Transitions, property: usize, run: &shem_vmt::Run) -> Run {
        let value = |sort: NodeSort, found: Option<&SortedValue>| {
            found.and_then(|(value, _)| from_term(value)).unwrap_or_else(|| Value::zero(sort))
        };
        let mut frames = Vec::new();
        // The last state of a run that repeats itself is an earlier one.
        let count = run.steps.len() - usize::from(run.repeats.is_some());
        for (at, step) in run.steps[..count].iter().enumerate() {
            let inputs = run.steps.get(at + 1).map_or(&run.last_inputs, |next| &next.inputs);
            let mut states: Vec<Value> =
                circuit.states.iter().map(|state| Value::zero(circuit.sort(state.node))).collect();
            for (&place, found) in transitions.states.iter().zip(&step.state) {
                states[place] = value(circuit.sort(circuit.states[place].node), Some(found));
            }
            let inputs = circuit.inputs.iter().enumerate().map(|(place, input)| {
                value(circuit.sort(input.node), inputs.get(place).and_then(Option::as_ref))
            });
            frames.push(Frame { states, inputs: inputs.collect() });
        }
        Run { property, frames, repeats: run.repeats }
    }

    /// The run as a witness in BTOR2, after it was simulated.
    ///
    /// # Errors
    /// Why there is none.
    pub fn btor2(&self, circuit: &Circuit) -> Result<String, NoWitness> {
        let trace = self.check(circuit)?;
        let mut text = format!("sat\n{}\n", circuit.label(self.property));
        for (step, (frame, states)) in self.frames.iter().zip(&trace).enumerate() {
            let free = |at: &usize| match step {
                0 => circuit.states[*at].init.is_none(),
                _ => circuit.states[*at].next.is_none(),
            };
            let free: Vec<usize> = (0..states.len()).filter(free).collect();
            if step == 0 || !free.is_empty() {
                let _ = writeln!(text, "#{step}");
            }
            for at in free {
                let state = &circuit.states[at];
                assignment(
                    &mut text,
                    circuit.sort(state.node),
                    at,
                    &states[at],
                    (state.symbol.as_deref(), '#', step),
                )?;
            }
            let _ = writeln!(text, "@{step}");
            for (at, (input, value)) in circuit.inputs.iter().zip(&frame.inputs).enumerate() {
                assignment(
                    &mut text,
                    circuit.sort(input.node),
                    at,
                    value,
                    (input.symbol.as_deref(), '@', step),
                )?;
            }
        }
        text.push_str(".\n");
        Ok(text)
    }

    /// The run as a witness in AIGER, after it was simulated.
    ///
    /// # Errors
    /// Why there is none.
    pub fn aiger(&self, circuit: &Circuit) -> Result<String, NoWitness> {
        let trace = self.check(circuit)?;
        let mut text = format!("1\n{}\n", circuit.label(self.property));
        let first = trace.first().map_or(&[][..], Vec::as_slice);
        for values in std::iter::once(first).chain(self.frames.iter().map(|frame| &frame.inputs[..])) {
            for value in values {
                match value {
                    Value::Bits(bits) => binary(&mut text, bits),
                    Value::Array { .. } => return Err(NoWitness::Unsupported("AIGER has no arrays")),
                }
            }
            text.push('\n');
        }
        text.push_str(".\n");
        Ok(text)
    }
}

/// A value of terms as one of circuits.
fn from_term(value: &TermValue) -> Option<Value> {
    match value {
        TermValue::Bool(truth) => Some(Value::Bits(BitVec::new(1, u64::from(*truth)))),
        TermValue::Bits(bits) => Some(Value::Bits(bits.clone())),
        TermValue::Array(array) => {
            let entry = |(index, element): &(TermValue, TermValue)| {
                Some((index.as_bits()?.clone(), from_term(element)?))
            };
            let entries = array.entries().iter().map(entry).collect::<Option<Vec<_>>>()?;
            Some(Value::array(from_term(array.default())?, entries))
        }
        _ => None,
    }
}

/// Writes the bits of a word, the highest first.
fn binary(text: &mut String, bits: &BitVec) {
    text.extend((0..bits.width()).rev().map(|at| if bits.bit(at) { '1' } else { '0' }));
}

/// Writes the lines about one value in BTOR2; arrays are zero where nothing is said of them. The format has no arrays of
/// arrays: an element has the indices of all of them before it.
fn assignment(
    text: &mut String,
    sort: NodeSort,
    position: usize,
    value: &Value,
    (symbol, mark, step): (Option<&str>, char, usize),
) -> Result<(), NoWitness> {
    let mut elements = Vec::new();
    list(sort, value, String::new(), &mut elements)?;
    for (indices, bits) in elements {
        let _ = write!(text, "{position} {indices}");
        binary(text, bits);
        if let Some(symbol) = symbol {
            let _ = write!(text, " {symbol}{mark}{step}");
        }
        text.push('\n');
    }
    Ok(())
}

/// The words of a value with their indices before them, those that are zero in an array whose other elements are left out.
fn list<'v>(
    sort: NodeSort,
    value: &'v Value,
    indices: String,
    elements: &mut Vec<(String, &'v BitVec)>,
) -> Result<(), NoWitness> {
    let (default, entries, array) = match (value, sort) {
        (Value::Array { default, entries }, NodeSort::Array(array)) => (default, entries, array),
        (Value::Bits(bits), _) => {
            elements.push((indices, bits));
            return Ok(());
        }
        _ => return Err(NoWitness::Fault(RunFault::Malformed)),
    };
    let under = |at: &BitVec| {
        let mut longer = indices.clone();
        longer.push('[');
        binary(&mut longer, at);
        longer.push_str("] ");
        longer
    };
    if **default == Value::zero(array.element()) {
        return entries
            .iter()
            .try_for_each(|(at, element)| list(array.element(), element, under(at), elements));
    }
    if array.index() > MOST_ELEMENTS {
        return Err(NoWitness::Unsupported("an array of the witness has too many elements to be listed"));
    }
    for at in 0..1_u64 << array.index() {
        let at = BitVec::new(array.index(), at);
        list(array.element(), entries.get(&at).unwrap_or(default), under(&at), elements)?;
    }
    Ok(())
}
