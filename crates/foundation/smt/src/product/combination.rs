//! Congruence closure beside arithmetic: the nodes, their atoms and linear forms, and the way of the literals.
//!
//! An *equation* is a propositional variable that is true if a Boolean node is: the equation of two nodes, a Boolean
//! application, or a name for a formula that stands as an argument. An arithmetic node has a linear form over the
//! variables of the arithmetic. The two theories learn of each other's equalities in the final check only (see
//! `combine`).

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use shem_base::{Lit, Rat, Statistics, Var};
use shem_proof::{Lemma, LemmaKind};
use shem_term::{Role, Sort, Store, Symbol};

use super::colours::Colours;
use super::forms::{Form, Forms};
use super::sorts::{SortEntry, SortKind, Sorts};
use crate::arith::{Arith, ArithVar};
use crate::bits::Words;
use crate::equality::{
    ArraySort, Closure, Constructor, Datatype, Equality, Explanation, Function, Kind, Node, NodeShape,
    NodeSort, Request,
};
use crate::linear::add_up;
use crate::theory::{Consistency, Theory};

/// The absence of a node or variable.
const NONE: u32 = u32::MAX;

/// The state when a scope was opened: lengths of arrays.
#[derive(Clone, Copy, Debug)]
struct Mark {
    nodes: usize,
    forms: usize,
    bridges: usize,
}

/// The bounds that an equation of arithmetic nodes is tied to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bridge {
    /// The difference of the nodes is at most zero, and at least zero. None if the difference is a number.
    pub(super) sides: Option<[Lit; 2]>,
}

/// Congruence closure and what ties it to propositional variables and to arithmetic.
#[derive(Debug)]
pub(crate) struct Combination {
    pub(crate) equality: Equality,
    pub(crate) sorts: Sorts,
    pub(crate) forms: Forms,
    /// By propositional variable: the Boolean node whose truth it is, or `NONE`.
    atoms: Vec<u32>,
    /// By node: the propositional variable of a Boolean node, or `NONE`.
    vars: Vec<u32>,
    /// The bridges of equations of arithmetic nodes that have been built, by equation.
    pub(super) bridges: HashMap<Node, Bridge, FxBuildHasher>,
    /// The equations with bridges in the order in which they were built.
    pub(super) bridged: Vec<Node>,
    /// For each literal told, how many had been told to the arithmetic before.
    told: Vec<u32>,
    /// HANDED: for each node that the closure has decided and that has been propagated, how many literals had been
    /// told then. Not decreasing.
    handed: Vec<u32>,
    marks: Vec<Mark>,
    /// The colours of what nodes are made of, if equations are to be pure.
    pub(crate) colours: Option<Box<Colours>>,
    pub(super) explanation: Explanation,
    pub(super) requests: Vec<Request>,
    /// The words of bit-vectors, if there are sorts of them.
    pub(crate) words: Option<Box<Words>>,
    /// The differences of arrays that have been named, in the order of their nodes.
    pub(super) differences: Vec<Node>,
    pub(super) statistics: CombinationStatistics,
}

/// Counters of the combination.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CombinationStatistics {
    /// Conflicts of the closure.
    pub(crate) conflicts: u64,
    /// Literals propagated by the closure.
    pub(crate) propagations: u64,
    /// Equations between arithmetic nodes made because classes have different values.
    pub(crate) transfers: u64,
    /// Equations between arithmetic nodes made because the candidate model gives them the same value.
    pub(crate) coincidences: u64,
    /// Case splits on Boolean nodes.
    pub(crate) splits: u64,
    /// Applications of constructors made for the rules of datatypes.
    pub(crate) constructions: u64,
}

impl Combination {
    /// A combination without nodes, for an arithmetic with this number of open scopes.
    pub(super) fn new(arith: &Arith, scopes: usize) -> Combination {
        let mut equality = Equality::new(Sorts::BOOL);
        let mark = Mark { nodes: equality.closure().len(), forms: 0, bridges: 0 };
        (0..scopes).for_each(|_| equality.push());
        Combination {
            equality,
            sorts: Sorts::default(),
            forms: Forms::default(),
            atoms: Vec::new(),
            vars: Vec::new(),
            bridges: HashMap::default(),
            bridged: Vec::new(),
            told: (0..arith.asserted() as u32).collect(),
            handed: Vec::new(),
            marks: vec![mark; scopes],
            colours: None,
            explanation: Explanation::default(),
            requests: Vec::new(),
            words: None,
            differences: Vec::new(),
            statistics: CombinationStatistics::default(),
        }
    }

    /// The congruence closure.
    #[inline]
    pub(crate) fn closure(&self) -> &Closure {
        self.equality.closure()
    }

    /// Counters of the work done.
    pub(super) fn report(&self) -> Statistics {
        let mut out = Statistics::new();
        out.add("nodes", self.closure().len() as u64);
        out.add("merges", self.closure().merges());
        out.add("conflicts", self.statistics.conflicts);
        out.add("propagations", self.statistics.propagations);
        out.add("transfers", self.statistics.transfers);
        out.add("coincidences", self.statistics.coincidences);
        out.add("splits", self.statistics.splits);
        out.add("constructions", self.statistics.constructions);
        if let Some(words) = &self.words {
            out.add("gates", words.gate_count() as u64);
            out.add("refinements", words.refinement_count());
        }
        out
    }

    /// The Boolean node whose truth a propositional variable is.
    #[inline]
    pub(crate) fn atom(&self, var: Var) -> Option<Node> {
        self.atoms.get(var.index()).filter(|&&node| node != NONE).map(|&node| Node::new(node))
    }

    /// The propositional variable of a Boolean node.
    #[inline]
    pub(crate) fn var(&self, node: Node) -> Option<Var> {
        self.vars.get(node.index()).filter(|&&var| var != NONE).map(|&var| Var::new(var))
    }

    /// Makes a propositional variable the truth of a Boolean node, which has none yet.
    pub(crate) fn register(&mut self, node: Node, var: Var) {
        if self.atoms.len() <= var.index() {
            self.atoms.resize(var.index() + 1, NONE);
        }
        if self.vars.len() <= node.index() {
            self.vars.resize(node.index() + 1, NONE);
        }
        debug_assert!(self.atoms[var.index()] == NONE && self.vars[node.index()] == NONE);
        self.atoms[var.index()] = node.index() as u32;
        self.vars[node.index()] = var.index() as u32;
        self.equality.closure_mut().watch(node);
        self.leave_untied(node);
    }

    /// The node of a sum of arithmetic variables and a constant.
    pub(crate) fn sum_node(
        &mut self,
        sum: &mut Vec<(ArithVar, Rat)>,
        constant: &Rat,
        integral: bool,
    ) -> Node {
        add_up(sum);
        let sort = if integral { Sorts::INT } else { Sorts::REAL };
        let form = Form { terms: sum.as_slice().into(), constant: constant.clone() };
        if let Some(node) = self.forms.node(sort, &form) {
            return node;
        }
        let node = if sum.is_empty() {
            self.equality.closure_mut().number(constant, sort)
        } else {
            self.equality.closure_mut().leaf(sort)
        };
        self.forms.add(node, sort, form);
        node
    }

    /// The number of a sort, whose datatypes are declared.
    pub(crate) fn sort(&mut self, store: &Store, sort: Sort) -> NodeSort {
        let first = self.sorts.len();
        let number = self.sorts.intern(store, sort);
        for index in first..self.sorts.len() {
            self.declare_sort(store, NodeSort::new(index as u32));
        }
        number
    }

    fn declare_sort(&mut self, store: &Store, sort: NodeSort) {
        let SortEntry { kind, cardinality, .. } = self.sorts.get(sort).clone();
        let (id, constructors) = match kind {
            SortKind::Datatype { id, constructors, .. } => (id, constructors),
            SortKind::Array { element, select, .. } => {
                let indices = self.sorts.least_indices(sort);
                let infinite_element = self.sorts.get(element).cardinality.is_none();
                self.equality.declare_array(sort, ArraySort { indices, infinite_element });
                self.function(store, select);
                return;
            }
            _ => return,
        };
        let mut declare = |symbol| self.sorts.function(symbol, store.role(symbol)).0;
        let constructors = constructors.iter().map(|constructor| Constructor {
            function: declare(constructor.symbol),
            tester: declare(constructor.tester),
            selectors: constructor.fields.iter().map(|field| declare(field.selector)).collect(),
            fields: constructor.fields.iter().map(|field| field.sort).collect(),
        });
        let constructors = constructors.collect();
        let datatype = Datatype { sort, constructors, finite: cardinality.is_some() };
        self.equality.declare_datatype(id.index() as u32, datatype);
    }

    /// The function of a symbol, declared to the closure.
    pub(crate) fn function(&mut self, store: &Store, symbol: Symbol) -> Function {
        let role = store.role(symbol);
        let (function, new) = self.sorts.function(symbol, role);
        if new {
            self.equality.closure_mut().declare(function, kind_of(role));
        }
        function
    }

    /// The node of an application. One of arithmetic sort is a variable of the arithmetic.
    pub(crate) fn application(
        &mut self,
        arith: &mut Arith,
        function: Function,
        args: &[Node],
        sort: NodeSort,
    ) -> Node {
        let node = self.equality.closure_mut().application(function, args, sort);
        if Sorts::is_arithmetic(sort) && self.forms.form(node).is_none() {
            let x = arith.new_var(sort == Sorts::INT);
            self.forms.add(node, sort, Form::of_variable(x));
        }
        node
    }

    /// The two sides of what a Boolean node says.
    pub(crate) fn sides(&self, node: Node) -> (Node, Node) {
        match self.closure().shape(node) {
            NodeShape::Equation(a, b) => (a, b),
            _ => (node, self.closure().truth()),
        }
    }

    /// Takes note of a literal.
    pub(super) fn assert_lit(&mut self, arith: &mut Arith, lit: Lit, lemma: &mut Lemma) -> bool {
        let before = arith.asserted() as u32;
        match self.atom(lit.var()) {
            None if !arith.assert_lit(lit, lemma) => return false,
            None => {}
            Some(node) => {
                let closure = self.equality.closure_mut();
                match closure.shape(node) {
                    NodeShape::Equation(a, b) if lit.is_positive() => closure.assert_equal(a, b, lit),
                    NodeShape::Equation(a, b) => closure.assert_distinct(a, b, lit),
                    _ => {
                        let value = if lit.is_positive() { closure.truth() } else { closure.falsity() };
                        closure.assert_equal(node, value, lit);
                    }
                }
            }
        }
        self.told.push(before);
        true
    }

    /// Brings the closure up to date with the literals told.
    pub(super) fn close(&mut self, lemma: &mut Lemma) -> Consistency {
        self.explanation.clear();
        if self.equality.close(&mut self.explanation).is_ok() {
            return Consistency::Consistent;
        }
        self.statistics.conflicts += 1;
        self.fill_lemma(lemma, None);
        Consistency::Conflict
    }

    /// The lemma that the explained literals imply the literal, or contradict each other.
    fn fill_lemma(&mut self, lemma: &mut Lemma, implied: Option<Lit>) {
        lemma.start(LemmaKind::Equality);
        if let Some(lit) = implied {
            lemma.add_lit(lit);
        }
        for &lit in &self.explanation.lits {
            lemma.add_lit(!lit);
        }
        lemma.nodes.extend(self.explanation.nodes.iter().map(|node| node.index() as u32));
        lemma.nodes.sort_unstable();
        lemma.nodes.dedup();
    }

    /// The next literal that the closure implies.
    pub(super) fn next_propagation(&mut self) -> Option<Lit> {
        while let Some(&node) = self.closure().decided().get(self.handed.len()) {
            self.handed.push(self.told.len() as u32);
            if let (Some(var), Some(value)) = (self.var(node), self.closure().truth_value(node)) {
                self.statistics.propagations += 1;
                return Some(var.lit(value));
            }
        }
        None
    }

    /// Why the closure implies a literal, whose variable is the truth of the node.
    pub(super) fn explain(&mut self, node: Node, lit: Lit, lemma: &mut Lemma) {
        self.explanation.clear();
        let value = if lit.is_positive() { self.closure().truth() } else { self.closure().falsity() };
        self.equality.closure_mut().explain_equal(node, value, &mut self.explanation);
        self.fill_lemma(lemma, Some(lit));
    }

    /// Takes back literals until `count` are left.
    pub(super) fn backtrack(&mut self, arith: &mut Arith, count: usize) {
        let Some(&for_arith) = self.told.get(count) else { return };
        self.told.truncate(count);
        arith.backtrack(for_arith as usize);
        self.equality.undo(count - for_arith as usize);
        // What was propagated since then has been taken back, even if it follows from what is left.
        let kept = self.handed.partition_point(|&told| told as usize <= count);
        self.handed.truncate(kept.min(self.closure().decided().len()));
    }

    /// The value that a literal of a Boolean node should be given.
    pub(super) fn suggest_phase(&self, arith: &Arith, node: Node) -> Option<bool> {
        if let Some(value) = self.closure().truth_value(node) {
            return Some(value);
        }
        let (a, b) = self.sides(node);
        let (Some(a), Some(b)) = (self.forms.form(a), self.forms.form(b)) else { return None };
        Some(a.value(arith) == b.value(arith))
    }

    /// Says whether propagations to the truth of a node are of use.
    pub(super) fn set_active(&mut self, node: Node, active: bool) {
        if active {
            self.equality.closure_mut().watch(node);
        } else {
            self.equality.closure_mut().unwatch(node);
        }
    }

    /// The depth of the scope to which the youngest of these nodes belongs.
    pub(super) fn depth_of(&self, nodes: &[u32]) -> u32 {
        let Some(&youngest) = nodes.iter().max() else { return 0 };
        self.marks.partition_point(|mark| mark.nodes <= youngest as usize) as u32
    }

    pub(super) fn push(&mut self) {
        self.equality.push();
        let mark = Mark { nodes: self.closure().len(), forms: self.forms.len(), bridges: self.bridged.len() };
        self.marks.push(mark);
        if let Some(words) = &mut self.words {
            words.push();
        }
    }

    pub(super) fn pop(&mut self, first_var: Var) {
        let Some(mark) = self.marks.pop() else { return };
        for &var in self.vars.iter().skip(mark.nodes) {
            debug_assert!(var == NONE || var as usize >= first_var.index());
        }
        self.vars.truncate(mark.nodes);
        // A variable of the scope may be the truth of an older node.
        for &node in self.atoms.iter().skip(first_var.index()) {
            if (node as usize) < mark.nodes {
                self.vars[node as usize] = NONE;
                self.equality.closure_mut().unwatch(Node::new(node));
            }
        }
        self.atoms.truncate(first_var.index());
        for equation in self.bridged.drain(mark.bridges..) {
            self.bridges.remove(&equation);
        }
        self.forms.truncate(mark.forms);
        self.equality.pop();
        let nodes = self.closure().len();
        self.differences.retain(|difference| difference.index() < nodes);
        if let Some(words) = &mut self.words {
            words.pop(nodes);
        }
        self.handed.truncate(self.closure().decided().len());
    }
}

/// What the closure has to know of a function with this role.
fn kind_of(role: Role) -> Kind {
    match role {
        Role::Function
        | Role::Product
        | Role::RealQuotient
        | Role::IntQuotient
        | Role::Remainder
        | Role::Bits(_) => Kind::Free,
        Role::Constructor { datatype, index } => {
            Kind::Constructor { datatype: datatype.index() as u32, index }
        }
        Role::Selector { datatype, constructor, field } => {
            Kind::Selector { datatype: datatype.index() as u32, constructor, field }
        }
        Role::Tester { datatype, constructor } => {
            Kind::Tester { datatype: datatype.index() as u32, constructor }
        }
        Role::Select => Kind::Select,
        Role::Store => Kind::Store,
        Role::ConstantArray => Kind::ConstantArray,
    }
}
