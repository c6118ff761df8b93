//! Lemmas by the frame up to which they hold.
//!
//! Frame i has the states that may be reached in at most i steps: those outside of the cubes of all lemmas of level i
//! and more. A lemma is kept once, at the highest level that is known.

use shem_base::Lit;

use crate::bits::Cube;

/// A cube without reachable states within some number of steps.
#[derive(Clone, Debug)]
pub(super) struct Lemma {
    pub cube: Cube,
    /// A set of bits, one for each literal: a cube that is part of another has no bit that the other has not.
    signature: u64,
}

impl Lemma {
    fn new(cube: Cube) -> Lemma {
        let signature = signature(&cube);
        Lemma { cube, signature }
    }

    /// Whether the cube of this lemma has all states of another cube.
    fn covers(&self, cube: &[Lit], signature: u64) -> bool {
        self.signature & !signature == 0 && self.cube.len() <= cube.len() && is_subset(&self.cube, cube)
    }
}

fn signature(cube: &[Lit]) -> u64 {
    cube.iter().fold(0, |set, lit| set | 1 << (lit.code().wrapping_mul(0x9e37_79b1) >> 26))
}

/// Whether all literals of a sorted list are in another one.
fn is_subset(part: &[Lit], whole: &[Lit]) -> bool {
    let mut rest = whole.iter();
    part.iter().all(|lit| rest.by_ref().find(|other| *other >= lit) == Some(lit))
}

/// The lemmas of all levels.
///
/// Invariant *irredundant*: no lemma is implied by another one of its level or a higher one.
#[derive(Clone, Debug, Default)]
pub(super) struct Frames {
    levels: Vec<Vec<Lemma>>,
}

impl Frames {
    /// The lemmas of exactly this level.
    pub(super) fn level(&self, level: usize) -> &[Lemma] {
        self.levels.get(level).map_or(&[], Vec::as_slice)
    }

    /// The lemmas that hold up to this level, at least.
    pub(super) fn at_or_above(&self, level: usize) -> impl Iterator<Item = &Lemma> {
        self.levels.iter().skip(level).flatten()
    }

    /// The number of lemmas.
    pub(super) fn len(&self) -> usize {
        self.levels.iter().map(Vec::len).sum()
    }

    /// Whether the cube is that of a lemma of exactly this level.
    pub(super) fn has(&self, cube: &[Lit], level: usize) -> bool {
        self.level(level).iter().any(|lemma| lemma.cube == cube)
    }

    /// Whether a lemma says that no state of the cube is reached within so many steps.
    pub(super) fn excludes(&self, cube: &[Lit], level: usize) -> bool {
        let signature = signature(cube);
        self.at_or_above(level).any(|lemma| lemma.covers(cube, signature))
    }

    /// Adds a lemma and removes those that it implies. Returns whether it says something new.
    pub(super) fn add(&mut self, cube: Cube, level: usize) -> bool {
        if self.excludes(&cube, level) {
            return false;
        }
        let lemma = Lemma::new(cube);
        for lemmas in self.levels.iter_mut().take(level + 1) {
            lemmas.retain(|other| !lemma.covers(&other.cube, other.signature));
        }
        if self.levels.len() <= level {
            self.levels.resize_with(level + 1, Vec::new);
        }
        self.levels[level].push(lemma);
        true
    }

    /// Panics unless the invariant holds.
    #[cfg(test)]
    pub(super) fn check_invariants(&self) {
        for (level, lemmas) in self.levels.iter().enumerate() {
            for (at, lemma) in lemmas.iter().enumerate() {
                assert!(lemma.cube.is_sorted());
                for (other_level, others) in self.levels.iter().enumerate().skip(level) {
                    for (other_at, other) in others.iter().enumerate() {
                        let same = (level, at) == (other_level, other_at);
                        assert!(same || !other.covers(&lemma.cube, lemma.signature));
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use shem_base::{Rng, Var};

    use super::*;

    /// Whether a state of four bits is in a cube.
    fn has(cube: &[Lit], state: u32) -> bool {
        cube.iter().all(|lit| (state >> lit.var().index() & 1 == 1) == lit.is_positive())
    }

    #[test]
    fn lemmas_say_what_was_added() {
        let mut rng = Rng::new(5);
        for _ in 0..200 {
            let mut frames = Frames::default();
            let mut added: Vec<(Cube, usize)> = Vec::new();
            for _ in 0..20 {
                let mut cube = Vec::new();
                for var in 0..4 {
                    match rng.below(3) {
                        0 => cube.push(Var::new(var).positive()),
                        1 => cube.push(Var::new(var).negative()),
                        _ => {}
                    }
                }
                let level = 1 + rng.index(4);
                let known = added.iter().any(|(other, at)| *at >= level && is_subset(other, &cube));
                assert_eq!(frames.excludes(&cube, level), known);
                assert_eq!(frames.add(cube.clone(), level), !known);
                assert!(frames.excludes(&cube, level));
                added.push((cube, level));
                frames.check_invariants();
            }
            for level in 1..6 {
                for state in 0..16 {
                    let before = added.iter().any(|(cube, at)| *at >= level && has(cube, state));
                    let after = frames.at_or_above(level).any(|lemma| has(&lemma.cube, state));
                    assert_eq!(before, after, "{state} at {level}");
                }
            }
        }
    }
}
