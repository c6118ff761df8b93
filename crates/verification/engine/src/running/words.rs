//! Runs that follow a plan: single steps and words that are repeated, as another engine has put them together.
//!
//! An engine that replaces the rounds of a loop by a relation knows the word of a round, and between which states the
//! relation stood, but not how many rounds these are, nor whether there are any: the relation may contain more than the
//! loop does. So the plan is tried. A word is repeated until the state is the one that is planned, or as long as it is
//! possible; or, on a second try, until the next part of the plan is possible. Rounds are jumped over where that is
//! possible. When the plan is at its end, the run goes on as any other.

use shem_base::{Budget, Rat, Rng, UnknownReason};
use shem_chc::{Derivation, EdgeId, Progression};
use shem_term::{Term, Value};

use super::code::Stop;
use super::jump::{self, Jumps};
use super::run::{CompiledGraph, Registers, number};
use super::search::{End, Limits, RunSearch};
use super::trace::{Block, Trace};

/// The single steps that may be taken by the plan.
const MOST_STEPS: usize = 20_000;

/// The depth of loops in loops.
const DEEPEST: usize = 6;

/// The single steps of a loop after which a jump is looked for the first time.
const FIRST_LOOK: usize = 8;

/// A part of a plan.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// A step between two states; the values of variables that the states may not determine.
    Step { before: Vec<Value>, after: Vec<Value>, others: Vec<(Term, Value)> },
    /// The word with this number, again and again, until this state.
    Loop { word: usize, after: Vec<Value> },
}

/// What is to be run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    pub(crate) parts: Vec<Part>,
    pub(crate) words: Vec<Vec<Part>>,
}

impl Plan {
    /// The state after the last part.
    pub(crate) fn end(&self) -> Option<&[Value]> {
        match self.parts.last()? {
            Part::Step { after, .. } | Part::Loop { after, .. } => Some(after),
        }
    }

    /// The plan of the same path in the other direction. `start` is where this one begins.
    pub(crate) fn reversed(self, start: &[Value]) -> Plan {
        let words = self.words.into_iter().map(|word| reversed(word, &[])).collect();
        Plan { parts: reversed(self.parts, start), words }
    }
}

fn reversed(parts: Vec<Part>, start: &[Value]) -> Vec<Part> {
    let mut before = start.to_vec();
    let mut result = Vec::with_capacity(parts.len());
    for part in parts {
        match part {
            Part::Step { before: from, after: to, others } => {
                before.clone_from(&to);
                result.push(Part::Step { before: to, after: from, others });
            }
            Part::Loop { word, after } => {
                let goal = std::mem::replace(&mut before, after);
                result.push(Part::Loop { word, after: goal });
            }
        }
    }
    result.reverse();
    result
}

/// A step of a plan in terms of the program: a case, and what is free in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Move {
    case: usize,
    free: Vec<Rat>,
}

/// A part of a plan in terms of the program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Action {
    Move(Move),
    Loop { word: usize, goal: Vec<Rat> },
}

/// A plan in terms of the program, with a start: two of them that are the same run in the same way.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Route {
    start: Vec<Rat>,
    actions: Vec<Action>,
    /// The words that are used, in the order of their first use, which is also their number.
    words: Vec<Vec<Action>>,
}

impl Route {
    /// The route of a plan; `None` if some step of it is none of the program. `targets` are the variables of the state
    /// after a step.
    pub(super) fn new(
        graph: &CompiledGraph,
        start: &[Value],
        plan: &Plan,
        targets: &[Term],
    ) -> Option<Route> {
        // The words that are used, by their numbers in the plan.
        let mut used: Vec<usize> = Vec::new();
        let resolve = |parts: &[Part], used: &mut Vec<usize>| -> Option<Vec<Action>> {
            let mut actions =
                parts.iter().map(|part| action(graph, part, targets)).collect::<Option<Vec<_>>>()?;
            for action in &mut actions {
                if let Action::Loop { word, .. } = action {
                    let known = used.iter().position(|known| known == word);
                    let number = known.unwrap_or(used.len());
                    if known.is_none() {
                        used.push(*word);
                    }
                    *word = number;
                }
            }
            Some(actions)
        };
        let actions = resolve(&plan.parts, &mut used)?;
        let mut words = Vec::new();
        while let Some(&word) = used.get(words.len()) {
            let mut resolved = resolve(&plan.words[word], &mut used).unwrap_or_default();
            for action in &mut resolved {
                // In a loop the planned state is one of the first round only.
                if let Action::Loop { goal, .. } = action {
                    goal.clear();
                }
            }
            words.push(resolved);
        }
        Some(Route { start: start.iter().map(number).collect(), actions, words })
    }
}

/// Follows plans.
struct Follower<'a> {
    graph: &'a CompiledGraph,
    route: &'a Route,
    /// Whether a word is left as soon as the next part is possible.
    early: bool,
    trace: Trace<Rat>,
    state: Vec<Rat>,
    registers: Registers<Rat>,
    next: Vec<Rat>,
    jumps: Jumps,
    /// The work after which it ends.
    most_work: u64,
    rng: Rng,
    /// The derivation, once falsehood was reached.
    reached: Option<Derivation<EdgeId>>,
}

/// Runs a route, and then on; how that ends, and the work.
pub(super) fn follow(
    graph: &CompiledGraph,
    route: &Route,
    limits: Limits,
    seed: u64,
    budget: &Budget,
) -> Result<(End<Rat>, u64), UnknownReason> {
    let mut work = 0;
    let mut last = End::Stuck;
    for early in [false, true] {
        let mut trace = Trace::new();
        trace.push(graph.starts[0], &route.start);
        let mut follower = Follower {
            graph,
            route,
            early,
            trace,
            state: route.start.clone(),
            registers: Registers::default(),
            next: Vec::new(),
            jumps: Jumps::default(),
            most_work: limits.work.saturating_sub(work),
            rng: Rng::new(seed),
            reached: None,
        };
        follower.sequence(&route.actions, 0, budget)?;
        work += follower.work();
        if let Some(found) = follower.reached {
            return Ok((End::Reached(found), work));
        }
        let left = Limits { work: limits.work.saturating_sub(work), ..limits };
        let mut search = RunSearch::new(graph, left, Rng::new(seed));
        let end = search.run(follower.trace, None, budget)?;
        work += search.work;
        match end {
            End::Reached(_) => return Ok((end, work)),
            End::Steps => last = end,
            End::Stuck | End::Endless | End::Overflow(_) => {}
        }
    }
    Ok((last, work))
}

/// The case of a step of the plan, if there is one.
fn action(graph: &CompiledGraph, part: &Part, targets: &[Term]) -> Option<Action> {
    let (before, after, others) = match part {
        Part::Loop { word, after } => {
            return Some(Action::Loop { word: *word, goal: after.iter().map(number).collect() });
        }
        Part::Step { before, after, others } => (before, after, others),
    };
    let before: Vec<Rat> = before.iter().map(number).collect();
    let after: Vec<Rat> = after.iter().map(number).collect();
    let value = |variable: &Term| match targets.iter().position(|target| target == variable) {
        Some(at) => after[at].clone(),
        None => {
            let found = others.iter().find(|(other, _)| other == variable);
            found.map_or(Rat::ZERO, |(_, value)| number(value))
        }
    };
    graph.moves.iter().flatten().find_map(|&at| {
        let case = &graph.cases[at];
        let free: Vec<Rat> = case.free.iter().map(value).collect();
        let mut registers = [&before[..], &free[..]].concat();
        case.program.run(&mut registers).ok()?;
        let same =
            case.next.iter().zip(&after).all(|(&register, value)| registers[register as usize] == *value);
        same.then_some(Action::Move(Move { case: at, free }))
    })
}

impl Follower<'_> {
    fn work(&self) -> u64 {
        self.trace.weight() as u64 + self.jumps.work()
    }

    fn is_at_end(&self) -> bool {
        self.reached.is_some() || self.trace.weight() > MOST_STEPS || self.work() > self.most_work
    }

    /// Does parts one after another; whether all of them were possible.
    fn sequence(&mut self, actions: &[Action], depth: usize, budget: &Budget) -> Result<bool, UnknownReason> {
        for (at, action) in actions.iter().enumerate() {
            budget.check_stop()?;
            if self.is_at_end() {
                return Ok(false);
            }
            match action {
                Action::Move(step) => {
                    if !self.step(step) {
                        return Ok(false);
                    }
                }
                Action::Loop { .. } if depth == DEEPEST => return Ok(false),
                Action::Loop { word, goal } => {
                    let following = actions.get(at + 1);
                    // In a loop there is no planned state.
                    let goal = (depth == 0).then_some(&goal[..]);
                    self.repeat(*word, goal, following, depth, budget)?;
                }
            }
        }
        Ok(true)
    }

    /// Repeats a word.
    fn repeat(
        &mut self,
        word: usize,
        goal: Option<&[Rat]>,
        following: Option<&Action>,
        depth: usize,
        budget: &Budget,
    ) -> Result<(), UnknownReason> {
        let actions = &self.route.words[word];
        let mut look = self.trace.len() + FIRST_LOOK;
        loop {
            if self.is_at_end() || goal == Some(&self.state) {
                return Ok(());
            }
            if self.early && self.is_possible(following) {
                return Ok(());
            }
            let rounds_begin = self.trace.len();
            if !self.sequence(actions, depth + 1, budget)? || self.trace.len() == rounds_begin {
                return Ok(());
            }
            if !self.early && self.trace.len() >= look {
                look = self.trace.len() + FIRST_LOOK.max(self.trace.fresh() / 4);
                if let Some(mut block) = jump::find(self.graph, &self.trace, &mut self.jumps) {
                    let last = &block.courses[block.word.len() - 1];
                    if let Some(rounds) = goal.and_then(|goal| rounds_to(last, goal, block.rounds)) {
                        block.rounds = rounds;
                    } else if block.endless {
                        // Neither the planned state nor another end of the word comes any more.
                        return Ok(());
                    }
                    self.take(block);
                }
            }
        }
    }

    /// Whether the first step of a part is possible here.
    fn is_possible(&mut self, action: Option<&Action>) -> bool {
        let mut action = action.cloned();
        for _ in 0..DEEPEST {
            match action {
                Some(Action::Move(step)) => return self.program(&step).is_ok(),
                Some(Action::Loop { word, .. }) => action = self.route.words[word].first().cloned(),
                None => return false,
            }
        }
        false
    }

    fn program(&mut self, step: &Move) -> Result<(), Stop> {
        self.graph.run_case(step.case, &self.state, &step.free, &mut self.next, &mut self.registers)
    }

    /// Takes a step, if it is possible.
    fn step(&mut self, step: &Move) -> bool {
        if self.program(step).is_err() {
            return false;
        }
        self.trace.push(step.case, &self.next);
        std::mem::swap(&mut self.state, &mut self.next);
        self.look_for_falsehood();
        true
    }

    fn take(&mut self, block: Block) {
        self.state = block.end();
        self.trace.push_block(block);
    }

    fn look_for_falsehood(&mut self) {
        let (vertex, _) = self.trace.here(self.graph);
        for &query in &self.graph.queries[vertex.index()] {
            let Follower { graph, state, next, registers, rng, .. } = self;
            if graph.attempt(query, state, next, registers, rng).is_ok() {
                self.reached = Some(self.trace.derivation(self.graph, self.graph.cases[query].edge));
                return;
            }
        }
    }
}

/// The number of rounds after which the state is this one, at least one and less than `limit`; `None` if there is no
/// such number, or if it is not known.
fn rounds_to(courses: &[Progression], goal: &[Rat], limit: u64) -> Option<u64> {
    let (course, value) = courses.iter().zip(goal).find(|(course, _)| course.degree() > 0)?;
    let [start, slope] = course.coefficients() else { return None };
    let round = &(value - start) / slope;
    let round = round.to_int()?.to_i64().and_then(|round| u64::try_from(round).ok())?;
    let is_there = courses.iter().zip(goal).all(|(course, value)| course.at(round) == *value);
    (is_there && round + 1 < limit).then_some(round + 1)
}
