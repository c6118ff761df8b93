//! The live target of the compiler: clauses go to the SAT core, atoms to the arithmetic.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use shem_base::{Int, Lit, Rat, Var};
use shem_proof::{Origin, ProofSink};
use shem_term::{Sort, Store, Symbol, Term};

use super::bits::WordPart;
use crate::arith::ArithVar;
use crate::bits::BitOptions;
use crate::cnf::Target;
use crate::equality::Node;
use crate::linear::make_primitive;
use crate::product::Theories;
use crate::sat::Sat;

/// What a symbol is to the solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binding {
    None,
    Bool(Lit),
    Number(ArithVar),
    Node(Node),
}

/// What was open when a scope was.
#[derive(Clone, Copy, Debug)]
struct Mark {
    bound: usize,
    booleans: usize,
    numbers: usize,
    parts: usize,
    kept: usize,
    opaque: usize,
    vars: usize,
}

/// The SAT core with the meaning of its variables.
pub(super) struct Core<P> {
    pub(super) sat: Sat<Theories, P>,
    /// What the bound symbols are; few of those of the store, of which there may be hundreds of thousands.
    bindings: HashMap<Symbol, Binding, FxBuildHasher>,
    /// The bound symbols in the order of their binding.
    bound: Vec<Symbol>,
    /// The variables of Boolean symbols, SORTED.
    booleans: Vec<(Var, Symbol)>,
    /// The variables of arithmetic symbols, SORTED.
    numbers: Vec<(ArithVar, Symbol)>,
    /// By index of node: the term that it was made for, if that is known.
    pub(super) node_terms: Vec<Option<Term>>,
    /// By index of variable: whether something outside of the groups uses it.
    in_use: Vec<bool>,
    /// The variables that came into use in an open scope although they are older.
    kept: Vec<Var>,
    truth: Option<Lit>,
    opaque: usize,
    marks: Vec<Mark>,
    /// While a group is compiled: the variables that it uses.
    pub(super) recording: Option<Vec<Var>>,
    integers: Vec<(ArithVar, Int)>,
    /// What integers that words are made of mean, SORTED by variable.
    pub(super) parts: Vec<(ArithVar, WordPart)>,
    pub(super) bit_options: BitOptions,
}

impl<P: ProofSink> Core<P> {
    pub(super) fn new(theory: Theories, proof: P, bit_options: BitOptions) -> Core<P> {
        Core {
            sat: Sat::new(theory, proof),
            bindings: HashMap::default(),
            bound: Vec::new(),
            booleans: Vec::new(),
            numbers: Vec::new(),
            node_terms: Vec::new(),
            in_use: Vec::new(),
            kept: Vec::new(),
            truth: None,
            opaque: 0,
            marks: Vec::new(),
            recording: None,
            integers: Vec::new(),
            parts: Vec::new(),
            bit_options,
        }
    }

    pub(super) fn push(&mut self) {
        // The constant is older than every scope, so that no scope has to make it again.
        self.truth();
        self.sat.push();
        self.marks.push(Mark {
            bound: self.bound.len(),
            booleans: self.booleans.len(),
            numbers: self.numbers.len(),
            parts: self.parts.len(),
            kept: self.kept.len(),
            opaque: self.opaque,
            vars: self.sat.num_vars(),
        });
    }

    pub(super) fn pop(&mut self) {
        let mark = self.marks.pop().expect("a scope is open");
        self.sat.pop();
        for symbol in self.bound.drain(mark.bound..) {
            self.bindings.remove(&symbol);
        }
        self.booleans.truncate(mark.booleans);
        self.numbers.truncate(mark.numbers);
        self.parts.truncate(mark.parts);
        if let Some(combination) = &self.sat.theory().combination {
            self.node_terms.truncate(combination.closure().len());
        }
        for var in self.kept.drain(mark.kept..) {
            if var.index() < mark.vars {
                self.in_use[var.index()] = false;
                self.sat.release(var);
            }
        }
        self.in_use.truncate(mark.vars);
        self.opaque = mark.opaque;
    }

    /// The number of subformulas that stand as unconstrained Booleans.
    pub(super) fn opaque_count(&self) -> usize {
        self.opaque
    }

    pub(super) fn add_opaque(&mut self, count: usize) {
        self.opaque += count;
    }

    /// The symbols that the solver knows, in the order of their first use.
    pub(super) fn symbols(&self) -> &[Symbol] {
        &self.bound
    }

    pub(super) fn binding(&self, symbol: Symbol) -> Binding {
        self.bindings.get(&symbol).copied().unwrap_or(Binding::None)
    }

    /// Gives a symbol to a variable that exists, for the time of the current scope.
    pub(super) fn bind_existing(&mut self, symbol: Symbol, binding: Binding) {
        self.bindings.insert(symbol, binding);
        self.bound.push(symbol);
    }

    /// Gives a symbol to a variable that has just been made.
    pub(super) fn bind(&mut self, symbol: Symbol, binding: Binding) {
        self.bind_existing(symbol, binding);
        match binding {
            Binding::Bool(lit) => self.booleans.push((lit.var(), symbol)),
            Binding::Number(number) => self.numbers.push((number, symbol)),
            Binding::Node(_) | Binding::None => {}
        }
    }

    /// The symbol whose variable this is.
    pub(super) fn boolean_symbol(&self, var: Var) -> Option<Symbol> {
        let place = self.booleans.binary_search_by_key(&var, |entry| entry.0).ok()?;
        Some(self.booleans[place].1)
    }

    /// The symbol whose arithmetic variable this is.
    pub(super) fn number_symbol(&self, number: ArithVar) -> Option<Symbol> {
        let place = self.numbers.binary_search_by_key(&number, |entry| entry.0).ok()?;
        Some(self.numbers[place].1)
    }

    /// The variable that is always true, if it has been needed.
    pub(super) fn truth_var(&self) -> Option<Var> {
        self.truth.map(Lit::var)
    }

    /// A new propositional variable: dormant while a group is compiled.
    pub(super) fn fresh_var(&mut self) -> Var {
        self.cover_vars();
        if self.recording.is_some() {
            let var = self.sat.new_dormant_var();
            self.in_use.push(false);
            self.note_use(var);
            var
        } else {
            let var = self.sat.new_var();
            self.in_use.push(true);
            var
        }
    }

    /// A new atom of the theory, which has registered it already: dormant while a group is compiled.
    pub(super) fn new_atom(&mut self) -> Var {
        self.cover_vars();
        let var = self.sat.new_theory_var();
        if self.recording.is_some() {
            self.sat.release(var);
            self.in_use.push(false);
            self.note_use(var);
        } else {
            self.in_use.push(true);
        }
        var
    }

    /// A new guard literal.
    pub(super) fn new_guard(&mut self) -> Lit {
        self.cover_vars();
        self.in_use.push(false);
        self.sat.new_guard().positive()
    }

    /// Takes note that a variable that exists is used.
    pub(super) fn note_use(&mut self, var: Var) {
        match &mut self.recording {
            Some(used) => used.push(var),
            None => {
                self.cover_vars();
                if !self.in_use[var.index()] {
                    self.in_use[var.index()] = true;
                    self.sat.retain(var);
                    if !self.marks.is_empty() {
                        self.kept.push(var);
                    }
                }
            }
        }
    }

    /// Splits of the search make variables that are dormant until somebody asks for their atoms here.
    pub(super) fn cover_vars(&mut self) {
        self.in_use.resize(self.sat.num_vars(), false);
    }

    /// The variable of the arithmetic for the row with these coprime integer coefficients.
    pub(super) fn intern_row(&mut self, sum: &[(ArithVar, Rat)]) -> ArithVar {
        self.integers.clear();
        self.integers.extend(sum.iter().map(|(x, c)| (*x, c.numer())));
        self.sat.theory_mut().arith.poly(&self.integers)
    }
}

impl<P: ProofSink> Target for Core<P> {
    type Number = ArithVar;
    type Row = ArithVar;
    type Node = Node;

    fn boolean(&mut self, _: &Store, symbol: Symbol) -> Lit {
        if let Binding::Bool(lit) = self.binding(symbol) {
            self.note_use(lit.var());
            return lit;
        }
        let lit = self.fresh_var().positive();
        self.bind(symbol, Binding::Bool(lit));
        lit
    }

    fn number(&mut self, store: &Store, symbol: Symbol) -> ArithVar {
        if let Binding::Number(number) = self.binding(symbol) {
            return number;
        }
        let integral = store.signature(symbol).result == Sort::Int;
        let number = self.sat.theory_mut().arith.new_var(integral);
        self.bind(symbol, Binding::Number(number));
        number
    }

    fn gate(&mut self) -> Lit {
        self.fresh_var().positive()
    }

    fn auxiliary(&mut self, integral: bool) -> ArithVar {
        self.sat.theory_mut().arith.new_var(integral)
    }

    fn row(&mut self, sum: &mut Vec<(ArithVar, Rat)>) -> Option<(ArithVar, Rat)> {
        let factor = make_primitive(sum)?;
        Some((self.intern_row(sum), factor))
    }

    fn upper(&mut self, row: ArithVar, bound: &Rat, strict: bool) -> Lit {
        if let Some(lit) = self.sat.theory().arith.atom(row, bound, strict) {
            self.note_use(lit.var());
            return lit;
        }
        let var = self.sat.num_vars() as u32;
        self.sat.theory_mut().arith.register_atom(row, bound, strict, Var::new(var));
        self.new_atom().positive()
    }

    fn truth(&mut self) -> Lit {
        if let Some(lit) = self.truth {
            return lit;
        }
        debug_assert!(self.marks.is_empty(), "made before the first scope");
        self.cover_vars();
        let lit = self.sat.new_var().positive();
        self.in_use.push(true);
        self.sat.add_clause(&[lit], Origin::Definition);
        self.truth = Some(lit);
        lit
    }

    fn symbol_node(&mut self, store: &Store, symbol: Symbol, term: Term) -> Node {
        if let Binding::Node(node) = self.binding(symbol) {
            return node;
        }
        let node = self.new_leaf(store, store.signature(symbol).result);
        self.bind(symbol, Binding::Node(node));
        self.name_node(node, term);
        node
    }

    fn fresh_node(&mut self, store: &Store, conditional: Term) -> Node {
        let node = self.new_leaf(store, store.sort(conditional));
        self.name_node(node, conditional);
        node
    }

    fn choice_node(&mut self, store: &Store, condition: Lit, branches: [Node; 2], conditional: Term) -> Node {
        let node = self.new_choice(store, store.sort(conditional), condition, branches);
        self.name_node(node, conditional);
        node
    }

    fn sum_node(
        &mut self,
        store: &Store,
        sum: &mut Vec<(ArithVar, Rat)>,
        constant: &Rat,
        term: Term,
    ) -> Node {
        let node = self.intern_sum(sum, constant, store.sort(term) == Sort::Int);
        self.name_node(node, term);
        node
    }

    fn truth_node(&mut self, value: bool) -> Node {
        self.constant_node(value)
    }

    fn literal_node(&mut self, lit: Lit, formula: Term) -> Node {
        let node = self.name_literal(lit);
        self.name_node(node, formula);
        node
    }

    fn application(&mut self, store: &Store, symbol: Symbol, args: &[Node], term: Term) -> Node {
        let node = self.intern_application(store, symbol, args);
        self.name_node(node, term);
        node
    }

    fn node_number(&mut self, application: Node) -> ArithVar {
        self.number_of_node(application)
    }

    fn node_literal(&mut self, application: Node) -> Lit {
        self.literal_of_node(application)
    }

    fn equation(&mut self, a: Node, b: Node) -> Lit {
        self.literal_of_equation(a, b)
    }

    fn refute_difference(&mut self, a: Node, b: Node) {
        let equation = self.literal_of_equation(a, b);
        self.sat.refute_first(equation);
    }

    fn clause(&mut self, lits: &[Lit], origin: Origin) {
        self.sat.add_clause(lits, origin);
    }

    fn opaque(&mut self) {
        self.opaque += 1;
    }
}
