//! The order in which variables are decided in focused mode: those that took part in the last conflict come first.
//!
//! A list of all variables, in which the variables of a conflict move to the end, in the order in which they were
//! (Ryan, 2004: variables move to the front). A cursor passes over variables that have values; nothing is sorted, so that
//! decisions cost little where there are many between two conflicts.

use shem_base::Var;

const NONE: u32 = u32::MAX;

/// A list of variables in the order of their last conflicts.
#[derive(Debug, Default)]
pub(super) struct VarQueue {
    /// By variable: its neighbours.
    before: Vec<u32>,
    after: Vec<u32>,
    /// By variable: when it moved to the end.
    stamps: Vec<u64>,
    stamp: u64,
    last: u32,
    /// All variables behind this one have values or are not to be decided.
    cursor: u32,
}

impl VarQueue {
    /// All variables, in this order.
    pub fn new(order: &[Var]) -> VarQueue {
        let mut queue = VarQueue {
            before: vec![NONE; order.len()],
            after: vec![NONE; order.len()],
            stamps: vec![0; order.len()],
            stamp: 0,
            last: NONE,
            cursor: NONE,
        };
        for &var in order {
            queue.append(var.index() as u32);
        }
        queue.cursor = queue.last;
        queue
    }

    fn append(&mut self, var: u32) {
        let last = self.last;
        self.before[var as usize] = last;
        self.after[var as usize] = NONE;
        if last != NONE {
            self.after[last as usize] = var;
        }
        self.last = var;
        self.stamp += 1;
        self.stamps[var as usize] = self.stamp;
    }

    /// When the variable moved to the end; 0 if it is younger than the list.
    #[inline]
    pub fn stamp(&self, var: Var) -> u64 {
        self.stamps.get(var.index()).copied().unwrap_or(0)
    }

    /// Moves a variable, which has a value, to the end.
    pub fn bump(&mut self, var: Var) {
        let index = var.index() as u32;
        if var.index() >= self.stamps.len() || self.last == index {
            return;
        }
        let (before, after) = (self.before[index as usize], self.after[index as usize]);
        if before != NONE {
            self.after[before as usize] = after;
        }
        // It is not the last one.
        self.before[after as usize] = before;
        if self.cursor == index {
            // Whatever comes behind it has a value.
            self.cursor = if before == NONE { after } else { before };
        }
        self.append(index);
    }

    /// Takes note that a variable has no value any more.
    #[inline]
    pub fn reopen(&mut self, var: Var) {
        let stamp = self.stamp(var);
        if stamp > 0 && (self.cursor == NONE || stamp > self.stamps[self.cursor as usize]) {
            self.cursor = var.index() as u32;
        }
    }

    /// The last variable that is to be decided.
    pub fn find(&mut self, mut is_wanted: impl FnMut(Var) -> bool) -> Option<Var> {
        while self.cursor != NONE {
            let var = Var::new(self.cursor);
            if is_wanted(var) {
                return Some(var);
            }
            self.cursor = self.before[self.cursor as usize];
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shem_base::Rng;

    #[test]
    fn finds_the_open_variable_of_the_latest_conflict() {
        let mut rng = Rng::new(3);
        let vars: Vec<Var> = (0..30).map(Var::new).collect();
        let mut queue = VarQueue::new(&vars);
        let mut order = vars.clone();
        let mut open = vec![true; vars.len()];
        for _ in 0..2_000 {
            let var = vars[rng.below(30) as usize];
            match rng.below(3) {
                0 => open[var.index()] = false,
                1 => {
                    open[var.index()] = true;
                    queue.reopen(var);
                }
                _ if !open[var.index()] => {
                    queue.bump(var);
                    order.retain(|&other| other != var);
                    order.push(var);
                }
                _ => {}
            }
            let expected = order.iter().rev().copied().find(|var| open[var.index()]);
            assert_eq!(queue.find(|var| open[var.index()]), expected);
        }
    }
}
