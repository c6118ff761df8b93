//! Bits and gates of the circuits of bit-vectors in a proof.
//!
//! A circuit belongs to the term that it computes, and gates are shared by circuits: a gate may be used on the sides that
//! know all bits that it depends on, whatever terms have it. So it is written as the bit of a word if those sides know
//! that word, and as a formula over its inputs otherwise.

use rustc_hash::FxHashMap;
use shem_base::{BitVec, Int, Lit, Var};
use shem_proof::ProofLog;
use shem_term::{Store, Term};

use super::cutset::Sides;
use super::equality::Vertex;
use super::equations::Part;
use super::error::Mixed;
use super::refutation::Refutation;
use super::vocabulary::{Kind, Vocabulary};
use crate::bits::Gate;
use crate::equality::Node;
use crate::solver::Solver;

/// A gate of a proof, or one that such a gate depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct GateVariable {
    var: Var,
    pub(super) gate: Gate,
    /// The bit of a vertex that it is, with whether it is the negation of that bit.
    word: Option<(Vertex, u32, bool)>,
}

impl GateVariable {
    pub(super) fn new(var: Var, gate: Gate) -> GateVariable {
        GateVariable { var, gate, word: None }
    }
}

impl<const W: usize> Vocabulary<W> {
    /// Adds all that the gates of the proof depend on, and the words that they are bits of.
    pub(super) fn add_circuits(
        &mut self,
        solver: &mut Solver<ProofLog>,
        store: &mut Store,
        refutation: Refutation<'_, W>,
    ) {
        let mut next = 0;
        while let Some(&GateVariable { gate, .. }) = self.gates.get(next) {
            next += 1;
            for input in gate.inputs() {
                self.add_occurrence(solver, store, refutation, input.var(), Sides::NONE);
            }
        }
        // Inputs of gates are older than the gates.
        self.gates.sort_unstable_by_key(|gate| gate.var);
        for place in 0..self.gates.len() {
            let index = self.index_of(self.gates[place].var);
            self.variables[index].kind = Kind::Gate(place as u32);
        }
        if self.gates.is_empty() {
            return;
        }
        let mut words: FxHashMap<Var, (Lit, Node, u32)> = FxHashMap::default();
        for (bit, node, place) in solver.words().into_iter().flat_map(|words| words.all_bits()) {
            words.entry(bit.var()).or_insert((bit, node, place));
        }
        for at in 0..self.gates.len() {
            if let Some(&(bit, node, place)) = words.get(&self.gates[at].var) {
                let vertex = self.equations.add(solver, store, refutation, Part::Node(node));
                self.gates[at].word = Some((vertex, place, !bit.is_positive()));
            }
        }
    }

    /// Takes the occurrences of gates to what they depend on.
    pub(super) fn propagate_gate_occurrences(&mut self) {
        for at in (0..self.gates.len()).rev() {
            let GateVariable { var, gate, .. } = self.gates[at];
            let sides = self.variable(var).sides;
            for input in gate.inputs() {
                let index = self.index_of(input.var());
                if !matches!(self.variables[index].kind, Kind::Hidden | Kind::Guard) {
                    self.variables[index].sides = self.variables[index].sides.join(sides);
                }
            }
        }
    }

    /// Finds the sides on which gates may be used, from those of what they depend on.
    pub(super) fn find_gate_sides(&mut self) {
        for at in 0..self.gates.len() {
            let GateVariable { var, gate, word } = self.gates[at];
            let inputs = gate.inputs().iter().map(|input| self.variable(input.var()).sides);
            let sides = inputs.fold(Sides::BOTH, Sides::meet);
            let index = self.index_of(var);
            self.variables[index].sides = sides;
            self.gates[at].word = word.filter(|&(vertex, ..)| {
                let known = self.equations.vertices.sides(vertex);
                let cuts = self.equations.vertices.cuts();
                (sides.a & cuts).is_subset(&known.a) && (sides.b & cuts).is_subset(&known.b)
            });
        }
    }

    /// The gate that a clause of a circuit defines, by index: the youngest variable, all others being its inputs.
    pub(super) fn defined_gate(&self, clause: &[Lit]) -> Option<usize> {
        let youngest = clause.iter().map(|lit| lit.var()).max()?;
        let index = self.index_of(youngest);
        let Kind::Gate(at) = self.variables[index].kind else { return None };
        let inputs = self.gates[at as usize].gate;
        let is_part =
            |lit: &Lit| lit.var() == youngest || inputs.inputs().iter().any(|input| input.var() == lit.var());
        clause.iter().all(is_part).then_some(index)
    }

    /// The formula of a bit or a gate, by index.
    pub(super) fn wire_formula(&mut self, store: &mut Store, index: usize) -> Result<Term, Mixed> {
        let mut stack = vec![index];
        while let Some(&top) = stack.last() {
            if self.variables[top].term.is_some() {
                stack.pop();
                continue;
            }
            let formula = match self.variables[top].kind {
                Kind::Bit(vertex, place) => self.bit(store, vertex, place).ok_or(Mixed::Clause)?,
                Kind::Gate(at) => {
                    let GateVariable { gate, word, .. } = self.gates[at as usize];
                    let bit = word.and_then(|(vertex, place, negated)| {
                        Some(self.bit(store, vertex, place)?.xor(negated))
                    });
                    match bit {
                        Some(bit) => bit,
                        None => {
                            let open = stack.len();
                            for input in gate.inputs() {
                                let index = self.index_of(input.var());
                                let variable = &self.variables[index];
                                let is_wire = matches!(variable.kind, Kind::Bit(..) | Kind::Gate(_));
                                if is_wire && variable.term.is_none() {
                                    stack.push(index);
                                }
                            }
                            if stack.len() > open {
                                continue;
                            }
                            self.gate_formula(store, gate)?
                        }
                    }
                }
                _ => unreachable!("a bit or a gate"),
            };
            self.variables[top].term = Some(formula);
            stack.pop();
        }
        self.variables[index].term.ok_or(Mixed::Clause)
    }

    /// The formula of a gate over those of its inputs.
    fn gate_formula(&mut self, store: &mut Store, gate: Gate) -> Result<Term, Mixed> {
        let mut inputs = [Term::TRUE; 3];
        for (formula, &input) in inputs.iter_mut().zip(gate.inputs()) {
            *formula = self.literal(store, input)?;
        }
        let [a, b, c] = inputs;
        Ok(match gate {
            Gate::And(_) => store.and2(a, b),
            Gate::Xor(_) => store.xor(a, b),
            Gate::Choose(_) => store.ite(a, b, c),
            Gate::Majority(_) => {
                let (both, either) = (store.and2(a, b), store.or2(a, b));
                let carried = store.and2(c, either);
                store.or2(both, carried)
            }
        })
    }

    /// The formula that a bit of a vertex is 1.
    fn bit(&mut self, store: &mut Store, vertex: Vertex, place: u32) -> Option<Term> {
        let word = self.equations.vertices.term(store, vertex)?;
        let bit = store.bv_extract(place, place, word);
        let one = store.bit_vector(&BitVec::from_int(1, &Int::ONE));
        Some(store.eq(bit, one))
    }
}
