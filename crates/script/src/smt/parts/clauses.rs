//! The clauses that solvers share: each has an outbox and an inbox, which are emptied and filled between two rounds.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use shem_base::Lit;
use shem_smt::sat::ClausePort;

/// Clauses with at most so many literals are sent,
const MOST_LITERALS: usize = 12;
/// if their literals are of at most so many levels.
const MOST_LEVELS: u32 = 4;
/// A solver sends at most so many in a round.
const MOST_A_ROUND: usize = 400;

type Inbox = VecDeque<(u32, Arc<[Lit]>)>;

/// One solver's clauses that have not changed hands.
#[derive(Default)]
struct Boxes {
    outbox: Mutex<Vec<Vec<Lit>>>,
    inbox: Mutex<Inbox>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A solver's end of the exchange.
pub(super) struct Port(Arc<Boxes>);

impl ClausePort for Port {
    fn wants(&self, size: usize, glue: u32) -> bool {
        size <= MOST_LITERALS && glue <= MOST_LEVELS && lock(&self.0.outbox).len() < MOST_A_ROUND
    }

    fn send(&mut self, lits: &[Lit]) {
        lock(&self.0.outbox).push(lits.to_vec());
    }

    fn receive(&mut self, lits: &mut Vec<Lit>) -> Option<u32> {
        let (number, clause) = lock(&self.0.inbox).pop_front()?;
        lits.extend_from_slice(&clause);
        Some(number)
    }
}

/// All clauses that were sent.
pub(super) struct Pool {
    boxes: Vec<Arc<Boxes>>,
    /// The number of the first assertion that a clause counts as.
    first: u32,
    /// By number from the first on: who sent it, and how many clauses it had sent before.
    senders: Vec<(usize, usize)>,
    /// By solver: how many it has sent.
    sent: Vec<usize>,
    known: HashSet<Vec<Lit>>,
}

impl Pool {
    /// A pool of so many solvers, which have so many assertions each.
    pub(super) fn new(solvers: usize, assertions: u32) -> Pool {
        Pool {
            boxes: (0..solvers).map(|_| Arc::default()).collect(),
            first: assertions,
            senders: Vec::new(),
            sent: vec![0; solvers],
            known: HashSet::new(),
        }
    }

    pub(super) fn port(&self, solver: usize) -> Port {
        Port(Arc::clone(&self.boxes[solver]))
    }

    /// Gives each solver what the others have sent, unless it was sent before.
    pub(super) fn deliver(&mut self) {
        for sender in 0..self.boxes.len() {
            for mut clause in std::mem::take(&mut *lock(&self.boxes[sender].outbox)) {
                let index = self.sent[sender];
                self.sent[sender] += 1;
                clause.sort_unstable();
                let number = self.first.checked_add(self.senders.len() as u32);
                let Some(number) = number.filter(|_| !self.known.contains(&clause)) else { continue };
                self.senders.push((sender, index));
                let lits: Arc<[Lit]> = clause.as_slice().into();
                self.known.insert(clause);
                for (receiver, boxes) in self.boxes.iter().enumerate() {
                    if receiver != sender {
                        lock(&boxes.inbox).push_back((number, Arc::clone(&lits)));
                    }
                }
            }
        }
    }

    /// Who sent the clause that counts as this assertion, and how many clauses it had sent before. Nothing if it is an
    /// assertion.
    pub(super) fn sender(&self, number: u32) -> Option<(usize, usize)> {
        self.senders.get(number.checked_sub(self.first)? as usize).copied()
    }

    /// How many clauses were shared.
    pub(super) fn len(&self) -> usize {
        self.senders.len()
    }
}
