//! Edges as clauses over a finite structure: atoms with terms of constructors and variables.
//!
//! The label is taken apart into conjunctions; the equations of each are solved by unification, which loses nothing, as
//! constructors are free in the system itself. What the structure has no place for is left out.

use std::collections::BTreeMap;

use shem_chc::{Edge, Graph, VertexId};
use shem_term::{Role, Sort, Store, Symbol, Term, View};

/// The number of conjunctions that a label may be taken apart into.
const MOST_CONJUNCTIONS: usize = 64;

/// A sort of the structure, by its number.
pub(super) type SortNumber = usize;

/// The sorts that have a domain: truth values and datatypes.
#[derive(Default)]
pub(super) struct Sorts {
    pub(super) list: Vec<Sort>,
    numbers: BTreeMap<Sort, SortNumber>,
}

impl Sorts {
    /// The number of a sort; `None` if it has no domain. Sorts of fields get theirs with it.
    pub(super) fn number(&mut self, store: &Store, sort: Sort) -> Option<SortNumber> {
        if let Some(&known) = self.numbers.get(&sort) {
            return Some(known);
        }
        if sort != Sort::Bool && !sort.is_datatype() {
            return None;
        }
        let mut open = vec![sort];
        while let Some(next) = open.pop() {
            if self.numbers.contains_key(&next) || (next != Sort::Bool && !next.is_datatype()) {
                continue;
            }
            self.numbers.insert(next, self.list.len());
            self.list.push(next);
            if let Some(datatype) = store.datatype_of(next) {
                for constructor in datatype.constructors() {
                    open.extend(store.signature(constructor.symbol).args.iter().copied());
                }
            }
        }
        self.numbers.get(&sort).copied()
    }
}

impl Sorts {
    /// The number of the sort of a field; `None` if fields of this sort are left out.
    pub(super) fn of_field(&mut self, store: &Store, sort: Sort) -> Option<SortNumber> {
        if sort.is_datatype() { self.number(store, sort) } else { None }
    }
}

/// A function of the structure: a constructor, or a truth value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Function {
    Truth(bool),
    Constructor(Symbol),
}

/// A term of a clause; arguments come before.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Variable(SortNumber),
    Apply(Function, Vec<usize>),
}

/// An atom: arguments without a domain are left out.
#[derive(Clone, Debug)]
pub(super) struct Atom {
    pub(super) vertex: VertexId,
    pub(super) args: Vec<usize>,
}

/// A clause over the structure.
#[derive(Clone, Debug)]
pub(super) struct Clause {
    pub(super) nodes: Vec<Node>,
    pub(super) body: Vec<Atom>,
    /// `None` is falsehood.
    pub(super) head: Option<Atom>,
    /// Terms of enumerations that are different.
    pub(super) different: Vec<(usize, usize)>,
}

/// The clauses of an edge; `None` if its label has too many cases.
pub(super) fn clauses(
    store: &mut Store,
    graph: &Graph,
    sorts: &mut Sorts,
    edge: &Edge,
) -> Option<Vec<Clause>> {
    let mut conjunctions = Vec::new();
    let mut open = vec![(vec![edge.label], Vec::new())];
    while let Some((mut formulas, mut literals)) = open.pop() {
        let Some(formula) = formulas.pop() else {
            conjunctions.push(literals);
            if conjunctions.len() > MOST_CONJUNCTIONS {
                return None;
            }
            continue;
        };
        if open.len() > MOST_CONJUNCTIONS {
            return None;
        }
        let cases = cases(store, formula);
        if cases.is_empty() {
            if formula != Term::TRUE && formula != Term::FALSE {
                literals.push(formula);
            }
            if formula != Term::FALSE {
                open.push((formulas, literals));
            }
            continue;
        }
        for case in cases {
            let mut rest = formulas.clone();
            rest.extend(case);
            open.push((rest, literals.clone()));
        }
    }
    let mut found = Vec::new();
    for literals in conjunctions {
        let mut unifier = Unifier { store, sorts, nodes: Vec::new(), known: BTreeMap::new() };
        found.extend(unifier.clause(graph, edge, &literals));
    }
    Some(found)
}

/// The cases of a formula that is no literal, each as a list of formulas.
fn cases(store: &Store, formula: Term) -> Vec<Vec<Term>> {
    let is_negated = formula.is_negated();
    match store.view(formula) {
        View::And(parts) if is_negated => parts.iter().map(|&part| vec![!part]).collect(),
        View::And(parts) => vec![parts.to_vec()],
        View::Iff(a, b) => {
            let b = if is_negated { !b } else { b };
            vec![vec![a, b], vec![!a, !b]]
        }
        View::Ite(condition, a, b) => {
            let [a, b] = [a, b].map(|part| if is_negated { !part } else { part });
            vec![vec![condition, a], vec![!condition, b]]
        }
        _ => Vec::new(),
    }
}

/// A term while equations are solved.
#[derive(Clone, Debug)]
enum Unified {
    Variable(SortNumber),
    Apply(Function, Vec<usize>),
    /// It is another one.
    Same(usize),
}

struct Unifier<'a> {
    store: &'a mut Store,
    sorts: &'a mut Sorts,
    nodes: Vec<Unified>,
    known: BTreeMap<Term, usize>,
}

impl Unifier<'_> {
    fn add(&mut self, node: Unified) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn root(&self, mut at: usize) -> usize {
        while let Unified::Same(next) = self.nodes[at] {
            at = next;
        }
        at
    }

    /// A term of a sort that has a domain. What is neither a construction nor a variable may be anything.
    fn term(&mut self, term: Term) -> Option<usize> {
        let sort = self.sorts.number(self.store, self.store.sort(term))?;
        if term.is_truth_constant() {
            return Some(self.add(Unified::Apply(Function::Truth(term == Term::TRUE), Vec::new())));
        }
        if let Some(&known) = self.known.get(&term) {
            return Some(known);
        }
        let node = match self.store.as_app(term) {
            Some((symbol, Role::Constructor { .. }, args)) => {
                let args = args.to_vec();
                let is_field = |&arg: &Term| self.store.sort(arg).is_datatype();
                let args: Vec<Term> = args.into_iter().filter(is_field).collect();
                let args = args.into_iter().filter_map(|arg| self.term(arg)).collect();
                Unified::Apply(Function::Constructor(symbol), args)
            }
            _ => Unified::Variable(sort),
        };
        let at = self.add(node);
        self.known.insert(term, at);
        Some(at)
    }

    /// Makes two terms equal; `false` if they cannot be.
    fn unify(&mut self, a: usize, b: usize) -> bool {
        let mut open = vec![(a, b)];
        while let Some((a, b)) = open.pop() {
            let (a, b) = (self.root(a), self.root(b));
            if a == b {
                continue;
            }
            match (&self.nodes[a], &self.nodes[b]) {
                (Unified::Variable(_), _) => self.nodes[a] = Unified::Same(b),
                (_, Unified::Variable(_)) => self.nodes[b] = Unified::Same(a),
                (Unified::Apply(f, left), Unified::Apply(g, right)) => {
                    if f != g {
                        return false;
                    }
                    open.extend(left.iter().copied().zip(right.iter().copied()));
                    self.nodes[b] = Unified::Same(a);
                }
                (Unified::Same(_), _) | (_, Unified::Same(_)) => unreachable!("a root"),
            }
        }
        true
    }

    /// The clause of a conjunction of literals, if these have a solution.
    fn clause(&mut self, graph: &Graph, edge: &Edge, literals: &[Term]) -> Option<Clause> {
        let mut different = Vec::new();
        for &literal in literals {
            let is_negated = literal.is_negated();
            let atom = literal.positive();
            match (self.store.view(atom), self.store.as_app(atom)) {
                (View::Equal(a, b), _) => {
                    let is_enumeration = self.store.datatype_of(self.store.sort(a)).is_some_and(|datatype| {
                        datatype.constructors().iter().all(|constructor| constructor.selectors.is_empty())
                    });
                    let (Some(a), Some(b)) = (self.term(a), self.term(b)) else { continue };
                    if !is_negated {
                        if !self.unify(a, b) {
                            return None;
                        }
                    } else if is_enumeration {
                        different.push((a, b));
                    }
                }
                (View::Var(_), _) => {
                    let (variable, truth) = (self.term(atom)?, Function::Truth(!is_negated));
                    let truth = self.add(Unified::Apply(truth, Vec::new()));
                    if !self.unify(variable, truth) {
                        return None;
                    }
                }
                (_, Some((_, Role::Tester { datatype, constructor }, &[whole]))) if !is_negated => {
                    let symbol = self.store.datatype(datatype).constructors()[constructor as usize].symbol;
                    let fields = self.store.signature(symbol).args.to_vec();
                    let mut args = Vec::new();
                    for sort in fields {
                        let number = self.sorts.of_field(self.store, sort);
                        args.extend(number.map(|number| self.add(Unified::Variable(number))));
                    }
                    let made = self.add(Unified::Apply(Function::Constructor(symbol), args));
                    let whole = self.term(whole)?;
                    if !self.unify(whole, made) {
                        return None;
                    }
                }
                // What else is said is left out.
                _ => {}
            }
        }
        let mut body = Vec::with_capacity(edge.sources.len());
        for (position, &vertex) in edge.sources.iter().enumerate() {
            let arguments = graph.source_variables(edge, position).to_vec();
            body.push(Atom {
                vertex,
                args: arguments.into_iter().filter_map(|arg| self.term(arg)).collect(),
            });
        }
        let head = (edge.target != VertexId::FALSE).then(|| {
            let arguments = graph.vertex(edge.target).target().to_vec();
            let args = arguments.into_iter().filter_map(|arg| self.term(arg)).collect();
            Atom { vertex: edge.target, args }
        });
        self.finish(body, head, different)
    }

    /// The clause over the terms that are left; `None` if a term would contain itself.
    fn finish(
        &self,
        mut body: Vec<Atom>,
        mut head: Option<Atom>,
        mut different: Vec<(usize, usize)>,
    ) -> Option<Clause> {
        let mut nodes: Vec<Node> = Vec::new();
        let mut places: BTreeMap<usize, usize> = BTreeMap::new();
        let mut shared: BTreeMap<(Function, Vec<usize>), usize> = BTreeMap::new();
        let atoms = body.iter_mut().chain(&mut head).flat_map(|atom| atom.args.iter_mut());
        for argument in atoms.chain(different.iter_mut().flat_map(|(a, b)| [a, b])) {
            // Arguments first; a term that is open when it is met again contains itself.
            let mut open = vec![(self.root(*argument), false)];
            let mut inside: Vec<usize> = Vec::new();
            while let Some((at, is_ready)) = open.pop() {
                if places.contains_key(&at) {
                    continue;
                }
                match &self.nodes[at] {
                    Unified::Apply(function, args) if is_ready => {
                        let args: Vec<usize> = args.iter().map(|&arg| places[&self.root(arg)]).collect();
                        let place = *shared.entry((*function, args.clone())).or_insert_with(|| {
                            nodes.push(Node::Apply(*function, args));
                            nodes.len() - 1
                        });
                        places.insert(at, place);
                        inside.pop();
                    }
                    Unified::Apply(_, args) => {
                        if inside.contains(&at) {
                            return None;
                        }
                        inside.push(at);
                        open.push((at, true));
                        open.extend(args.iter().map(|&arg| (self.root(arg), false)));
                    }
                    Unified::Variable(sort) => {
                        nodes.push(Node::Variable(*sort));
                        places.insert(at, nodes.len() - 1);
                    }
                    Unified::Same(_) => unreachable!("a root"),
                }
            }
            *argument = places[&self.root(*argument)];
        }
        Some(Clause { nodes, body, head, different })
    }
}
