//! The tableau of the simplex: sparse rows with integer coefficients.
//!
//! A row is a vector of coprime integers whose scalar product with the variables is zero. One of its
//! variables is *basic*: it occurs in no other row, and the row defines its value. Integer rows need one
//! gcd a row and not one a coefficient, and their coefficients are the Farkas coefficients of a conflict as
//! they stand.
//!
//! Rows and columns point at each other. An entry that cancels leaves a dead slot behind in its row and in
//! its column, for the next entry to use: removing entries by moving others into their slot touched two
//! more rows or columns each time, a quarter of the run time on long unrollings. Storage of dropped rows
//! and emptied columns is used again.
//!
//! A variable that never moves again may leave the rows; what its entries amount to is the constant of a row.

use std::mem::take;

use shem_base::{Int, Rat, add_work};

use super::poly::ArithVar;

/// The absence of a row.
pub(super) const NO_ROW: u32 = u32::MAX;

/// The end of a list of dead slots.
const NO_SLOT: u32 = u32::MAX;

/// Instead of the variable of a dead entry.
const DEAD: ArithVar = ArithVar::new(u32::MAX);

/// A coefficient of a row.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) coeff: Int,
    pub(super) var: ArithVar,
    /// Where the column of `var` points back to this entry; in a dead slot, the next dead slot.
    column_pos: u32,
}

/// An occurrence of a variable in a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Occurrence {
    /// The row; `NO_ROW` in a dead slot.
    pub(super) row: u32,
    /// The position of the entry in the row; in a dead slot, the next dead slot.
    pub(super) pos: u32,
}

/// A row.
#[derive(Debug)]
pub(super) struct Row {
    /// BASIC-FIRST: the first slot of a live row is its basic variable, with a positive coefficient.
    slots: Vec<Entry>,
    /// The first dead slot.
    free: u32,
    /// The number of slots that are not dead.
    live: u32,
    /// The position in the list of live rows.
    live_index: u32,
    /// What the entries sum to: zero, unless columns have been dropped.
    constant: Rat,
}

impl Row {
    /// The number of entries.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.live as usize
    }

    /// What the entries sum to.
    #[inline]
    pub(super) fn constant(&self) -> &Rat {
        &self.constant
    }

    /// The entry of the basic variable.
    #[inline]
    pub(super) fn basic(&self) -> &Entry {
        &self.slots[0]
    }

    /// The entry at a position.
    #[inline]
    pub(super) fn at(&self, pos: usize) -> &Entry {
        &self.slots[pos]
    }

    /// The entries with their positions, the basic variable first.
    #[inline]
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &Entry)> {
        self.slots.iter().enumerate().filter(|(_, entry)| entry.var != DEAD)
    }

    /// The entries, the basic variable first.
    #[inline]
    pub(super) fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.slots.iter().filter(|entry| entry.var != DEAD)
    }

    fn push(&mut self, entry: Entry) -> u32 {
        self.live += 1;
        match self.slots.get_mut(self.free as usize) {
            None => {
                self.slots.push(entry);
                self.slots.len() as u32 - 1
            }
            Some(slot) => {
                let pos = self.free;
                self.free = slot.column_pos;
                *slot = entry;
                pos
            }
        }
    }
}

/// The occurrences of a variable.
#[derive(Debug)]
struct Column {
    slots: Vec<Occurrence>,
    free: u32,
    live: u32,
}

impl Column {
    const EMPTY: Column = Column { slots: Vec::new(), free: NO_SLOT, live: 0 };

    /// The slot that the next occurrence will take.
    #[inline]
    fn next_slot(&self) -> u32 {
        if self.free == NO_SLOT { self.slots.len() as u32 } else { self.free }
    }

    fn push(&mut self, occurrence: Occurrence) {
        self.live += 1;
        match self.slots.get_mut(self.free as usize) {
            None => self.slots.push(occurrence),
            Some(slot) => {
                self.free = slot.pos;
                *slot = occurrence;
            }
        }
    }

    fn remove(&mut self, slot: u32) {
        self.live -= 1;
        if self.live == 0 {
            self.slots.clear();
            self.free = NO_SLOT;
        } else {
            self.slots[slot as usize] = Occurrence { row: NO_ROW, pos: self.free };
            self.free = slot;
        }
    }
}

/// Rows, columns and the basis.
#[derive(Debug, Default)]
pub(super) struct Tableau {
    rows: Vec<Row>,
    /// The dropped rows, which are empty.
    free: Vec<u32>,
    /// The live rows in no particular order.
    live: Vec<u32>,
    /// MUTUAL: `columns[x]` holds exactly the positions of the entries of `x`.
    columns: Vec<Column>,
    /// The row in which a variable is basic, or `NO_ROW`.
    row_of: Vec<u32>,
    /// Scratch: one more than the position of a variable in the row at work; zero between operations.
    position: Vec<u32>,
}

impl Tableau {
    /// Makes room for the variables below `count`.
    pub(super) fn grow(&mut self, count: usize) {
        if self.columns.len() < count {
            self.columns.resize_with(count, || Column::EMPTY);
            self.row_of.resize(count, NO_ROW);
            self.position.resize(count, 0);
        }
    }

    /// The row in which `x` is basic, or `NO_ROW`.
    #[inline]
    pub(super) fn row_of(&self, x: ArithVar) -> u32 {
        self.row_of[x.index()]
    }

    /// Whether `x` is basic.
    #[inline]
    pub(super) fn is_basic(&self, x: ArithVar) -> bool {
        self.row_of[x.index()] != NO_ROW
    }

    /// A row.
    #[inline]
    pub(super) fn row(&self, row: u32) -> &Row {
        &self.rows[row as usize]
    }

    /// The basic variable of a live row.
    #[inline]
    pub(super) fn basic(&self, row: u32) -> ArithVar {
        self.rows[row as usize].slots[0].var
    }

    /// The occurrences of a variable.
    #[inline]
    pub(super) fn column(&self, x: ArithVar) -> impl Iterator<Item = Occurrence> {
        self.columns[x.index()].slots.iter().copied().filter(|occurrence| occurrence.row != NO_ROW)
    }

    /// The number of occurrences of a variable.
    #[inline]
    pub(super) fn column_len(&self, x: ArithVar) -> usize {
        self.columns[x.index()].live as usize
    }

    /// The live rows.
    #[inline]
    pub(super) fn live(&self) -> &[u32] {
        &self.live
    }

    /// Adds the row `s = sum of terms` for a variable `s` that occurs in no row, and makes `s` basic. Variables whose
    /// columns have been dropped have the value that `dropped` gives.
    pub(super) fn add_row<'v>(
        &mut self,
        s: ArithVar,
        terms: &[(ArithVar, Int)],
        dropped: impl Fn(ArithVar) -> Option<&'v Rat>,
    ) -> u32 {
        debug_assert!(self.columns[s.index()].live == 0);
        let row = self.free.pop().unwrap_or_else(|| {
            let (slots, constant) = (Vec::new(), Rat::ZERO);
            self.rows.push(Row { slots, free: NO_SLOT, live: 0, live_index: 0, constant });
            self.rows.len() as u32 - 1
        });
        self.rows[row as usize].live_index = self.live.len() as u32;
        self.live.push(row);
        self.push_entry(row, s, Int::ONE);
        for (x, coeff) in terms {
            match dropped(*x) {
                None => self.push_entry(row, *x, -coeff),
                Some(value) => self.rows[row as usize].constant.add_mul(&Rat::from(coeff), value),
            }
        }
        self.row_of[s.index()] = row;
        for (x, _) in terms {
            let source = self.row_of[x.index()];
            if source != NO_ROW {
                let found = self.rows[row as usize].slots.iter().position(|e| e.var == *x);
                // A row holds no basic variable but its own, so eliminating one basic variable of the
                // definition neither removes nor brings in another.
                if let Some(pos) = found {
                    let slot = self.rows[row as usize].slots[pos].column_pos;
                    self.columns[x.index()].remove(slot);
                    self.eliminate(row, pos, source);
                }
            }
        }
        row
    }

    /// Drops a row: its basic variable then occurs nowhere.
    pub(super) fn drop_row(&mut self, row: u32) {
        let basic = self.basic(row);
        self.row_of[basic.index()] = NO_ROW;
        while let Some(entry) = self.rows[row as usize].slots.pop() {
            if entry.var != DEAD {
                let column = &mut self.columns[entry.var.index()];
                column.remove(entry.column_pos);
                if column.slots.len() > 4 * column.live as usize + 16 {
                    self.compress_column(entry.var);
                }
            }
        }
        let Row { free, live, live_index, constant, .. } = &mut self.rows[row as usize];
        (*free, *live, *constant) = (NO_SLOT, 0, Rat::ZERO);
        let live_index = *live_index;
        self.live.swap_remove(live_index as usize);
        if let Some(&moved) = self.live.get(live_index as usize) {
            self.rows[moved as usize].live_index = live_index;
        }
        self.free.push(row);
    }

    /// Takes a variable that is not basic and always has this value out of all rows.
    pub(super) fn drop_column(&mut self, x: ArithVar, value: &Rat) {
        debug_assert!(!self.is_basic(x));
        let column = std::mem::replace(&mut self.columns[x.index()], Column::EMPTY);
        for Occurrence { row: number, pos } in column.slots.into_iter().filter(|slot| slot.row != NO_ROW) {
            let row = &mut self.rows[number as usize];
            let entry = &mut row.slots[pos as usize];
            let coeff = Rat::from(take(&mut entry.coeff));
            row.constant.sub_mul(&coeff, value);
            entry.var = DEAD;
            entry.column_pos = row.free;
            row.free = pos;
            row.live -= 1;
            make_coprime(row);
            if row.slots.len() > 2 * row.live as usize + 8 {
                self.compress(number);
            }
        }
    }

    /// Exchanges the basic variable of `row` with the variable at `pos` in it.
    pub(super) fn pivot(&mut self, row: u32, pos: usize) {
        debug_assert!(pos > 0);
        let slots = &mut self.rows[row as usize].slots;
        slots.swap(0, pos);
        let (entering, leaving) = (slots[0].var, slots[pos].var);
        self.columns[leaving.index()].slots[slots[pos].column_pos as usize].pos = pos as u32;
        if slots[0].coeff.is_negative() {
            for entry in slots.iter_mut() {
                entry.coeff = -take(&mut entry.coeff);
            }
            let constant = &mut self.rows[row as usize].constant;
            *constant = -take(constant);
        }
        let slots = &mut self.rows[row as usize].slots;
        // The column of the entering variable will hold this row only, in its first slot.
        slots[0].column_pos = 0;
        self.row_of[leaving.index()] = NO_ROW;
        self.row_of[entering.index()] = row;
        let mut column = std::mem::replace(&mut self.columns[entering.index()], Column::EMPTY);
        for i in 0..column.slots.len() {
            let Occurrence { row: target, pos } = column.slots[i];
            if target != row && target != NO_ROW {
                self.eliminate(target, pos as usize, row);
            }
        }
        column.slots.clear();
        column.slots.push(Occurrence { row, pos: 0 });
        (column.free, column.live) = (NO_SLOT, 1);
        self.columns[entering.index()] = column;
    }

    /// Adds to `target` the multiple of `source` that removes the basic variable of `source`, which is at
    /// `pos` in `target`, and makes the coefficients coprime again. The caller removes the occurrence of that
    /// variable from its column.
    fn eliminate(&mut self, target: u32, pos: usize, source: u32) {
        let Tableau { rows, columns, position, .. } = self;
        let Ok([to, from]) = rows.get_disjoint_mut([target as usize, source as usize]) else {
            unreachable!("a row is not eliminated from itself")
        };
        let pivot = &from.slots[0].coeff;
        let (scale, factor) = if pivot.is_one() {
            (Int::ONE, -&to.slots[pos].coeff)
        } else {
            let common = pivot.gcd(&to.slots[pos].coeff);
            (pivot.div_exact(&common), -to.slots[pos].coeff.div_exact(&common))
        };
        let rescale = !scale.is_one();
        add_work(to.slots.len() + from.slots.len());
        for (i, entry) in to.slots.iter_mut().enumerate() {
            if entry.var != DEAD {
                position[entry.var.index()] = i as u32 + 1;
                if rescale {
                    entry.coeff *= &scale;
                }
            }
        }
        for entry in from.slots.iter().filter(|entry| entry.var != DEAD) {
            let slot = position[entry.var.index()];
            if slot != 0 {
                to.slots[slot as usize - 1].coeff.add_mul(&factor, &entry.coeff);
            } else {
                let column = &mut columns[entry.var.index()];
                let column_pos = column.next_slot();
                let pos = to.push(Entry { coeff: &factor * &entry.coeff, var: entry.var, column_pos });
                column.push(Occurrence { row: target, pos });
            }
        }
        if rescale && !to.constant.is_zero() {
            to.constant = to.constant.mul_int(&scale);
        }
        if !from.constant.is_zero() {
            to.constant.add_mul(&Rat::from(&factor), &from.constant);
        }
        let Row { slots, free, live, .. } = &mut *to;
        for (i, entry) in slots.iter_mut().enumerate() {
            if entry.var != DEAD {
                position[entry.var.index()] = 0;
                if entry.coeff.is_zero() {
                    if i != pos {
                        columns[entry.var.index()].remove(entry.column_pos);
                    }
                    entry.var = DEAD;
                    entry.column_pos = *free;
                    *free = i as u32;
                    *live -= 1;
                }
            }
        }
        make_coprime(to);
        if to.slots.len() > 2 * to.live as usize + 8 {
            self.compress(target);
        }
    }

    fn push_entry(&mut self, row: u32, var: ArithVar, coeff: Int) {
        let column = &mut self.columns[var.index()];
        let column_pos = column.next_slot();
        let pos = self.rows[row as usize].push(Entry { coeff, var, column_pos });
        column.push(Occurrence { row, pos });
    }

    /// Removes the dead slots of a row.
    fn compress(&mut self, row: u32) {
        let Row { slots, free, .. } = &mut self.rows[row as usize];
        slots.retain(|entry| entry.var != DEAD);
        *free = NO_SLOT;
        for (i, entry) in slots.iter().enumerate() {
            self.columns[entry.var.index()].slots[entry.column_pos as usize].pos = i as u32;
        }
    }

    /// Removes the dead slots of a column.
    fn compress_column(&mut self, x: ArithVar) {
        let Column { slots, free, .. } = &mut self.columns[x.index()];
        slots.retain(|occurrence| occurrence.row != NO_ROW);
        *free = NO_SLOT;
        for (i, occurrence) in slots.iter().enumerate() {
            self.rows[occurrence.row as usize].slots[occurrence.pos as usize].column_pos = i as u32;
        }
    }

    /// Checks BASIC-FIRST, MUTUAL and that rows are coprime.
    pub(super) fn check_invariants(&self) {
        let mut entries = 0;
        for (i, &row) in self.live.iter().enumerate() {
            let row_number = row;
            let row = self.row(row);
            assert_eq!(row.live_index as usize, i);
            let basic = row.basic().var;
            assert_eq!(self.row_of[basic.index()], row_number);
            assert!(row.basic().coeff.is_positive());
            assert_eq!(self.column_len(basic), 1, "a basic variable occurs in one row");
            let mut common = Int::ZERO;
            for (pos, entry) in row.iter() {
                assert!(!entry.coeff.is_zero());
                common = common.gcd(&entry.coeff);
                let occurrence = self.columns[entry.var.index()].slots[entry.column_pos as usize];
                assert_eq!((occurrence.row, occurrence.pos as usize), (row_number, pos));
                assert!(pos == 0 || !self.is_basic(entry.var));
            }
            assert!(common.is_one());
            assert_eq!(row.len(), row.iter().count());
            entries += row.len();
        }
        for x in 0..self.columns.len() as u32 {
            assert_eq!(self.column_len(ArithVar::new(x)), self.column(ArithVar::new(x)).count());
        }
        assert_eq!(entries, self.columns.iter().map(|c| c.live as usize).sum::<usize>());
        assert_eq!(self.live.len() + self.free.len(), self.rows.len());
        assert!(self.free.iter().all(|&row| self.rows[row as usize].slots.is_empty()));
        assert!(self.position.iter().all(|&p| p == 0));
    }
}

/// Divides a row by the gcd of its coefficients.
fn make_coprime(row: &mut Row) {
    let Row { slots, constant, .. } = row;
    let mut common = slots[0].coeff.clone();
    for entry in &slots[1..] {
        if common.is_one() {
            return;
        }
        common = common.gcd(&entry.coeff);
    }
    if !common.is_one() {
        for entry in slots.iter_mut() {
            entry.coeff = entry.coeff.div_exact(&common);
        }
        if !constant.is_zero() {
            *constant = constant.div_int(&common);
        }
    }
}
