//! Jumps: many rounds of a loop at once.
//!
//! If the last steps of a run are a word that was taken several times, and the states at its ends lie on a polynomial
//! of low degree (for degree 1: the last two displacements are the same), the next rounds may be the same. Whether they
//! are, and how many of them, is computed and not guessed: the word is run once for all rounds to come (`rounds`), with
//! the state as polynomials in the number of the round. The state after the word has to be the one of the next round,
//! and no edge to false may be possible in between. Comparisons that change end the rounds there.

use shem_base::Rat;
use shem_chc::{Progression, VertexId};

use super::code::{Number, Stop};
use super::rounds::Rounds;
use super::run::CompiledGraph;
use super::trace::{Block, Trace};

/// The longest word that is looked for.
const LONGEST_WORD: usize = 1024;

/// The longest word after several rounds were taken as one.
const LONGEST_MULTIPLE: u64 = 4096;

/// Signs of the differences of order 2, 3 and 4: they vanish for degrees 1, 2 and 3.
const DIFFERENCES: [&[i64]; 3] = [&[1, -2, 1], &[1, -3, 3, -1], &[1, -4, 6, -4, 1]];

/// How many words are tried at a place.
const ATTEMPTS: usize = 6;

/// The greatest number of places at which no multiples are tried.
const LONGEST_WAIT: u32 = 1 << 16;

/// Looks for jumps.
#[derive(Clone, Debug, Default)]
pub(super) struct Jumps {
    /// Multiples of words are long. Where they were not better than the words themselves, they are not tried at the
    /// next places: this many, and how many after the next failure.
    wait: u32,
    longer: u32,
    /// The steps of the words that were run for all rounds.
    pub(super) looked: u64,
}

impl Jumps {
    /// Whether multiples are to be tried here.
    fn tries_multiples(&mut self) -> bool {
        self.wait = self.wait.saturating_sub(1);
        self.wait == 0
    }

    /// A multiple was tried.
    fn tried(&mut self, better: bool) {
        self.longer = if better { 0 } else { (2 * self.longer).clamp(1, LONGEST_WAIT) };
        self.wait = self.longer;
    }
}

/// Looks for a word that can be repeated from where a run is, with the number of rounds.
pub(super) fn find<N: Number>(graph: &CompiledGraph, trace: &Trace<N>, jumps: &mut Jumps) -> Option<Block> {
    let fresh = trace.fresh();
    let mut attempts = 0;
    let mut best: Option<Block> = None;
    let longest = LONGEST_WORD.min(fresh.saturating_sub(1) / 2);
    for period in 1..=longest {
        let Some(degree) = degree(trace, period) else { continue };
        attempts += 1;
        if let Some(block) = repeat(graph, trace, period, degree, jumps) {
            let better = best.as_ref().is_none_or(|known| block.steps() > known.steps());
            if better {
                let enough = block.rounds > 64;
                best = Some(block);
                if enough {
                    break;
                }
            }
        }
        if attempts == ATTEMPTS {
            break;
        }
    }
    // Fewer steps are not worth a block.
    best.filter(|block| block.rounds >= 4 && block.steps() >= 16)
}

/// The least degree of a polynomial through the states at the ends of words of this length, if the words are the same.
fn degree<N: Number>(trace: &Trace<N>, period: usize) -> Option<usize> {
    let last = trace.len() - 1;
    let fresh = trace.fresh();
    'degrees: for (at, differences) in DIFFERENCES.iter().enumerate() {
        let degree = at + 1;
        if (degree + 1) * period >= fresh {
            return None;
        }
        let states: [&[N]; 5] =
            std::array::from_fn(|i| trace.state(last - period * i.min(differences.len() - 1)));
        if states[..differences.len()].iter().any(|state| state.len() != states[0].len()) {
            return None;
        }
        for argument in 0..states[0].len() {
            let values = states[..differences.len()].iter().map(|state| &state[argument]);
            if !N::vanishes(differences.iter().copied().zip(values)) {
                continue 'degrees;
            }
        }
        // The words, and not only the ends.
        let same =
            (0..degree * period).all(|back| trace.case(last - back) == trace.case(last - back - period));
        return same.then_some(degree);
    }
    None
}

/// The rounds of the word of this length that can be taken.
fn repeat<N: Number>(
    graph: &CompiledGraph,
    trace: &Trace<N>,
    period: usize,
    degree: usize,
    jumps: &mut Jumps,
) -> Option<Block> {
    let last = trace.len() - 1;
    let word: Vec<usize> = (0..period).map(|i| trace.case(last + 1 - period + i)).collect();
    if word.iter().any(|&case| !graph.cases[case].free.is_empty()) {
        return None;
    }
    let vertex = graph.cases[word[period - 1]].target;
    let width = trace.state(last).len();
    let mut state = Vec::with_capacity(width);
    for argument in 0..width {
        let values: Vec<Rat> =
            (0..=degree).rev().map(|i| trace.state(last - period * i)[argument].to_rat()).collect();
        let mut progression = Progression::through(&values);
        for _ in 0..degree {
            progression = progression.next();
        }
        state.push(progression);
    }
    let mut rounds = Rounds::new();
    jumps.looked += word.len() as u64;
    let block = follow(graph, vertex, &word, &state, &mut rounds);
    let multiple = rounds.multiple;
    let fits = multiple > 1 && multiple.saturating_mul(period as u64) <= LONGEST_MULTIPLE;
    if !fits || !jumps.tries_multiples() {
        return block;
    }
    let state: Vec<Progression> = state.iter().map(|p| every(p, multiple)).collect();
    let word: Vec<usize> = std::iter::repeat_n(word, multiple as usize).flatten().collect();
    jumps.looked += word.len() as u64;
    let longer = follow(graph, vertex, &word, &state, &mut Rounds::new());
    let steps = |block: &Option<Block>| block.as_ref().map_or(0, Block::steps);
    let better = steps(&longer) > steps(&block);
    jumps.tried(better);
    if better { longer } else { block }
}

/// The progression of every so-manieth value.
fn every(progression: &Progression, multiple: u64) -> Progression {
    let values: Vec<Rat> = (0..=progression.degree() as u64).map(|i| progression.at(i * multiple)).collect();
    Progression::through(&values)
}

/// Runs a word for all rounds from a state; `None` if it does not lead to the state of the next round.
fn follow(
    graph: &CompiledGraph,
    vertex: VertexId,
    word: &[usize],
    state: &[Progression],
    rounds: &mut Rounds,
) -> Option<Block> {
    let mut courses: Vec<Vec<Progression>> = Vec::with_capacity(word.len());
    let mut registers: Vec<Progression> = Vec::new();
    for &at in word {
        let case = &graph.cases[at];
        registers.clear();
        registers.extend_from_slice(courses.last().map_or(state, |before| before));
        rounds.run(&case.program, &mut registers).ok()?;
        let next: Vec<Progression> = case.next.iter().map(|&r| registers[r as usize].clone()).collect();
        for &query in &graph.queries[case.target.index()] {
            let query = &graph.cases[query];
            // What is free may be chosen so that falsehood follows; a run has to look.
            if !query.free.is_empty() {
                return None;
            }
            registers.clear();
            registers.extend_from_slice(&next);
            if rounds.run(&query.program, &mut registers) != Err(Stop::Disabled) {
                return None;
            }
        }
        courses.push(next);
    }
    debug_assert_eq!(graph.cases[word[word.len() - 1]].target, vertex);
    let after = courses.last()?;
    if after.iter().zip(state).any(|(after, state)| *after != state.next()) {
        return None;
    }
    Some(Block { word: word.to_vec(), rounds: rounds.count, courses, endless: rounds.endless })
}
