//! Circuits as BTOR2 and AIGER.

use std::fmt::Write;

use rustc_hash::FxHashMap;

use crate::circuit::{Circuit, Node, NodeId, NodeSort, Op, Question};
use crate::gates::{Gates, Lit};

/// Lines of BTOR2 with their numbers.
#[derive(Default)]
struct Lines {
    text: String,
    count: u64,
    sorts: FxHashMap<NodeSort, u64>,
}

impl Lines {
    fn line(&mut self, text: &str) -> u64 {
        self.count += 1;
        let _ = writeln!(self.text, "{} {text}", self.count);
        self.count
    }

    fn sort(&mut self, sort: NodeSort) -> u64 {
        if let Some(&line) = self.sorts.get(&sort) {
            return line;
        }
        let line = match sort {
            NodeSort::Bits(width) => self.line(&format!("sort bitvec {width}")),
            NodeSort::Array(array) => {
                let (index, element) = (self.sort(NodeSort::Bits(array.index())), self.sort(array.element()));
                self.line(&format!("sort array {index} {element}"))
            }
        };
        self.sorts.insert(sort, line);
        line
    }
}

/// The name of an operation in BTOR2 and the number of its arguments.
fn name(op: Op) -> (&'static str, usize) {
    match op {
        Op::Not => ("not", 1),
        Op::And => ("and", 2),
        Op::Or => ("or", 2),
        Op::Xor => ("xor", 2),
        Op::Parity => ("redxor", 1),
        Op::Neg => ("neg", 1),
        Op::Add => ("add", 2),
        Op::Mul => ("mul", 2),
        Op::Udiv => ("udiv", 2),
        Op::Urem => ("urem", 2),
        Op::Sdiv => ("sdiv", 2),
        Op::Srem => ("srem", 2),
        Op::Smod => ("smod", 2),
        Op::Sll => ("sll", 2),
        Op::Srl => ("srl", 2),
        Op::Sra => ("sra", 2),
        Op::Rol => ("rol", 2),
        Op::Ror => ("ror", 2),
        Op::Eq => ("eq", 2),
        Op::Ult => ("ult", 2),
        Op::Slt => ("slt", 2),
        Op::Concat => ("concat", 2),
        Op::Slice { .. } => ("slice", 1),
        Op::SignExtend => ("sext", 1),
        Op::Ite => ("ite", 3),
        Op::Read => ("read", 2),
        Op::Write => ("write", 3),
        Op::ConstantArray => ("", 1),
    }
}

fn suffix(symbol: Option<&str>) -> String {
    symbol.map_or_else(String::new, |symbol| format!(" {symbol}"))
}

impl Circuit {
    /// The circuit in BTOR2; `None` if it has a constant array elsewhere than as the value of a state at the start.
    pub fn btor2(&self) -> Option<String> {
        let mut lines = Lines::default();
        let mut numbers: Vec<u64> = vec![0; self.len()];
        // The value of a state at the start has a smaller number than the state in some readers' rules.
        for (id, node, sort) in self.nodes() {
            let Node::Constant(word) = node else { continue };
            let sort = lines.sort(sort);
            let digits: String =
                (0..word.width()).rev().map(|at| if word.bit(at) { '1' } else { '0' }).collect();
            numbers[id.index()] = lines.line(&format!("const {sort} {digits}"));
        }
        // A constant array stands for its element, and only `init` may name it.
        let constant_array = |id: NodeId| matches!(self.node(id), Node::Apply(Op::ConstantArray, _));
        for (id, node, sort) in self.nodes() {
            let line = match node {
                Node::Constant(_) => continue,
                Node::Input(at) => {
                    let sort = lines.sort(sort);
                    lines
                        .line(&format!("input {sort}{}", suffix(self.inputs[*at as usize].symbol.as_deref())))
                }
                Node::State(at) => {
                    let sort = lines.sort(sort);
                    lines
                        .line(&format!("state {sort}{}", suffix(self.states[*at as usize].symbol.as_deref())))
                }
                Node::Apply(Op::ConstantArray, [element, ..]) => numbers[element.index()],
                Node::Apply(op, args) => {
                    let (name, count) = name(*op);
                    if args[..count].iter().any(|&arg| constant_array(arg)) {
                        return None;
                    }
                    let mut text = format!("{name} {}", lines.sort(sort));
                    args[..count].iter().for_each(|arg| text += &format!(" {}", numbers[arg.index()]));
                    match (op, sort) {
                        (Op::Slice { low }, NodeSort::Bits(width)) => {
                            text += &format!(" {} {low}", low + width - 1)
                        }
                        (Op::SignExtend, NodeSort::Bits(width)) => {
                            text += &format!(" {}", width - self.width(args[0]));
                        }
                        _ => {}
                    }
                    lines.line(&text)
                }
            };
            numbers[id.index()] = line;
        }
        for state in &self.states {
            let (sort, own) = (lines.sort(self.sort(state.node)), numbers[state.node.index()]);
            if let Some(init) = state.init {
                lines.line(&format!("init {sort} {own} {}", numbers[init.index()]));
            }
            if let Some(next) = state.next {
                if constant_array(next) {
                    return None;
                }
                lines.line(&format!("next {sort} {own} {}", numbers[next.index()]));
            }
        }
        for (word, nodes) in [("constraint", &self.constraints), ("fair", &self.fairness)] {
            for node in nodes {
                lines.line(&format!("{word} {}", numbers[node.index()]));
            }
        }
        for property in &self.properties {
            let symbol = suffix(property.symbol.as_deref());
            match &property.question {
                Question::Bad(node) => lines.line(&format!("bad {}{symbol}", numbers[node.index()])),
                Question::Justice(nodes) => {
                    let list: String =
                        nodes.iter().map(|node| format!(" {}", numbers[node.index()])).collect();
                    lines.line(&format!("justice {}{list}{symbol}", nodes.len()))
                }
            };
        }
        Some(lines.text)
    }

    /// The circuit in AIGER, with gates as text or encoded; `None` if it has arrays.
    pub fn aiger(&self, encoded: bool) -> Option<Vec<u8>> {
        let gates = Gates::of(self)?;
        // In encoded files variables are numbered by kind: inputs, latches, gates.
        let mut numbers: Vec<u32> = vec![0; gates.variables() as usize + 1];
        let inputs = gates.inputs.iter().map(|input| input.0);
        let latches = gates.latches.iter().map(|latch| latch.own);
        let variables = inputs.chain(latches).chain(gates.ands.iter().map(|gate| gate.0));
        variables.zip(1..).for_each(|(own, number)| numbers[(own / 2) as usize] = number);
        let lit = |lit: Lit| 2 * numbers[(lit / 2) as usize] + lit % 2;
        let mut text = format!(
            "{} {} {} {} 0 {} {} {} {} {}",
            if encoded { "aig" } else { "aag" },
            gates.variables(),
            gates.inputs.len(),
            gates.latches.len(),
            gates.ands.len(),
            gates.bad.len(),
            gates.constraints.len(),
            gates.justice.len(),
            gates.fairness.len(),
        );
        // Counts of what is not there are left out, for readers of the version before 1.9.
        while gates.bad.len() + gates.justice.len() > 0 && text.ends_with(" 0") {
            text.truncate(text.len() - 2);
        }
        text.push('\n');
        if !encoded {
            gates.inputs.iter().for_each(|input| text += &format!("{}\n", lit(input.0)));
        }
        for latch in &gates.latches {
            let own = lit(latch.own);
            if !encoded {
                text += &format!("{own} ");
            }
            text += &format!("{}", lit(latch.next));
            match latch.reset {
                Some(false) => {}
                Some(true) => text.push_str(" 1"),
                None => text += &format!(" {own}"),
            }
            text.push('\n');
        }
        let bad = gates.bad.iter().map(|bad| bad.0);
        bad.chain(gates.constraints.iter().copied()).for_each(|bit| text += &format!("{}\n", lit(bit)));
        gates.justice.iter().for_each(|(bits, _)| text += &format!("{}\n", bits.len()));
        let conditions = gates.justice.iter().flat_map(|(bits, _)| bits);
        conditions.chain(&gates.fairness).for_each(|&bit| text += &format!("{}\n", lit(bit)));
        let mut bytes = text.into_bytes();
        for &(own, a, b) in &gates.ands {
            let (own, a, b) = (lit(own), lit(a).max(lit(b)), lit(a).min(lit(b)));
            match encoded {
                false => bytes.extend(format!("{own} {a} {b}\n").bytes()),
                true => [own - a, a - b].into_iter().for_each(|difference| encode(&mut bytes, difference)),
            }
        }
        let names = |kind: &str, names: Vec<Option<&String>>| -> String {
            let named = names.into_iter().enumerate().filter_map(|(at, name)| Some((at, name?)));
            named.map(|(at, name)| format!("{kind}{at} {name}\n")).collect()
        };
        bytes.extend(names("i", gates.inputs.iter().map(|input| input.1.as_ref()).collect()).bytes());
        bytes.extend(names("l", gates.latches.iter().map(|latch| latch.symbol.as_ref()).collect()).bytes());
        bytes.extend(names("b", gates.bad.iter().map(|bad| bad.1.as_ref()).collect()).bytes());
        bytes.extend(names("j", gates.justice.iter().map(|justice| justice.1.as_ref()).collect()).bytes());
        Some(bytes)
    }
}

/// Seven bits a byte, the lowest first.
fn encode(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}
