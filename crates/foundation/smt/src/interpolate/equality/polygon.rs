//! Transitivity, one side at a time.
//!
//! The vertices of a path of equations and the equation of its ends are a polygon; neighbours can be written
//! together on one side of each cut, but not all vertices. At a cut where they cannot, a longest run of vertices that
//! A can write, with one in it that B cannot, ends at two vertices that both can write. The equation of these two
//! divides the polygon in two smaller ones, until each is a valid clause over the symbols of one side of each cut.
//! These equations are the summaries of paths of one colour by McMillan (2005) and Fuchs, Goel, Grundy, Krstić and
//! Tinelli (2012). Unlike there, a polygon is divided once for all cuts, so that the interpolants form sequences and
//! trees by themselves.

use super::derivation::Facts;
use super::localise::Obstacle;
use super::vertex::{Claim, Vertex, Vertices};

/// A path of known equations, of which at most one is known not to hold.
#[derive(Clone, Debug)]
pub(super) struct Path {
    /// All different.
    pub(super) vertices: Vec<Vertex>,
    /// The place of the equation that does not hold, which is between this vertex and the next one.
    pub(super) broken: Option<usize>,
}

impl Path {
    /// Whether the ends of the path are equal, or that they are not.
    fn claim<const W: usize>(&self, vertices: &Vertices<W>) -> Claim {
        vertices.claim(self.vertices[0], self.vertices[self.vertices.len() - 1], self.broken.is_none())
    }

    /// Takes out what lies strictly between two places: the inner path, and what is left.
    fn divide(&self, from: usize, to: usize) -> (Path, Path) {
        let inner = Path {
            vertices: self.vertices[from..=to].to_vec(),
            broken: self.broken.filter(|place| (from..to).contains(place)).map(|place| place - from),
        };
        let mut vertices = self.vertices[..=from].to_vec();
        vertices.extend_from_slice(&self.vertices[to..]);
        let broken = self.broken.map(|place| match place {
            place if place < from => place,
            place if place < to => from,
            place => place - (to - from) + 1,
        });
        (inner, Path { vertices, broken })
    }
}

/// Derives that the ends of the path are equal or that they are not.
pub(super) fn derive_ends<const W: usize>(
    vertices: &Vertices<W>,
    facts: &mut Facts,
    path: Path,
) -> Result<(), Obstacle> {
    let mut stack = vec![path];
    while let Some(path) = stack.pop() {
        let claim = path.claim(vertices);
        if path.vertices.len() < 2 || facts.is_known(claim) {
            continue;
        }
        if let Some((from, to)) = find_chord(vertices, &path.vertices)? {
            let (inner, outer) = path.divide(from, to);
            stack.push(outer);
            stack.push(inner);
            continue;
        }
        let edges = path.vertices.windows(2).enumerate();
        let premises: Vec<Claim> =
            edges.map(|(place, pair)| vertices.claim(pair[0], pair[1], path.broken != Some(place))).collect();
        if !facts.add(claim, &premises) {
            return Err(Obstacle::NoDerivation);
        }
    }
    Ok(())
}

/// The places of the two vertices whose equation divides the polygon; none if no cut needs that.
fn find_chord<const W: usize>(
    vertices: &Vertices<W>,
    polygon: &[Vertex],
) -> Result<Option<(usize, usize)>, Obstacle> {
    let all = polygon.iter().map(|&vertex| vertices.sides(vertex)).reduce(|all, sides| all.meet(sides));
    let Some(all) = all else { return Ok(None) };
    let Some(cut) = (vertices.cuts() & !(all.a | all.b)).iter().next() else { return Ok(None) };
    let count = polygon.len();
    let in_a = |place: usize| vertices.sides(polygon[place % count]).a.contains(cut);
    let in_b = |place: usize| vertices.sides(polygon[place % count]).b.contains(cut);
    // Some vertex is not A's and some vertex is not B's. Places are counted from the first of the latter.
    let own = (0..count).find(|&place| !in_b(place)).ok_or(Obstacle::MixedTerm)?;
    let after = (own..own + count).take_while(|&place| in_a(place)).last().ok_or(Obstacle::MixedTerm)?;
    let before = (own + 1..=own + count).rev().take_while(|&place| in_a(place)).last();
    let before = before.ok_or(Obstacle::MixedTerm)?;
    let (before, after) = (before % count, after % count);
    let (from, to) = (before.min(after), before.max(after));
    let divides = to - from > 1 && to - from + 1 < count;
    if divides && in_b(from) && in_b(to) { Ok(Some((from, to))) } else { Err(Obstacle::MixedTerm) }
}
