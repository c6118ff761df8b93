//! The equations of a proof: their nodes as vertices, and the derivations of lemmas about them.

use std::collections::BTreeMap;

use shem_base::{BitVec, Lit};
use shem_proof::{LemmaKind, ProofLog};
use shem_term::{Store, Symbol};

use super::cutset::{CutSet, Sides};
use super::dag::Dag;
use super::equality::{Claim, Literal, Shape, Vertex, Vertices, derive};
use super::error::Mixed;
use super::refutation::Refutation;
use super::vocabulary::Vocabulary;
use crate::arith::ArithVar;
use crate::equality::Node;
use crate::solver::{NodeMeaning, NumberMeaning, Solver};

/// A node of the solver or a variable of its arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    Node(Node),
    Number(ArithVar),
}

/// The nodes of a proof.
#[derive(Debug)]
pub(super) struct Equations<const W: usize> {
    pub(super) vertices: Vertices<W>,
    parts: BTreeMap<Part, Vertex>,
    /// By vertex: the sides of the assertions that have a part of it for themselves.
    owners: Vec<Sides<W>>,
}

impl<const W: usize> Default for Equations<W> {
    fn default() -> Self {
        Equations { vertices: Vertices::default(), parts: BTreeMap::new(), owners: vec![Sides::NONE; 2] }
    }
}

impl<const W: usize> Equations<W> {
    pub(super) fn start(&mut self, cuts: CutSet<W>) {
        self.vertices.start(cuts);
        self.parts.clear();
        self.owners.truncate(2);
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The vertex of a node that was added.
    fn known(&self, node: u32) -> Option<Vertex> {
        self.parts.get(&Part::Node(Node::new(node))).copied()
    }

    /// The sides of the assertions that have a part of the vertex for themselves.
    pub(super) fn owner(&self, vertex: Vertex) -> Sides<W> {
        self.owners[vertex.index()]
    }

    /// Adds the vertex of a node or a number, with its parts.
    pub(super) fn add(
        &mut self,
        solver: &mut Solver<ProofLog>,
        store: &mut Store,
        refutation: Refutation<'_, W>,
        root: Part,
    ) -> Vertex {
        let mut stack = vec![root];
        while let Some(&part) = stack.last() {
            if self.parts.contains_key(&part) {
                stack.pop();
                continue;
            }
            let meaning = match part {
                Part::Node(node) => solver.node_meaning(store, node),
                Part::Number(number) => match solver.number_meaning(store, number) {
                    NumberMeaning::Term(term) => NodeMeaning::Term(term),
                    NumberMeaning::Owned(assertion) => NodeMeaning::Owned(assertion),
                    NumberMeaning::Application(node) => solver.node_meaning(store, node),
                },
            };
            let before = stack.len();
            let children: Vec<Part> = match &meaning {
                NodeMeaning::Application(_, args) => args.iter().map(|&arg| Part::Node(arg)).collect(),
                NodeMeaning::Equation(a, b) => vec![Part::Node(*a), Part::Node(*b)],
                NodeMeaning::Number(number) => vec![Part::Number(*number)],
                NodeMeaning::Sum(terms, ..) => terms.iter().map(|term| Part::Number(term.0)).collect(),
                _ => Vec::new(),
            };
            stack.extend(children.iter().filter(|child| !self.parts.contains_key(child)));
            if stack.len() > before {
                continue;
            }
            let children: Vec<Vertex> = children.iter().map(|child| self.parts[child]).collect();
            let owner = children.iter().fold(Sides::NONE, |all, child| all.join(self.owner(*child)));
            let vertex = self.add_vertex(store, refutation, meaning, children, owner);
            self.parts.insert(part, vertex);
            stack.pop();
        }
        self.parts[&root]
    }

    fn add_vertex(
        &mut self,
        store: &mut Store,
        refutation: Refutation<'_, W>,
        meaning: NodeMeaning,
        children: Vec<Vertex>,
        mut owner: Sides<W>,
    ) -> Vertex {
        let (shape, term, sides) = match meaning {
            NodeMeaning::Truth => return Vertex::TRUTH,
            NodeMeaning::Falsity => return Vertex::FALSITY,
            NodeMeaning::Number(_) => return children[0],
            NodeMeaning::Numeral(value, sort) => {
                let term = match sort.bit_width() {
                    Some(width) => {
                        store.bit_vector(&BitVec::from_int(width, &value.to_int().unwrap_or_default()))
                    }
                    None => store.numeral(&value, sort),
                };
                (Shape::Numeral(value), Some(term), Sides::NONE)
            }
            NodeMeaning::Equation(..) => (Shape::Equation(children[0], children[1]), None, Sides::NONE),
            NodeMeaning::Application(symbol, _) => {
                if let Some(vertex) = self.vertices.find_application(symbol, &children) {
                    return vertex;
                }
                (Shape::Application(symbol, children.into()), None, Sides::NONE)
            }
            NodeMeaning::Sum(terms, constant, sort) => {
                let terms = terms.into_iter().map(|term| term.1).zip(children).collect();
                (Shape::Sum(terms, constant, sort), None, Sides::NONE)
            }
            NodeMeaning::Term(term) => (Shape::Leaf, Some(term), Sides::NONE),
            // It comes from lemmas alone and may count to any one group: to the last one.
            NodeMeaning::Difference => (Shape::Leaf, None, Sides::of_a(CutSet::EMPTY)),
            NodeMeaning::Owned(assertion) => {
                owner = Sides::of_a(refutation.assertion(assertion));
                (Shape::Leaf, None, owner)
            }
        };
        self.owners.push(owner);
        self.vertices.add(shape, term, sides)
    }

    /// Takes the occurrences of vertices down to their leaves and functions, which go to the subterms.
    pub(super) fn propagate_down(&mut self, store: &Store, dag: &mut Dag<W>) {
        for vertex in self.vertices.all().rev() {
            let sides = self.vertices.sides(vertex);
            let (children, function): (Vec<Vertex>, Option<Symbol>) = match self.vertices.shape(vertex) {
                Shape::Truth | Shape::Falsity | Shape::Numeral(_) => continue,
                Shape::Leaf => {
                    if let Some(term) = self.vertices.leaf_term(vertex) {
                        dag.add(store, term, sides);
                    }
                    continue;
                }
                Shape::Equation(a, b) => (vec![*a, *b], None),
                Shape::Sum(terms, ..) => (terms.iter().map(|term| term.1).collect(), None),
                Shape::Application(symbol, args) => (args.to_vec(), Some(*symbol)),
            };
            children.into_iter().for_each(|child| self.vertices.occur(child, sides));
            if let Some(symbol) = function {
                dag.add_function(symbol, sides);
            }
        }
    }

    /// Finds the sides on which vertices may be used, from those of the subterms.
    pub(super) fn propagate_up(&mut self, store: &Store, dag: &Dag<W>) {
        dag.functions().for_each(|(symbol, sides)| self.vertices.set_symbol(symbol, sides));
        for vertex in self.vertices.all() {
            if let (Shape::Leaf, Some(term)) = (self.vertices.shape(vertex), self.vertices.leaf_term(vertex))
            {
                self.vertices.set_sides(vertex, dag.sides(term));
            }
        }
        self.vertices.settle(store);
    }
}

/// A step of the derivation of a lemma.
#[derive(Clone, Debug)]
pub(super) enum LocalStep {
    /// A valid clause, which some side of each cut can write.
    Clause(Vec<Lit>),
    /// A linear resolution of local steps: the first and, for each of the others, its pivot and itself.
    Chain(usize, Vec<(Lit, usize)>),
}

/// The derivations of all lemmas about equations that need one.
#[derive(Debug, Default)]
pub(super) struct LocalProof {
    pub(super) steps: Vec<LocalStep>,
    /// By step of the proof that is a lemma with a derivation: the local step that derives it.
    ends: BTreeMap<usize, usize>,
}

impl LocalProof {
    /// The local step that derives the lemma at a step of the proof; none if the lemma is a clause that some side of
    /// each cut can write.
    pub(super) fn end(&self, step: usize) -> Option<usize> {
        self.ends.get(&step).copied()
    }
}

impl<const W: usize> Vocabulary<W> {
    /// Derives the lemmas about equations from clauses that some side of each cut can write.
    pub(super) fn localise(
        &mut self,
        store: &Store,
        refutation: Refutation<'_, W>,
        cuts: CutSet<W>,
    ) -> Result<LocalProof, Mixed> {
        let mut local = LocalProof::default();
        if self.equations.is_empty() {
            return Ok(local);
        }
        for (step, kind, clause, nodes) in refutation.equality_lemmas() {
            let sides =
                clause.iter().map(|lit| self.variable(lit.var()).sides).fold(Sides::BOTH, Sides::meet);
            if cuts.is_subset(&(sides.a | sides.b)) {
                continue;
            }
            if kind == LemmaKind::Bridge {
                return Err(Mixed::Bridge);
            }
            let mut assumptions = Vec::with_capacity(clause.len());
            for &lit in clause {
                let (a, b) = self.equation(lit.var()).ok_or(Mixed::Clause)?;
                if self.variable_of_equation(a, b) != lit.var() {
                    return Err(Mixed::Clause);
                }
                match self.equations.vertices.claim(a, b, !lit.is_positive()) {
                    Claim::Literal(literal) => assumptions.push(literal),
                    Claim::Constant(true) => {}
                    Claim::Constant(false) => return Err(Mixed::Clause),
                }
            }
            let others: Vec<Vertex> = nodes.iter().filter_map(|&node| self.equations.known(node)).collect();
            let vertices = &mut self.equations.vertices;
            let derivation = derive(store, vertices, &assumptions, &others).map_err(Mixed::Lemma)?;
            let mut places: Vec<usize> = Vec::with_capacity(derivation.steps.len());
            for derived in derivation.steps {
                let clause = derived.clause.iter().map(|&literal| self.local_lit(literal)).collect();
                let mut place = local.steps.len();
                local.steps.push(LocalStep::Clause(clause));
                if !derived.premises.is_empty() {
                    let premises = derived.premises.iter();
                    let rest =
                        premises.map(|&(literal, from)| (self.local_lit(literal), places[from])).collect();
                    local.steps.push(LocalStep::Chain(place, rest));
                    place += 1;
                }
                places.push(place);
            }
            local.ends.extend(places.last().map(|&end| (step.index(), end)));
        }
        Ok(local)
    }

    /// The literal of an equation, which may be a new variable.
    fn local_lit(&mut self, literal: Literal) -> Lit {
        self.variable_of_equation(literal.a, literal.b).lit(literal.positive)
    }
}
