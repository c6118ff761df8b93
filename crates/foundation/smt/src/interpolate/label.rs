//! Labelled interpolation systems.
//!
//! D'Silva, Kroening, Purandare and Weissenbacher (2010) gave one framework for the propositional systems:
//! every literal of a leaf is labelled *a*, *b* or both, and the label of a pivot decides how the partial
//! interpolants of a resolution are joined. A variable that only one side knows has that side's label; the
//! systems differ in the others. All systems here give the same label to all occurrences of a variable, so
//! the labels are two sets of cuts a variable and need not be carried through the proof.
//!
//! As a cut grows, labels move from *b* to *a* only, in every system. That is what path interpolants need.
//! The proof-sensitive system (Alt, Fedyukovich, Hyvärinen and Sharygina, 2015) counts occurrences in input
//! clauses; unlike the paper we give a tie to *b*, so that of several subtrees at most one has the label *a*,
//! which tree interpolants need.
//!
//! The system by occurrence is McMillan's as it is known from propositional logic, where a variable is shared
//! if it occurs on both sides. An atom whose symbols B knows, but which occurs in A only, belongs to A
//! alone there: the equality `x = 0` of A refutes `x < 0` by `x >= 0`, and only this gets into the interpolant. A
//! gate that occurs takes what it is defined by along.

use shem_proof::Origin;

use super::cutset::{CutSet, Sides};
use super::options::InterpolationSystem;
use super::refutation::Refutation;
use super::vocabulary::Vocabulary;

/// The label of one variable at each cut; neither means both.
#[derive(Clone, Copy, Debug)]
pub(super) struct Label<const W: usize> {
    /// The cuts where it is *a*.
    pub(super) a: CutSet<W>,
    /// The cuts where it is *b*.
    pub(super) b: CutSet<W>,
}

/// Writes the labels of all variables, by index.
pub(super) fn label<const W: usize>(
    system: InterpolationSystem,
    vocabulary: &Vocabulary<W>,
    refutation: Refutation<'_, W>,
    count: usize,
    out: &mut Vec<Label<W>>,
) {
    let counts = match system {
        InterpolationSystem::ProofSensitive => Some(count_occurrences(vocabulary, refutation, count)),
        _ => None,
    };
    let occurrences = match system {
        InterpolationSystem::Occurrence => occurrences(vocabulary, refutation),
        _ => Vec::new(),
    };
    let labels = vocabulary.variables.iter().enumerate().map(|(index, variable)| {
        let sides = variable.sides;
        let (only_a, only_b) = (sides.a & !sides.b, sides.b & !sides.a);
        match system {
            InterpolationSystem::McMillan => Label { a: only_a, b: sides.b },
            InterpolationSystem::Pudlak => Label { a: only_a, b: only_b },
            InterpolationSystem::DualMcMillan => Label { a: sides.a, b: only_b },
            InterpolationSystem::Occurrence => {
                let Sides { a, b } = occurrences[index];
                let own = only_a | (sides.a & sides.b & a & !b);
                Label { a: own, b: sides.b & !own }
            }
            InterpolationSystem::ProofSensitive => {
                let mut label = Label { a: only_a, b: only_b };
                let counts = counts.as_ref().map_or(&[][..], |all| &all[index * count..(index + 1) * count]);
                for cut in (sides.a & sides.b & CutSet::first(count)).iter() {
                    if counts[cut] > 0 {
                        label.a.insert(cut);
                    } else {
                        label.b.insert(cut);
                    }
                }
                label
            }
        }
    });
    out.clear();
    out.extend(labels);
}

/// By index: the sides on which the variable occurs, in assertions, assumptions and the definitions of gates
/// that do. Neither, if it comes from lemmas alone.
fn occurrences<const W: usize>(vocabulary: &Vocabulary<W>, refutation: Refutation<'_, W>) -> Vec<Sides<W>> {
    let mut sides = vec![Sides::NONE; vocabulary.variables.len()];
    let mut definitions = Vec::new();
    let mut circuits = Vec::new();
    for (_, origin, clause) in refutation.leaves() {
        match origin {
            Some(Origin::Assertion(number)) => {
                let own = Sides::of_a(refutation.assertion(number));
                for lit in clause {
                    let index = vocabulary.index_of(lit.var());
                    sides[index] = sides[index].join(own);
                }
            }
            Some(Origin::Definition) => match vocabulary.defined_gate(clause) {
                Some(gate) => circuits.push((clause.iter().map(|lit| lit.var()).max(), gate, clause)),
                None => {
                    definitions.extend(vocabulary.defined(clause).map(|(index, term)| (term, index, clause)));
                }
            },
            None => {}
        }
    }
    for &(lit, a) in refutation.assumptions {
        let index = vocabulary.index_of(lit.var());
        sides[index] = sides[index].join(Sides::of_a(a));
    }
    // A formula is older than what it is part of: gates come before what they are defined by.
    definitions.sort_by_key(|&(term, ..)| std::cmp::Reverse(term));
    circuits.sort_by_key(|&(var, ..)| std::cmp::Reverse(var));
    let definitions = definitions.into_iter().map(|(_, gate, clause)| (gate, clause));
    for (gate, clause) in definitions.chain(circuits.into_iter().map(|(_, gate, clause)| (gate, clause))) {
        let own = sides[gate];
        for lit in clause {
            let index = vocabulary.index_of(lit.var());
            sides[index] = sides[index].join(own);
        }
    }
    sides
}

/// By index and cut: how many more occurrences of the variable in assertions and assumptions are on the A
/// side than on the B side. Definitions do not count: they belong to no side.
fn count_occurrences<const W: usize>(
    vocabulary: &Vocabulary<W>,
    refutation: Refutation<'_, W>,
    count: usize,
) -> Vec<i32> {
    let mut balance = vec![0i32; vocabulary.variables.len() * count];
    let mut occur = |index: usize, a: CutSet<W>| {
        for (cut, entry) in balance[index * count..(index + 1) * count].iter_mut().enumerate() {
            *entry += if a.contains(cut) { 1 } else { -1 };
        }
    };
    for (_, origin, clause) in refutation.leaves() {
        if let Some(Origin::Assertion(number)) = origin {
            for lit in clause {
                occur(vocabulary.index_of(lit.var()), refutation.assertion(number));
            }
        }
    }
    for &(lit, a) in refutation.assumptions {
        occur(vocabulary.index_of(lit.var()), a);
    }
    balance
}
