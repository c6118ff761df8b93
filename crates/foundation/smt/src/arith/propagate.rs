//! Propagation of bounds to atoms.
//!
//! A new bound decides the atoms of the same variable on its side, up to the next one that is decided
//! already. Through a row, bounds of all variables but one bound that one (option `row_propagation`). What
//! was propagated is recorded with its reason; the clause is made only when conflict analysis asks for it.

use shem_base::{DeltaRat, Int, Lit, Rat, StampSet, add_work};
use shem_proof::{Lemma, LemmaKind};

use super::atoms::Atoms;
use super::bounds::Side;
use super::explain::opposite_bounds;
use super::simplex::Simplex;
use super::tableau::{Entry, Row};

/// Bounds of variables that occur in more rows than this are not propagated through rows.
const COLUMN_LENGTH: usize = 64;

/// Why a literal was propagated.
#[derive(Clone, Copy, Debug)]
enum Reason {
    /// The bound at this index of the trail, of the same variable.
    Bound(u32),
    /// Bounds weighted with Farkas coefficients, a range of `Propagations::premises`, that limit the sum of a row on
    /// this side.
    Row { start: u32, end: u32, side: Side },
}

/// A propagated literal.
#[derive(Debug)]
struct Record {
    lit: Lit,
    reason: Reason,
    /// The number of literals asserted when the search took the literal.
    mark: u32,
}

/// Instead of the index of a bound: the propagated literal itself.
const OWN: u32 = u32::MAX;

/// A bound with its Farkas coefficient.
#[derive(Debug)]
struct Premise {
    /// Its index on the trail, or `OWN`.
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
    /// The number of bounds on the trail that have been propagated through rows.
    through: usize,
    /// The rows through which this call has propagated.
    seen: StampSet,
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
    pub(super) fn propagate_bound(&mut self, atom: u32, side: Side, simplex: &Simplex, atoms: &mut Atoms) {
        let x = atoms.get(atom).var;
        if atoms.active(x).len() < 2 {
            return;
        }
        let reason = Reason::Bound(simplex.bounds.len() as u32 - 1);
        let mut index = atoms.active_index(atom);
        match side {
            Side::Upper => {
                if atoms.active(x).get(index) == Some(&atom) {
                    index += 1;
                }
                while let Some(&next) = atoms.active(x).get(index) {
                    if !self.record(next, true, reason, atoms) {
                        break;
                    }
                    index += 1;
                }
            }
            Side::Lower => {
                while index > 0 {
                    index -= 1;
                    let next = atoms.active(x)[index];
                    if !self.record(next, false, reason, atoms) {
                        break;
                    }
                }
            }
        }
    }

    /// Propagates through the rows of the variables that have got a bound since the last time, unless they
    /// have more than `length` entries.
    pub(super) fn through_rows(&mut self, length: usize, simplex: &Simplex, atoms: &mut Atoms) {
        self.seen.clear();
        while self.through < simplex.bounds.len() {
            let bound = simplex.bounds.at(self.through as u32);
            self.through += 1;
            // Propagation through very many rows is not worth its cost.
            if !simplex.is_attached(bound.var) || simplex.tableau.column_len(bound.var) > COLUMN_LENGTH {
                continue;
            }
            // The column of a basic variable is its row.
            for occurrence in simplex.tableau.column(bound.var) {
                let row = simplex.tableau.row(occurrence.row);
                if row.len() > length {
                    continue;
                }
                // The bound is one of those that limit the sum of the row on one side only.
                let side = bound.side.flip(row.at(occurrence.pos as usize).coeff.is_negative());
                if self.seen.insert(2 * occurrence.row as usize + side as usize) {
                    self.through_row(row, side, simplex, atoms);
                }
            }
        }
    }

    /// Bounds the terms of a row by the bounds of the others: the sum of all is zero, so a term is at most
    /// (`side` is `Lower`) the negated sum of the lower bounds of the others.
    fn through_row(&mut self, row: &Row, side: Side, simplex: &Simplex, atoms: &mut Atoms) {
        add_work(3 * row.len());
        let mut missing = None;
        for (pos, entry) in row.iter() {
            if simplex.bounds.get(entry.var, side.flip(entry.coeff.is_negative())).is_none() {
                if missing.is_some() {
                    return;
                }
                missing = Some(pos);
            }
        }
        // If a bound is missing, its variable is the only one that gets a bound from the others.
        let is_open = |(pos, entry): &(usize, &Entry)| {
            missing.is_none_or(|other| other == *pos) && atoms.is_open(entry.var)
        };
        if !row.iter().any(|entry| is_open(&entry)) {
            return;
        }
        let mut sum = DeltaRat::from(-row.constant());
        for entry in row.entries() {
            if let Some(bound) = simplex.bounds.get(entry.var, side.flip(entry.coeff.is_negative())) {
                sum.add_mul(&Rat::from(&entry.coeff), &bound.value);
            }
        }
        for (pos, Entry { coeff, var: x, .. }) in row.iter() {
            if missing.is_some_and(|other| other != pos) || !atoms.is_open(*x) {
                continue;
            }
            let blocking = side.flip(coeff.is_negative());
            let mut others = sum.clone();
            if let Some(bound) = simplex.bounds.get(*x, blocking) {
                others.sub_mul(&Rat::from(coeff), &bound.value);
            }
            let implied = if coeff.is_one() { -others } else { (-others).div(&Rat::from(coeff)) };
            if simplex.bounds.get(*x, blocking.opposite()).is_none_or(|bound| match blocking {
                Side::Lower => implied < bound.value,
                Side::Upper => implied > bound.value,
            }) {
                self.propagate_implied(row, pos, side, &implied, simplex, atoms);
            }
        }
    }

    /// Propagates to the atoms of the variable at `pos` that its implied bound decides.
    fn propagate_implied(
        &mut self,
        row: &Row,
        pos: usize,
        side: Side,
        implied: &DeltaRat,
        simplex: &Simplex,
        atoms: &mut Atoms,
    ) {
        let x = row.at(pos).var;
        let mut reason = None;
        let upper = side.flip(row.at(pos).coeff.is_negative()) == Side::Lower;
        // An atom is decided if its negation, as a bound, contradicts the implied one.
        let mut index =
            if upper { atoms.count_lower_at_most(x, implied) } else { atoms.count_upper_below(x, implied) };
        loop {
            if !upper && index == 0 {
                break;
            }
            let Some(&atom) = atoms.active(x).get(if upper { index } else { index - 1 }) else { break };
            if atoms.get(atom).is_assigned() {
                break;
            }
            let reason = *reason.get_or_insert_with(|| self.premise(row, pos, side, simplex));
            self.record(atom, upper, reason, atoms);
            if upper {
                index += 1;
            } else {
                index -= 1;
            }
        }
    }

    /// Stores the bounds that imply a bound on the variable at `pos`.
    fn premise(&mut self, row: &Row, pos: usize, side: Side, simplex: &Simplex) -> Reason {
        let start = self.premises.len() as u32;
        for (i, entry) in row.iter() {
            let bound = simplex.bounds.index(entry.var, side.flip(entry.coeff.is_negative()));
            let bound = if i == pos { OWN } else { bound.unwrap_or(OWN) };
            self.premises.push(Premise { bound, coeff: entry.coeff.abs() });
        }
        Reason::Row { start, end: self.premises.len() as u32, side }
    }

    /// Records that `atom` has the truth value `value`; false if the search knows a value already.
    fn record(&mut self, atom: u32, value: bool, reason: Reason, atoms: &mut Atoms) -> bool {
        let index = self.records.len();
        if atoms.get(atom).is_assigned() {
            return false;
        }
        atoms.set_propagation(atom, Some(index));
        self.records.push(Record { lit: atoms.get(atom).sat_var.lit(value), reason, mark: u32::MAX });
        self.count += 1;
        true
    }

    /// Fills `lemma` with the clause that made `lit` true.
    ///
    /// # Panics
    /// If the literal was not propagated, or has been taken back.
    pub(super) fn explain(&self, lit: Lit, simplex: &Simplex, atoms: &Atoms, lemma: &mut Lemma) {
        let atom = atoms.of(lit.var());
        let record = atom.and_then(|atom| atoms.get(atom).propagation());
        let Some((own, record)) = atom.zip(record.map(|i| &self.records[i])).filter(|(_, r)| r.lit == lit)
        else {
            panic!("{lit:?} was not propagated");
        };
        match record.reason {
            Reason::Bound(bound) => opposite_bounds(simplex.bounds.at(bound).lit, !lit, lemma),
            Reason::Row { start, end, side } => {
                lemma.start(LemmaKind::Farkas);
                let premises = &self.premises[start as usize..end as usize];
                for premise in premises {
                    let literal =
                        if premise.bound == OWN { lit } else { !simplex.bounds.at(premise.bound).lit };
                    lemma.add(literal, Rat::from(&premise.coeff));
                }
                let entries = premises.iter().map(|premise| {
                    let (x, blocking) = if premise.bound == OWN {
                        // An upper bound was propagated because a lower one would contradict the others.
                        let blocking = if lit.is_positive() { Side::Lower } else { Side::Upper };
                        (atoms.get(own).var, blocking)
                    } else {
                        let bound = simplex.bounds.at(premise.bound);
                        (bound.var, bound.side)
                    };
                    let coeff = Rat::from(&premise.coeff);
                    (x, if blocking == side { coeff } else { -coeff })
                });
                simplex.add_settled(entries, side, lemma);
            }
        }
    }

    /// Removes what the search has not taken, and what it took when more than `asserted` literals were
    /// asserted. `bounds` bounds are left on the trail.
    pub(super) fn backtrack(&mut self, asserted: usize, bounds: usize, atoms: &mut Atoms) {
        self.through = self.through.min(bounds);
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
                atoms.set_propagation(atom, None);
            }
            if let Reason::Row { start, .. } = record.reason {
                // The record before may have the same reason.
                let last = self.records.last().map(|r| r.reason);
                if !matches!(last, Some(Reason::Row { start: other, .. }) if other == start) {
                    self.premises.truncate(start as usize);
                }
            }
        }
    }

    /// Removes the records from number `first` on that concern atoms from number `atom_count` on.
    pub(super) fn forget_atoms(&mut self, first: usize, atom_count: usize, atoms: &mut Atoms) {
        let first = first.min(self.records.len());
        let mut kept = first;
        for i in first..self.records.len() {
            let Some(atom) = atoms.of(self.records[i].lit.var()) else { continue };
            if (atom as usize) < atom_count {
                atoms.set_propagation(atom, Some(kept));
                self.records.swap(kept, i);
                kept += 1;
            } else {
                atoms.set_propagation(atom, None);
                self.taken -= usize::from(i < self.taken);
            }
        }
        self.records.truncate(kept);
    }
}
