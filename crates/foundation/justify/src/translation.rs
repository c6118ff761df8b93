//! What a translation to clauses tells of its variables.

use shem_base::{Int, Lit, Rat, Var};
use shem_proof::{LinearAtom, LinearForm};
use shem_term::{Sort, Symbol, Term};

/// A gate of a circuit, over literals of the proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// Both hold.
    And([Lit; 2]),
    /// One of the two holds.
    Xor([Lit; 2]),
    /// If the first holds then the second, else the third.
    Choose([Lit; 3]),
    /// Two of the three hold.
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
}

/// What a propositional variable means.
#[derive(Clone, Debug)]
pub enum Meaning {
    /// It is true.
    Truth,
    /// It is this Boolean symbol.
    Symbol(Symbol),
    /// It is this formula.
    Formula(Term),
    /// It is this inequality over arithmetic variables.
    Inequality(LinearAtom),
    /// The two nodes are equal. That a Boolean node is true is its equation with a node that is true.
    Equation(u32, u32),
    /// It is the bit of a node at a place, counted from the lowest.
    Bit(u32, u32),
    /// It is the output of a gate, whose inputs have smaller variables.
    Gate(Gate),
    /// No symbol of the input has to do with it.
    Free,
}

/// What an arithmetic variable means.
#[derive(Clone, Debug)]
pub enum NumberMeaning {
    /// It is this symbol.
    Symbol(Symbol),
    /// It is this arithmetic term.
    Term(Term),
    /// It is the term divided by the number, rounded down.
    Quotient(Term, Int),
    /// It is the value of this node.
    Node(u32),
    /// It is 1 if the literal holds, and 0 otherwise.
    Digit(Lit),
    /// It is the value of this node, which is arithmetic, divided by the number, rounded down.
    NodeQuotient(u32, Int),
    /// No symbol of the input has to do with it; it ranges over the integers or over the reals.
    Free {
        /// Whether it ranges over the integers.
        integral: bool,
    },
}

/// What a node means: a side of an equation, or a part of one. A node is made of nodes with smaller numbers only.
#[derive(Clone, Debug)]
pub enum NodeMeaning {
    /// It is this term; of its parts, nothing is told. A constant, a conditional, a formula that is an argument.
    Term(Term),
    /// The symbol, which is no constant, applied to nodes.
    Application {
        /// The symbol.
        symbol: Symbol,
        /// The arguments.
        args: Vec<u32>,
        /// The arithmetic variable that is the value, whose meaning is this node.
        number: Option<u32>,
    },
    /// A numeral of this sort; of bit-vectors, the number that they stand for without a sign.
    Numeral(Rat, Sort),
    /// The value of a linear form over arithmetic variables, of this sort. The nodes that these variables mean have
    /// smaller numbers, too.
    Sum(LinearForm, Sort),
    /// Whether two nodes are equal.
    Equation(u32, u32),
    /// An index of this sort, which is not arithmetic, at which two arrays have different elements, if they are
    /// different arrays.
    Difference([u32; 2], Sort),
    /// True.
    Truth,
    /// False.
    Falsity,
    /// No symbol of the input has to do with it; it has this sort, which is not arithmetic.
    Free(Sort),
    /// There is no such node.
    Unknown,
}

/// The meaning of the variables of a proof. The same question has to get the same answer during one judgement;
/// nothing else is asked of it.
pub trait Translation {
    /// What a propositional variable means.
    fn meaning(&self, var: Var) -> Meaning;

    /// What an arithmetic variable means.
    fn number(&self, number: u32) -> NumberMeaning;

    /// What a node means.
    fn node(&self, _node: u32) -> NodeMeaning {
        NodeMeaning::Unknown
    }
}

/// A formula that was asserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assertion {
    /// The formula.
    pub formula: Term,
    /// The variable under which alone the formula is asserted: it means nothing else.
    pub guard: Option<Var>,
}

impl From<Term> for Assertion {
    fn from(formula: Term) -> Assertion {
        Assertion { formula, guard: None }
    }
}
