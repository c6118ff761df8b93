//! Assertions as they stand in the input: terms that nothing has simplified.
//!
//! The store of terms keeps canonical forms, in which an assertion cannot be recognised; a proof for others has to speak
//! of the text. A [`Formula`] is the syntax of one assertion as a graph: names bound by `let` and applications of defined
//! functions are put in, each node once, children before parents. Every quantifier has variables of its own, whatever
//! their names are.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use shem_base::dense_id;
use shem_term::{Sort, Value};

dense_id! {
    /// A node of a formula.
    pub(crate) struct NodeId("n");
}

dense_id! {
    /// A variable that some quantifier of a formula binds.
    pub(crate) struct VariableId("x");
}

/// An operator of the core and arithmetic theories.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Operator {
    Not,
    And,
    Or,
    Implies,
    Xor,
    Equal,
    Distinct,
    Ite,
    Add,
    Subtract,
    Multiply,
    Divide,
    IntDivide,
    Modulo,
    Absolute,
    LessEqual,
    Less,
    GreaterEqual,
    Greater,
    ToReal,
    ToInt,
    IsInt,
}

use Operator::{
    Absolute, Add, And, Distinct, Divide, Equal, Greater, GreaterEqual, Implies, IntDivide, IsInt, Ite, Less,
    LessEqual, Modulo, Multiply, Not, Or, Subtract, ToInt, ToReal, Xor,
};

/// The names of the operators.
const NAMES: [(Operator, &str); 22] = [
    (Not, "not"),
    (And, "and"),
    (Or, "or"),
    (Implies, "=>"),
    (Xor, "xor"),
    (Equal, "="),
    (Distinct, "distinct"),
    (Ite, "ite"),
    (Add, "+"),
    (Subtract, "-"),
    (Multiply, "*"),
    (Divide, "/"),
    (IntDivide, "div"),
    (Modulo, "mod"),
    (Absolute, "abs"),
    (LessEqual, "<="),
    (Less, "<"),
    (GreaterEqual, ">="),
    (Greater, ">"),
    (ToReal, "to_real"),
    (ToInt, "to_int"),
    (IsInt, "is_int"),
];

impl Operator {
    pub(crate) fn named(name: &str) -> Option<Operator> {
        NAMES.iter().find(|(_, known)| *known == name).map(|&(operator, _)| operator)
    }

    pub(crate) fn name(self) -> &'static str {
        NAMES[self as usize].1
    }

    /// Whether a quotient or remainder of integers is computed.
    pub(crate) fn rounds(self) -> bool {
        matches!(self, IntDivide | Modulo)
    }

    fn sort(self, args: &[Sort]) -> Sort {
        match self {
            Not | And | Or | Implies | Xor | Equal | Distinct | LessEqual | Less | GreaterEqual | Greater
            | IsInt => Sort::Bool,
            Ite => args.get(1).copied().unwrap_or(Sort::Bool),
            Add | Subtract | Multiply | Absolute if args.contains(&Sort::Real) => Sort::Real,
            Add | Subtract | Multiply | Absolute | IntDivide | Modulo | ToInt => Sort::Int,
            Divide | ToReal => Sort::Real,
        }
    }
}

/// What a node is, apart from its children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Head {
    /// A number or a truth value, by its position in the list of constants.
    Constant(u32),
    /// A variable of a quantifier.
    Variable(VariableId),
    /// A predicate of the system, by its position, applied to the children.
    Predicate(u32),
    /// An operator applied to the children.
    Operator(Operator),
    /// A quantifier, by its position; its body is the child.
    Quantifier(u32),
}

/// A number or truth value as written.
#[derive(Clone, Debug)]
pub(crate) struct Constant {
    pub(crate) text: Box<str>,
    pub(crate) value: Value,
}

/// A variable.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    /// As written, with quotes if it has some.
    pub(crate) name: Box<str>,
    pub(crate) sort: Sort,
}

/// A quantifier.
#[derive(Clone, Debug)]
pub(crate) struct Quantifier {
    pub(crate) universal: bool,
    pub(crate) variables: Vec<VariableId>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    head: Head,
    sort: Sort,
    start: u32,
    end: u32,
    mixed: bool,
    rounds: bool,
}

/// The syntax of an assertion.
#[derive(Clone, Debug, Default)]
pub(crate) struct Formula {
    nodes: Vec<Node>,
    children: Vec<NodeId>,
    pub(crate) constants: Vec<Constant>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) quantifiers: Vec<Quantifier>,
    /// By implications of more than two terms.
    nested: HashMap<NodeId, NodeId, FxBuildHasher>,
    known: HashMap<(Head, Box<[NodeId]>), NodeId, FxBuildHasher>,
}

impl Formula {
    /// The number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// All nodes, children before parents.
    pub(crate) fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        (0..self.nodes.len()).map(NodeId::new)
    }

    pub(crate) fn head(&self, node: NodeId) -> Head {
        self.nodes[node.index()].head
    }

    pub(crate) fn sort(&self, node: NodeId) -> Sort {
        self.nodes[node.index()].sort
    }

    pub(crate) fn children(&self, node: NodeId) -> &[NodeId] {
        let Node { start, end, .. } = self.nodes[node.index()];
        &self.children[start as usize..end as usize]
    }

    /// Whether a predicate or a quantifier is in the node; what has neither is computed.
    pub(crate) fn is_mixed(&self, node: NodeId) -> bool {
        self.nodes[node.index()].mixed
    }

    /// Whether a quotient or remainder of integers is in the node, outside of its quantifiers and atoms.
    pub(crate) fn rounds(&self, node: NodeId) -> bool {
        self.nodes[node.index()].rounds
    }

    /// The node with this head and these children, which is not made twice.
    pub(crate) fn node(&mut self, head: Head, children: &[NodeId], sort: Sort) -> NodeId {
        if !matches!(head, Head::Quantifier(_))
            && let Some(&known) = self.known.get(&(head, children.into()))
        {
            return known;
        }
        let node = self.push(head, children, sort);
        self.known.insert((head, children.into()), node);
        node
    }

    /// An operator applied to nodes.
    pub(crate) fn apply(&mut self, operator: Operator, children: &[NodeId]) -> NodeId {
        let sorts: Vec<Sort> = children.iter().map(|&child| self.sort(child)).collect();
        self.node(Head::Operator(operator), children, operator.sort(&sorts))
    }

    /// Adds the implication `(=> a (=> b …))` that the node `(=> a b …)` stands for. Its parts are never computed on
    /// their own.
    pub(crate) fn nest(&mut self, implication: NodeId) {
        if self.nested.contains_key(&implication) {
            return;
        }
        let children = self.children(implication).to_vec();
        let (&last, before) = children.split_last().expect("an implication has a conclusion");
        let mut nested = last;
        for &premise in before.iter().rev() {
            nested = self.push(Head::Operator(Implies), &[premise, nested], Sort::Bool);
            self.nodes[nested.index()].mixed = true;
        }
        self.nested.insert(implication, nested);
    }

    /// The nested implication that a node stands for.
    pub(crate) fn nested(&self, node: NodeId) -> Option<NodeId> {
        self.nested.get(&node).copied()
    }

    fn push(&mut self, head: Head, children: &[NodeId], sort: Sort) -> NodeId {
        let start = self.children.len() as u32;
        self.children.extend_from_slice(children);
        let opaque = matches!(head, Head::Predicate(_) | Head::Quantifier(_));
        let of_children = |flag: fn(&Node) -> bool| children.iter().any(|c| flag(&self.nodes[c.index()]));
        let mixed = opaque || of_children(|child| child.mixed);
        let rounds = match head {
            Head::Operator(operator) => operator.rounds() || of_children(|child| child.rounds),
            _ => false,
        };
        let id = NodeId::new(self.nodes.len());
        self.nodes.push(Node { head, sort, start, end: self.children.len() as u32, mixed, rounds });
        id
    }
}
