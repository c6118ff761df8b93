//! A small theory for tests: differences of integers, decided by searching negative cycles.
//!
//! It is slow and simple, and as unhelpful as the interface allows: depending on a seed it overlooks
//! conflicts until the final check, propagates only some of what follows, asks for pointless splits, and adds
//! atoms and lemmas that nobody needs.

use crate::theory::{Additions, Consistency, FinalCheck, Theory};
use shem_base::{Budget, Lit, Rat, Rng, Var};
use shem_proof::{AtomMeaning, Lemma, LemmaKind, LinearAtom};

/// The atom `x - y <= bound`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    pub x: u32,
    pub y: u32,
    pub bound: i64,
}

/// The theory's state.
pub struct Differences {
    /// By propositional variable.
    pub atoms: Vec<Option<Difference>>,
    /// The number of integer variables.
    pub unknowns: usize,
    asserted: Vec<Lit>,
    pending: Vec<Lit>,
    /// By literal code: the explanation of its last propagation.
    explanations: Vec<Vec<Lit>>,
    /// The values found by the last successful check.
    pub values: Vec<i64>,
    rng: Rng,
    /// Chances in percent.
    pub check_chance: u64,
    pub propagation_chance: u64,
    pub split_chance: u64,
    pub addition_chance: u64,
    /// Which atoms may wait: none, every second one or all.
    waiting: u64,
    depth: usize,
}

impl Differences {
    pub fn new(unknowns: usize, seed: u64) -> Self {
        Differences {
            atoms: Vec::new(),
            unknowns,
            asserted: Vec::new(),
            pending: Vec::new(),
            explanations: Vec::new(),
            values: vec![0; unknowns],
            rng: Rng::new(seed),
            check_chance: 70,
            propagation_chance: 30,
            split_chance: 20,
            addition_chance: 0,
            waiting: seed % 3,
            depth: 0,
        }
    }

    pub fn register(&mut self, var: Var, atom: Difference) {
        if self.atoms.len() <= var.index() {
            self.atoms.resize(var.index() + 1, None);
        }
        self.atoms[var.index()] = Some(atom);
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.rng.below(100) < percent
    }

    /// The inequality of a literal, as an atom.
    fn edge(&self, lit: Lit) -> Difference {
        let atom = self.atoms[lit.var().index()].expect("a theory atom");
        if lit.is_positive() { atom } else { Difference { x: atom.y, y: atom.x, bound: -atom.bound - 1 } }
    }

    pub fn holds(&self, lit: Lit) -> bool {
        let edge = self.edge(lit);
        self.values[edge.x as usize] - self.values[edge.y as usize] <= edge.bound
    }

    /// Literals on a negative cycle, or values that satisfy all literals.
    fn solve(&self, lits: &[Lit]) -> Result<Vec<i64>, Vec<Lit>> {
        let mut values = vec![0; self.unknowns];
        let mut parents: Vec<Option<usize>> = vec![None; self.unknowns];
        for _ in 0..=self.unknowns {
            let mut changed = None;
            for (index, &lit) in lits.iter().enumerate() {
                let edge = self.edge(lit);
                let (x, y) = (edge.x as usize, edge.y as usize);
                if x == y {
                    if edge.bound < 0 {
                        return Err(vec![lit]);
                    }
                } else if values[x] - values[y] > edge.bound {
                    values[x] = values[y] + edge.bound;
                    parents[x] = Some(index);
                    changed = Some(x);
                }
            }
            let Some(mut node) = changed else { return Ok(values) };
            // Look for a cycle among the parents.
            for _ in 0..self.unknowns {
                match parents[node] {
                    Some(index) => node = self.edge(lits[index]).y as usize,
                    None => break,
                }
            }
            if parents[node].is_some() {
                let start = node;
                let mut cycle = Vec::new();
                while let Some(index) = parents[node] {
                    cycle.push(lits[index]);
                    node = self.edge(lits[index]).y as usize;
                    if node == start {
                        return Err(cycle);
                    }
                }
            }
        }
        unreachable!("many rounds mean a cycle")
    }

    fn fill(lemma: &mut Lemma, lits: impl Iterator<Item = Lit>) {
        lemma.start(LemmaKind::Farkas);
        for lit in lits {
            lemma.add(lit, Rat::ONE);
        }
    }

    /// The atom `x - y <= bound`, a new one if there is none or by chance.
    fn atom(&mut self, x: u32, y: u32, bound: i64, next_var: Var, vars: &mut u32) -> Lit {
        let atom = Difference { x, y, bound };
        let known = self.atoms.iter().position(|&other| other == Some(atom));
        if let Some(index) = known
            && self.chance(80)
        {
            return Var::new(index as u32).positive();
        }
        let var = Var::new(next_var.index() as u32 + *vars);
        *vars += 1;
        self.register(var, atom);
        var.positive()
    }

    /// Lemmas on old and new atoms, valid whatever is asserted, and perhaps a split.
    fn invent(&mut self, next_var: Var) -> Additions {
        let mut additions = Additions::default();
        let vars = &mut additions.vars;
        let n = self.unknowns as u64;
        for _ in 0..1 + self.rng.below(3) {
            let x = self.rng.below(n) as u32;
            let y = (x + 1 + self.rng.below(n - 1) as u32) % n as u32;
            let a = self.rng.below(7) as i64 - 3;
            let b = self.rng.below(7) as i64 - 3;
            let first = self.atom(x, y, a, next_var, vars);
            let lits = match self.rng.below(4) {
                // x - y <= a or y - x <= -a - 1.
                0 => vec![first, self.atom(y, x, -a - 1, next_var, vars)],
                // Not both x - y <= a and y - x <= -a - 1.
                1 => vec![!first, !self.atom(y, x, -a - 1, next_var, vars)],
                // x - y <= a and y - z <= b imply x - z <= a + b.
                _ if n > 2 => {
                    let z = (0..n as u32).find(|&z| z != x && z != y).expect("a third unknown");
                    let second = self.atom(y, z, b, next_var, vars);
                    vec![!first, !second, self.atom(x, z, a + b, next_var, vars)]
                }
                // x - y <= a implies x - y <= a + 1.
                _ => vec![!first, self.atom(x, y, a + 1, next_var, vars)],
            };
            let mut lemma = Lemma::default();
            Self::fill(&mut lemma, lits.into_iter());
            additions.lemmas.push(lemma);
        }
        let known: Vec<Var> = (0..self.atoms.len())
            .filter(|&index| self.atoms[index].is_some())
            .map(|index| Var::new(index as u32))
            .collect();
        let pick = known[self.rng.below(known.len() as u64) as usize];
        match self.rng.below(3) {
            0 => additions.splits = vec![pick.lit(self.rng.below(2) == 0)],
            1 => additions.awake.push(pick),
            _ => {}
        }
        additions
    }

    fn find_propagations(&mut self) {
        for index in 0..self.atoms.len() {
            let var = Var::new(index as u32);
            if self.atoms[index].is_none()
                || self.asserted.iter().any(|lit| lit.var() == var)
                || !self.chance(self.propagation_chance)
            {
                continue;
            }
            for lit in [var.positive(), var.negative()] {
                let mut lits = self.asserted.clone();
                lits.push(!lit);
                if let Err(cycle) = self.solve(&lits) {
                    if self.explanations.len() <= lit.index() {
                        self.explanations.resize(lit.index() + 1, Vec::new());
                    }
                    self.explanations[lit.index()] = cycle.iter().map(|&lit| !lit).collect();
                    self.pending.push(lit);
                    break;
                }
            }
        }
    }
}

impl Theory for Differences {
    fn assert_lit(&mut self, lit: Lit, lemma: &mut Lemma) -> bool {
        let edge = self.edge(lit);
        for &other in &self.asserted {
            let opposite = self.edge(other);
            if opposite.x == edge.y && opposite.y == edge.x && opposite.bound + edge.bound < 0 {
                Self::fill(lemma, [!lit, !other].into_iter());
                return false;
            }
        }
        self.asserted.push(lit);
        true
    }

    fn check(&mut self, lemma: &mut Lemma, _: &mut Budget) -> Consistency {
        if !self.chance(self.check_chance) {
            return Consistency::Consistent;
        }
        match self.solve(&self.asserted) {
            Ok(_) => {
                self.find_propagations();
                Consistency::Consistent
            }
            Err(cycle) => {
                Self::fill(lemma, cycle.into_iter().map(|lit| !lit));
                Consistency::Conflict
            }
        }
    }

    fn next_propagation(&mut self) -> Option<Lit> {
        self.pending.pop()
    }

    fn explain(&mut self, lit: Lit, lemma: &mut Lemma) {
        Self::fill(lemma, self.explanations[lit.index()].iter().copied());
    }

    fn final_check(&mut self, next_var: Var, lemma: &mut Lemma, _: &mut Budget) -> FinalCheck {
        match self.solve(&self.asserted) {
            Err(cycle) => {
                Self::fill(lemma, cycle.into_iter().map(|lit| !lit));
                FinalCheck::Conflict
            }
            Ok(values) => {
                self.values = values;
                if self.unknowns > 1 && next_var.index() < 60 && self.chance(self.addition_chance) {
                    return FinalCheck::Extend(Box::new(self.invent(next_var)));
                }
                if !self.chance(self.split_chance) || self.unknowns < 2 {
                    return FinalCheck::Model;
                }
                let sign = self.rng.below(2) == 0;
                if self.chance(50) {
                    let var = Var::new(self.rng.below(self.atoms.len().max(1) as u64) as u32);
                    let known = self.atoms.get(var.index()).is_some_and(|atom| atom.is_some());
                    if !known || self.asserted.iter().any(|lit| lit.var() == var) {
                        return FinalCheck::Model;
                    }
                    return FinalCheck::Split(var.lit(sign));
                }
                let x = self.rng.below(self.unknowns as u64) as u32;
                let y = (x + 1) % self.unknowns as u32;
                let bound = self.rng.below(7) as i64 - 3;
                self.register(next_var, Difference { x, y, bound });
                FinalCheck::Split(next_var.lit(sign))
            }
        }
    }

    fn backtrack(&mut self, count: usize) {
        assert!(count <= self.asserted.len());
        self.asserted.truncate(count);
        self.pending.clear();
    }

    fn suggest_phase(&self, var: Var) -> Option<bool> {
        Some(self.holds(var.positive()))
    }

    fn may_wait(&self, var: Var) -> bool {
        self.waiting > 0 && (self.waiting == 2 || var.index().is_multiple_of(2))
    }

    fn holds_in_model(&self, lit: Lit) -> bool {
        self.holds(lit)
    }

    fn push(&mut self) {
        self.depth += 1;
    }

    fn pop(&mut self, first_var: Var) {
        self.depth -= 1;
        assert!(self.asserted.iter().all(|lit| lit.var() < first_var));
        self.atoms.truncate(first_var.index());
    }
}

impl AtomMeaning for Differences {
    fn atom(&self, var: Var) -> Option<LinearAtom> {
        let atom = (*self.atoms.get(var.index())?)?;
        let terms = vec![(atom.x, Rat::ONE), (atom.y, Rat::MINUS_ONE)];
        Some(LinearAtom { terms, bound: Rat::from(atom.bound), strict: false })
    }

    fn is_integer(&self, _: u32) -> bool {
        true
    }
}
