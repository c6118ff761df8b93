//! Transition systems of terms as circuits.
//!
//! A conjunct of `:trans` that says what a state variable is next becomes its `next`, and one of `:init` that gives it a
//! value its `init`. What is left of them is a relation: a variable whose next value nothing defines takes any, a bit
//! `valid` remembers that all steps so far were steps of the relation, and only then a state is bad. What is left of
//! `:init` is a constraint of the first moment.

use rustc_hash::{FxHashMap, FxHashSet};
use shem_base::BitVec;
use shem_term::{BitOp, Role, Sort, Store, Symbol, Term, View};
use shem_vmt::{PropertyKind, Vmt};
use thiserror::Error;

use crate::circuit::{ArraySort, Circuit, NodeId, NodeSort, Op, Property, Question};
use crate::derived::BIT;
use crate::transition::Transitions;

/// Why a transition system is no circuit.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoCircuit {
    /// A sort other than truth values, bit-vectors and arrays of bit-vectors.
    #[error("a circuit has no values of sort {0}")]
    Sort(String),
    /// A term that is no operation of a circuit.
    #[error("a circuit cannot compute {0}")]
    Term(String),
    /// A property that is no invariant.
    #[error("only invariant properties are written as circuits")]
    Live,
}

impl Circuit {
    /// A transition system as a circuit.
    ///
    /// # Errors
    /// If it has values or operations that circuits do not have.
    pub fn of_transitions(store: &mut Store, vmt: &Vmt) -> Result<Circuit, NoCircuit> {
        let mut making = Making { circuit: Circuit::default(), nodes: FxHashMap::default() };
        if vmt.properties.iter().any(|property| property.kind != PropertyKind::Invariant) {
            return Err(NoCircuit::Live);
        }
        let mut states = Vec::new();
        for variable in &vmt.states {
            let sort = node_sort(store, store.sort(variable.current))?;
            let node = making.circuit.state(sort, Some(symbol(&variable.name)));
            making.nodes.insert(variable.current, node);
            states.push(node);
        }
        for (name, term) in &vmt.inputs {
            let sort = node_sort(store, store.sort(*term))?;
            let node = making.circuit.input(sort, Some(symbol(name)));
            making.nodes.insert(*term, node);
        }
        let mut init = Vec::new();
        for conjunct in store.conjuncts(vmt.init) {
            let known = vmt.states.iter().enumerate().find_map(|(at, variable)| {
                let value = defined(store, conjunct, variable.current)?;
                is_constant(store, value).then_some((at, value))
            });
            match known.filter(|&(at, _)| making.circuit.states[at].init.is_none()) {
                Some((at, value)) => {
                    let value = making.node(store, value)?;
                    making.circuit.states[at].init = Some(value);
                }
                None => init.push(conjunct),
            }
        }
        let changing = vmt.states.iter().filter(|state| state.current != state.next);
        let later: FxHashSet<Term> = changing.map(|state| state.next).collect();
        let mut definitions: FxHashMap<Term, Term> = FxHashMap::default();
        let mut relation = Vec::new();
        for conjunct in store.conjuncts(vmt.trans) {
            let mut nexts = vmt.states.iter().map(|state| state.next).filter(|next| later.contains(next));
            let found = nexts.find_map(|next| Some((next, defined(store, conjunct, next)?)));
            let good = |&(next, value): &(Term, Term)| {
                let free = store.free_variables(&[value]);
                !definitions.contains_key(&next) && !free.iter().any(|variable| later.contains(variable))
            };
            match found.filter(good) {
                Some((next, value)) => {
                    definitions.insert(next, value);
                }
                None => relation.push(conjunct),
            }
        }
        for (at, (variable, &state)) in vmt.states.iter().zip(&states).enumerate() {
            let next = match definitions.get(&variable.next) {
                _ if variable.current == variable.next => state,
                Some(&value) => making.node(store, value)?,
                None => {
                    let sort = making.circuit.sort(state);
                    let name = symbol(&format!("{}.next", variable.name));
                    making.circuit.input(sort, Some(name))
                }
            };
            making.nodes.insert(variable.next, next);
            making.circuit.states[at].next = Some(next);
        }
        let valid = match store.and(&relation) {
            Term::TRUE => None,
            relation => Some(making.valid(store, relation)?),
        };
        if !init.is_empty() {
            let init = store.and(&init);
            making.begin(store, vmt, init)?;
        }
        for property in &vmt.properties {
            let bad = making.node(store, !property.formula)?;
            let bad = valid.map_or(bad, |valid| making.circuit.binary(Op::And, valid, bad));
            let symbol = Some(symbol(&property.name));
            making.circuit.properties.push(Property {
                question: Question::Bad(bad),
                symbol,
                span: property.span,
            });
        }
        Ok(making.circuit)
    }
}

impl Circuit {
    /// The circuit with one property, which one step of induction shows: the one of this number, strengthened by an
    /// inductive invariant over the state variables of the circuit's transition system.
    ///
    /// # Errors
    /// If the property is none of safety, or the invariant cannot be computed by a circuit.
    pub fn strengthened(
        &self,
        store: &Store,
        transitions: &Transitions,
        property: usize,
        invariant: Term,
    ) -> Result<Circuit, NoCircuit> {
        let Property { question: Question::Bad(bad), .. } = self.properties[property] else {
            return Err(NoCircuit::Live);
        };
        let states = transitions.vmt.states.iter().zip(&transitions.states);
        let nodes = states.map(|(variable, &at)| (variable.current, self.states[at].node)).collect();
        let mut making = Making { circuit: self.clone(), nodes };
        let outside = making.node(store, !invariant)?;
        let mut circuit = making.circuit;
        let bad = circuit.binary(Op::Or, bad, outside);
        circuit.properties.swap(0, property);
        circuit.properties.truncate(1);
        circuit.properties[0].question = Question::Bad(bad);
        Ok(circuit)
    }
}

/// A name without what BTOR2 cannot write.
fn symbol(name: &str) -> Box<str> {
    let name: String = name.chars().map(|c| if c.is_whitespace() { '_' } else { c }).collect();
    if name.starts_with(';') { format!("_{name}").into() } else { name.into() }
}

fn node_sort(store: &Store, sort: Sort) -> Result<NodeSort, NoCircuit> {
    if sort == Sort::Bool {
        return Ok(BIT);
    }
    let array = |(index, element): (Sort, Sort)| {
        // Truth values are no elements: an element is a word where terms are compared with it.
        let element = (element != Sort::Bool).then(|| node_sort(store, element).ok())??;
        Some(NodeSort::Array(ArraySort::new(index.bit_width()?, element)?))
    };
    let word = sort.bit_width().map(NodeSort::Bits);
    let found = word.or_else(|| store.array_parts(sort).and_then(array));
    found.ok_or_else(|| NoCircuit::Sort(store.display_sort(sort).to_string()))
}

/// What a conjunct says that a variable is.
fn defined(store: &Store, conjunct: Term, variable: Term) -> Option<Term> {
    if conjunct.positive() == variable {
        return Some(Term::from_bool(!conjunct.is_negated()));
    }
    match store.view(conjunct) {
        View::Equal(a, b) if !conjunct.is_negated() => match () {
            () if a == variable => Some(b),
            () if b == variable => Some(a),
            () => None,
        },
        View::Iff(a, b) => {
            let turned = |term: Term, turn: bool| if turn { !term } else { term };
            match () {
                () if a.positive() == variable => Some(turned(b, a.is_negated() != conjunct.is_negated())),
                () if b.positive() == variable => Some(turned(a, b.is_negated() != conjunct.is_negated())),
                () => None,
            }
        }
        _ => None,
    }
}

/// Whether a term is a truth value, a word, or an array with one word everywhere.
fn is_constant(store: &Store, term: Term) -> bool {
    let word = match store.as_app(term) {
        Some((_, Role::ConstantArray, &[element])) => element,
        _ => term,
    };
    store.as_bit_vector(word).is_some() || term == Term::TRUE || term == Term::FALSE
}

struct Making {
    circuit: Circuit,
    /// The nodes of terms that are not negated.
    nodes: FxHashMap<Term, NodeId>,
}

impl Making {
    /// A bit that is one as long as a formula has held at each moment before.
    fn valid(&mut self, store: &Store, relation: Term) -> Result<NodeId, NoCircuit> {
        let holds = self.node(store, relation)?;
        let one = self.circuit.constant(BitVec::new(1, 1));
        let valid = self.circuit.state(BIT, Some("valid".into()));
        let next = self.circuit.binary(Op::And, valid, holds);
        let state = self.circuit.states.last_mut().expect("a state");
        (state.init, state.next) = (Some(one), Some(next));
        Ok(valid)
    }

    /// A constraint that a formula holds at the first moment, for some values of its own inputs.
    fn begin(&mut self, store: &mut Store, vmt: &Vmt, init: Term) -> Result<(), NoCircuit> {
        let (zero, one) = (self.circuit.constant(BitVec::zero(1)), self.circuit.constant(BitVec::new(1, 1)));
        let first = self.circuit.state(BIT, Some("first".into()));
        let state = self.circuit.states.last_mut().expect("a state");
        (state.init, state.next) = (Some(one), Some(zero));
        // Its inputs are not those of the first step.
        let used: FxHashSet<Term> = store.free_variables(&[init]).into_iter().collect();
        let mut others = Making { circuit: std::mem::take(&mut self.circuit), nodes: FxHashMap::default() };
        for state in &vmt.states {
            others.nodes.insert(state.current, self.nodes[&state.current]);
        }
        for (name, term) in vmt.inputs.iter().filter(|(_, term)| used.contains(term)) {
            let sort = node_sort(store, store.sort(*term))?;
            let node = others.circuit.input(sort, Some(symbol(&format!("{name}.init"))));
            others.nodes.insert(*term, node);
        }
        let holds = others.node(store, init);
        self.circuit = others.circuit;
        let later = self.circuit.not(first);
        let begun = self.circuit.binary(Op::Or, later, holds?);
        self.circuit.constraints.push(begun);
        Ok(())
    }

    /// The node of a term.
    fn node(&mut self, store: &Store, root: Term) -> Result<NodeId, NoCircuit> {
        for term in store.subterms(&[root]) {
            if !self.nodes.contains_key(&term) {
                let node = self.make(store, term)?;
                self.nodes.insert(term, node);
            }
        }
        Ok(self.known(root))
    }

    fn known(&mut self, term: Term) -> NodeId {
        let node = self.nodes[&term.positive()];
        if term.is_negated() { self.circuit.not(node) } else { node }
    }

    /// The node of a term that is not negated and whose parts have nodes.
    fn make(&mut self, store: &Store, term: Term) -> Result<NodeId, NoCircuit> {
        let refused = || NoCircuit::Term(store.display(term).to_string());
        let fold = |making: &mut Making, op: Op, args: &[Term]| {
            let mut nodes: Vec<NodeId> = args.iter().map(|&arg| making.known(arg)).collect();
            let first = nodes.remove(0);
            nodes.into_iter().fold(first, |all, node| making.circuit.binary(op, all, node))
        };
        match store.view(term) {
            View::True => Ok(self.circuit.constant(BitVec::new(1, 1))),
            View::And(args) => Ok(fold(self, Op::And, args)),
            View::Equal(a, b) | View::Iff(a, b) => {
                let (a, b) = (self.known(a), self.known(b));
                Ok(self.circuit.compare(Op::Eq, a, b))
            }
            View::Ite(condition, a, b) => {
                let [condition, a, b] = [condition, a, b].map(|term| self.known(term));
                let sort = self.circuit.sort(a);
                Ok(self.circuit.apply(Op::Ite, &[condition, a, b], sort))
            }
            View::App(symbol, args) => self.application(store, term, symbol, args, fold),
            _ => Err(refused()),
        }
    }

    fn application(
        &mut self,
        store: &Store,
        term: Term,
        symbol: Symbol,
        args: &[Term],
        fold: impl Fn(&mut Making, Op, &[Term]) -> NodeId,
    ) -> Result<NodeId, NoCircuit> {
        let sort = node_sort(store, store.sort(term))?;
        if let Some(value) = store.as_bit_vector(term) {
            return Ok(self.circuit.constant(value.clone()));
        }
        let array = match store.role(symbol) {
            Role::Select => Some(Op::Read),
            Role::Store => Some(Op::Write),
            Role::ConstantArray => Some(Op::ConstantArray),
            _ => None,
        };
        let op = store.as_bit_op(term).map(|(op, _)| op);
        let nodes: Vec<NodeId> = args.iter().map(|&arg| self.known(arg)).collect();
        let circuit = &mut self.circuit;
        let op = match (array, op) {
            (Some(op), _) => op,
            (None, Some(op)) => match op {
                BitOp::And => return Ok(fold(self, Op::And, args)),
                BitOp::Xor => return Ok(fold(self, Op::Xor, args)),
                BitOp::Add => return Ok(fold(self, Op::Add, args)),
                BitOp::Multiply => return Ok(fold(self, Op::Mul, args)),
                BitOp::Extract { high, low } => return Ok(circuit.slice(high, low, nodes[0])),
                BitOp::LessEqual | BitOp::SignedLessEqual => {
                    let op = if op == BitOp::LessEqual { Op::Ult } else { Op::Slt };
                    let less = circuit.compare(op, nodes[1], nodes[0]);
                    return Ok(circuit.not(less));
                }
                BitOp::Concat => Op::Concat,
                BitOp::SignExtend(_) => Op::SignExtend,
                BitOp::Not => Op::Not,
                BitOp::Quotient => Op::Udiv,
                BitOp::Remainder => Op::Urem,
                BitOp::ShiftLeft => Op::Sll,
                BitOp::ShiftRight => Op::Srl,
                BitOp::ShiftRightSigned => Op::Sra,
                BitOp::Constant(_) | BitOp::ToInt | BitOp::FromInt => {
                    return Err(NoCircuit::Term(store.display(term).to_string()));
                }
            },
            (None, None) => return Err(NoCircuit::Term(store.display(term).to_string())),
        };
        Ok(circuit.apply(op, &nodes, sort))
    }
}
