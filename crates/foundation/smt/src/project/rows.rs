//! Linear literals as integer rows, all true in one model.
//!
//! A row is a sum of columns and a constant, with what is said of the sum: that it is zero, at most zero,
//! below zero, or divisible by a modulus. Columns are variables and terms that stay closed, each with its
//! value in the model. Rows keep the value of their sum, which combines as the rows do, so that the
//! comparisons in the model that guide an elimination cost one multiplication each.

use shem_base::{Int, Rat};
use shem_term::Term;

/// What a row says of its sum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Relation {
    /// It is zero.
    #[default]
    Zero,
    /// It is zero or negative.
    AtMost,
    /// It is negative.
    Below,
    /// The modulus of the row divides it.
    Divisible,
}

/// A variable or a closed term.
#[derive(Clone, Debug)]
pub(super) struct Column {
    /// `None` for an auxiliary, which is eliminated.
    pub(super) leaf: Option<Term>,
    pub(super) integral: bool,
    pub(super) eliminated: bool,
    pub(super) value: Rat,
}

/// A literal.
#[derive(Clone, Debug, Default)]
pub(super) struct Row {
    pub(super) relation: Relation,
    /// Positive where the relation is `Divisible`; without meaning elsewhere.
    pub(super) modulus: Int,
    /// Invariant *sorted*: by column, without zeros.
    pub(super) terms: Vec<(u32, Int)>,
    pub(super) constant: Int,
    /// Invariant *valued*: the value of the sum, constant included, in the model; except where the relation
    /// is `Divisible`.
    pub(super) value: Rat,
}

impl Row {
    /// The coefficient of a column, if it occurs.
    #[inline]
    pub(super) fn coefficient(&self, column: u32) -> Option<&Int> {
        let at = self.terms.binary_search_by_key(&column, |t| t.0).ok()?;
        Some(&self.terms[at].1)
    }

    /// Removes a column and returns its coefficient, zero if it does not occur. The value is not adapted.
    pub(super) fn remove(&mut self, column: u32) -> Int {
        match self.terms.binary_search_by_key(&column, |t| t.0) {
            Ok(at) => self.terms.remove(at).1,
            Err(_) => Int::ZERO,
        }
    }

    /// Changes the sign of the sum.
    pub(super) fn negate(&mut self) {
        for (_, c) in &mut self.terms {
            *c = -&*c;
        }
        self.constant = -&self.constant;
        self.value = -&self.value;
    }

    /// Whether the relation holds of the row's value.
    fn holds(&self) -> bool {
        match self.relation {
            Relation::Zero => self.value.is_zero(),
            Relation::AtMost => !self.value.is_positive(),
            Relation::Below => self.value.is_negative(),
            Relation::Divisible => true,
        }
    }
}

/// A conjunction of rows.
#[derive(Clone, Debug, Default)]
pub(super) struct RowSystem {
    pub(super) columns: Vec<Column>,
    pub(super) rows: Vec<Row>,
    /// Rows out of use, kept for their allocation.
    spare: Vec<Row>,
    /// The rows with the column at hand, taken out by [`RowSystem::extract`].
    pub(super) zeros: Vec<Row>,
    pub(super) lowers: Vec<Row>,
    pub(super) uppers: Vec<Row>,
    pub(super) divisors: Vec<Row>,
    /// Whether all eliminations so far were the same for every model of the rows.
    pub(super) exact: bool,
}

impl RowSystem {
    /// Removes all rows and columns.
    pub(super) fn clear(&mut self) {
        self.columns.clear();
        self.spare.append(&mut self.rows);
        self.exact = true;
    }

    /// A new column.
    pub(super) fn add_column(&mut self, column: Column) -> u32 {
        self.columns.push(column);
        self.columns.len() as u32 - 1
    }

    /// An empty row, to be filled.
    pub(super) fn take_row(&mut self) -> Row {
        let mut row = self.spare.pop().unwrap_or_default();
        row.terms.clear();
        row.constant = Int::ZERO;
        row.value = Rat::ZERO;
        row
    }

    /// Brings a row that is true in the model to its canonical form and adds it, unless another row implies
    /// it.
    pub(super) fn add(&mut self, mut row: Row) {
        if !self.normalise(&mut row) {
            self.spare.push(row);
            return;
        }
        debug_assert!(row.holds(), "rows are true in the model");
        debug_assert!(self.is_valued(&row));
        if let Some(at) = self.rows.iter().position(|r| same_terms(r, &row)) {
            let other = &mut self.rows[at];
            if implies(&row, other) {
                std::mem::swap(other, &mut row);
            }
            self.spare.push(row);
            return;
        }
        if row.relation == Relation::AtMost
            && let Some(other) = self.rows.iter_mut().find(|r| opposite(r, &row))
        {
            other.relation = Relation::Zero;
            if other.terms[0].1.is_negative() {
                other.negate();
            }
            self.spare.push(row);
            return;
        }
        self.rows.push(row);
    }

    /// `p` times one row plus `q` times another, with the relation given.
    pub(super) fn combine(&mut self, a: &Row, p: &Int, b: &Row, q: &Int, relation: Relation) -> Row {
        let mut row = self.take_row();
        row.relation = relation;
        let (mut i, mut j) = (0, 0);
        while i < a.terms.len() || j < b.terms.len() {
            let left = a.terms.get(i).map_or(u32::MAX, |t| t.0);
            let right = b.terms.get(j).map_or(u32::MAX, |t| t.0);
            if left < right {
                row.terms.push((left, &a.terms[i].1 * p));
                i += 1;
            } else if right < left {
                row.terms.push((right, &b.terms[j].1 * q));
                j += 1;
            } else {
                let mut sum = &a.terms[i].1 * p;
                sum.add_mul(&b.terms[j].1, q);
                if !sum.is_zero() {
                    row.terms.push((left, sum));
                }
                i += 1;
                j += 1;
            }
        }
        row.constant = &a.constant * p;
        row.constant.add_mul(&b.constant, q);
        row.value = a.value.mul_int(p);
        row.value.add_mul_int(q, &b.value);
        row
    }

    /// The canonical form: coprime coefficients, rounded where all columns are integers. False if the row
    /// says nothing.
    fn normalise(&mut self, row: &mut Row) -> bool {
        if row.relation == Relation::Divisible {
            return normalise_divisible(row);
        }
        if row.terms.is_empty() {
            return false;
        }
        let integral = row.terms.iter().all(|t| self.columns[t.0 as usize].integral);
        if integral && row.relation == Relation::Below {
            row.relation = Relation::AtMost;
            row.constant += Int::ONE;
            row.value += Rat::ONE;
        }
        let mut divisor = Int::ZERO;
        for (_, c) in &row.terms {
            divisor = divisor.gcd(c);
            if divisor.is_one() {
                break;
            }
        }
        if !integral {
            divisor = divisor.gcd(&row.constant);
        }
        if row.relation == Relation::Zero && row.terms[0].1.is_negative() {
            divisor = -divisor;
        }
        if !divisor.is_one() {
            row.value -= Rat::from(&row.constant);
            for (_, c) in &mut row.terms {
                *c = c.div_exact(&divisor);
            }
            row.value = row.value.div_int(&divisor);
            row.constant = match row.relation {
                Relation::AtMost => row.constant.div_ceil(&divisor),
                _ => row.constant.div_exact(&divisor),
            };
            row.value += Rat::from(&row.constant);
        }
        true
    }

    /// Takes the rows with this column out of the system and sorts them by what they are to it. Equalities
    /// get a positive coefficient.
    pub(super) fn extract(&mut self, column: u32) {
        let RowSystem { rows, zeros, lowers, uppers, divisors, .. } = self;
        debug_assert!(zeros.is_empty() && lowers.is_empty() && uppers.is_empty() && divisors.is_empty());
        let mut kept = 0;
        for i in 0..rows.len() {
            let Some(coefficient) = rows[i].coefficient(column) else {
                rows.swap(kept, i);
                kept += 1;
                continue;
            };
            let negative = coefficient.is_negative();
            let mut row = std::mem::take(&mut rows[i]);
            match row.relation {
                Relation::Zero => {
                    if negative {
                        row.negate();
                    }
                    zeros.push(row);
                }
                Relation::Divisible => divisors.push(row),
                _ if negative => lowers.push(row),
                _ => uppers.push(row),
            }
        }
        rows.truncate(kept);
    }

    /// Drops the rows that [`RowSystem::extract`] took out.
    pub(super) fn drop_extracted(&mut self) {
        let RowSystem { spare, zeros, lowers, uppers, divisors, .. } = self;
        for list in [zeros, lowers, uppers, divisors] {
            spare.append(list);
        }
    }

    /// Of rows that bound the column on one side, the one that is tightest in the model: strict before
    /// weak ones, then the smallest coefficient, then the first.
    pub(super) fn tightest(&self, rows: &[Row], column: u32) -> usize {
        let mut best = 0;
        for i in 1..rows.len() {
            let (a, b) = (&rows[best], &rows[i]);
            let p = a.coefficient(column).expect("the rows have the column").abs();
            let q = b.coefficient(column).expect("the rows have the column").abs();
            // The distance from the column's value to the bound is -value / coefficient.
            let order = b.value.mul_int(&p).cmp(&a.value.mul_int(&q));
            let strict = (b.relation == Relation::Below).cmp(&(a.relation == Relation::Below));
            if order.then(strict).then(p.cmp(&q)).is_gt() {
                best = i;
            }
        }
        best
    }

    /// Checks the invariants *sorted* and *valued* of a row.
    fn is_valued(&self, row: &Row) -> bool {
        let sorted =
            row.terms.windows(2).all(|w| w[0].0 < w[1].0) && row.terms.iter().all(|t| !t.1.is_zero());
        let mut sum = Rat::from(&row.constant);
        for (x, c) in &row.terms {
            sum.add_mul_int(c, &self.columns[*x as usize].value);
        }
        sorted
            && match row.relation {
                Relation::Divisible => sum.div_int(&row.modulus).is_integer(),
                _ => sum == row.value,
            }
    }
}

/// Reduces a divisibility by its modulus and divides out what is common to all. False if it says nothing.
fn normalise_divisible(row: &mut Row) -> bool {
    let mut common = row.modulus.clone();
    row.terms.retain_mut(|(_, c)| {
        *c = c.rem_floor(&row.modulus);
        common = common.gcd(c);
        !c.is_zero()
    });
    if common == row.modulus {
        return false;
    }
    row.constant = row.constant.rem_floor(&row.modulus);
    if !common.is_one() {
        for (_, c) in &mut row.terms {
            *c = c.div_exact(&common);
        }
        row.constant = row.constant.div_exact(&common);
        row.modulus = row.modulus.div_exact(&common);
    }
    true
}

/// Whether the rows have the same sum but for the constant, and one of them implies the other.
fn same_terms(a: &Row, b: &Row) -> bool {
    use Relation::*;
    let comparable = match (a.relation, b.relation) {
        (AtMost | Below, AtMost | Below) | (Zero, Zero) => true,
        (Divisible, Divisible) => a.modulus == b.modulus,
        _ => false,
    };
    comparable && a.terms == b.terms
}

/// Whether a row implies one with the same terms.
fn implies(a: &Row, b: &Row) -> bool {
    match a.constant.cmp(&b.constant) {
        std::cmp::Ordering::Equal => a.relation == Relation::Below || b.relation != Relation::Below,
        order => order.is_gt(),
    }
}

/// Whether two rows bound the same sum by the same number from both sides.
fn opposite(a: &Row, b: &Row) -> bool {
    a.relation == Relation::AtMost
        && b.relation == Relation::AtMost
        && a.terms.len() == b.terms.len()
        && is_negative_of(&a.constant, &b.constant)
        && a.terms.iter().zip(&b.terms).all(|(s, t)| s.0 == t.0 && is_negative_of(&s.1, &t.1))
}

fn is_negative_of(a: &Int, b: &Int) -> bool {
    a.signum() == -b.signum() && (a + b).is_zero()
}

/// Whether an integer is 1 or -1.
pub(super) fn unit(coefficient: &Int) -> bool {
    coefficient.is_one() || coefficient.is_minus_one()
}
