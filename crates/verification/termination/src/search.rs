//! The search for an argument: what is cheap first, then questions of safety with more and more effort.

use std::collections::BTreeMap;

use shem_base::{Budget, Effort, UnknownReason};
use shem_chc::{ClauseId, Derivation, PredicateId, System};
use shem_check::{
    CertificateError, Choice, Closure, Level, RankingArgument, RankingFunction, Recurrence, check_ranking,
    check_recurrence,
};
use shem_proof::NoProof;
use shem_smt::Solver;
use shem_term::{Store, Term};

use crate::closures::Closing;
use crate::conditional::{Guessing, Sample};
use crate::cube::Cases;
use crate::cycles::{Closed, closed_sets, reach};
use crate::endless::{From, endless};
use crate::invariants::{invariants, model_of, without_queries};
use crate::levels::{NodeLevel, find_levels};
use crate::linear::rows_of;
use crate::moves::{Move, moves_of};
use crate::problem::Problem;
use crate::runs::{Run, Walker, walk};
use crate::safety::Safety;

/// The effort of a question of safety in each round, in milliseconds of a core, about.
const EFFORTS: [u64; 6] = [60, 300, 1_500, 8_000, 40_000, 200_000];
/// The longest cycle of moves that is enumerated, and the greatest number of cycles.
const LONGEST_CYCLE: usize = 4;
const MOST_CYCLES: usize = 150;
/// The greatest number of moves that are walked.
const MOST_MOVES: usize = 400;
/// The greatest number of sets whose states are asked for in a round, and of runs that are followed by a question.
const MOST_REACHED: usize = 12;
const MOST_FOLLOWED: usize = 3;
/// A component with more cases is not tried case by case.
const MOST_SINGLE_CASES: usize = 6;
/// The effort of a question whether a case is possible.
const EFFORT: Effort = Effort { conflicts: 2_000, pivots: 20_000, splits: 500 };

/// Whether all runs end. Arguments were judged on the clauses as read.
#[derive(Clone, Debug)]
pub enum Answer {
    /// They do.
    Terminates(RankingArgument),
    /// One is infinite.
    Runs(Recurrence),
    /// It was not decided, for this reason.
    Unknown(String),
}

/// Decides whether all runs of the clauses end.
pub fn decide(store: &mut Store, system: &System, safety: &mut dyn Safety, budget: &mut Budget) -> Answer {
    let found = Problem::of(store, system).and_then(|problem| {
        let known = invariants(store, system, &problem, budget);
        let cases = Cases::of(store, &problem, &known, budget)?;
        Ok((problem, known, cases))
    });
    let (problem, known, cases) = match found {
        Ok(found) => found,
        Err(_) if budget.check_stop().is_err() => return Answer::Unknown(UnknownReason::Stopped.to_string()),
        Err(reason) => return Answer::Unknown(reason.to_owned()),
    };
    let steps = without_queries(system);
    let mut search = Search {
        store,
        system,
        steps,
        problem,
        cases,
        known,
        levels: Vec::new(),
        functions: BTreeMap::new(),
        left: Vec::new(),
        refused: None,
    };
    search.run(safety, budget)
}

struct Search<'a> {
    store: &'a mut Store,
    system: &'a System,
    steps: System,
    problem: Problem,
    cases: Cases,
    /// Formulas that hold of all facts, by predicate.
    known: Vec<Term>,
    levels: Vec<NodeLevel>,
    /// By predicate, functions that closures have needed so far.
    functions: BTreeMap<PredicateId, Vec<RankingFunction>>,
    /// The components for whose cases there is no level yet.
    left: Vec<Vec<usize>>,
    /// Why an argument was refused, if one was.
    refused: Option<CertificateError>,
}

/// The moves of all cases, and the runs by them.
struct Walked {
    moves: Vec<Move>,
    walker: Walker,
    runs: Vec<Run>,
}

impl Search<'_> {
    fn run(&mut self, safety: &mut dyn Safety, budget: &mut Budget) -> Answer {
        let all = (0..self.cases.cases.len()).collect();
        self.rank(all, budget);
        if let Some(answer) = self.terminates(budget) {
            return answer;
        }
        let looping = self.left.concat();
        self.refine(budget);
        if let Some(answer) = self.terminates(budget) {
            return answer;
        }
        let mut walked = self.walk(budget);
        if let Some(answer) = self.repeated(&walked, budget) {
            return answer;
        }
        let words = self.words(&walked, &looping);
        let mut unreached = Vec::new();
        for word in words {
            if budget.check_stop().is_err() {
                break;
            }
            for closed in self.closed_sets(&walked, &word, budget) {
                match self.met(&mut walked, &closed, budget) {
                    Some(answer) => return answer,
                    None => unreached.push(closed),
                }
            }
        }
        let mut samples = self.samples(&walked);
        for effort in EFFORTS {
            if budget.check_stop().is_err() {
                break;
            }
            self.guess(&mut samples, safety, effort, budget);
            if let Some(answer) = self.terminates(budget) {
                return answer;
            }
            if let Some(answer) = self.closed(safety, effort, budget) {
                return answer;
            }
            if let Some(answer) = self.reach(&unreached, safety, effort, budget) {
                return answer;
            }
            if let Some(answer) = self.endless(&walked, safety, effort, budget) {
                return answer;
            }
        }
        let reason = match (&self.refused, budget.check_stop()) {
            (_, Err(reason)) => reason.to_string(),
            (Some(error), _) => format!("an argument was refused by its judge: {error}"),
            (None, _) => "neither a ranking function nor a recurrent set was found".to_owned(),
        };
        Answer::Unknown(reason)
    }

    /// Looks for levels for these cases.
    fn rank(&mut self, alive: Vec<usize>, budget: &mut Budget) {
        let found = find_levels(self.store, &self.problem, &self.cases, alive, budget);
        self.levels.extend(found.levels);
        self.left.extend(found.left);
    }

    /// Looks for levels again for what is left, with nodes by guards.
    fn refine(&mut self, budget: &mut Budget) {
        for component in std::mem::take(&mut self.left) {
            match self.cases.refine(self.store, &self.problem, &component, budget) {
                Some(refined) => self.rank(refined, budget),
                None => self.left.push(component),
            }
        }
    }

    /// The answer that all runs end, if no case is left and the judge agrees.
    fn terminates(&mut self, budget: &mut Budget) -> Option<Answer> {
        if !self.left.is_empty() {
            return None;
        }
        let levels = self.written_levels();
        Some(self.judged(levels, Vec::new(), budget))
    }

    fn written_levels(&mut self) -> Vec<Level> {
        self.levels.iter().map(|level| level.level(self.store, &self.problem, &self.cases)).collect()
    }

    /// The answer that all runs end, by closures of the predicates of what is left.
    fn closed(&mut self, safety: &mut dyn Safety, effort: u64, budget: &mut Budget) -> Option<Answer> {
        let levels = self.written_levels();
        let mut closures = Vec::new();
        for component in &self.left {
            for predicate in self.on_all_cycles(component) {
                let functions = self.functions.entry(predicate).or_default();
                let closing = Closing {
                    problem: &self.problem,
                    predicates: &self.system.predicates,
                    known: &self.known,
                    levels: &levels,
                };
                closures.push(closing.search(self.store, predicate, functions, safety, effort, budget)?);
            }
        }
        match self.judged(levels, closures, budget) {
            answer @ Answer::Terminates(_) => Some(answer),
            _ => None,
        }
    }

    /// Predicates such that each cycle of the cases goes through one of them.
    fn on_all_cycles(&self, component: &[usize]) -> Vec<PredicateId> {
        let mut left: Vec<(PredicateId, PredicateId)> = component
            .iter()
            .map(|&at| {
                let transition = &self.problem.transitions[self.cases.cases[at].transition];
                (transition.source.expect("a transition has a source"), transition.target)
            })
            .collect();
        let mut chosen = Vec::new();
        loop {
            // What no step leads to is on no cycle.
            let before = left.len();
            let targets: Vec<PredicateId> = left.iter().map(|&(_, to)| to).collect();
            left.retain(|(from, _)| targets.contains(from));
            if left.len() < before {
                continue;
            }
            let Some(&(first, _)) = left.first() else { return chosen };
            chosen.push(first);
            left.retain(|&(from, to)| from != first && to != first);
        }
    }

    /// The answer that all runs end, if the judge agrees.
    fn judged(&mut self, levels: Vec<Level>, closures: Vec<Closure>, budget: &mut Budget) -> Answer {
        let argument = RankingArgument { invariants: model_of(&self.problem, &self.known), levels, closures };
        match check_ranking(self.store, self.system, &argument, budget) {
            Ok(()) => Answer::Terminates(argument),
            Err(error) => {
                let stopped = budget.check_stop().is_err();
                Answer::Unknown(if stopped { UnknownReason::Stopped.to_string() } else { refused(&error) })
            }
        }
    }

    /// The answer that a run is infinite, if the judge agrees.
    fn infinite(
        &mut self,
        stem: Derivation<ClauseId>,
        set: shem_chc::Model,
        choices: Vec<Vec<Choice>>,
        budget: &mut Budget,
    ) -> Option<Answer> {
        let recurrence = Recurrence { stem, set, choices };
        match check_recurrence(self.store, self.system, &recurrence, budget) {
            Ok(()) => Some(Answer::Runs(recurrence)),
            Err(error) => {
                self.refused = Some(error);
                None
            }
        }
    }

    fn ends(&self, one: &Move) -> (ClauseId, PredicateId, PredicateId) {
        let transition = &self.problem.transitions[self.cases.cases[one.case].transition];
        (transition.clause, transition.source.expect("a transition has a source"), transition.target)
    }

    /// Walks from states at the start.
    fn walk(&mut self, budget: &mut Budget) -> Walked {
        let mut moves = Vec::new();
        for at in (0..self.cases.cases.len()).filter(|&at| self.cases.cases[at].origin.is_none()) {
            if moves.len() >= MOST_MOVES || budget.check_stop().is_err() {
                break;
            }
            moves.extend(moves_of(self.store, &self.problem, &self.cases, at));
        }
        let ends: Vec<_> = moves.iter().map(|one| self.ends(one)).map(|(_, from, to)| (from, to)).collect();
        let mut walker = Walker::new(self.store, &self.problem, &moves, &ends);
        let runs = walk(self.store, &self.problem, &self.cases, &mut walker, budget);
        Walked { moves, walker, runs }
    }

    fn clauses(&self, walked: &Walked) -> Vec<ClauseId> {
        walked.moves.iter().map(|one| self.ends(one).0).collect()
    }

    /// A run that comes back to one of its states.
    fn repeated(&mut self, walked: &Walked, budget: &mut Budget) -> Option<Answer> {
        let clauses = self.clauses(walked);
        for run in &walked.runs {
            let Some(first) = run.repeats else { continue };
            let count = self.problem.states.len();
            let mut set = vec![Term::FALSE; count];
            let mut choices: Vec<Vec<Choice>> = vec![Vec::new(); count];
            for (state, &step) in run.states[first..].iter().zip(&run.moves[first..]) {
                let index = state.predicate.index();
                let point = self.store.value_cube(&self.problem.states[index], &state.values);
                set[index] = self.store.or2(set[index], point);
                let choice =
                    Choice { clause: clauses[step], values: walked.moves[step].values.clone().into() };
                choices[index].push(choice);
            }
            let stem = run.stem(first + 1, &clauses);
            let answer = self.infinite(stem, model_of(&self.problem, &set), choices, budget);
            if answer.is_some() {
                return answer;
            }
        }
        None
    }

    /// Cycles of moves: those that runs repeat, then short ones.
    fn words(&self, walked: &Walked, alive: &[usize]) -> Vec<Vec<usize>> {
        let mut words: Vec<Vec<usize>> = Vec::new();
        for (_, word) in walked.runs.iter().filter_map(Run::word) {
            if !words.iter().any(|other| other == word) {
                words.push(word.to_vec());
            }
        }
        let moves: Vec<usize> =
            (0..walked.moves.len()).filter(|&at| alive.contains(&walked.moves[at].case)).collect();
        let mut from: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for &at in &moves {
            from.entry(self.cases.cases[walked.moves[at].case].source).or_default().push(at);
        }
        // By length, so that short ones come first.
        let source = |at: usize| self.cases.cases[walked.moves[at].case].source;
        let target = |at: usize| self.cases.cases[walked.moves[at].case].target;
        let mut paths: Vec<Vec<usize>> = moves.iter().map(|&at| vec![at]).collect();
        for _ in 0..LONGEST_CYCLE {
            let mut longer = Vec::new();
            for path in &paths {
                let (first, last) = (path[0], path[path.len() - 1]);
                if target(last) == source(first) && !words.contains(path) && words.len() < MOST_CYCLES {
                    words.push(path.clone());
                }
                for &next in from.get(&target(last)).into_iter().flatten() {
                    if longer.len() < 2 * MOST_CYCLES {
                        longer.push([&path[..], &[next]].concat());
                    }
                }
            }
            paths = longer;
        }
        words
    }

    fn closed_sets(&mut self, walked: &Walked, word: &[usize], budget: &mut Budget) -> Vec<Closed> {
        let word: Vec<_> = word
            .iter()
            .map(|&at| {
                let one = &walked.moves[at];
                let (clause, source, _) = self.ends(one);
                (one, clause, source)
            })
            .collect();
        closed_sets(self.store, &self.problem, &word, budget)
    }

    /// A closed set with a state of a run.
    fn met(&mut self, walked: &mut Walked, closed: &Closed, budget: &mut Budget) -> Option<Answer> {
        let clauses = self.clauses(walked);
        let Walked { walker, runs, .. } = walked;
        for run in runs.iter() {
            let is_in = |state: &crate::runs::State| {
                state.predicate == closed.head && walker.holds(self.store, state, closed.at_head)
            };
            if let Some(at) = run.states.iter().position(is_in) {
                let (set, choices) = (model_of(&self.problem, &closed.set), closed.choices.clone());
                return self.infinite(run.stem(at + 1, &clauses), set, choices, budget);
            }
        }
        None
    }

    /// A closed set of which some state can be reached.
    fn reach(
        &mut self,
        unreached: &[Closed],
        safety: &mut dyn Safety,
        effort: u64,
        budget: &mut Budget,
    ) -> Option<Answer> {
        for closed in unreached.iter().take(MOST_REACHED) {
            if budget.check_stop().is_err() {
                return None;
            }
            let at = (closed.head, closed.at_head);
            let Some(stem) = reach(self.store, &self.problem, &self.steps, at, safety, effort) else {
                continue;
            };
            let (set, choices) = (model_of(&self.problem, &closed.set), closed.choices.clone());
            let answer = self.infinite(stem, set, choices, budget);
            if answer.is_some() {
                return answer;
            }
        }
        None
    }

    /// Sets without a last state: of the moves that a long run takes in the end, and of one move for each case.
    fn endless(
        &mut self,
        walked: &Walked,
        safety: &mut dyn Safety,
        effort: u64,
        budget: &mut Budget,
    ) -> Option<Answer> {
        let clauses = self.clauses(walked);
        let mut first_moves: Vec<usize> = Vec::new();
        for at in 0..walked.moves.len() {
            if at == 0 || walked.moves[at].case != walked.moves[at - 1].case {
                first_moves.push(at);
            }
        }
        let mut tried: Vec<Vec<usize>> = Vec::new();
        let long = walked.runs.iter().filter(|run| run.moves.len() >= 100 && run.repeats.is_none());
        for run in long {
            if tried.len() >= MOST_FOLLOWED || budget.check_stop().is_err() {
                break;
            }
            let at = run.moves.len() / 2;
            let mut used = run.moves[at..].to_vec();
            used.sort_unstable();
            used.dedup();
            if tried.contains(&used) {
                continue;
            }
            let moves: Vec<_> = used.iter().map(|&at| self.with_ends(&walked.moves[at])).collect();
            let from = From::State(&run.states[at]);
            tried.push(used);
            let found = endless(self.store, &self.problem, self.system, &moves, from, safety, effort);
            if let Some((set, choices)) = found {
                let answer = self.infinite(run.stem(at + 1, &clauses), set, choices, budget);
                if answer.is_some() {
                    return answer;
                }
            }
        }
        let run = walked.runs.first()?;
        if budget.check_stop().is_err() || walked.runs.iter().all(|run| run.moves.len() < 100) {
            return None;
        }
        let moves: Vec<_> = first_moves.iter().map(|&at| self.with_ends(&walked.moves[at])).collect();
        let from = From::Facts(self.system);
        let (set, choices) = endless(self.store, &self.problem, self.system, &moves, from, safety, effort)?;
        self.infinite(run.stem(1, &clauses), set, choices, budget)
    }

    fn with_ends<'m>(&self, one: &'m Move) -> (&'m Move, ClauseId, PredicateId, PredicateId) {
        let (clause, source, target) = self.ends(one);
        (one, clause, source, target)
    }

    /// The steps of runs.
    fn samples(&self, walked: &Walked) -> Vec<Sample> {
        let mut samples: Vec<Sample> = Vec::new();
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for run in &walked.runs {
            for (states, &step) in run.states.windows(2).zip(&run.moves) {
                let case = walked.moves[step].case;
                let count = counts.entry(case).or_default();
                let [before, after] = states else { continue };
                if *count < 30 {
                    *count += 1;
                    let [before, after] = [before, after].map(|state| state.values.clone());
                    samples.push(Sample { case, before, after });
                }
            }
        }
        samples
    }

    /// Looks for levels that need new invariants.
    fn guess(
        &mut self,
        samples: &mut Vec<Sample>,
        safety: &mut dyn Safety,
        effort: u64,
        budget: &mut Budget,
    ) {
        let mut left = std::mem::take(&mut self.left);
        while let Some(component) = left.pop() {
            if budget.check_stop().is_err() {
                self.left.push(component);
                continue;
            }
            let found = self.guess_level(&component, samples, safety, effort, budget);
            let Some((level, strict, invariants)) = found else {
                self.left.push(component);
                continue;
            };
            self.levels.push(level);
            for (known, more) in self.known.iter_mut().zip(invariants) {
                *known = self.store.and2(*known, more);
            }
            let rest: Vec<usize> = component.into_iter().filter(|at| !strict.contains(at)).collect();
            let all: Vec<usize> = left.concat();
            let possible = self.strengthen([all, rest].concat(), budget);
            left.clear();
            self.rank(possible, budget);
            left.append(&mut self.left);
        }
    }

    fn guess_level(
        &mut self,
        component: &[usize],
        samples: &mut Vec<Sample>,
        safety: &mut dyn Safety,
        effort: u64,
        budget: &mut Budget,
    ) -> Option<(NodeLevel, Vec<usize>, Vec<Term>)> {
        let mut ways = vec![component.to_vec()];
        if component.len() > 1 && component.len() <= MOST_SINGLE_CASES {
            ways.extend(component.iter().map(|&at| vec![at]));
        }
        for strict in ways {
            let Search { store, problem, cases, steps, .. } = self;
            let guessing = Guessing { problem, cases, steps, component, strict: &strict };
            if let Some((level, invariants)) = guessing.search(store, samples, safety, effort, budget) {
                return Some((level, strict, invariants));
            }
        }
        None
    }

    /// Adds what is known to the rows of cases; gives those that are still possible.
    fn strengthen(&mut self, alive: Vec<usize>, budget: &mut Budget) -> Vec<usize> {
        let mut possible = Vec::new();
        for at in alive {
            let case = &self.cases.cases[at];
            let source = self.cases.nodes[case.source].predicate.index();
            let mut solver = Solver::with_proof(Default::default(), NoProof);
            for &literal in case.literals.iter().chain([&self.known[source]]) {
                solver.assert(self.store, literal);
            }
            if budget.within(EFFORT, |part| solver.check(self.store, part).is_unsat()) {
                continue;
            }
            let atoms = self.store.conjuncts(self.known[source]);
            let rows = rows_of(self.store, &atoms);
            let case = &mut self.cases.cases[at];
            for row in rows {
                if !case.rows.contains(&row) {
                    case.rows.push(row);
                }
            }
            possible.push(at);
        }
        possible
    }
}

fn refused(error: &CertificateError) -> String {
    match error {
        CertificateError::Unknown(reason) => format!("the argument could not be judged: {reason}"),
        CertificateError::Wrong(what) => format!("the argument was refused by its judge: {what}"),
    }
}
