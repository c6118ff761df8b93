//! Which symbols belong to which side of the cuts, and what the literals of a proof mean.
//!
//! Only the input clauses that the proof uses count: they are a contradiction by themselves, and fewer
//! symbols are shared among them. A gate stands for its formula, so a clause that has the gate has all
//! symbols of the formula. The sides on which a term may be used follow: those that know all its symbols.
//! A symbol that no used clause mentions may be used anywhere; should it reach an interpolant, any value
//! will do for it. Gates and auxiliaries of a template's instance are symbols of that assertion.
//!
//! The subterms are in `dag`, the nodes of equations in `equations`.

use std::collections::BTreeMap;

use shem_base::{BitVec, DeltaRat, Int, Lit, StampMap, Var};
use shem_proof::{Origin, ProofLog};
use shem_term::{Sort, Store, Term, View};

use super::cutset::{CutSet, Sides};
use super::dag::Dag;
use super::equality::Vertex;
use super::equations::{Equations, Part};
use super::error::Mixed;
use super::label::Label;
use super::refutation::Refutation;
use super::sum::Sum;
use super::wires::GateVariable;
use crate::arith::ArithVar;
use crate::equality::Node;
use crate::solver::{NumberMeaning, Solver, VarMeaning};

/// What a propositional variable is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// The guard of a group, which counts as true.
    Guard,
    /// A Boolean symbol or a gate.
    Formula(Term),
    /// A gate that belongs to one assertion.
    Hidden,
    /// An arithmetic atom, with the number of its row.
    Atom(u32),
    /// The equation of two vertices.
    Equation(Vertex, Vertex),
    /// The bit of a vertex, which is a bit-vector, at this place.
    Bit(Vertex, u32),
    /// A gate of a circuit, by its index among them.
    Gate(u32),
}

/// A propositional variable of the proof.
#[derive(Clone, Debug)]
pub(super) struct Variable<const W: usize> {
    pub(super) kind: Kind,
    pub(super) sides: Sides<W>,
    /// The formula that it stands for, once it has been made.
    pub(super) term: Option<Term>,
}

impl<const W: usize> Variable<W> {
    /// The formula of a Boolean symbol or a gate.
    fn formula(&self) -> Option<Term> {
        match self.kind {
            Kind::Formula(term) => Some(term),
            _ => None,
        }
    }
}

/// A structural variable of the arithmetic.
#[derive(Clone, Debug)]
pub(super) struct Number<const W: usize> {
    /// Its term, unless it belongs to one assertion or is made of what does.
    pub(super) term: Option<Term>,
    /// What it applies, if it is an application.
    vertex: Option<Vertex>,
    pub(super) sides: Sides<W>,
}

impl<const W: usize> Number<W> {
    /// Whether it belongs to one assertion.
    fn is_owned(&self) -> bool {
        self.term.is_none() && self.vertex.is_none()
    }
}

/// The linear form of an atom with its bounds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row<'a> {
    /// Indices of numbers with their coefficients.
    pub(super) terms: &'a [(u32, Int)],
    /// The upper bound that holds if the atom is true.
    pub(super) upper: &'a DeltaRat,
    /// The lower bound that holds if the atom is false.
    pub(super) lower: &'a DeltaRat,
}

#[derive(Clone, Debug)]
struct StoredRow {
    start: u32,
    end: u32,
    upper: DeltaRat,
    lower: DeltaRat,
}

/// All variables of a proof. Its memory serves one query after the other.
#[derive(Debug)]
pub(super) struct Vocabulary<const W: usize> {
    /// By propositional variable: its index in `variables`.
    indices: StampMap<u32>,
    /// By arithmetic variable: its index in `numbers`.
    number_indices: StampMap<u32>,
    pub(super) variables: Vec<Variable<W>>,
    pub(super) numbers: Vec<Number<W>>,
    rows: Vec<StoredRow>,
    row_terms: Vec<(u32, Int)>,
    /// Variables that no used clause mentions.
    free: Vec<Term>,
    /// The gates of circuits.
    pub(super) gates: Vec<GateVariable>,
    dag: Dag<W>,
    pub(super) equations: Equations<W>,
    /// The variables of equations.
    equation_vars: BTreeMap<(Vertex, Vertex), Var>,
    /// The next variable that the proof does not have.
    next_var: u32,
    sum: Sum,
}

impl<const W: usize> Default for Vocabulary<W> {
    fn default() -> Self {
        Vocabulary {
            indices: StampMap::new(),
            number_indices: StampMap::new(),
            variables: Vec::new(),
            numbers: Vec::new(),
            rows: Vec::new(),
            row_terms: Vec::new(),
            free: Vec::new(),
            gates: Vec::new(),
            dag: Dag::default(),
            equations: Equations::default(),
            equation_vars: BTreeMap::new(),
            next_var: 0,
            sum: Sum::default(),
        }
    }
}

impl<const W: usize> Vocabulary<W> {
    /// Becomes the vocabulary of a refutation.
    pub(super) fn read(
        &mut self,
        solver: &mut Solver<ProofLog>,
        store: &mut Store,
        refutation: Refutation<'_, W>,
        cuts: CutSet<W>,
    ) {
        self.indices.clear();
        self.number_indices.clear();
        self.variables.clear();
        self.numbers.clear();
        self.rows.clear();
        self.row_terms.clear();
        self.free.clear();
        self.gates.clear();
        self.equations.start(cuts);
        self.equation_vars.clear();
        self.next_var = 0;
        for (_, origin, clause) in refutation.leaves() {
            let sides = match origin {
                Some(Origin::Assertion(number)) => Sides::of_a(refutation.assertion(number)),
                _ => Sides::NONE,
            };
            for lit in clause {
                self.add_occurrence(solver, store, refutation, lit.var(), sides);
            }
            if origin == Some(Origin::Definition) {
                let owner = self.owner(clause);
                if !owner.is_none() {
                    for lit in clause {
                        self.add_occurrence(solver, store, refutation, lit.var(), owner);
                    }
                }
            }
        }
        for &(lit, a) in refutation.assumptions {
            self.add_occurrence(solver, store, refutation, lit.var(), Sides::of_a(a));
        }
        self.add_circuits(solver, store, refutation);
        if !self.equations.is_empty() {
            for (_, _, _, nodes) in refutation.equality_lemmas() {
                for &node in nodes {
                    self.equations.add(solver, store, refutation, Part::Node(Node::new(node)));
                }
            }
        }
        self.propagate_sides(store);
    }

    /// The index of a variable of the proof.
    #[inline]
    pub(super) fn index_of(&self, var: Var) -> usize {
        *self.indices.get(var.index()).expect("a variable of the proof") as usize
    }

    /// What is known of a variable of the proof.
    #[inline]
    pub(super) fn variable(&self, var: Var) -> &Variable<W> {
        &self.variables[self.index_of(var)]
    }

    /// The linear form of a variable of the proof that is an atom.
    pub(super) fn row(&self, var: Var) -> Option<Row<'_>> {
        match self.variable(var).kind {
            Kind::Atom(row) => {
                let StoredRow { start, end, upper, lower } = &self.rows[row as usize];
                Some(Row { terms: &self.row_terms[*start as usize..*end as usize], upper, lower })
            }
            _ => None,
        }
    }

    /// The two vertices that are equal if a variable of the proof is true.
    pub(super) fn equation(&self, var: Var) -> Option<(Vertex, Vertex)> {
        match self.variable(var).kind {
            Kind::Equation(a, b) => Some((a, b)),
            _ => None,
        }
    }

    /// The variable of the equation of two vertices, which may be a new one.
    pub(super) fn variable_of_equation(&mut self, a: Vertex, b: Vertex) -> Var {
        if let Some(&var) = self.equation_vars.get(&(a, b)) {
            return var;
        }
        let var = Var::new(self.next_var);
        self.next_var += 1;
        self.indices.insert(var.index(), self.variables.len() as u32);
        let sides = self.equations.vertices.sides(a).meet(self.equations.vertices.sides(b));
        self.variables.push(Variable { kind: Kind::Equation(a, b), sides, term: None });
        self.equation_vars.insert((a, b), var);
        var
    }

    /// Variables that no used clause mentions.
    pub(super) fn free(&self) -> &[Term] {
        &self.free
    }

    /// The sides of the assertion to which a definition belongs because it has a gate or an auxiliary of it.
    /// Its symbols are symbols of that assertion, and no formula of the gate says so.
    fn owner(&self, clause: &[Lit]) -> Sides<W> {
        let mut sides = Sides::NONE;
        for lit in clause {
            let variable = self.variable(lit.var());
            match variable.kind {
                Kind::Hidden => sides = sides.join(variable.sides),
                Kind::Atom(row) => {
                    let StoredRow { start, end, .. } = self.rows[row as usize];
                    for (index, _) in &self.row_terms[start as usize..end as usize] {
                        let number = &self.numbers[*index as usize];
                        if number.is_owned() {
                            sides = sides.join(number.sides);
                        } else if let Some(vertex) = number.vertex {
                            sides = sides.join(self.equations.owner(vertex));
                        }
                    }
                }
                Kind::Equation(a, b) => {
                    sides = sides.join(self.equations.owner(a)).join(self.equations.owner(b));
                }
                Kind::Bit(vertex, _) => sides = sides.join(self.equations.owner(vertex)),
                Kind::Guard | Kind::Formula(_) | Kind::Gate(_) => {}
            }
        }
        sides
    }

    /// Adds an occurrence of a variable.
    pub(super) fn add_occurrence(
        &mut self,
        solver: &mut Solver<ProofLog>,
        store: &mut Store,
        refutation: Refutation<'_, W>,
        var: Var,
        sides: Sides<W>,
    ) {
        if !self.indices.contains(var.index()) {
            self.indices.insert(var.index(), self.variables.len() as u32);
            self.next_var = self.next_var.max(var.index() as u32 + 1);
            let (kind, sides) = match solver.var_meaning(store, var) {
                VarMeaning::Truth => (Kind::Formula(Term::TRUE), Sides::NONE),
                VarMeaning::Guard => (Kind::Guard, Sides::BOTH),
                VarMeaning::Term(term) => (Kind::Formula(term), Sides::NONE),
                VarMeaning::Owned(number) => (Kind::Hidden, Sides::of_a(refutation.assertion(number))),
                VarMeaning::Atom => {
                    let row = self.add_row(solver, store, refutation, var);
                    (Kind::Atom(row), Sides::NONE)
                }
                VarMeaning::Equation(a, b) => {
                    let [a, b] =
                        [a, b].map(|node| self.equations.add(solver, store, refutation, Part::Node(node)));
                    let (a, b) = (a.min(b), a.max(b));
                    self.equation_vars.insert((a, b), var);
                    (Kind::Equation(a, b), Sides::NONE)
                }
                VarMeaning::Bit(node, place) => {
                    let vertex = self.equations.add(solver, store, refutation, Part::Node(node));
                    (Kind::Bit(vertex, place), Sides::NONE)
                }
                VarMeaning::Gate(gate) => {
                    self.gates.push(GateVariable::new(var, gate));
                    (Kind::Gate(self.gates.len() as u32 - 1), Sides::NONE)
                }
            };
            self.variables.push(Variable { kind, sides, term: None });
        }
        let index = self.index_of(var);
        let variable = &mut self.variables[index];
        if !matches!(variable.kind, Kind::Guard | Kind::Hidden) {
            variable.sides = variable.sides.join(sides);
        }
    }

    fn add_row(
        &mut self,
        solver: &mut Solver<ProofLog>,
        store: &mut Store,
        refutation: Refutation<'_, W>,
        var: Var,
    ) -> u32 {
        let start = self.row_terms.len();
        {
            let atom = solver.atom_meaning(var).expect("an atom has a meaning");
            let (upper, lower) = (atom.upper.clone(), atom.lower.clone());
            self.row_terms.extend(atom.terms.map(|(x, coeff)| (x.index() as u32, coeff)));
            let end = self.row_terms.len() as u32;
            self.rows.push(StoredRow { start: start as u32, end, upper, lower });
        }
        let end = self.row_terms.len();
        for at in start..end {
            let x = self.row_terms[at].0;
            let index = match self.number_indices.get(x as usize) {
                Some(&index) => index,
                None => {
                    let index = self.numbers.len() as u32;
                    self.number_indices.insert(x as usize, index);
                    let x = ArithVar::new(x);
                    self.numbers.push(match solver.number_meaning(store, x) {
                        NumberMeaning::Term(term) => {
                            Number { term: Some(term), vertex: None, sides: Sides::NONE }
                        }
                        NumberMeaning::Application(_) => {
                            let vertex = self.equations.add(solver, store, refutation, Part::Number(x));
                            let term = self.equations.vertices.term(store, vertex);
                            Number { term, vertex: Some(vertex), sides: Sides::NONE }
                        }
                        NumberMeaning::Owned(number) => {
                            let sides = Sides::of_a(refutation.assertion(number));
                            Number { term: None, vertex: None, sides }
                        }
                    });
                    index
                }
            };
            self.row_terms[at].0 = index;
        }
        self.rows.len() as u32 - 1
    }

    /// Propagates the occurrences of variables down to their symbols, and from there up the sides on which terms
    /// may be used.
    fn propagate_sides(&mut self, store: &Store) {
        self.propagate_gate_occurrences();
        for variable in &self.variables {
            if let Kind::Atom(row) = variable.kind {
                let StoredRow { start, end, .. } = self.rows[row as usize];
                for (index, _) in &self.row_terms[start as usize..end as usize] {
                    let number = &mut self.numbers[*index as usize];
                    if !number.is_owned() {
                        number.sides = number.sides.join(variable.sides);
                    }
                }
            }
        }
        self.propagate_term_sides(store);
        for variable in &mut self.variables {
            if let Kind::Atom(row) = variable.kind {
                let StoredRow { start, end, .. } = self.rows[row as usize];
                let numbers = self.row_terms[start as usize..end as usize].iter();
                let sides = numbers.map(|(index, _)| self.numbers[*index as usize].sides);
                variable.sides = sides.fold(Sides::BOTH, Sides::meet);
            }
            if let Kind::Equation(a, b) = variable.kind {
                let [a, b] = [a, b].map(|vertex| self.equations.vertices.sides(vertex));
                variable.sides = a.meet(b);
            }
            if let Kind::Bit(vertex, _) = variable.kind {
                variable.sides = self.equations.vertices.sides(vertex);
            }
        }
        self.find_gate_sides();
    }

    /// The same for the terms of variables and numbers.
    fn propagate_term_sides(&mut self, store: &Store) {
        let Vocabulary { variables, numbers, free, dag, equations, .. } = self;
        let is_symbol = |term: Term| matches!(store.view(term), View::Var(_));
        let mut formulas = variables.iter().filter_map(Variable::formula);
        let mut terms = numbers.iter().filter_map(|number| number.term);
        // Symbols alone do not need the subterms: each has one variable.
        let symbols_only = equations.is_empty() && formulas.all(is_symbol) && terms.all(is_symbol);
        if !symbols_only {
            dag.clear();
            for variable in variables.iter() {
                if let Some(term) = variable.formula() {
                    dag.add(store, term, variable.sides);
                }
            }
            for variable in variables.iter() {
                if let Kind::Equation(a, b) = variable.kind {
                    equations.vertices.occur(a, variable.sides);
                    equations.vertices.occur(b, variable.sides);
                }
                if let Kind::Bit(vertex, _) = variable.kind {
                    equations.vertices.occur(vertex, variable.sides);
                }
            }
            for number in numbers.iter() {
                match (number.vertex, number.term) {
                    (Some(vertex), _) => equations.vertices.occur(vertex, number.sides),
                    (None, Some(term)) => dag.add(store, term, number.sides),
                    (None, None) => {}
                }
            }
            equations.propagate_down(store, dag);
            dag.propagate_sides(store, free);
            equations.propagate_up(store, dag);
        }
        let mut finish = |term: Term, sides: &mut Sides<W>| {
            if !symbols_only {
                *sides = dag.sides(term);
            } else if sides.is_none() {
                *sides = Sides::BOTH;
                free.push(term);
            }
        };
        for variable in variables.iter_mut() {
            if let Some(term) = variable.formula() {
                finish(term, &mut variable.sides);
            }
        }
        for number in numbers.iter_mut() {
            match (number.vertex, number.term) {
                (Some(vertex), _) => number.sides = equations.vertices.sides(vertex),
                (None, Some(term)) => finish(term, &mut number.sides),
                (None, None) => {}
            }
        }
    }

    /// Fails if one of the variables belongs to neither side of one of the cuts.
    pub(super) fn check_mixed(&self, cuts: CutSet<W>) -> Result<(), Mixed> {
        let covered = |v: &Variable<W>| cuts.is_subset(&(v.sides.a | v.sides.b));
        if self.variables.iter().all(covered) { Ok(()) } else { Err(Mixed::Clause) }
    }

    /// The gate that a clause of a definition defines, by index, with its formula: the newest of the formulas
    /// in the clause.
    pub(super) fn defined(&self, clause: &[Lit]) -> Option<(usize, Term)> {
        let gates = clause.iter().filter_map(|lit| {
            let index = self.index_of(lit.var());
            self.variables[index].formula().map(|term| (index, term.positive()))
        });
        gates.max_by_key(|(_, term)| *term)
    }

    /// The cuts on whose A side an input clause is. A definition holds on either side and is put where its
    /// symbols are; if they are on both, it goes to A if its gate, or else all of it, is labelled *a*, and to B
    /// otherwise. So it does not count to two subtrees of a tree where labels do not: only one of them can have a
    /// symbol of it to itself.
    pub(super) fn colour(
        &self,
        refutation: Refutation<'_, W>,
        origin: Origin,
        clause: &[Lit],
        cuts: CutSet<W>,
        labels: &[Label<W>],
    ) -> Result<CutSet<W>, Mixed> {
        match origin {
            Origin::Assertion(number) => Ok(refutation.assertion(number)),
            Origin::Definition => {
                let sides = clause.iter().map(|lit| self.variable(lit.var()).sides);
                let sides = sides.fold(Sides::BOTH, Sides::meet);
                if !cuts.is_subset(&(sides.a | sides.b)) {
                    return Err(Mixed::Clause);
                }
                let own = match self.defined(clause) {
                    Some((gate, _)) => labels[gate].a,
                    None => clause.iter().fold(CutSet::ALL, |a, lit| a & labels[self.index_of(lit.var())].a),
                };
                Ok(sides.a & (!sides.b | own))
            }
        }
    }

    /// The cuts on whose A side a valid clause is, which some side of each cut can write: where only A can, and where
    /// all of it is labelled *a*.
    pub(super) fn colour_valid(
        &self,
        clause: &[Lit],
        cuts: CutSet<W>,
        labels: &[Label<W>],
    ) -> Result<CutSet<W>, Mixed> {
        let mut sides = Sides::BOTH;
        let mut own = CutSet::ALL;
        for lit in clause {
            let index = self.index_of(lit.var());
            sides = sides.meet(self.variables[index].sides);
            own = own & labels[index].a;
        }
        let covered = cuts.is_subset(&(sides.a | sides.b));
        if covered { Ok(sides.a & (!sides.b | own)) } else { Err(Mixed::Clause) }
    }

    /// The formula of a literal. Guards are true.
    pub(super) fn literal(&mut self, store: &mut Store, lit: Lit) -> Result<Term, Mixed> {
        let index = self.index_of(lit.var());
        let variable = &self.variables[index];
        let term = match (variable.term, variable.kind) {
            (Some(term), _) => term,
            (None, Kind::Formula(term)) => term,
            (None, Kind::Guard) => Term::TRUE,
            (None, Kind::Hidden) => return Err(Mixed::Clause),
            (None, Kind::Bit(..) | Kind::Gate(_)) => self.wire_formula(store, index)?,
            (None, Kind::Equation(a, b)) => {
                self.equations.vertices.equation(store, a, b).ok_or(Mixed::Clause)?
            }
            (None, Kind::Atom(_)) => {
                let mut sum = std::mem::take(&mut self.sum);
                sum.clear();
                sum.add(self, lit.var().positive(), &shem_base::Rat::ONE);
                let atom = sum.atom(store, self);
                self.sum = sum;
                atom?
            }
        };
        self.variables[index].term = Some(term);
        Ok(term.xor(!lit.is_positive()))
    }
}

/// The value that a variable takes if any will do; the variable itself if its sort has no constants.
pub(super) fn any_value(store: &mut Store, variable: Term) -> Term {
    match store.sort(variable) {
        Sort::Bool => Term::FALSE,
        Sort::Int => store.int(0),
        Sort::Real => store.real(0),
        sort => match sort.bit_width() {
            Some(width) => store.bit_vector(&BitVec::from_int(width, &Int::ZERO)),
            None => variable,
        },
    }
}
