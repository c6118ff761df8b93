//! Formulas over truth values and bit-vectors as one circuit, without a search.
//!
//! For those who look at a system bit by bit: each formula and each bit-vector becomes literals over variables and
//! gates, which are shared and folded as those of the solver are, since they are made by the same circuits. Nothing is
//! asserted. The clauses of a gate are to be had from the gate ([`Gate::define`]), for as many gates as are needed.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use shem_base::{Budget, Lit, UnknownReason, Var};
use shem_term::{BitOp, Sort, Store, Term, View};

use super::circuits::{Circuit, Summand};
use super::gates::{Gate, Gates, Maker};
use crate::theory::Definitions;

/// The answer if a term is neither a truth value nor a bit-vector.
const NO_BITS: UnknownReason = UnknownReason::Incomplete("a term is neither a truth value nor a bit-vector");

/// The circuit of formulas.
///
/// ```
/// use shem_base::Budget;
/// use shem_smt::BitCircuit;
/// use shem_term::{Sort, Store};
///
/// let mut store = Store::new();
/// let sort = Sort::bit_vec(4).expect("a width");
/// let [x, y] = ["x", "y"].map(|name| store.variable(name, sort));
/// let (sum, same) = (store.bv_add(&[x, y]), store.bv_ule(x, y));
/// let mut circuit = BitCircuit::new(1_000);
/// circuit.add(&store, &[sum, same], &Budget::unlimited()).expect("few gates");
/// assert_eq!(circuit.word(sum).map(|word| word.len()), Some(4));
/// assert_eq!(circuit.word(!same), circuit.word(same).map(|word| vec![!word[0]]));
/// ```
#[derive(Debug)]
pub struct BitCircuit {
    gates: Gates,
    /// The number of variables, gates included.
    vars: u32,
    /// The bits of terms without a negation, the lowest first; a formula has one.
    words: WordMap,
}

impl BitCircuit {
    /// A circuit without formulas that may have this number of gates.
    pub fn new(limit: usize) -> BitCircuit {
        let truth = Var::new(0).positive();
        BitCircuit { gates: Gates::new(truth, limit), vars: 1, words: HashMap::default() }
    }

    /// The literal that is always true.
    pub fn truth(&self) -> Lit {
        self.gates.constant(true)
    }

    /// The number of variables: the constant, bits of variables and outputs of gates.
    pub fn num_vars(&self) -> usize {
        self.vars as usize
    }

    /// A new variable.
    pub fn fresh(&mut self) -> Lit {
        self.vars += 1;
        Var::new(self.vars - 1).positive()
    }

    /// The output of a gate, whose inputs need not be in normal form.
    pub fn output(&mut self, gate: Gate, budget: &Budget) -> Result<Lit, UnknownReason> {
        let mut wires = Definitions::new(Var::new(self.vars));
        let mut maker = Maker { gates: &mut self.gates, wires: &mut wires, budget };
        let output = match gate {
            Gate::And([a, b]) => maker.and(a, b),
            Gate::Xor([a, b]) => maker.xor(a, b),
            Gate::Choose([condition, then, otherwise]) => maker.choose(condition, then, otherwise),
            Gate::Majority([a, b, c]) => maker.majority(a, b, c),
        };
        self.vars += wires.vars();
        output
    }

    /// The gate whose output a variable is.
    pub fn gate_of(&self, var: Var) -> Option<Gate> {
        self.gates.of(var)
    }

    /// The gates with their outputs, inputs before outputs.
    pub fn gates(&self) -> &[(Gate, Lit)] {
        self.gates.made()
    }

    /// The bits of a term that was added, or of a part of one, the lowest first.
    pub fn word(&self, term: Term) -> Option<Vec<Lit>> {
        let word = self.words.get(&term.positive())?;
        Some(word.iter().map(|&bit| bit.xor(term.is_negated())).collect())
    }

    /// Makes the circuits of terms and of all their parts.
    pub fn add(&mut self, store: &Store, terms: &[Term], budget: &Budget) -> Result<(), UnknownReason> {
        for term in store.subterms(terms) {
            if self.words.contains_key(&term) {
                continue;
            }
            let mut wires = Definitions::new(Var::new(self.vars));
            let mut maker = Maker { gates: &mut self.gates, wires: &mut wires, budget };
            let result = build(&mut maker, &self.words, store, term);
            self.vars += wires.vars();
            self.words.insert(term, result?);
        }
        Ok(())
    }
}

type WordMap = HashMap<Term, Vec<Lit>, FxBuildHasher>;

/// The bits of a term whose parts have theirs.
fn build(maker: &mut Maker<'_>, words: &WordMap, store: &Store, term: Term) -> Circuit {
    let word = |term: Term| words[&term.positive()].as_slice();
    let lit = |term: Term| words[&term.positive()][0].xor(term.is_negated());
    let width = match store.sort(term) {
        Sort::Bool => 1,
        sort => sort.bit_width().ok_or(NO_BITS)?,
    };
    Ok(match store.view(term) {
        View::True => vec![maker.gates.constant(true)],
        View::Var(_) => maker.fresh(width),
        View::And(parts) => {
            let parts = parts.iter().map(|&part| lit(part)).collect();
            vec![maker.conjunction(parts)?]
        }
        View::Iff(a, b) => vec![!maker.xor(lit(a), lit(b))?],
        View::Equal(a, b) if store.sort(a).bit_width().is_some() => {
            let agreements = maker.agreements(word(a), word(b))?;
            vec![maker.conjunction(agreements)?]
        }
        View::Ite(condition, then, otherwise) if store.sort(term) == Sort::Bool => {
            vec![maker.choose(lit(condition), lit(then), lit(otherwise))?]
        }
        View::Ite(condition, then, otherwise) => {
            maker.choose_word(lit(condition), word(then), word(otherwise))?
        }
        View::App(..) => match store.as_bit_op(term).ok_or(NO_BITS)? {
            (BitOp::Constant(_), _) => {
                let value = store.as_bit_vector(term).ok_or(NO_BITS)?;
                (0..width).map(|at| maker.gates.constant(value.bit(at))).collect()
            }
            (op @ (BitOp::LessEqual | BitOp::SignedLessEqual), args) => {
                vec![maker.comparison(op == BitOp::SignedLessEqual, word(args[0]), word(args[1]))?]
            }
            (BitOp::ToInt | BitOp::FromInt, _) => return Err(NO_BITS),
            (BitOp::Add, args) => {
                let mut summands: Vec<Summand> =
                    args.iter().flat_map(|&arg| summands(maker, words, store, arg)).collect();
                summands.sort_by_key(|summand| summand.negative);
                maker.sum(summands, width as usize)?
            }
            (op, args) => {
                let args: Vec<&[Lit]> = args.iter().map(|&arg| word(arg)).collect();
                maker.operation(op, &args, width)?
            }
        },
        _ => return Err(NO_BITS),
    })
}

/// What a member of a sum adds to it: a number times a word is several words.
fn summands(maker: &Maker<'_>, words: &WordMap, store: &Store, arg: Term) -> Vec<Summand> {
    if let Some((BitOp::Multiply, &[factor, rest])) = store.as_bit_op(arg)
        && let Some(factor) = store.as_bit_vector(factor)
    {
        let digits: Vec<bool> = (0..factor.width()).map(|at| factor.bit(at)).collect();
        return maker.summands(&digits, &words[&rest]);
    }
    vec![Summand { word: words[&arg].clone(), negative: false }]
}
