//! Derivations of which each step has a side.
//!
//! The reasons why the vertices of a path are equal are taken in the order in which they were found. An assumed
//! equation, or one by an axiom, can be written on one side of each cut. One by congruence may not: of `f(a) = f(b)`,
//! `a` may be A's alone and `b` B's. Then the path from `a` to `b` goes through a vertex `m` that both can write,
//! and `f(m)` comes between: both know `f` (Fuchs, Goel, Grundy, Krstić and Tinelli 2012). What both sides of one cut
//! can write has a side of every other cut, so the cuts may be looked at one after the other.

use super::derivation::{Derivation, Facts};
use super::graph::{Graph, Premise, Reason};
use super::polygon::{Path, derive_ends};
use super::rules::saturate;
use super::vertex::{Claim, Literal, Vertex, Vertices};
use shem_term::Store;

/// Why a lemma has no derivation of which each step has a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::interpolate) enum Obstacle {
    /// It needs a term or an equation that neither side of some cut can write.
    MixedTerm,
    /// No contradiction was found among the terms of single sides.
    NoDerivation,
}

/// A derivation of a clause from valid clauses, each of which can be written on one side of every cut. The assumptions
/// are the negated literals of the clause; others are vertices that may help.
pub(in crate::interpolate) fn derive<const W: usize>(
    store: &Store,
    vertices: &mut Vertices<W>,
    assumptions: &[Literal],
    others: &[Vertex],
) -> Result<Derivation, Obstacle> {
    let mut graph = Graph::default();
    let mut facts = Facts::default();
    graph.add(vertices, Vertex::TRUTH);
    graph.add(vertices, Vertex::FALSITY);
    for &literal in assumptions {
        let known = graph.add(vertices, literal.a) && graph.add(vertices, literal.b);
        if !known || !vertices.are_pure(&[literal.a, literal.b]) {
            return Err(Obstacle::MixedTerm);
        }
        facts.assume(literal);
    }
    for &vertex in others {
        graph.add(vertices, vertex);
    }
    assumptions.iter().for_each(|&literal| graph.assume(literal));
    saturate(store, vertices, &mut graph);
    let [a, b] = graph.conflict().ok_or(Obstacle::NoDerivation)?;
    let needed = find_needed(vertices, &graph, [a, b]);
    let chains = vec![Vec::new(); graph.edges().len()];
    let mut localisation = Localisation { store, vertices, graph: &graph, facts, chains };
    for edge in (0..needed.len()).filter(|&edge| needed[edge]) {
        localisation.localise(edge)?;
    }
    let vertices = localisation.path(a, b);
    localisation.derive_ends(Path { vertices, broken: None })?;
    let Localisation { vertices, facts, .. } = localisation;
    facts.derivation_of(vertices.claim(a, b, true)).ok_or(Obstacle::NoDerivation)
}

/// By edge: whether the conflict needs it.
fn find_needed<const W: usize>(vertices: &Vertices<W>, graph: &Graph, conflict: [Vertex; 2]) -> Vec<bool> {
    let mut needed = vec![false; graph.edges().len()];
    let mark = |needed: &mut Vec<bool>, a: Vertex, b: Vertex| {
        graph.path(a, b).1.into_iter().for_each(|edge| needed[edge] = true);
    };
    mark(&mut needed, conflict[0], conflict[1]);
    for index in (0..needed.len()).rev() {
        if !needed[index] {
            continue;
        }
        let edge = &graph.edges()[index];
        match &edge.reason {
            Reason::Assumed => {}
            Reason::Congruence => {
                let [left, right] = edge.ends.map(|end| vertices.parts(end).map_or(&[][..], |parts| parts.1));
                left.iter().zip(right).for_each(|(&a, &b)| mark(&mut needed, a, b));
            }
            Reason::Axiom(premises) => {
                for &premise in premises {
                    match premise {
                        Premise::Equal(a, b) => mark(&mut needed, a, b),
                        Premise::Distinct { pair, witnesses } => {
                            mark(&mut needed, pair[0], witnesses[0]);
                            mark(&mut needed, pair[1], witnesses[1]);
                        }
                    }
                }
            }
        }
    }
    needed
}

/// Applications of one symbol, whose arguments are equal by parts of paths.
struct Piece {
    ends: [Vertex; 2],
    /// By argument: where the part of its path begins and ends.
    ranges: Vec<(usize, usize)>,
}

struct Localisation<'a, const W: usize> {
    store: &'a Store,
    vertices: &'a mut Vertices<W>,
    graph: &'a Graph,
    facts: Facts,
    /// By edge that was dealt with: the path from one end to the other, by equations that are known and have a side
    /// of every cut.
    chains: Vec<Vec<Vertex>>,
}

impl<const W: usize> Localisation<'_, W> {
    /// Finds the chain of an edge.
    fn localise(&mut self, index: usize) -> Result<(), Obstacle> {
        let edge = &self.graph.edges()[index];
        self.chains[index] = match &edge.reason {
            Reason::Assumed => edge.ends.to_vec(),
            Reason::Congruence => self.divide_congruence(edge.ends)?,
            Reason::Axiom(premises) => {
                let claims: Vec<Claim> =
                    premises.iter().map(|&premise| Graph::claim(self.vertices, premise)).collect();
                for &premise in premises {
                    self.derive_premise(premise)?;
                }
                self.add_fact(self.vertices.claim(edge.ends[0], edge.ends[1], true), &claims)?;
                edge.ends.to_vec()
            }
        };
        Ok(())
    }

    fn add_fact(&mut self, claim: Claim, premises: &[Claim]) -> Result<(), Obstacle> {
        if self.facts.add(claim, premises) { Ok(()) } else { Err(Obstacle::NoDerivation) }
    }

    fn derive_ends(&mut self, path: Path) -> Result<(), Obstacle> {
        derive_ends(self.vertices, &mut self.facts, path)
    }

    fn derive_premise(&mut self, premise: Premise) -> Result<(), Obstacle> {
        match premise {
            Premise::Equal(a, b) => {
                let vertices = self.path(a, b);
                self.derive_ends(Path { vertices, broken: None })
            }
            Premise::Distinct { pair: [a, b], witnesses: [p, q] } => {
                let mut vertices = self.path(a, p);
                let broken = Some(vertices.len() - 1);
                vertices.extend(self.path(q, b));
                let mut sorted = vertices.clone();
                sorted.sort_unstable();
                sorted.dedup();
                if sorted.len() < vertices.len() {
                    return Err(Obstacle::NoDerivation);
                }
                self.derive_ends(Path { vertices, broken })
            }
        }
    }

    /// The path between two vertices by the chains of its edges, without loops.
    fn path(&self, a: Vertex, b: Vertex) -> Vec<Vertex> {
        let (places, edges) = self.graph.path(a, b);
        let mut path = vec![a];
        let mut extend = |vertex: Vertex| match path.iter().position(|&other| other == vertex) {
            Some(place) => path.truncate(place + 1),
            None => path.push(vertex),
        };
        for (&from, &edge) in places.iter().zip(&edges) {
            let chain = &self.chains[edge];
            if chain.first() == Some(&from) {
                chain.iter().skip(1).for_each(|&vertex| extend(vertex));
            } else {
                chain.iter().rev().skip(1).for_each(|&vertex| extend(vertex));
            }
        }
        path
    }

    /// A chain of applications between two of one symbol whose arguments are equal.
    fn divide_congruence(&mut self, ends: [Vertex; 2]) -> Result<Vec<Vertex>, Obstacle> {
        let (Some((symbol, left)), Some((_, right))) =
            (self.vertices.parts(ends[0]), self.vertices.parts(ends[1]))
        else {
            return Err(Obstacle::NoDerivation);
        };
        let paths: Vec<Vec<Vertex>> = left.iter().zip(right).map(|(&a, &b)| self.path(a, b)).collect();
        let ranges = paths.iter().map(|path| (0, path.len() - 1)).collect();
        let mut chain = vec![ends[0]];
        let mut pieces = vec![Piece { ends, ranges }];
        while let Some(Piece { ends: [a, b], ranges }) = pieces.pop() {
            let met = self.vertices.sides(a).meet(self.vertices.sides(b));
            let Some(cut) = (self.vertices.cuts() & !(met.a | met.b)).iter().next() else {
                self.derive_congruence([a, b], &paths, &ranges)?;
                match chain.iter().position(|&other| other == b) {
                    Some(place) => chain.truncate(place + 1),
                    None => chain.push(b),
                }
                continue;
            };
            // One is A's alone and the other B's: the first vertex of the other's side is both's.
            let from_a = self.vertices.sides(a).a.contains(cut);
            let is_other = |vertex: Vertex| {
                let sides = self.vertices.sides(vertex);
                if from_a { sides.b.contains(cut) } else { sides.a.contains(cut) }
            };
            let between = paths.iter().zip(&ranges).map(|(path, &(from, to))| {
                (from..=to).find(|&place| is_other(path[place])).ok_or(Obstacle::MixedTerm)
            });
            let between = between.collect::<Result<Vec<usize>, Obstacle>>()?;
            let args: Vec<Vertex> = paths.iter().zip(&between).map(|(path, &place)| path[place]).collect();
            let middle = self.vertices.application(self.store, symbol, &args);
            if middle == a || middle == b || !self.vertices.covers(self.vertices.sides(middle)) {
                return Err(Obstacle::MixedTerm);
            }
            let halves = |half: fn((usize, usize), usize) -> (usize, usize)| {
                ranges.iter().zip(&between).map(|(&range, &place)| half(range, place)).collect()
            };
            pieces.push(Piece { ends: [middle, b], ranges: halves(|(_, to), place| (place, to)) });
            pieces.push(Piece { ends: [a, middle], ranges: halves(|(from, _), place| (from, place)) });
        }
        Ok(chain)
    }

    /// Derives that two applications of one symbol are equal. They have a side of every cut.
    fn derive_congruence(
        &mut self,
        [a, b]: [Vertex; 2],
        paths: &[Vec<Vertex>],
        ranges: &[(usize, usize)],
    ) -> Result<(), Obstacle> {
        let mut claims = Vec::with_capacity(paths.len());
        for (path, &(from, to)) in paths.iter().zip(ranges) {
            if from < to {
                claims.push(self.vertices.claim(path[from], path[to], true));
                self.derive_ends(Path { vertices: path[from..=to].to_vec(), broken: None })?;
            }
        }
        self.add_fact(self.vertices.claim(a, b, true), &claims)
    }
}
