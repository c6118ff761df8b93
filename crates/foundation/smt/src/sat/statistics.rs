//! What the core counts.

use shem_base::Statistics;

/// Counters of a SAT core, from its creation on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SatStatistics {
    /// Calls of `solve`.
    pub solves: u64,
    /// Conflicts, of clauses or of the theory.
    pub conflicts: u64,
    /// Decisions of the search, assumptions and splits not counted.
    pub decisions: u64,
    /// Variables that were passed over because all their clauses were satisfied.
    pub skips: u64,
    /// Literals whose consequences were propagated.
    pub propagations: u64,
    /// Restarts.
    pub restarts: u64,
    /// Learnt clauses, units included.
    pub learnt_clauses: u64,
    /// Literals of learnt clauses.
    pub learnt_literals: u64,
    /// Literals that minimisation took out of learnt clauses.
    pub minimised_literals: u64,
    /// Learnt clauses removed by reductions.
    pub forgotten_clauses: u64,
    /// Reductions of the learnt clauses.
    pub reductions: u64,
    /// Literals told to the theory.
    pub theory_literals: u64,
    /// Consistency checks of the theory.
    pub theory_checks: u64,
    /// Final checks of the theory.
    pub theory_final_checks: u64,
    /// Conflicts found by the theory.
    pub theory_conflicts: u64,
    /// Literals propagated by the theory.
    pub theory_propagations: u64,
    /// Theory propagations that had to be explained.
    pub theory_explanations: u64,
    /// Case splits asked for by the theory.
    pub theory_splits: u64,
    /// Variables that the theory added in the middle of a search.
    pub theory_vars: u64,
    /// Lemmas that the theory added in the middle of a search.
    pub theory_lemmas: u64,
    /// Levels of assumptions taken over from the solve before.
    pub reused_levels: u64,
    /// Variables that were eliminated for the rest of a solve.
    pub eliminated_vars: u64,
    /// Clauses that outlived the scope in which they were learnt.
    pub promoted_clauses: u64,
}

impl SatStatistics {
    /// Adds the counters to `out` under their dotted names.
    pub fn report(&self, out: &mut Statistics) {
        out.add("sat.solves", self.solves);
        out.add("sat.conflicts", self.conflicts);
        out.add("sat.decisions", self.decisions);
        out.add("sat.skips", self.skips);
        out.add("sat.propagations", self.propagations);
        out.add("sat.restarts", self.restarts);
        out.add("sat.learnt.clauses", self.learnt_clauses);
        out.add("sat.learnt.literals", self.learnt_literals);
        out.add("sat.learnt.minimised", self.minimised_literals);
        out.add("sat.learnt.forgotten", self.forgotten_clauses);
        out.add("sat.learnt.promoted", self.promoted_clauses);
        out.add("sat.eliminated", self.eliminated_vars);
        out.add("sat.reductions", self.reductions);
        out.add("sat.reused-levels", self.reused_levels);
        out.add("sat.theory.literals", self.theory_literals);
        out.add("sat.theory.checks", self.theory_checks);
        out.add("sat.theory.final-checks", self.theory_final_checks);
        out.add("sat.theory.conflicts", self.theory_conflicts);
        out.add("sat.theory.propagations", self.theory_propagations);
        out.add("sat.theory.explanations", self.theory_explanations);
        out.add("sat.theory.splits", self.theory_splits);
        out.add("sat.theory.vars", self.theory_vars);
        out.add("sat.theory.lemmas", self.theory_lemmas);
    }
}
