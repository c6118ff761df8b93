//! From labels to cases: what determines the target of an edge.
//!
//! The label of an edge is taken apart into conjuncts. An equation in which one variable is unknown defines it; so does
//! a truth value that is asserted, or an equivalence with one. What defines nothing is a guard. Where no conjunct
//! defines anything and something is unknown, a disjunction (edges that were parallel have become one) is split into
//! its members, each of which makes a *case* of its own; cases may overlap. A variable that is unknown when nothing can
//! be split either is *free*: whoever runs the case chooses its value, and then further equations may define others.

use std::collections::BTreeMap;

use shem_base::Rat;
use shem_chc::{Edge, EdgeId, Graph, VertexId};
use shem_term::{Sort, Store, Term, View};

use super::code::{Op, Program, Register};
use crate::reason::Unsupported;
use crate::theories::Theories;

/// The cases into which an edge may be split.
const MOST_CASES: usize = 64;

/// The number of subterms up to which labels are looked at.
const LARGEST_LABEL: usize = 4_000;

/// A way in which an edge can be taken, as a program.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) edge: EdgeId,
    pub(crate) source: Option<VertexId>,
    pub(crate) target: VertexId,
    /// Its inputs are the arguments of the source and then the free variables.
    pub(crate) program: Program,
    /// The registers of the target's arguments.
    pub(crate) next: Vec<Register>,
    /// The variables whose values are chosen.
    pub(crate) free: Vec<Term>,
}

/// Why an edge cannot be compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// An edge has several sources.
    Nonlinear,
    /// A label has terms that are neither Boolean nor linear.
    Theory,
    /// A label is too large, or has too many cases.
    Size,
}

impl Refused {
    /// Why an engine that runs compiled graphs does not take a graph.
    pub(crate) fn by(self, engine: &'static str) -> Unsupported {
        match self {
            Refused::Nonlinear => Unsupported::Nonlinear { engine },
            Refused::Theory => Unsupported::Theory { engine, theories: Theories::Arithmetic },
            Refused::Size => Unsupported::Size { engine },
        }
    }
}

/// What a conjunct does in a case.
#[derive(Clone, Copy, Debug)]
enum Part {
    /// The variable is defined by the conjunct.
    Define(Term, Term),
    Guard(Term),
}

/// An edge that is being taken apart.
struct Splitter<'a> {
    store: &'a Store,
    /// The variables of each subterm that the source does not determine, sorted; without entry: none.
    unknown: BTreeMap<Term, Vec<Term>>,
}

/// A case that is not finished: the conjuncts that are left, and what is known.
#[derive(Clone)]
struct Partial {
    left: Vec<Term>,
    parts: Vec<Part>,
    known: Vec<Term>,
    free: Vec<Term>,
}

/// The cases of an edge with at most one source.
pub(crate) fn cases(store: &Store, graph: &Graph, id: EdgeId, edge: &Edge) -> Result<Vec<Case>, Refused> {
    let source = edge.sources.first().copied();
    let state = source.map_or(&[][..], |vertex| graph.vertex(vertex).state());
    let target = graph.vertex(edge.target).target();
    let numbers = |&v: &Term| matches!(store.sort(v), Sort::Bool | Sort::Int | Sort::Real);
    if !state.iter().chain(target).all(numbers) {
        return Err(Refused::Theory);
    }
    let splitter = Splitter::new(store, edge.label, state)?;
    let mut cases = Vec::new();
    let mut stack = vec![Partial {
        left: store.conjuncts(edge.label),
        parts: Vec::new(),
        known: Vec::new(),
        free: Vec::new(),
    }];
    while let Some(mut partial) = stack.pop() {
        if partial.left.contains(&Term::FALSE) {
            continue;
        }
        splitter.propagate(&mut partial);
        if let Some(members) = splitter.split(&mut partial) {
            if stack.len() + cases.len() + members.len() > MOST_CASES {
                return Err(Refused::Size);
            }
            for member in members.into_iter().rev() {
                let mut next = partial.clone();
                for formula in member {
                    next.left.extend(store.conjuncts(formula));
                }
                stack.push(next);
            }
            continue;
        }
        // An auxiliary first: it may define the target.
        let unknown = partial.left.iter().flat_map(|&c| splitter.unknown_of(c));
        let unknown = unknown.filter(|v| partial.known.binary_search(v).is_err());
        let choice = unknown.min_by_key(|v| (target.contains(v), **v)).copied();
        let missing = target.iter().find(|v| partial.known.binary_search(v).is_err()).copied();
        if let Some(variable) = choice.or(missing) {
            if !numbers(&variable) {
                return Err(Refused::Theory);
            }
            partial.free.push(variable);
            insert(&mut partial.known, variable);
            stack.push(partial);
            continue;
        }
        partial.parts.extend(partial.left.drain(..).map(Part::Guard));
        let (program, next) = compile(store, state, target, &partial);
        cases.push(Case { edge: id, source, target: edge.target, program, next, free: partial.free });
    }
    Ok(cases)
}

fn insert(sorted: &mut Vec<Term>, term: Term) {
    if let Err(at) = sorted.binary_search(&term) {
        sorted.insert(at, term);
    }
}

impl<'a> Splitter<'a> {
    fn new(store: &'a Store, label: Term, state: &[Term]) -> Result<Splitter<'a>, Refused> {
        let terms = store.subterms(&[label]);
        if terms.len() > LARGEST_LABEL {
            return Err(Refused::Size);
        }
        let mut unknown: BTreeMap<Term, Vec<Term>> = BTreeMap::new();
        for term in terms {
            match store.view(term) {
                View::App(..) | View::Equal(..) | View::Forall(..) => return Err(Refused::Theory),
                View::Var(_) if !matches!(store.sort(term), Sort::Bool | Sort::Int | Sort::Real) => {
                    return Err(Refused::Theory);
                }
                View::Var(_) if !state.contains(&term) => {
                    unknown.insert(term, vec![term]);
                }
                _ => {
                    let mut found: Vec<Term> = Vec::new();
                    store.for_each_child(term, |child| {
                        found.extend(unknown.get(&child.positive()).into_iter().flatten());
                    });
                    if !found.is_empty() {
                        found.sort_unstable();
                        found.dedup();
                        unknown.insert(term, found);
                    }
                }
            }
        }
        Ok(Splitter { store, unknown })
    }

    fn unknown_of(&self, term: Term) -> &[Term] {
        self.unknown.get(&term.positive()).map_or(&[], |found| found)
    }

    /// The variable of a conjunct that is the only one unknown; `Err` if there is none or several, and whether none.
    fn only_unknown(&self, conjunct: Term, known: &[Term]) -> Result<Term, bool> {
        let mut open = self.unknown_of(conjunct).iter().filter(|v| known.binary_search(v).is_err());
        match (open.next(), open.next()) {
            (Some(&variable), None) => Ok(variable),
            (found, _) => Err(found.is_none()),
        }
    }

    /// Moves what is a guard or defines a variable to the parts, until nothing is left that does.
    fn propagate(&self, partial: &mut Partial) {
        loop {
            let mut changed = false;
            // Guards first: a step that is not possible is not computed.
            let (parts, known) = (&mut partial.parts, &partial.known);
            partial.left.retain(|&conjunct| {
                let is_guard = self.only_unknown(conjunct, known) == Err(true);
                if is_guard {
                    parts.push(Part::Guard(conjunct));
                }
                !is_guard
            });
            let mut at = 0;
            while at < partial.left.len() {
                let conjunct = partial.left[at];
                match self.only_unknown(conjunct, &partial.known) {
                    Ok(variable) if self.defines(conjunct, variable) => {
                        partial.parts.push(Part::Define(variable, conjunct));
                        insert(&mut partial.known, variable);
                        partial.left.remove(at);
                        changed = true;
                    }
                    _ => at += 1,
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// Whether the conjunct says what the variable is, given the others in it.
    fn defines(&self, conjunct: Term, variable: Term) -> bool {
        match self.store.view(conjunct) {
            View::Var(_) => true,
            View::Iff(a, b) => {
                let other = if a == variable { b } else { a };
                (a == variable || b == variable) && !self.unknown_of(other).contains(&variable)
            }
            View::Eq(poly, _) if !conjunct.is_negated() => {
                let inside = |leaf: Term| leaf != variable && self.unknown_of(leaf).contains(&variable);
                let terms = self.store.poly_terms(poly);
                terms.iter().any(|t| t.leaf == variable) && !terms.iter().any(|t| inside(t.leaf))
            }
            _ => false,
        }
    }

    /// Takes a conjunct that is a disjunction out and gives its members, each a list of formulas.
    fn split(&self, partial: &mut Partial) -> Option<Vec<Vec<Term>>> {
        for at in 0..partial.left.len() {
            let conjunct = partial.left[at];
            let negated = conjunct.is_negated();
            let members: Vec<Vec<Term>> = match self.store.view(conjunct) {
                View::And(members) if negated => members.iter().map(|&m| vec![!m]).collect(),
                View::Iff(a, b) => vec![vec![a, b.xor(negated)], vec![!a, (!b).xor(negated)]],
                View::Ite(c, a, b) if self.store.sort(conjunct) == Sort::Bool => {
                    vec![vec![c, a.xor(negated)], vec![!c, b.xor(negated)]]
                }
                _ => continue,
            };
            partial.left.remove(at);
            return Some(members);
        }
        None
    }
}

/// Writes the program of a case.
fn compile(store: &Store, state: &[Term], target: &[Term], partial: &Partial) -> (Program, Vec<Register>) {
    let mut program = Program::new(state.len() + partial.free.len());
    let mut registers: BTreeMap<Term, Register> = BTreeMap::new();
    for (&variable, register) in state.iter().chain(&partial.free).zip(0..) {
        registers.insert(variable, register);
        if store.sort(variable) == Sort::Real {
            program.allow_fractions();
        }
    }
    for part in &partial.parts {
        match *part {
            Part::Guard(guard) => {
                let value = emit(store, &mut program, &mut registers, guard);
                program.push(Op::Require(value));
            }
            Part::Define(variable, conjunct) => {
                let value = define(store, &mut program, &mut registers, variable, conjunct);
                registers.insert(variable, value);
            }
        }
    }
    program.finish();
    let next = target.iter().map(|variable| registers[variable]).collect();
    (program, next)
}

/// The register of what a conjunct says that a variable is.
fn define(
    store: &Store,
    program: &mut Program,
    registers: &mut BTreeMap<Term, Register>,
    variable: Term,
    conjunct: Term,
) -> Register {
    let negated = conjunct.is_negated();
    match store.view(conjunct) {
        View::Var(_) => {
            let truth = program.constant(if negated { Rat::ZERO } else { Rat::ONE });
            program.push(Op::Constant(truth))
        }
        View::Iff(a, b) => {
            let other = if a == variable { b } else { a };
            emit(store, program, registers, other.xor(negated))
        }
        View::Eq(poly, value) => {
            let terms = store.poly_terms(poly);
            let own = terms.iter().find(|t| t.leaf == variable).expect("a leaf");
            let sign = Rat::from(i64::from(own.coeff.signum()));
            let mut products = Vec::with_capacity(terms.len());
            for term in terms.iter().filter(|t| t.leaf != variable) {
                let register = emit(store, program, registers, term.leaf);
                products.push((register, -(&sign * &Rat::from(&term.coeff))));
            }
            let sum = linear(program, &products, &(&sign * value));
            let factor = own.coeff.abs();
            let is_integer = store.sort(variable) == Sort::Int;
            if !is_integer {
                program.allow_fractions();
            }
            let integral = store.poly_is_integral(poly);
            if factor.is_one() && (integral || !is_integer) {
                return sum;
            }
            let factor = program.constant(Rat::from(&factor));
            if is_integer {
                let whole = program.push(Op::Multiple(sum, factor));
                program.push(Op::Require(whole));
            }
            program.push(Op::Exact(sum, factor))
        }
        _ => unreachable!("a conjunct that defines"),
    }
}

/// The register of a sum.
fn linear(program: &mut Program, products: &[(Register, Rat)], constant: &Rat) -> Register {
    if let [(register, factor)] = products
        && factor.is_one()
        && constant.is_zero()
    {
        return *register;
    }
    let start = program.products.len() as u32;
    for (register, factor) in products {
        let factor = program.constant(factor.clone());
        program.products.push((*register, factor));
    }
    let constant = program.constant(constant.clone());
    let end = program.products.len() as u32;
    program.push(Op::Linear { start, end, constant })
}

/// The register of the value of a term; a new one unless the term was computed before.
fn emit(
    store: &Store,
    program: &mut Program,
    registers: &mut BTreeMap<Term, Register>,
    root: Term,
) -> Register {
    if !registers.contains_key(&root.positive()) {
        for term in store.subterms(&[root]) {
            if !registers.contains_key(&term) {
                let register = emit_node(store, program, registers, term);
                registers.insert(term, register);
            }
        }
    }
    signed(program, registers, root)
}

/// The register of a term whose positive form has one.
fn signed(program: &mut Program, registers: &mut BTreeMap<Term, Register>, term: Term) -> Register {
    if let Some(&register) = registers.get(&term) {
        return register;
    }
    let register = program.push(Op::Not(registers[&term.positive()]));
    registers.insert(term, register);
    register
}

fn emit_node(
    store: &Store,
    program: &mut Program,
    registers: &mut BTreeMap<Term, Register>,
    term: Term,
) -> Register {
    let sum =
        |program: &mut Program, registers: &BTreeMap<Term, Register>, poly, scale: &Rat, offset: Rat| {
            let terms = store.poly_terms(poly).iter();
            let products: Vec<(Register, Rat)> =
                terms.map(|t| (registers[&t.leaf], scale * &Rat::from(&t.coeff))).collect();
            linear(program, &products, &offset)
        };
    match store.view(term) {
        View::True => {
            let one = program.constant(Rat::ONE);
            program.push(Op::Constant(one))
        }
        View::Num(value) => {
            let at = program.constant(value.clone());
            program.push(Op::Constant(at))
        }
        View::Le(poly, bound) => {
            let value = sum(program, registers, poly, &Rat::ONE, -bound);
            program.push(Op::NotPositive(value))
        }
        View::Lt(poly, bound) => {
            let value = sum(program, registers, poly, &Rat::ONE, -bound);
            program.push(Op::Negative(value))
        }
        View::Eq(poly, bound) => {
            let value = sum(program, registers, poly, &Rat::ONE, -bound);
            program.push(Op::Zero(value))
        }
        View::Divisible(modulus, poly, offset) => {
            let modulus = program.constant(Rat::from(modulus));
            let value = sum(program, registers, poly, &Rat::ONE, Rat::from(offset));
            program.push(Op::Multiple(value, modulus))
        }
        View::Linear(scale, poly, offset) => sum(program, registers, poly, scale, offset.clone()),
        View::Div(inner, modulus) => {
            let modulus = program.constant(Rat::from(modulus));
            program.push(Op::Quotient(registers[&inner], modulus))
        }
        View::Mod(inner, modulus) => {
            let modulus = program.constant(Rat::from(modulus));
            program.push(Op::Remainder(registers[&inner], modulus))
        }
        View::ToInt(inner) => program.push(Op::Floor(registers[&inner])),
        View::Iff(a, b) => {
            let (a, b) = (signed(program, registers, a), signed(program, registers, b));
            program.push(Op::Same(a, b))
        }
        View::Ite(c, a, b) => {
            let condition = signed(program, registers, c);
            let (a, b) = (signed(program, registers, a), signed(program, registers, b));
            program.push(Op::Select(condition, a, b))
        }
        View::And(members) => {
            let members: Vec<Register> = members.iter().map(|&m| signed(program, registers, m)).collect();
            let start = program.members.len() as u32;
            program.members.extend(members);
            program.push(Op::And { start, end: program.members.len() as u32 })
        }
        View::Var(_) | View::App(..) | View::Equal(..) | View::Forall(..) => {
            unreachable!("variables are known and other theories were refused")
        }
    }
}
