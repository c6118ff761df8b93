//! Circuits as transition systems of terms.
//!
//! A word of one bit is a truth value, others are bit-vectors. A step has the constraints of the moment before it, and a
//! bad state counts only together with the constraints of its own moment. Of the states, those that neither properties
//! nor constraints depend on are left out.
//!
//! Conditions of justice and fairness that hold again and again become one that does: bits remember which of them have
//! held, and are cleared when all have.

use std::collections::BTreeSet;

use shem_base::BitVec;
use shem_term::{Sort, Store, Substitution, Term};
use shem_vmt::{PropertyKind, StateVariable, Vmt};

use crate::circuit::{Circuit, Node, NodeId, NodeSort, Op, Question};

/// A circuit as a transition system.
#[derive(Clone, Debug)]
pub struct Transitions {
    /// The system. Its properties are those of the circuit, numbered from zero in their order.
    pub vmt: Vmt,
    /// The positions of the states of the circuit that are state variables, in their order. What comes after them remembers
    /// which conditions of justice have held, and inputs of the first moment that values at the start depend on.
    pub states: Vec<usize>,
}

/// Names that occur once.
#[derive(Default)]
struct Names(BTreeSet<String>);

impl Names {
    /// A name for something: that of the file, without what SMT-LIB cannot quote; with a number if it is taken.
    fn fresh(&mut self, symbol: Option<&str>, other: String) -> String {
        let good = |c: char| if c == '|' || c == '\\' || c.is_control() { '_' } else { c };
        let name: String = symbol.map_or(other, |symbol| symbol.chars().map(good).collect());
        let mut candidate = name.clone();
        let mut number = 1;
        while !self.0.insert(candidate.clone()) {
            number += 1;
            candidate = format!("{name}.{number}");
        }
        candidate
    }
}

/// The sort of a node's terms.
fn term_sort(store: &mut Store, sort: NodeSort) -> Sort {
    let bits = |width: u32| Sort::bit_vec(width).expect("a width within limits");
    match sort {
        NodeSort::Bits(1) => Sort::Bool,
        NodeSort::Bits(width) => bits(width),
        NodeSort::Array(array) => {
            // Elements of arrays are words, also if they have one bit.
            let element = match array.element() {
                NodeSort::Bits(width) => bits(width),
                inner => term_sort(store, inner),
            };
            store.array_sort(bits(array.index()), element)
        }
    }
}

/// A term as a bit-vector, also if it is a truth value.
fn as_word(store: &mut Store, term: Term) -> Term {
    if store.sort(term) != Sort::Bool {
        return term;
    }
    let [zero, one] = [0, 1].map(|bit| store.bit_vector(&BitVec::new(1, bit)));
    store.ite(term, one, zero)
}

/// A bit-vector as a truth value, if it has one bit.
fn from_word(store: &mut Store, term: Term) -> Term {
    if store.sort(term).bit_width() != Some(1) {
        return term;
    }
    let one = store.bit_vector(&BitVec::new(1, 1));
    store.eq(term, one)
}

impl Circuit {
    /// The positions of the states that properties and constraints depend on, in their order.
    pub(crate) fn relevant_states(&self) -> Vec<usize> {
        let mut roots: Vec<NodeId> = self.constraints.iter().chain(&self.fairness).copied().collect();
        for property in &self.properties {
            match &property.question {
                Question::Bad(bad) => roots.push(*bad),
                Question::Justice(conditions) => roots.extend(conditions),
            }
        }
        let mut relevant = vec![false; self.states.len()];
        loop {
            let inside = self.cone(&roots);
            let mut more = false;
            for (state, known) in self.states.iter().zip(&mut relevant) {
                if inside[state.node.index()] && !std::mem::replace(known, true) {
                    roots.extend(state.init.iter().chain(&state.next));
                    more = true;
                }
            }
            if !more {
                return (0..relevant.len()).filter(|&at| relevant[at]).collect();
            }
        }
    }

    /// The circuit as a transition system.
    pub fn transitions(&self, store: &mut Store) -> Transitions {
        let mut names = Names::default();
        let relevant = self.relevant_states();
        let mut states: Vec<StateVariable> = Vec::new();
        for &at in &relevant {
            let state = &self.states[at];
            let sort = term_sort(store, self.sort(state.node));
            let name = names.fresh(state.symbol.as_deref(), format!("state{at}"));
            let current = store.variable(&name, sort);
            states.push(StateVariable { name: name.into(), current, next: current });
        }
        let mut inputs: Vec<(Box<str>, Term)> = Vec::new();
        for (at, input) in self.inputs.iter().enumerate() {
            let sort = term_sort(store, self.sort(input.node));
            let name = names.fresh(input.symbol.as_deref(), format!("input{at}"));
            let term = store.variable(&name, sort);
            inputs.push((name.into(), term));
        }
        for state in &mut states {
            let name = names.fresh(Some(&format!("{}.next", state.name)), String::new());
            let sort = store.sort(state.current);
            state.next = store.variable(&name, sort);
        }
        let mut variables: Vec<Option<Term>> = vec![None; self.states.len()];
        relevant.iter().zip(&states).for_each(|(&at, state)| variables[at] = Some(state.current));
        let terms = self.terms(store, &variables, &inputs);
        let term = |id: NodeId| terms[id.index()].expect("a term of what is relevant");
        let mut constraints: Vec<Term> = self.constraints.iter().map(|&id| term(id)).collect();
        let (mut init, mut trans) = (Vec::new(), Vec::new());
        for (&at, variable) in relevant.iter().zip(&states) {
            let state = &self.states[at];
            if let Some(value) = state.init {
                init.push(store.eq(variable.current, term(value)));
            }
            if let Some(value) = state.next {
                trans.push(store.eq(variable.next, term(value)));
            }
        }
        let inits: Vec<NodeId> = relevant.iter().filter_map(|&at| self.states[at].init).collect();
        let inside = self.cone(&inits);
        let used = self.inputs.iter().zip(&inputs).filter(|(input, _)| inside[input.node.index()]);
        let used: Vec<(&str, Term)> = used.map(|(_, (name, term))| (&**name, *term)).collect();
        if !used.is_empty() {
            let same = remember_inputs(store, &mut names, &mut states, &mut init, &mut trans, &used);
            constraints.push(same);
        }
        trans.extend(&constraints);
        let mut properties = Vec::new();
        for (index, property) in self.properties.iter().enumerate() {
            let (kind, violated) = match &property.question {
                Question::Bad(bad) => {
                    let parts: Vec<Term> = constraints.iter().copied().chain([term(*bad)]).collect();
                    (PropertyKind::Invariant, store.and(&parts))
                }
                Question::Justice(conditions) => {
                    let conditions: Vec<Term> =
                        conditions.iter().chain(&self.fairness).map(|&id| term(id)).collect();
                    let all = remember(store, &mut names, &mut states, &mut init, &mut trans, &conditions);
                    (PropertyKind::Live, all)
                }
            };
            let name = property.symbol.clone().unwrap_or_else(|| self.label(index).into());
            properties.push(shem_vmt::Property {
                kind,
                index: index as u64,
                name,
                formula: !violated,
                span: property.span,
            });
        }
        let (init, trans) = (store.and(&init), store.and(&trans));
        Transitions { vmt: Vmt { states, inputs, init, trans, properties }, states: relevant }
    }

    /// What witnesses call a property: `b` or `j`, and its position among those of its kind.
    pub fn label(&self, property: usize) -> String {
        let is_bad = |at: usize| matches!(self.properties[at].question, Question::Bad(_));
        let bad = is_bad(property);
        let position = (0..property).filter(|&at| is_bad(at) == bad).count();
        format!("{}{position}", if bad { 'b' } else { 'j' })
    }

    /// The terms of the nodes over these variables; those of other states have none, nor what depends on them.
    fn terms(
        &self,
        store: &mut Store,
        states: &[Option<Term>],
        inputs: &[(Box<str>, Term)],
    ) -> Vec<Option<Term>> {
        let mut terms: Vec<Option<Term>> = Vec::with_capacity(self.len());
        for (_, node, sort) in self.nodes() {
            let term = match node {
                Node::Constant(word) => {
                    let word = store.bit_vector(word);
                    Some(from_word(store, word))
                }
                Node::Input(at) => Some(inputs[*at as usize].1),
                Node::State(at) => states[*at as usize],
                Node::Apply(op, args) => match args.map(|arg| terms[arg.index()]) {
                    [Some(a), Some(b), Some(c)] => Some(apply(store, *op, sort, [a, b, c])),
                    _ => None,
                },
            };
            terms.push(term);
        }
        terms
    }
}

/// An operation as a term.
fn apply(store: &mut Store, op: Op, sort: NodeSort, [a, b, c]: [Term; 3]) -> Term {
    let is_truth = store.sort(a) == Sort::Bool;
    match op {
        Op::Not if is_truth => return !a,
        Op::And if is_truth => return store.and2(a, b),
        Op::Or if is_truth => return store.or2(a, b),
        Op::Xor if is_truth => return store.xor(a, b),
        Op::Ite => return store.ite(a, b, c),
        Op::Eq => return store.eq(a, b),
        _ => {}
    }
    let [a, b, c] = [a, b, c].map(|term| as_word(store, term));
    let width = sort.width();
    let result = match op {
        Op::Not => store.bv_not(a),
        Op::And => store.bv_and(&[a, b]),
        Op::Or => store.bv_or(&[a, b]),
        Op::Xor => store.bv_xor(&[a, b]),
        Op::Parity => {
            let bits: Vec<Term> = (0..store.width(a)).map(|at| store.bv_extract(at, at, a)).collect();
            if bits.len() == 1 { bits[0] } else { store.bv_xor(&bits) }
        }
        Op::Neg => store.bv_neg(a),
        Op::Add => store.bv_add(&[a, b]),
        Op::Mul => store.bv_mul(&[a, b]),
        Op::Udiv => store.bv_udiv(a, b),
        Op::Urem => store.bv_urem(a, b),
        Op::Sdiv => store.bv_sdiv(a, b),
        Op::Srem => store.bv_srem(a, b),
        Op::Smod => store.bv_smod(a, b),
        Op::Sll => store.bv_shl(a, b),
        Op::Srl => store.bv_lshr(a, b),
        Op::Sra => store.bv_ashr(a, b),
        Op::Rol => store.bv_rotate_by(true, a, b),
        Op::Ror => store.bv_rotate_by(false, a, b),
        Op::Ult => store.bv_ult(a, b),
        Op::Slt => store.bv_slt(a, b),
        Op::Concat => store.bv_concat(a, b),
        Op::Slice { low } => store.bv_extract(low + width.expect("a word") - 1, low, a),
        Op::SignExtend => store.bv_sign_extend(width.expect("a word") - store.width(a), a),
        Op::Read => store.select(a, b),
        Op::Write => store.store_at(a, b, c),
        Op::ConstantArray => {
            let array = term_sort(store, sort);
            store.constant_array(array, a)
        }
        Op::Ite | Op::Eq => unreachable!("done above"),
    };
    from_word(store, result)
}

/// Adds state variables that stand for inputs of the first moment in what holds there, and a bit that is one at the first
/// moment alone; gives the constraint that the inputs are the same then.
fn remember_inputs(
    store: &mut Store,
    names: &mut Names,
    states: &mut Vec<StateVariable>,
    init: &mut Vec<Term>,
    trans: &mut Vec<Term>,
    inputs: &[(&str, Term)],
) -> Term {
    let mut add = |store: &mut Store, name: String, sort: Sort| {
        let name = names.fresh(Some(&name), String::new());
        let next = names.fresh(Some(&format!("{name}.next")), String::new());
        let (current, next) = (store.variable(&name, sort), store.variable(&next, sort));
        states.push(StateVariable { name: name.into(), current, next });
        (current, next)
    };
    let (first, later) = add(store, "first".to_owned(), Sort::Bool);
    let mut substitution = Substitution::new();
    let mut same = Vec::new();
    for &(name, input) in inputs {
        let sort = store.sort(input);
        let (copy, next) = add(store, format!("{name}.first"), sort);
        trans.push(store.eq(next, copy));
        same.push(store.eq(input, copy));
        substitution.bind(store, &[input], &[copy]);
    }
    for formula in init.iter_mut() {
        *formula = store.substitute(*formula, &substitution);
    }
    init.push(first);
    trans.push(!later);
    let same = store.and(&same);
    store.or2(!first, same)
}

/// Adds bits that remember which of the conditions have held since they were cleared; gives the moment at which all
/// have, when they are cleared.
fn remember(
    store: &mut Store,
    names: &mut Names,
    states: &mut Vec<StateVariable>,
    init: &mut Vec<Term>,
    trans: &mut Vec<Term>,
    conditions: &[Term],
) -> Term {
    if let [condition] = conditions {
        return *condition;
    }
    let first = states.len();
    for _ in conditions {
        let name = names.fresh(None, format!("held{}", states.len() - first));
        let next = names.fresh(Some(&format!("{name}.next")), String::new());
        let (current, next) = (store.variable(&name, Sort::Bool), store.variable(&next, Sort::Bool));
        states.push(StateVariable { name: name.into(), current, next });
    }
    let bits: Vec<(Term, Term)> = states[first..].iter().map(|state| (state.current, state.next)).collect();
    let held: Vec<Term> = bits.iter().zip(conditions).map(|(&(bit, _), &now)| store.or2(bit, now)).collect();
    let all = store.and(&held);
    for (&(current, next), &held) in bits.iter().zip(&held) {
        init.push(!current);
        let kept = store.and2(held, !all);
        trans.push(store.iff(next, kept));
    }
    all
}
