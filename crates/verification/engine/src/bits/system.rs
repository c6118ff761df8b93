//! A transition system bit by bit: one circuit for the initial states, the steps and the bad states.

use shem_base::{BitVec, Budget, Lit, StampSet, UnknownReason, Var};
use shem_chc::TransitionSystem;
use shem_smt::{BitCircuit, Gate};
use shem_term::{Sort, Store, Term, Value};

use super::Gates;
use super::functional::Functional;

/// A conjunction of literals over the bits of a state, sorted, each bit at most once.
pub(crate) type Cube = Vec<Lit>;

/// A variable of the state and where its bits are.
#[derive(Clone, Debug)]
struct Argument {
    variable: Term,
    sort: Sort,
    /// The place of the lowest bit among all bits of the state.
    first: usize,
    width: usize,
}

/// A transition system as a circuit. State and inputs are variables of the circuit that are no gates.
#[derive(Debug)]
pub(crate) struct BitSystem {
    arguments: Vec<Argument>,
    /// The bits of the state.
    pub state: Vec<Var>,
    /// By variable of the circuit: its place in the state.
    places: Vec<Option<u32>>,
    /// The bits of the next state, in the same order.
    pub next: Vec<Lit>,
    /// Which inputs a state allows.
    pub constraint: Lit,
    /// Whether a state is initial, for some inputs.
    pub initial: Lit,
    /// Whether a state is bad, for some inputs.
    pub bad: Lit,
    truth: Lit,
    /// By variable of the circuit: the gate whose output it is.
    gates: Vec<Option<Gate>>,
    /// By variable of the circuit: how often gates, the next state and the formulas need it.
    uses: Vec<u32>,
    /// By variable of the circuit: about how many bits of the state have to be known for it to be false, or true.
    costs: Vec<[u32; 2]>,
}

impl BitSystem {
    /// The circuit of a system, of at most so many gates.
    pub(crate) fn new(
        store: &mut Store,
        system: &TransitionSystem,
        limit: usize,
        budget: &Budget,
    ) -> Result<BitSystem, UnknownReason> {
        let functional = Functional::of(store, system);
        let mut circuit = BitCircuit::new(limit);
        circuit.add(store, &system.state, budget)?;
        let formulas = [functional.constraint, system.initial, system.bad];
        circuit.add(store, &formulas, budget)?;
        circuit.add(store, &functional.next, budget)?;
        let word = |term: Term| circuit.word(term).expect("all terms were added");
        let [constraint, initial, bad] = formulas.map(|formula| word(formula)[0]);
        let (mut arguments, mut state) = (Vec::new(), Vec::new());
        for &variable in &system.state {
            let bits = word(variable);
            let sort = store.sort(variable);
            arguments.push(Argument { variable, sort, first: state.len(), width: bits.len() });
            state.extend(bits.iter().map(|bit| bit.var()));
        }
        let next = functional.next.iter().flat_map(|&term| word(term)).collect();
        let mut places = vec![None; circuit.num_vars()];
        for (place, var) in state.iter().enumerate() {
            places[var.index()] = Some(place as u32);
        }
        let mut gates = vec![None; circuit.num_vars()];
        for &(gate, output) in circuit.gates() {
            gates[output.var().index()] = Some(gate);
        }
        let truth = circuit.truth();
        let costs = costs(&gates, &places);
        let mut uses = vec![0; gates.len()];
        let next: Vec<Lit> = next;
        let inputs = gates.iter().flatten().flat_map(|gate| gate.inputs());
        for lit in inputs.chain(&next).chain(&[constraint, initial, bad]) {
            uses[lit.var().index()] += 1;
        }
        Ok(BitSystem { arguments, state, places, next, constraint, initial, bad, truth, gates, uses, costs })
    }

    /// The number of variables of the circuit.
    pub(crate) fn num_vars(&self) -> usize {
        self.gates.len()
    }

    /// The variables that are neither bits of the state nor outputs of gates.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = Var> {
        let vars = (0..self.num_vars() as u32).map(Var::new);
        vars.filter(|&var| self.gate(var).is_none() && !self.is_state(var) && var != self.truth.var())
    }

    /// The place of a variable in the state.
    pub(crate) fn place(&self, var: Var) -> Option<usize> {
        self.places[var.index()].map(|place| place as usize)
    }

    /// By variable of the circuit: the value that it has in all initial states, if that is obvious. And whether a state
    /// is initial if only these values are right.
    pub(crate) fn obvious_initial_bits(&self) -> (Vec<Option<bool>>, bool) {
        let mut bits = vec![None; self.num_vars()];
        let mut is_cube = true;
        let mut stack = vec![self.initial];
        while let Some(lit) = stack.pop() {
            match self.gate(lit.var()) {
                Some(Gate::And(inputs)) if lit.is_positive() => stack.extend(inputs),
                None if self.is_state(lit.var()) => {
                    let value = bits[lit.var().index()].get_or_insert(lit.is_positive());
                    is_cube &= *value == lit.is_positive();
                }
                None if lit == self.truth => {}
                _ => is_cube = false,
            }
        }
        (bits, is_cube)
    }

    /// Whether a variable is a bit of the state.
    pub(crate) fn is_state(&self, var: Var) -> bool {
        self.places[var.index()].is_some()
    }

    /// What a literal of the state is after a step.
    pub(crate) fn after(&self, lit: Lit) -> Lit {
        let place = self.places[lit.var().index()].expect("a bit of the state");
        self.next[place as usize].xor(!lit.is_positive())
    }

    /// The values of all variables of the circuit, given those that are true of state and inputs.
    pub(crate) fn simulate(&self, truths: &[Lit]) -> Vec<bool> {
        let mut values = vec![false; self.num_vars()];
        values[self.truth.var().index()] = self.truth.is_positive();
        for lit in truths {
            values[lit.var().index()] = lit.is_positive();
        }
        for (at, gate) in self.gates.iter().enumerate() {
            if let Some(gate) = gate {
                values[at] = gate.evaluate(|lit| values[lit.var().index()] == lit.is_positive());
            }
        }
        values
    }

    /// Literals over state and inputs that are true and suffice for these to be true, given the values of all that they
    /// depend on. Of several reasons for a value one is chosen that is likely to need few bits of the state.
    pub(crate) fn justify(
        &self,
        lits: &[Lit],
        value: impl Fn(Lit) -> bool,
        marks: &mut StampSet,
    ) -> Vec<Lit> {
        let mut leaves = Vec::new();
        let mut stack: Vec<Var> = lits.iter().map(|lit| lit.var()).collect();
        marks.clear();
        while let Some(var) = stack.pop() {
            if !marks.insert(var.index()) {
                continue;
            }
            let Some(gate) = self.gate(var) else {
                if var != self.truth.var() {
                    leaves.push(var.lit(value(var.positive())));
                }
                continue;
            };
            let output = value(var.positive());
            let cost =
                |lit: Lit| if marks.contains(lit.var().index()) { 0 } else { self.cost(lit, value(lit)) };
            match gate {
                Gate::And([a, b]) => match (output, value(a), value(b)) {
                    (false, false, true) => stack.push(a.var()),
                    (false, true, false) => stack.push(b.var()),
                    (false, ..) => stack.push(if cost(b) < cost(a) { b.var() } else { a.var() }),
                    (true, ..) => stack.extend([a.var(), b.var()]),
                },
                Gate::Xor([a, b]) => stack.extend([a.var(), b.var()]),
                Gate::Choose([condition, then, otherwise]) => {
                    let chosen = if value(condition) { then } else { otherwise };
                    let both = value(then) == value(otherwise);
                    let by_branches = cost(then).saturating_add(cost(otherwise));
                    if both && by_branches < cost(condition).saturating_add(cost(chosen)) {
                        stack.extend([then.var(), otherwise.var()]);
                    } else {
                        stack.extend([condition.var(), chosen.var()]);
                    }
                }
                Gate::Majority(inputs) => {
                    let mut agreeing: Vec<Lit> =
                        inputs.iter().copied().filter(|&lit| value(lit) == output).collect();
                    agreeing.sort_by_key(|&lit| cost(lit));
                    stack.extend(agreeing[..2].iter().map(|lit| lit.var()));
                }
            }
        }
        leaves.sort_unstable();
        leaves
    }

    /// About how many bits of the state have to be known for a literal to have a value.
    fn cost(&self, lit: Lit, value: bool) -> u32 {
        self.costs[lit.var().index()][usize::from(value == lit.is_positive())]
    }

    /// The state whose bits these are, in order, as values of its variables.
    pub(crate) fn state_values(&self, bits: &[bool]) -> Vec<Value> {
        let value = |argument: &Argument| match argument.sort {
            Sort::Bool => Value::Bool(bits[argument.first]),
            _ => {
                Value::Bits(BitVec::from_bits(argument.width as u32, |at| bits[argument.first + at as usize]))
            }
        };
        self.arguments.iter().map(value).collect()
    }

    /// That a state is not in the cube, over the variables of the state. Neighbouring bits are compared together.
    pub(crate) fn clause_of(&self, store: &mut Store, cube: &[Lit]) -> Term {
        let mut bits: Vec<(usize, bool)> = cube
            .iter()
            .map(|lit| {
                (self.places[lit.var().index()].expect("a bit of the state") as usize, lit.is_positive())
            })
            .collect();
        bits.sort_unstable();
        let mut parts = Vec::new();
        let mut rest = &bits[..];
        for argument in &self.arguments {
            let end = argument.first + argument.width;
            while let Some(&(low, value)) = rest.first().filter(|bit| bit.0 < end) {
                if argument.sort == Sort::Bool {
                    parts.push(argument.variable.xor(value));
                    rest = &rest[1..];
                    continue;
                }
                let run =
                    rest.iter().enumerate().take_while(|(at, bit)| bit.0 == low + at && bit.0 < end).count();
                let number = BitVec::from_bits(run as u32, |at| rest[at as usize].1);
                let from = (low - argument.first) as u32;
                let part = store.bv_extract(from + run as u32 - 1, from, argument.variable);
                let number = store.bit_vector(&number);
                let same = store.eq(part, number);
                parts.push(!same);
                rest = &rest[run..];
            }
        }
        store.or(&parts)
    }
}

impl Gates for BitSystem {
    fn truth(&self) -> Lit {
        self.truth
    }

    fn gate(&self, var: Var) -> Option<Gate> {
        self.gates[var.index()]
    }

    fn is_shared(&self, var: Var) -> bool {
        self.uses[var.index()] > 1
    }
}

/// For each variable about how many bits of the state have to be known for it to be false, or true: the measure of
/// controllability that is used in testing circuits (Goldstein and Thigpen, SCOAP, 1980). Inputs are free.
fn costs(gates: &[Option<Gate>], places: &[Option<u32>]) -> Vec<[u32; 2]> {
    let mut costs = vec![[0_u32; 2]; gates.len()];
    for (at, gate) in gates.iter().enumerate() {
        let cost = |lit: Lit, value: bool| costs[lit.var().index()][usize::from(value == lit.is_positive())];
        let both = |a: Lit, x: bool, b: Lit, y: bool| cost(a, x).saturating_add(cost(b, y));
        let found = match gate {
            None => [u32::from(places[at].is_some()); 2],
            &Some(Gate::And([a, b])) => [cost(a, false).min(cost(b, false)), both(a, true, b, true)],
            &Some(Gate::Xor([a, b])) => {
                [false, true].map(|value| both(a, false, b, value).min(both(a, true, b, !value)))
            }
            &Some(Gate::Choose([condition, then, otherwise])) => [false, true].map(|value| {
                let chosen = both(condition, true, then, value).min(both(condition, false, otherwise, value));
                chosen.min(both(then, value, otherwise, value))
            }),
            &Some(Gate::Majority([a, b, c])) => [false, true].map(|value| {
                let pair = |a: Lit, b: Lit| both(a, value, b, value);
                pair(a, b).min(pair(a, c)).min(pair(b, c))
            }),
        };
        costs[at] = found;
    }
    costs
}
