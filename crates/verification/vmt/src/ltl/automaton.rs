//! Büchi automata of formulas.
//!
//! A location stands for formulas that the rest of the run has to satisfy. They are taken apart into what has to hold now and
//! what has to hold after the step, as the fixed points of the operators say: `a U b` is `b`, or `a` and `a U b` after the step,
//! in which case the step *postpones* it. Each way to do so is an edge. A run is accepted if it postpones no formula for ever
//! (J.-M. Couvreur, On-the-fly Verification of Linear Temporal Logic, FM 1999). Locations are copied for the formula that is
//! waited for at the moment, so that one set of accepting locations remains; copies that do not differ are merged, and
//! those from which no run is accepted are left out.
//!
//! Where `b` is no temporal formula, the second way says that it does not hold now, so that fewer edges can be taken at once.

use std::collections::{BTreeMap, BTreeSet};

use shem_term::{Store, Term, View};

use super::operator::{Operator, temporal_subterms};

/// The greatest number of sets of formulas, of ways to take one apart, and of locations.
const MOST_SETS: usize = 400;
const MOST_WAYS: usize = 2_000;
const MOST_LOCATIONS: usize = 1_000;

/// A Büchi automaton whose edges have formulas about a state and the step from it. The first location is the one at the start; an
/// automaton without locations accepts nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct Automaton {
    pub(super) locations: Vec<Location>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Location {
    /// Whether runs that are here again and again are accepted.
    pub(super) accepting: bool,
    /// The locations after a step, each once, with the condition.
    pub(super) edges: BTreeMap<usize, Term>,
}

/// The automaton would be too large.
#[derive(Clone, Copy, Debug)]
pub(super) struct TooLarge;

/// Formulas that have to hold, sorted.
type Obligations = BTreeSet<Term>;

/// An edge between sets of formulas: the set after the step, what is postponed, and the condition.
type Ways = BTreeMap<(Obligations, BTreeSet<Term>), Term>;

impl Automaton {
    /// An automaton that accepts the runs on which a formula without operators of the past is true.
    pub(super) fn of(store: &mut Store, formula: Term) -> Result<Automaton, TooLarge> {
        let temporal: BTreeSet<Term> = temporal_subterms(store, formula).into_iter().collect();
        let mut sets: Vec<Obligations> = vec![[formula].into()];
        let mut ways: Vec<Ways> = Vec::new();
        while let Some(set) = sets.get(ways.len()).cloned() {
            let found = take_apart(store, &temporal, set)?;
            for (next, _) in found.keys() {
                if !sets.contains(next) {
                    sets.push(next.clone());
                }
            }
            if sets.len() > MOST_SETS {
                return Err(TooLarge);
            }
            ways.push(found);
        }
        let mut automaton = in_turn(store, &sets, &ways)?;
        automaton.keep_productive();
        automaton.merge(store);
        Ok(automaton)
    }

    /// Leaves out locations from which no run is accepted, and those that cannot be reached.
    fn keep_productive(&mut self) {
        let count = self.locations.len();
        let targets = |at: usize| self.locations[at].edges.keys().copied();
        let reach = |from: Vec<usize>| {
            let (mut seen, mut pending) = (vec![false; count], from);
            while let Some(at) = pending.pop() {
                if !std::mem::replace(&mut seen[at], true) {
                    pending.extend(targets(at));
                }
            }
            seen
        };
        let recurring: Vec<usize> = (0..count)
            .filter(|&at| self.locations[at].accepting && reach(targets(at).collect())[at])
            .collect();
        let reached = reach(vec![0]);
        let kept: Vec<usize> = (0..count)
            .filter(|&at| {
                let later = reach(vec![at]);
                reached[at] && recurring.iter().any(|&good| later[good])
            })
            .collect();
        let number: BTreeMap<usize, usize> = kept.iter().enumerate().map(|(new, &old)| (old, new)).collect();
        self.locations = kept
            .iter()
            .map(|&old| {
                let Location { accepting, edges } = &self.locations[old];
                let edges = edges.iter().filter_map(|(target, &guard)| Some((*number.get(target)?, guard)));
                Location { accepting: *accepting, edges: edges.collect() }
            })
            .collect();
        // The first one may have been left out, and then nothing is accepted.
        if kept.first() != Some(&0) {
            self.locations.clear();
        }
    }

    /// Merges locations that agree on acceptance and have the same edges to merged locations.
    fn merge(&mut self, store: &mut Store) {
        let mut class: Vec<usize> =
            self.locations.iter().map(|location| usize::from(location.accepting)).collect();
        loop {
            let mut known: Vec<(usize, BTreeMap<usize, Term>)> = Vec::new();
            let mut refined = Vec::with_capacity(class.len());
            for (at, location) in self.locations.iter().enumerate() {
                let mut edges: BTreeMap<usize, Term> = BTreeMap::new();
                for (&target, &guard) in &location.edges {
                    let sum = edges.entry(class[target]).or_insert(Term::FALSE);
                    *sum = store.or2(*sum, guard);
                }
                let key = (class[at], edges);
                let position = known.iter().position(|other| *other == key);
                refined.push(position.unwrap_or(known.len()));
                if position.is_none() {
                    known.push(key);
                }
            }
            let stable = known.len() == class.iter().copied().collect::<BTreeSet<_>>().len();
            if stable {
                // Classes are numbered by their first members, so the first location stays the first.
                let accepting = |class: usize| {
                    let member = refined.iter().position(|&own| own == class);
                    self.locations[member.expect("a class has a member")].accepting
                };
                // The edges lead to classes by their old numbers, which are those of the same members.
                let new_number = |old: usize| {
                    let member = class.iter().position(|&own| own == old).expect("a class has a member");
                    refined[member]
                };
                let merged = known.iter().enumerate().map(|(at, (_, edges))| Location {
                    accepting: accepting(at),
                    edges: edges.iter().map(|(&target, &guard)| (new_number(target), guard)).collect(),
                });
                self.locations = merged.collect();
                return;
            }
            class = refined;
        }
    }
}

/// What is left to be taken apart on one way, and what was found.
#[derive(Clone, Default)]
struct Way {
    pending: Vec<Term>,
    seen: BTreeSet<Term>,
    now: Vec<Term>,
    next: Obligations,
    postponed: BTreeSet<Term>,
}

impl Way {
    fn with(&self, parts: &[Term]) -> Way {
        let mut way = self.clone();
        way.pending.extend(parts);
        way
    }

    fn later(mut self, formula: Term) -> Way {
        self.next.insert(formula);
        self
    }

    fn postponing(mut self, formula: Term) -> Way {
        self.postponed.insert(formula);
        self.later(formula)
    }
}

/// All ways to satisfy formulas, by what has to hold after the step.
fn take_apart(store: &mut Store, temporal: &BTreeSet<Term>, set: Obligations) -> Result<Ways, TooLarge> {
    let mut open = vec![Way { pending: set.into_iter().collect(), ..Way::default() }];
    let mut ways = Ways::new();
    let mut count = 0;
    while let Some(mut way) = open.pop() {
        let Some(formula) = way.pending.pop() else {
            let guard = store.and(&way.now);
            if guard != Term::FALSE {
                let known = ways.entry((way.next, way.postponed)).or_insert(Term::FALSE);
                *known = store.or2(*known, guard);
            }
            continue;
        };
        if way.seen.contains(&!formula) {
            continue;
        }
        if !way.seen.insert(formula) {
            open.push(way);
            continue;
        }
        count += 1;
        if count > MOST_WAYS {
            return Err(TooLarge);
        }
        if !temporal.contains(&formula.positive()) {
            way.now.push(formula);
            open.push(way);
            continue;
        }
        let plain = |term: Term| !temporal.contains(&term.positive());
        // One of the formulas, as few ways as possible: what is not temporal is one formula.
        let either = |store: &mut Store, way: &Way, parts: &[Term]| {
            let (now, later): (Vec<Term>, Vec<Term>) = parts.iter().partition(|&&part| plain(part));
            let now = store.or(&now);
            let mut ways: Vec<Way> = later.iter().map(|&part| way.with(&[part, !now])).collect();
            if now != Term::FALSE {
                ways.push(way.with(&[now]));
            }
            ways
        };
        let negated = formula.is_negated();
        let (first, second, third) = match store.view(formula) {
            View::And(args) if negated => {
                let parts: Vec<Term> = args.iter().map(|&arg| !arg).collect();
                open.extend(either(store, &way, &parts));
                continue;
            }
            View::And(args) => {
                way.pending.extend(args);
                open.push(way);
                continue;
            }
            View::Iff(a, b) => (a, b.xor(negated), !b.xor(negated)),
            View::Ite(condition, a, b) => (condition, a.xor(negated), b.xor(negated)),
            _ => {
                let (operator, args) = Operator::of_term(store, formula).expect("a temporal operator");
                let sign = |at: usize| args[at].xor(negated);
                let (a, b) = match args {
                    [_] => (Term::TRUE.xor(negated), sign(0)),
                    _ => (sign(0), sign(1)),
                };
                match (operator, negated) {
                    (Operator::Next, _) => open.push(way.later(b)),
                    (Operator::Finally | Operator::Until, false)
                    | (Operator::Globally | Operator::Release, true) => {
                        // `G` is `R` after falsehood, so its negation is `U` after truth.
                        let a = if operator == Operator::Globally { Term::TRUE } else { a };
                        let now = way.with(&[b]);
                        let not_now = if plain(b) { !b } else { Term::TRUE };
                        open.extend([now, way.with(&[a, not_now]).postponing(formula)]);
                    }
                    _ => {
                        // `a R b`, or the negation of a formula with `U`, whose parts are negated already.
                        let a = if args.len() == 1 { Term::FALSE } else { a };
                        let not_now = if plain(a) { !a } else { Term::TRUE };
                        open.extend([way.with(&[a, b]), way.with(&[b, not_now]).later(formula)]);
                    }
                }
                continue;
            }
        };
        open.extend([way.with(&[first, second]), way.with(&[!first, third])]);
    }
    Ok(ways)
}

/// The automaton in which one postponed formula after the other is waited for. Locations are sets with a number: how many
/// formulas were not postponed, each in some step since the one before it; where it was all of them, the location accepts.
fn in_turn(store: &mut Store, sets: &[Obligations], ways: &[Ways]) -> Result<Automaton, TooLarge> {
    let awaited: BTreeSet<Term> =
        ways.iter().flat_map(Ways::keys).flat_map(|(_, postponed)| postponed).copied().collect();
    let awaited: Vec<Term> = awaited.into_iter().collect();
    let index: BTreeMap<&Obligations, usize> = sets.iter().enumerate().map(|(at, set)| (set, at)).collect();
    let mut numbers: BTreeMap<(usize, usize), usize> = [((0, 0), 0)].into();
    let mut pending = vec![(0, 0)];
    let mut locations: Vec<Option<Location>> = vec![None];
    while let Some((set, level)) = pending.pop() {
        let from = if level == awaited.len() { 0 } else { level };
        let mut edges: BTreeMap<usize, Term> = BTreeMap::new();
        for ((next, postponed), &guard) in &ways[set] {
            let waits = awaited[from..].iter().position(|formula| postponed.contains(formula));
            let end = (index[next], waits.map_or(awaited.len(), |steps| from + steps));
            let count = numbers.len();
            let target = *numbers.entry(end).or_insert_with(|| {
                pending.push(end);
                locations.push(None);
                count
            });
            let known = edges.entry(target).or_insert(Term::FALSE);
            *known = store.or2(*known, guard);
        }
        if numbers.len() > MOST_LOCATIONS {
            return Err(TooLarge);
        }
        let accepting = level == awaited.len();
        locations[numbers[&(set, level)]] = Some(Location { accepting, edges });
    }
    Ok(Automaton {
        locations: locations.into_iter().map(|location| location.expect("each is visited")).collect(),
    })
}
