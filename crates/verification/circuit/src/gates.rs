//! Circuits as and-inverter graphs: gates with two inputs over single bits, as AIGER has them.
//!
//! Gates are shared and constants folded. Adders are ripple-carry, products sums of shifted factors, quotients come from
//! restoring division, shifts go by stages.

use rustc_hash::FxHashMap;
use shem_base::BitVec;

use crate::circuit::{Circuit, Node, NodeId, Op, Question};

/// A literal: twice a variable, plus one if it is negated. The variable 0 is false.
pub(crate) type Lit = u32;

const FALSE: Lit = 0;
const TRUE: Lit = 1;

/// A latch.
#[derive(Clone, Debug)]
pub(crate) struct Latch {
    /// Its literal.
    pub(crate) own: Lit,
    /// Its value at the start, if it has one.
    pub(crate) reset: Option<bool>,
    /// Its value after a step.
    pub(crate) next: Lit,
    pub(crate) symbol: Option<String>,
}

/// An and-inverter graph.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gates {
    /// The number of variables besides false.
    variables: u32,
    /// The gates: each variable with its arguments, which come before it.
    pub(crate) ands: Vec<(Lit, Lit, Lit)>,
    known: FxHashMap<(Lit, Lit), Lit>,
    /// The inputs, with their names.
    pub(crate) inputs: Vec<(Lit, Option<String>)>,
    pub(crate) latches: Vec<Latch>,
    pub(crate) constraints: Vec<Lit>,
    pub(crate) fairness: Vec<Lit>,
    pub(crate) bad: Vec<(Lit, Option<String>)>,
    pub(crate) justice: Vec<(Vec<Lit>, Option<String>)>,
}

fn not(a: Lit) -> Lit {
    a ^ 1
}

impl Gates {
    fn fresh(&mut self) -> Lit {
        self.variables += 1;
        2 * self.variables
    }

    fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = (a.max(b), a.min(b));
        if b == FALSE || a == not(b) {
            return FALSE;
        }
        if b == TRUE || a == b {
            return a;
        }
        if let Some(&gate) = self.known.get(&(a, b)) {
            return gate;
        }
        let gate = self.fresh();
        self.known.insert((a, b), gate);
        self.ands.push((gate, a, b));
        gate
    }

    fn or(&mut self, a: Lit, b: Lit) -> Lit {
        not(self.and(not(a), not(b)))
    }

    fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let (both, none) = (self.and(a, b), self.and(not(a), not(b)));
        self.and(not(both), not(none))
    }

    fn ite(&mut self, condition: Lit, a: Lit, b: Lit) -> Lit {
        if a == b {
            return a;
        }
        let (first, second) = (self.and(condition, a), self.and(not(condition), b));
        self.or(first, second)
    }

    fn all(&mut self, lits: &[Lit]) -> Lit {
        lits.iter().fold(TRUE, |all, &lit| self.and(all, lit))
    }

    fn choose(&mut self, condition: Lit, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        a.iter().zip(b).map(|(&a, &b)| self.ite(condition, a, b)).collect()
    }

    /// The sum with a carry, and what is carried out of it.
    fn add(&mut self, a: &[Lit], b: &[Lit], mut carry: Lit) -> (Vec<Lit>, Lit) {
        let mut sum = Vec::with_capacity(a.len());
        for (&a, &b) in a.iter().zip(b) {
            let half = self.xor(a, b);
            sum.push(self.xor(half, carry));
            let (both, passed) = (self.and(a, b), self.and(half, carry));
            carry = self.or(both, passed);
        }
        (sum, carry)
    }

    fn neg(&mut self, a: &[Lit]) -> Vec<Lit> {
        let (turned, zero): (Vec<Lit>, Vec<Lit>) = a.iter().map(|&a| (not(a), FALSE)).unzip();
        self.add(&turned, &zero, TRUE).0
    }

    /// The difference, and whether the first number is at least the second.
    fn sub(&mut self, a: &[Lit], b: &[Lit]) -> (Vec<Lit>, Lit) {
        let turned: Vec<Lit> = b.iter().map(|&b| not(b)).collect();
        self.add(a, &turned, TRUE)
    }

    fn less(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        not(self.sub(a, b).1)
    }

    fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let same: Vec<Lit> = a.iter().zip(b).map(|(&a, &b)| not(self.xor(a, b))).collect();
        self.all(&same)
    }

    fn mul(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        let mut sum = vec![FALSE; a.len()];
        for (at, &digit) in b.iter().enumerate().filter(|(_, digit)| **digit != FALSE) {
            let shifted: Vec<Lit> = (0..a.len())
                .map(|place| if place < at { FALSE } else { self.and(a[place - at], digit) })
                .collect();
            sum = self.add(&sum, &shifted, FALSE).0;
        }
        sum
    }

    /// Quotient and remainder without signs. A divisor of zero is subtracted in every step, which makes the quotient all
    /// ones and the remainder the dividend.
    fn divide(&mut self, a: &[Lit], b: &[Lit]) -> (Vec<Lit>, Vec<Lit>) {
        let wide: Vec<Lit> = b.iter().copied().chain([FALSE]).collect();
        let mut rest = vec![FALSE; b.len() + 1];
        let mut quotient = vec![FALSE; a.len()];
        for at in (0..a.len()).rev() {
            rest.pop();
            rest.insert(0, a[at]);
            let (difference, fits) = self.sub(&rest, &wide);
            rest = self.choose(fits, &difference, &rest);
            quotient[at] = fits;
        }
        rest.pop();
        (quotient, rest)
    }

    fn absolute(&mut self, a: &[Lit]) -> (Vec<Lit>, Lit) {
        let sign = a[a.len() - 1];
        let negated = self.neg(a);
        (self.choose(sign, &negated, a), sign)
    }

    fn negate_if(&mut self, condition: Lit, a: &[Lit]) -> Vec<Lit> {
        let negated = self.neg(a);
        self.choose(condition, &negated, a)
    }

    fn divide_signed(&mut self, op: Op, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        let ((x, a_sign), (y, b_sign)) = (self.absolute(a), self.absolute(b));
        let (quotient, rest) = self.divide(&x, &y);
        let apart = self.xor(a_sign, b_sign);
        if op == Op::Sdiv {
            return self.negate_if(apart, &quotient);
        }
        let rest = self.negate_if(a_sign, &rest);
        if op == Op::Srem {
            return rest;
        }
        let zero = vec![FALSE; a.len()];
        let (whole, by_zero) = (self.equal(&rest, &zero), self.equal(b, &zero));
        let moved = self.all(&[apart, not(whole), not(by_zero)]);
        let sum = self.add(&rest, b, FALSE).0;
        self.choose(moved, &sum, &rest)
    }

    /// A shift by stages: where bits come from says the function, by place and distance.
    fn shift(
        &mut self,
        a: &[Lit],
        distance: &[Lit],
        fill: Lit,
        from: impl Fn(usize, usize) -> Option<usize>,
    ) -> Vec<Lit> {
        let mut word = a.to_vec();
        let mut far = FALSE;
        for (stage, &digit) in distance.iter().enumerate() {
            match 1_usize.checked_shl(stage as u32).filter(|&by| by < a.len()) {
                Some(by) => {
                    let bit = |at: usize| from(at, by).and_then(|at| word.get(at).copied()).unwrap_or(fill);
                    let shifted: Vec<Lit> = (0..word.len()).map(bit).collect();
                    word = self.choose(digit, &shifted, &word);
                }
                None => far = self.or(far, digit),
            }
        }
        let filled = vec![fill; a.len()];
        self.choose(far, &filled, &word)
    }

    /// The word rotated to the left by the number modulo its width.
    fn rotate(&mut self, a: &[Lit], distance: &[Lit], left: bool) -> Vec<Lit> {
        let width = a.len();
        let number: Vec<Lit> = constant(&BitVec::new(width as u32, width as u64));
        let by = self.divide(distance, &number).1;
        let mut word = a.to_vec();
        for (stage, &digit) in by.iter().enumerate() {
            // Beyond, the digits of a number below the width are zero.
            let Some(by) = 1_usize.checked_shl(stage as u32).filter(|&by| by < width) else { break };
            let by = if left { width - by } else { by };
            let turned: Vec<Lit> = (0..width).map(|at| word[(at + by) % width]).collect();
            word = self.choose(digit, &turned, &word);
        }
        word
    }

    /// An operation on words.
    fn operation(&mut self, op: Op, width: usize, args: [&[Lit]; 3]) -> Vec<Lit> {
        let [a, b, c] = args;
        let top = a.len() - 1;
        match op {
            Op::Not => a.iter().map(|&a| not(a)).collect(),
            Op::And => a.iter().zip(b).map(|(&a, &b)| self.and(a, b)).collect(),
            Op::Or => a.iter().zip(b).map(|(&a, &b)| self.or(a, b)).collect(),
            Op::Xor => a.iter().zip(b).map(|(&a, &b)| self.xor(a, b)).collect(),
            Op::Parity => vec![a.iter().fold(FALSE, |odd, &bit| self.xor(odd, bit))],
            Op::Neg => self.neg(a),
            Op::Add => self.add(a, b, FALSE).0,
            Op::Mul => self.mul(a, b),
            Op::Udiv => self.divide(a, b).0,
            Op::Urem => self.divide(a, b).1,
            Op::Sdiv | Op::Srem | Op::Smod => self.divide_signed(op, a, b),
            Op::Sll => self.shift(a, b, FALSE, |at, by| at.checked_sub(by)),
            Op::Srl => self.shift(a, b, FALSE, |at, by| Some(at + by)),
            Op::Sra => self.shift(a, b, a[top], |at, by| Some(at + by)),
            Op::Rol => self.rotate(a, b, true),
            Op::Ror => self.rotate(a, b, false),
            Op::Eq => vec![self.equal(a, b)],
            Op::Ult => vec![self.less(a, b)],
            Op::Slt => {
                let turned = |word: &[Lit]| -> Vec<Lit> {
                    let last = word.len() - 1;
                    word.iter()
                        .enumerate()
                        .map(|(at, &bit)| if at == last { not(bit) } else { bit })
                        .collect()
                };
                vec![self.less(&turned(a), &turned(b))]
            }
            Op::Concat => b.iter().chain(a).copied().collect(),
            Op::Slice { low } => a[low as usize..low as usize + width].to_vec(),
            Op::SignExtend => (0..width).map(|at| a[at.min(top)]).collect(),
            Op::Ite => self.choose(a[0], b, c),
            Op::Read | Op::Write | Op::ConstantArray => unreachable!("circuits with arrays are refused"),
        }
    }

    /// The gates of a circuit; `None` if it has arrays.
    pub(crate) fn of(circuit: &Circuit) -> Option<Gates> {
        let mut gates = Gates::default();
        // In AIGER variables of inputs and latches come first.
        let name = |symbol: Option<&str>, kind: &str, position: usize, width: usize, at: usize| {
            let base = symbol.map_or_else(|| format!("{kind}{position}"), str::to_owned);
            Some(if width == 1 { base } else { format!("{base}[{at}]") })
        };
        let mut words: Vec<Vec<Lit>> = vec![Vec::new(); circuit.len()];
        for (position, input) in circuit.inputs.iter().enumerate() {
            let width = circuit.sort(input.node).width()? as usize;
            for at in 0..width {
                let lit = gates.fresh();
                gates.inputs.push((lit, name(input.symbol.as_deref(), "input", position, width, at)));
                words[input.node.index()].push(lit);
            }
        }
        // A state without a next value is an input, but for its value at the start.
        let mut first = None;
        let is_constant = |node: NodeId| circuit.as_constant(node).is_some();
        if circuit
            .states
            .iter()
            .any(|state| state.init.is_some_and(|init| state.next.is_none() || !is_constant(init)))
        {
            first = Some(());
        }
        for (position, state) in circuit.states.iter().enumerate().filter(|(_, state)| state.next.is_none()) {
            let width = circuit.sort(state.node).width()? as usize;
            for at in 0..width {
                let lit = gates.fresh();
                gates.inputs.push((lit, name(state.symbol.as_deref(), "state", position, width, at)));
                words[state.node.index()].push(lit);
            }
        }
        for (position, state) in circuit.states.iter().enumerate().filter(|(_, state)| state.next.is_some()) {
            let width = circuit.sort(state.node).width()? as usize;
            let init = state.init.and_then(|init| circuit.as_constant(init));
            for at in 0..width {
                let own = gates.fresh();
                let reset = init.map(|init| init.bit(at as u32));
                let symbol = name(state.symbol.as_deref(), "state", position, width, at);
                gates.latches.push(Latch { own, reset, next: FALSE, symbol });
                words[state.node.index()].push(own);
            }
        }
        let first = first.map(|()| {
            let own = gates.fresh();
            gates.latches.push(Latch {
                own,
                reset: Some(true),
                next: FALSE,
                symbol: Some("first".to_owned()),
            });
            own
        });
        for (id, node, sort) in circuit.nodes() {
            let width = sort.width()?;
            match node {
                Node::Constant(word) => words[id.index()] = constant(word),
                Node::Input(_) | Node::State(_) => {}
                Node::Apply(op, args) => {
                    let [a, b, c] = args.map(|arg| &words[arg.index()][..]);
                    words[id.index()] = gates.operation(*op, width as usize, [a, b, c]);
                }
            }
        }
        let word = |id: NodeId| &words[id.index()];
        let bit = |id: NodeId| words[id.index()][0];
        let mut latches = 0;
        for state in &circuit.states {
            if let Some(next) = state.next {
                for &lit in word(next) {
                    gates.latches[latches].next = lit;
                    latches += 1;
                }
            }
            if let (Some(init), Some(first)) = (state.init, first)
                && (state.next.is_none() || circuit.as_constant(init).is_none())
            {
                let same = gates.equal(word(state.node), word(init));
                let begun = gates.or(not(first), same);
                gates.constraints.push(begun);
            }
        }
        gates.constraints.extend(circuit.constraints.iter().map(|&id| bit(id)));
        gates.fairness = circuit.fairness.iter().map(|&id| bit(id)).collect();
        for property in &circuit.properties {
            let symbol = property.symbol.as_deref().map(str::to_owned);
            match &property.question {
                Question::Bad(id) => gates.bad.push((bit(*id), symbol)),
                Question::Justice(ids) => {
                    gates.justice.push((ids.iter().map(|&id| bit(id)).collect(), symbol))
                }
            }
        }
        Some(gates)
    }

    /// The number of variables.
    pub(crate) fn variables(&self) -> u32 {
        self.variables
    }
}

fn constant(word: &BitVec) -> Vec<Lit> {
    (0..word.width()).map(|at| Lit::from(word.bit(at))).collect()
}
