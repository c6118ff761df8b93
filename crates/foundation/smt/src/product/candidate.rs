//! The candidate model of arithmetic and bits.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use shem_base::{BitVec, Rat};

use super::combination::Combination;
use crate::arith::Arith;
use crate::equality::{Node, NodeSort};

pub(super) type Map<K, V> = HashMap<K, V, FxBuildHasher>;

/// The values that the candidate model gives to arithmetic nodes and words.
pub(super) struct Candidate {
    /// By node: the number of its value. Nodes of one sort have the same number if they have the same value.
    numbers: Map<Node, u32>,
}

impl Candidate {
    /// The values in the model that arithmetic has fixed, and in the assignment of the bits.
    pub(super) fn new(combination: &Combination, arith: &Arith) -> Candidate {
        let mut numbers = Map::default();
        let mut known: Map<(NodeSort, Rat), u32> = Map::default();
        for (node, sort, form) in combination.forms.iter() {
            let next = known.len() as u32;
            let number = *known.entry((*sort, form.value(arith))).or_insert(next);
            numbers.insert(*node, number);
        }
        let mut words: Map<(NodeSort, &BitVec), u32> = Map::default();
        for (node, value) in combination.words.iter().flat_map(|words| words.values()) {
            let next = (known.len() + words.len()) as u32;
            let number = *words.entry((combination.closure().sort(node), value)).or_insert(next);
            numbers.insert(node, number);
        }
        Candidate { numbers }
    }

    /// The number of the value of an arithmetic node or a word.
    pub(super) fn number(&self, node: Node) -> Option<u32> {
        self.numbers.get(&node).copied()
    }

    /// What a node is in the model: the number of a value, or a class.
    pub(super) fn identity(&self, combination: &Combination, node: Node) -> u64 {
        match self.numbers.get(&node) {
            Some(&number) => u64::from(number) << 1 | 1,
            None => (combination.closure().class(node).index() as u64) << 1,
        }
    }
}
