//! Elimination of a real variable from rows that are true in a model.
//!
//! Loos and Weispfenning (1993): a system of bounds on x has a solution if and only if it has one at, or
//! infinitely close to, one of its lower bounds; the model says which of them to take, so that one cube of
//! their disjunction is built. An equality is used instead wherever there is one, and bounds are resolved
//! against each other in all pairs (Fourier and Motzkin) where that makes no more rows than there were,
//! because that is exact: it stands for all models.

use super::rows::{Relation, Row, RowSystem};

impl RowSystem {
    /// Replaces the rows with this real column by rows without it that are true in the model and imply that
    /// a value of the column exists.
    pub(super) fn eliminate_real(&mut self, column: u32) {
        self.extract(column);
        debug_assert!(self.divisors.is_empty(), "divisibility is of integers");
        let (lowers, uppers) = (self.lowers.len(), self.uppers.len());
        if !self.zeros.is_empty() {
            self.substitute_real(column);
        } else if lowers > 0 && uppers > 0 {
            if lowers * uppers <= lowers + uppers {
                self.resolve_all(column);
            } else {
                self.test_point(column);
            }
        }
        self.drop_extracted();
    }

    /// Solves the shortest equality for the column and puts it into the other rows.
    fn substitute_real(&mut self, column: u32) {
        let shortest = (0..self.zeros.len()).min_by_key(|&i| self.zeros[i].terms.len()).expect("not empty");
        let definition = self.zeros.swap_remove(shortest);
        self.substitute(&definition, column);
        self.zeros.push(definition);
    }

    /// Puts the definition of the column into all other rows that have it.
    pub(super) fn substitute(&mut self, definition: &Row, column: u32) {
        let kinds: [fn(&mut RowSystem) -> &mut Vec<Row>; 4] =
            [|s| &mut s.zeros, |s| &mut s.lowers, |s| &mut s.uppers, |s| &mut s.divisors];
        for kind in kinds {
            let rows = std::mem::take(kind(self));
            for row in &rows {
                let image = self.substitution(row, definition, column);
                self.add(image);
            }
            *kind(self) = rows;
        }
    }

    /// The row with the column replaced as an equality with a positive coefficient defines it; multiplied
    /// by that coefficient.
    fn substitution(&mut self, row: &Row, definition: &Row, column: u32) -> Row {
        let a = definition.coefficient(column).expect("the equality has the column");
        let c = -row.coefficient(column).expect("the row has the column");
        let mut image = self.combine(row, a, definition, &c, row.relation);
        if row.relation == Relation::Divisible {
            image.modulus = &row.modulus * a;
        }
        image
    }

    /// Resolves every lower with every upper bound.
    pub(super) fn resolve_all(&mut self, column: u32) {
        let lowers = std::mem::take(&mut self.lowers);
        let uppers = std::mem::take(&mut self.uppers);
        for lower in &lowers {
            for upper in &uppers {
                let row = self.resolvent(lower, upper, column);
                self.add(row);
            }
        }
        self.lowers = lowers;
        self.uppers = uppers;
    }

    /// What a lower and an upper bound say without the column, over the reals.
    pub(super) fn resolvent(&mut self, lower: &Row, upper: &Row, column: u32) -> Row {
        let b = -lower.coefficient(column).expect("a bound has the column");
        let a = upper.coefficient(column).expect("a bound has the column");
        let strict = lower.relation == Relation::Below || upper.relation == Relation::Below;
        let relation = if strict { Relation::Below } else { Relation::AtMost };
        self.combine(lower, a, upper, &b, relation)
    }

    /// That one bound is not tighter than another on the same side of the column: strictly so if only the
    /// first is strict.
    pub(super) fn looser(&mut self, bound: &Row, tightest: &Row, column: u32) -> Row {
        let p = tightest.coefficient(column).expect("a bound has the column").abs();
        let q = -bound.coefficient(column).expect("a bound has the column").abs();
        let strict = bound.relation == Relation::Below && tightest.relation != Relation::Below;
        let relation = if strict { Relation::Below } else { Relation::AtMost };
        self.combine(bound, &p, tightest, &q, relation)
    }

    /// Takes the bound that is tightest in the model, on the side with fewer bounds, for the column.
    fn test_point(&mut self, column: u32) {
        self.exact = false;
        let lowers = std::mem::take(&mut self.lowers);
        let uppers = std::mem::take(&mut self.uppers);
        let from_below = lowers.len() <= uppers.len();
        let (near, far) = if from_below { (&lowers, &uppers) } else { (&uppers, &lowers) };
        let at = self.tightest(near, column);
        for (i, bound) in near.iter().enumerate() {
            if i != at {
                let row = self.looser(bound, &near[at], column);
                self.add(row);
            }
        }
        for bound in far {
            let (lower, upper) = if from_below { (&near[at], bound) } else { (bound, &near[at]) };
            let row = self.resolvent(lower, upper, column);
            self.add(row);
        }
        self.lowers = lowers;
        self.uppers = uppers;
    }
}
