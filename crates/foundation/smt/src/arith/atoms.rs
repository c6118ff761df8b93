//! Atoms: propositional variables that mean `x <= c` or `x < c`.
//!
//! The atoms of a variable are kept sorted by their bound, which serves lookup and the propagation between
//! neighbours. Bounds of integer variables are tightened here, so that strict atoms exist for reals only
//! and the negation of `x <= c` is `x >= c + 1`. An atom that no active clause mentions may be *dormant*:
//! it can be looked up and asserted, but propagation passes it over, so that thousands of switched-off
//! atoms cost nothing.

use std::ops::RangeInclusive;

use shem_base::{DeltaRat, Rat, Var};

use super::poly::ArithVar;

/// The absence of an atom or of a propagation.
const NONE: u32 = u32::MAX;

/// An atom.
#[derive(Clone, Debug)]
pub(super) struct Atom {
    pub(super) var: ArithVar,
    pub(super) sat_var: Var,
    /// The upper bound that the atom means when it is true.
    pub(super) upper: DeltaRat,
    /// The lower bound that the atom means when it is false.
    pub(super) lower: DeltaRat,
    /// See [`key_of`].
    key: i64,
    /// Whether a literal of the atom has been asserted.
    asserted: bool,
    dormant: bool,
    /// The record of its propagation, or `NONE`.
    propagation: u32,
}

impl Atom {
    /// Whether it has a truth value in the search, or will get one by a propagation.
    #[inline]
    pub(super) fn is_assigned(&self) -> bool {
        self.asserted || self.propagation != NONE
    }

    /// The record of its propagation, if it was propagated.
    pub(super) fn propagation(&self) -> Option<usize> {
        (self.propagation != NONE).then_some(self.propagation as usize)
    }

    /// Whether it is active and has no truth value yet.
    #[inline]
    fn is_open(&self) -> bool {
        !self.dormant && !self.is_assigned()
    }
}

/// The sorted atoms of one variable, as numbers of atoms.
#[derive(Debug, Default)]
struct SortedAtoms {
    /// SORTED: by upper bound, strictly increasing.
    all: Vec<u32>,
    /// Those of `all` that are active, that is, not dormant, in the same order.
    active: Vec<u32>,
    /// KEYS: the keys of the active atoms, so that most of a search among them reads numbers that lie side by side.
    keys: Vec<i64>,
    /// OPEN: how many of `active` have no truth value yet.
    open: u32,
}

/// All atoms.
#[derive(Debug, Default)]
pub(super) struct Atoms {
    atoms: Vec<Atom>,
    by_sat_var: Vec<u32>,
    by_variable: Vec<SortedAtoms>,
}

/// The upper bound that `x <= c` (or `x < c`) means, tightened for integers.
fn upper_bound(c: &Rat, strict: bool, is_int: bool) -> DeltaRat {
    if is_int {
        let bound = if strict { Rat::from(c.ceil()) - Rat::ONE } else { Rat::from(c.floor()) };
        DeltaRat::from(bound)
    } else {
        if strict { DeltaRat::below(c.clone()) } else { DeltaRat::from(c.clone()) }
    }
}

/// A number that orders bounds roughly: of two bounds the smaller has no greater key.
fn key_of(bound: &DeltaRat) -> i64 {
    let floor = bound.real.floor();
    floor.to_i64().unwrap_or(if floor.is_negative() { i64::MIN } else { i64::MAX })
}

impl Atoms {
    /// The number of atoms.
    pub(super) fn len(&self) -> usize {
        self.atoms.len()
    }

    /// Makes room for the variables below `count`.
    pub(super) fn grow(&mut self, count: usize) {
        if self.by_variable.len() < count {
            self.by_variable.resize_with(count, SortedAtoms::default);
        }
    }

    /// The number of the atom of a propositional variable.
    #[inline]
    pub(super) fn of(&self, var: Var) -> Option<u32> {
        self.by_sat_var.get(var.index()).copied().filter(|&a| a != NONE)
    }

    /// The atom with this number.
    #[inline]
    pub(super) fn get(&self, atom: u32) -> &Atom {
        &self.atoms[atom as usize]
    }

    /// Changes what is known of an atom.
    #[inline]
    fn change(&mut self, atom: u32, change: impl FnOnce(&mut Atom)) {
        let atom = &mut self.atoms[atom as usize];
        let before = atom.is_open();
        change(atom);
        let after = atom.is_open();
        if before != after {
            let open = &mut self.by_variable[atom.var.index()].open;
            *open = if after { *open + 1 } else { *open - 1 };
        }
    }

    /// Notes whether a literal of the atom is asserted.
    #[inline]
    pub(super) fn set_asserted(&mut self, atom: u32, asserted: bool) {
        self.change(atom, |atom| atom.asserted = asserted);
    }

    /// Sets the record of the propagation of an atom.
    #[inline]
    pub(super) fn set_propagation(&mut self, atom: u32, record: Option<usize>) {
        self.change(atom, |atom| atom.propagation = record.map_or(NONE, |r| r as u32));
    }

    /// The atom `x <= c` (`x < c` if `strict`), if it exists.
    pub(super) fn find(&self, x: ArithVar, c: &Rat, strict: bool, is_int: bool) -> Option<u32> {
        let upper = upper_bound(c, strict, is_int);
        let all = &self.by_variable[x.index()].all;
        all.binary_search_by(|&a| self.atoms[a as usize].upper.cmp(&upper)).ok().map(|i| all[i])
    }

    /// Makes `sat_var` mean `x <= c` (`x < c` if `strict`).
    ///
    /// # Panics
    /// If the atom exists already or the propositional variable means something else.
    pub(super) fn add(&mut self, x: ArithVar, c: &Rat, strict: bool, is_int: bool, sat_var: Var) -> u32 {
        let upper = upper_bound(c, strict, is_int);
        let lower = if is_int {
            DeltaRat::from(&upper.real + &Rat::ONE)
        } else {
            DeltaRat::new(c.clone(), if strict { Rat::ZERO } else { Rat::ONE })
        };
        if self.by_sat_var.len() <= sat_var.index() {
            self.by_sat_var.resize(sat_var.index() + 1, NONE);
        }
        let slot = &mut self.by_sat_var[sat_var.index()];
        assert!(*slot == NONE, "the propositional variable is an atom already");
        let atom = self.atoms.len() as u32;
        *slot = atom;
        let key = key_of(&upper);
        let active_index = self.place(x, key, &upper);
        let SortedAtoms { all, active, keys, open } = &mut self.by_variable[x.index()];
        let below = |a: &u32| self.atoms[*a as usize].upper < upper;
        let index = all.partition_point(below);
        assert!(
            all.get(index).is_none_or(|&a| self.atoms[a as usize].upper != upper),
            "the atom exists already"
        );
        all.insert(index, atom);
        active.insert(active_index, atom);
        keys.insert(active_index, key);
        *open += 1;
        self.atoms.push(Atom {
            var: x,
            sat_var,
            upper,
            lower,
            key,
            asserted: false,
            dormant: false,
            propagation: NONE,
        });
        atom
    }

    /// Makes an atom dormant or active.
    pub(super) fn set_dormant(&mut self, atom: u32, dormant: bool) {
        let Atom { var, key, dormant: ref was, .. } = self.atoms[atom as usize];
        if *was == dormant {
            return;
        }
        let index = self.active_index(atom);
        let SortedAtoms { active, keys, .. } = &mut self.by_variable[var.index()];
        if dormant {
            active.remove(index);
            keys.remove(index);
        } else {
            active.insert(index, atom);
            keys.insert(index, key);
        }
        self.change(atom, |atom| atom.dormant = dormant);
    }

    /// The atoms of `x` that take part in propagation, sorted.
    #[inline]
    pub(super) fn active(&self, x: ArithVar) -> &[u32] {
        &self.by_variable[x.index()].active
    }

    /// Whether an active atom of `x` has no truth value yet.
    #[inline]
    pub(super) fn is_open(&self, x: ArithVar) -> bool {
        self.by_variable[x.index()].open > 0
    }

    /// The index of the atom among the active atoms of its variable, or where it would be inserted.
    #[inline]
    pub(super) fn active_index(&self, atom: u32) -> usize {
        let Atom { var, upper, key, .. } = &self.atoms[atom as usize];
        self.place(*var, *key, upper)
    }

    /// How many of the active atoms of a variable have a smaller bound than this one, which has this key.
    #[inline]
    fn place(&self, x: ArithVar, key: i64, upper: &DeltaRat) -> usize {
        self.count(x, key..=key, |atom| atom.upper < *upper)
    }

    /// How many of the active atoms of a variable mean an upper bound below this one.
    #[inline]
    pub(super) fn count_upper_below(&self, x: ArithVar, bound: &DeltaRat) -> usize {
        self.place(x, key_of(bound), bound)
    }

    /// How many of the active atoms of a variable mean, when they are false, a lower bound that is at most this one.
    #[inline]
    pub(super) fn count_lower_at_most(&self, x: ArithVar, bound: &DeltaRat) -> usize {
        // The lower bound of an atom is at most by one greater than the upper one.
        let key = key_of(bound);
        self.count(x, key.saturating_sub(1)..=key, |atom| atom.lower <= *bound)
    }

    /// How many of the active atoms of a variable come before the first for which this does not hold. It holds for those
    /// with keys before the range, and not for those with keys after it.
    #[inline]
    fn count(&self, x: ArithVar, range: RangeInclusive<i64>, holds: impl Fn(&Atom) -> bool) -> usize {
        let SortedAtoms { active, keys, .. } = &self.by_variable[x.index()];
        let start = keys.partition_point(|key| key < range.start());
        let mut end = start;
        if keys.get(start).is_some_and(|key| key <= range.end()) {
            end += 1;
            if keys.get(end).is_some_and(|key| key <= range.end()) {
                end += keys[end..].partition_point(|key| key <= range.end());
            }
        }
        start + active[start..end].partition_point(|&a| holds(&self.atoms[a as usize]))
    }

    /// Removes the atoms from number `count` on.
    pub(super) fn truncate(&mut self, count: usize) {
        while self.atoms.len() > count {
            let atom = self.atoms.len() as u32 - 1;
            let x = self.atoms[atom as usize].var;
            if !self.atoms[atom as usize].dormant {
                self.set_dormant(atom, true);
            }
            let upper = &self.atoms[atom as usize].upper;
            let index =
                self.by_variable[x.index()].all.partition_point(|&a| self.atoms[a as usize].upper < *upper);
            self.by_variable[x.index()].all.remove(index);
            if let Some(atom) = self.atoms.pop() {
                self.by_sat_var[atom.sat_var.index()] = NONE;
            }
        }
        while self.by_sat_var.last() == Some(&NONE) {
            self.by_sat_var.pop();
        }
    }

    /// Checks SORTED, KEYS, OPEN and the cross references.
    pub(super) fn check_invariants(&self) {
        let mut count = 0;
        for sorted in &self.by_variable {
            count += sorted.all.len();
            let upper = |a: u32| &self.atoms[a as usize].upper;
            assert!(sorted.all.windows(2).all(|w| upper(w[0]) < upper(w[1])));
            let active = sorted.all.iter().filter(|&&a| !self.atoms[a as usize].dormant);
            assert!(active.eq(&sorted.active));
            let keys = sorted.active.iter().map(|&a| key_of(upper(a)));
            assert!(keys.eq(sorted.keys.iter().copied()));
            let open = sorted.active.iter().filter(|&&a| !self.atoms[a as usize].is_assigned()).count();
            assert_eq!(sorted.open as usize, open);
        }
        assert_eq!(count, self.atoms.len());
        for (i, atom) in self.atoms.iter().enumerate() {
            assert_eq!(self.by_sat_var[atom.sat_var.index()] as usize, i);
        }
    }
}
