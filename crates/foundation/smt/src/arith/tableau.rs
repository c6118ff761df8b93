//! The tableau of the simplex: sparse rows with integer coefficients.
//!
//! A row is a vector of coprime integers whose scalar product with the variables is zero. One of its
//! variables is *basic*: it occurs in no other row, and the row defines its value. Integer rows need one
//! gcd a row and not one a coefficient, and their coefficients are the Farkas coefficients of a conflict as
//! they stand. Rows and columns point at each other, so that an entry is found and removed in constant
//! time; storage of dropped rows and emptied columns is used again.

use std::mem::take;

use shem_base::Int;

use super::poly::ArithVar;

/// The absence of a row.
pub(super) const NO_ROW: u32 = u32::MAX;

/// A coefficient of a row.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) coeff: Int,
    pub(super) var: ArithVar,
    /// Where the column of `var` points back to this entry.
    column_pos: u32,
}

/// An occurrence of a variable in a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Occurrence {
    pub(super) row: u32,
    /// The position of the entry in the row.
    pub(super) pos: u32,
}

/// Rows, columns and the basis.
#[derive(Debug, Default)]
pub(super) struct Tableau {
    /// BASIC-FIRST: the first entry of a live row is its basic variable, with a positive coefficient.
    /// A dropped row is empty.
    rows: Vec<Vec<Entry>>,
    /// The dropped rows.
    free: Vec<u32>,
    /// The live rows in no particular order, and for each row its position there.
    live: Vec<u32>,
    live_pos: Vec<u32>,
    /// MUTUAL: `columns[x]` holds exactly the places of the entries of `x`.
    columns: Vec<Vec<Occurrence>>,
    /// The row in which a variable is basic, or `NO_ROW`.
    row_of: Vec<u32>,
    /// Scratch: one more than the position of a variable in the row at work; zero between operations.
    position: Vec<u32>,
}

impl Tableau {
    /// Makes room for the variables below `count`.
    pub(super) fn grow(&mut self, count: usize) {
        if self.columns.len() < count {
            self.columns.resize_with(count, Vec::new);
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

    /// The entries of a row, the basic variable first.
    #[inline]
    pub(super) fn row(&self, row: u32) -> &[Entry] {
        &self.rows[row as usize]
    }

    /// The basic variable of a live row.
    #[inline]
    pub(super) fn basic(&self, row: u32) -> ArithVar {
        self.rows[row as usize][0].var
    }

    /// The occurrences of a variable.
    #[inline]
    pub(super) fn column(&self, x: ArithVar) -> &[Occurrence] {
        &self.columns[x.index()]
    }

    /// The live rows.
    #[inline]
    pub(super) fn live(&self) -> &[u32] {
        &self.live
    }

    /// Adds the row `s = sum of terms` for a variable `s` that occurs in no row, and makes `s` basic.
    pub(super) fn add_row(&mut self, s: ArithVar, terms: &[(ArithVar, Int)]) -> u32 {
        debug_assert!(self.columns[s.index()].is_empty());
        let row = self.free.pop().unwrap_or_else(|| {
            self.rows.push(Vec::new());
            self.live_pos.push(0);
            self.rows.len() as u32 - 1
        });
        self.live_pos[row as usize] = self.live.len() as u32;
        self.live.push(row);
        self.push_entry(row, s, Int::ONE);
        for (x, coeff) in terms {
            self.push_entry(row, *x, -coeff);
        }
        self.row_of[s.index()] = row;
        for (x, _) in terms {
            let source = self.row_of[x.index()];
            if source != NO_ROW {
                let found = self.rows[row as usize].iter().position(|e| e.var == *x);
                // A row holds no basic variable but its own, so eliminating one basic variable of the
                // definition neither removes nor brings in another.
                if let Some(pos) = found {
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
        while let Some(entry) = self.rows[row as usize].pop() {
            self.remove_occurrence(entry.var, entry.column_pos);
        }
        let pos = self.live_pos[row as usize] as usize;
        self.live.swap_remove(pos);
        if let Some(&moved) = self.live.get(pos) {
            self.live_pos[moved as usize] = pos as u32;
        }
        self.free.push(row);
    }

    /// Exchanges the basic variable of `row` with the variable at `pos` in it. Gives the number of rows
    /// that had to be changed.
    pub(super) fn pivot(&mut self, row: u32, pos: usize) -> usize {
        debug_assert!(pos > 0);
        let entries = &mut self.rows[row as usize];
        entries.swap(0, pos);
        let (entering, leaving) = (entries[0].var, entries[pos].var);
        self.columns[entering.index()][entries[0].column_pos as usize].pos = 0;
        self.columns[leaving.index()][entries[pos].column_pos as usize].pos = pos as u32;
        if entries[0].coeff.is_negative() {
            for entry in entries.iter_mut() {
                entry.coeff = -take(&mut entry.coeff);
            }
        }
        self.row_of[leaving.index()] = NO_ROW;
        self.row_of[entering.index()] = row;
        let others = self.columns[entering.index()].len();
        // Each elimination removes its occurrence from the column; what takes its place comes from the end
        // and has been dealt with.
        for i in (0..others).rev() {
            let Occurrence { row: target, pos } = self.columns[entering.index()][i];
            if target != row {
                self.eliminate(target, pos as usize, row);
            }
        }
        others - 1
    }

    /// Adds to `target` the multiple of `source` that removes the basic variable of `source`, which is at
    /// `pos` in `target`, and makes the coefficients coprime again.
    fn eliminate(&mut self, target: u32, pos: usize, source: u32) {
        let Tableau { rows, columns, position, .. } = self;
        let Ok([to, from]) = rows.get_disjoint_mut([target as usize, source as usize]) else {
            unreachable!("a row is not eliminated from itself")
        };
        let pivot = &from[0].coeff;
        let (scale, factor) = if pivot.is_one() {
            (Int::ONE, -&to[pos].coeff)
        } else {
            let common = pivot.gcd(&to[pos].coeff);
            (pivot.div_exact(&common), -&to[pos].coeff.div_exact(&common))
        };
        if scale.is_one() {
            for (i, entry) in to.iter().enumerate() {
                position[entry.var.index()] = i as u32 + 1;
            }
        } else {
            for (i, entry) in to.iter_mut().enumerate() {
                position[entry.var.index()] = i as u32 + 1;
                entry.coeff *= &scale;
            }
        }
        for entry in from.iter() {
            let place = position[entry.var.index()];
            if place != 0 {
                to[place as usize - 1].coeff.add_mul(&factor, &entry.coeff);
            } else {
                let column = &mut columns[entry.var.index()];
                let column_pos = column.len() as u32;
                column.push(Occurrence { row: target, pos: to.len() as u32 });
                to.push(Entry { coeff: &factor * &entry.coeff, var: entry.var, column_pos });
            }
        }
        let mut i = self.rows[target as usize].len();
        while i > 0 {
            i -= 1;
            let entry = &self.rows[target as usize][i];
            self.position[entry.var.index()] = 0;
            if entry.coeff.is_zero() {
                self.remove_entry(target, i);
            }
        }
        self.make_coprime(target);
    }

    /// Divides a row by the gcd of its coefficients.
    fn make_coprime(&mut self, row: u32) {
        let entries = &mut self.rows[row as usize];
        let mut common = entries[0].coeff.clone();
        for entry in &entries[1..] {
            if common.is_one() {
                return;
            }
            common = common.gcd(&entry.coeff);
        }
        if !common.is_one() {
            for entry in entries.iter_mut() {
                entry.coeff = entry.coeff.div_exact(&common);
            }
        }
    }

    fn push_entry(&mut self, row: u32, var: ArithVar, coeff: Int) {
        let column = &mut self.columns[var.index()];
        let entries = &mut self.rows[row as usize];
        let column_pos = column.len() as u32;
        column.push(Occurrence { row, pos: entries.len() as u32 });
        entries.push(Entry { coeff, var, column_pos });
    }

    fn remove_entry(&mut self, row: u32, pos: usize) {
        let entry = self.rows[row as usize].swap_remove(pos);
        self.remove_occurrence(entry.var, entry.column_pos);
        if let Some(moved) = self.rows[row as usize].get(pos) {
            self.columns[moved.var.index()][moved.column_pos as usize].pos = pos as u32;
        }
    }

    fn remove_occurrence(&mut self, var: ArithVar, column_pos: u32) {
        let column = &mut self.columns[var.index()];
        column.swap_remove(column_pos as usize);
        if let Some(&moved) = column.get(column_pos as usize) {
            self.rows[moved.row as usize][moved.pos as usize].column_pos = column_pos;
        }
    }

    /// Checks BASIC-FIRST, MUTUAL and that rows are coprime.
    pub(super) fn check_invariants(&self) {
        let mut entries = 0;
        for (i, &row) in self.live.iter().enumerate() {
            assert_eq!(self.live_pos[row as usize] as usize, i);
            let content = self.row(row);
            let basic = content[0].var;
            assert_eq!(self.row_of[basic.index()], row);
            assert!(content[0].coeff.is_positive());
            assert_eq!(self.column(basic).len(), 1, "a basic variable occurs in one row");
            let mut common = Int::ZERO;
            for (pos, entry) in content.iter().enumerate() {
                assert!(!entry.coeff.is_zero());
                common = common.gcd(&entry.coeff);
                let occurrence = self.columns[entry.var.index()][entry.column_pos as usize];
                assert_eq!((occurrence.row, occurrence.pos as usize), (row, pos));
                assert!(pos == 0 || !self.is_basic(entry.var));
            }
            assert!(common.is_one());
            entries += content.len();
        }
        assert_eq!(entries, self.columns.iter().map(Vec::len).sum::<usize>());
        assert_eq!(self.live.len() + self.free.len(), self.rows.len());
        assert!(self.free.iter().all(|&row| self.rows[row as usize].is_empty()));
        assert!(self.position.iter().all(|&p| p == 0));
    }
}
