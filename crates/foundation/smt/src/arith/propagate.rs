//! Propagation of bounds to atoms.
//!
//! A new bound decides the atoms of the same variable on its side, up to the next one that is decided
//! already. Through a row, bounds of all variables but one bound that one (option `row_propagation`). What
//! was propagated is recorded with its reason; the clause is made only when conflict analysis asks for it.

use shem_base::{Int, Lit, Rat};
use shem_proof::{Lemma, LemmaKind};

use super::atoms::Atoms;
use super::bounds::Side;
use super::explain::opposite_bounds;
use super::simplex::Simplex;

/// Why a literal was propagated.
#[derive(Clone, Copy, Debug)]
enum Reason {
    /// The bound at this place of the trail, of the same variable.
    Bound(u32),
    /// Bounds weighted with Farkas coefficients, a range of `Propagations::premises`; and the coefficient
    /// of the propagated literal itself is the last of them.
    Row { start: u32, end: u32 },
}

/// A propagated literal.
#[derive(Debug)]
struct Record {
    lit: Lit,
    reason: Reason,
    /// The number of literals asserted when the search took the literal.
    mark: u32,
    /// The number of premises before it was recorded.
    premises: u32,
}

/// A bound with its Farkas coefficient.
#[derive(Debug)]
struct Premise {
    bound: u32,
    coeff: Int,
}

/// The literals propagated and not taken back.
#[derive(Debug, Default)]
pub(super) struct Propagations {
    records: Vec<Record>,
    premises: Vec<Premise>,
    /// The number of records that the search has taken.
    taken: usize,
    /// The number of literals ever propagated.
    pub(super) count: u64,
}

impl Propagations {
    /// The number of records.
    pub(super) fn len(&self) -> usize {
        self.records.len()
    }

    /// The next literal to hand to the search, which has asserted `asserted` literals.
    pub(super) fn next(&mut self, asserted: usize) -> Option<Lit> {
        let record = self.records.get_mut(self.taken)?;
        record.mark = asserted as u32;
        self.taken += 1;
        Some(record.lit)
    }

    /// Propagates to the atoms of the variable that the bound just asserted, the last on the trail, decides.
    /// `atom` is the atom that says it.
    pub(super) fn spread(&mut self, atom: u32, side: Side, simplex: &Simplex, atoms: &mut Atoms) {
        let x = atoms.get(atom).var;
        if atoms.awake(x).len() < 2 {
            return;
        }
        let reason = Reason::Bound(simplex.bounds.len() as u32 - 1);
        let mut place = atoms.awake_place(atom);
        match side {
            Side::Upper => {
                if atoms.awake(x).get(place) == Some(&atom) {
                    place += 1;
                }
                while let Some(&next) = atoms.awake(x).get(place) {
                    if !self.record(next, true, reason, atoms) {
                        break;
                    }
                    place += 1;
                }
            }
            Side::Lower => {
                while place > 0 {
                    place -= 1;
                    let next = atoms.awake(x)[place];
                    if !self.record(next, false, reason, atoms) {
                        break;
                    }
                }
            }
        }
    }

    /// Records that `atom` has the truth value `value`; false if the search knows a value already.
    fn record(&mut self, atom: u32, value: bool, reason: Reason, atoms: &mut Atoms) -> bool {
        let index = self.records.len();
        let atom = atoms.get_mut(atom);
        if atom.is_assigned() {
            return false;
        }
        atom.set_propagation(Some(index));
        self.records.push(Record {
            lit: atom.sat_var.lit(value),
            reason,
            mark: u32::MAX,
            premises: self.premises.len() as u32,
        });
        self.count += 1;
        true
    }

    /// Fills `lemma` with the clause that made `lit` true.
    ///
    /// # Panics
    /// If the literal was not propagated, or has been taken back.
    pub(super) fn explain(&self, lit: Lit, simplex: &Simplex, atoms: &Atoms, lemma: &mut Lemma) {
        let record = atoms.of(lit.var()).and_then(|atom| atoms.get(atom).propagation());
        let Some(record) = record.map(|i| &self.records[i]).filter(|r| r.lit == lit) else {
            panic!("{lit:?} was not propagated");
        };
        match record.reason {
            Reason::Bound(bound) => opposite_bounds(simplex.bounds.at(bound).lit, !lit, lemma),
            Reason::Row { start, end } => {
                lemma.start(LemmaKind::Farkas);
                for premise in &self.premises[start as usize..end as usize] {
                    let literal = if premise.bound == u32::MAX {
                        lit
                    } else {
                        !simplex.bounds.at(premise.bound).lit
                    };
                    lemma.add(literal, Rat::from(&premise.coeff));
                }
            }
        }
    }

    /// Forgets what the search has not taken, and what it took when more than `asserted` literals were
    /// asserted.
    pub(super) fn backtrack(&mut self, asserted: usize, atoms: &mut Atoms) {
        while let Some(record) = self.records.last() {
            if self.records.len() <= self.taken && record.mark as usize <= asserted {
                break;
            }
            self.pop(atoms);
        }
        self.taken = self.taken.min(self.records.len());
    }

    fn pop(&mut self, atoms: &mut Atoms) {
        if let Some(record) = self.records.pop() {
            if let Some(atom) = atoms.of(record.lit.var()) {
                atoms.get_mut(atom).set_propagation(None);
            }
            self.premises.truncate(record.premises as usize);
        }
    }

    /// Forgets the records from number `first` on that concern atoms from number `atom_count` on.
    pub(super) fn forget_atoms(&mut self, first: usize, atom_count: usize, atoms: &mut Atoms) {
        let mut kept = first.min(self.records.len());
        for i in kept..self.records.len() {
            let Some(atom) = atoms.of(self.records[i].lit.var()) else { continue };
            if (atom as usize) < atom_count {
                atoms.get_mut(atom).set_propagation(Some(kept));
                self.records.swap(kept, i);
                kept += 1;
            } else {
                atoms.get_mut(atom).set_propagation(None);
                self.taken -= usize::from(i < self.taken);
            }
        }
        self.records.truncate(kept);
    }
}
