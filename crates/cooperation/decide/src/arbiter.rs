//! The arbiter: starts the workers, gives them turns, judges what they report, and names the winner.
//!
//! It keeps the system as read and believes nothing that it can judge. A model or a derivation that a worker
//! sends is validated here, by the checker that shares no code with engines and passes. Only where a worker has
//! no witness to offer, or none in time, but has checked a certificate of its engine is its word taken, and the
//! answer says so.
//!
//! The first verdict that is accepted wins, and the other workers are killed. A worker that fails, or whose
//! witness is rejected, is dropped with a warning, and the others go on. A verdict that can neither be accepted
//! nor rejected counts for nothing, except that it may not contradict the winner: if another worker has come to
//! the opposite verdict by then and its evidence is not rejected, both are withheld. Judging takes the place of
//! the worker that has just ended, so no more cores are busy than were asked for.
//!
//! Judging has a limit that grows with the time that has passed, so that one witness which is hard to judge does
//! not keep the others waiting; what is left undecided is judged again when there is nothing else to do.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use shem_base::{Budget, Statistics, StopToken};
use shem_chc::{ClauseId, Derivation, Model, System};
use shem_check::{Validity, check_derivation, check_model};
use shem_term::Store;

use crate::clock::with_deadline;
use crate::contradiction::{Claim, Contradiction, contradiction};
use crate::entry::Entry;
use crate::post::Post;
use crate::report::{Evidence, Report, Subject, Word, read_model};
use crate::schedule::Schedule;
use crate::worker::{Event, Launch, Worker};

/// Between two looks at the stop token.
const PERIOD: Duration = Duration::from_millis(10);
/// How long a witness is judged at least before others get their turn.
const PATIENCE: Duration = Duration::from_secs(1);

/// A problem for a portfolio.
pub struct Job {
    /// The program that workers run.
    pub program: PathBuf,
    /// The words of the command line that all workers have.
    pub words: Vec<OsString>,
    /// What distinguishes the workers, the most promising first.
    pub entries: Vec<Entry>,
    /// The text of the problem, which workers read from standard input.
    pub text: Arc<Vec<u8>>,
    /// The number of the check in the text, from 1.
    pub check: u64,
    /// Whether what a worker has learnt is handed on to the others.
    pub exchange: bool,
    /// How many cores may be busy.
    pub jobs: usize,
    /// How long a witness may take to judge.
    pub witness_budget: Duration,
}

/// Who hears what happens meanwhile.
pub trait Observer {
    /// An entry is at this depth, with so many lemmas.
    fn progress(&mut self, entry: &Entry, depth: u64, lemmas: u64);

    /// An entry was dropped; the words say why.
    fn warning(&mut self, words: &str);
}

/// What a portfolio has found.
#[derive(Clone, Debug)]
pub struct Decision {
    /// The verdict.
    pub outcome: Outcome,
    /// The figures of the winner and of the portfolio.
    pub statistics: Statistics,
}

/// The verdict of a portfolio.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// There is a model: this one, or the winner accepted its engine's certificate that there is one.
    Sat(Entry, Option<Model>),
    /// Falsehood can be derived: like this, or the winner accepted its engine's certificate that it can.
    Unsat(Entry, Option<Derivation<ClauseId>>),
    /// The race was stopped.
    Stopped,
    /// All entries gave up; these are their words, for people only.
    Unknown(String),
}

/// What the judge says of a verdict.
enum Judgement {
    Accepted(Outcome),
    Rejected(String),
    /// There was not enough time.
    Undecided(String),
    /// There is nothing to judge.
    Groundless(String),
}

/// A verdict as reported.
struct Verdict {
    entry: usize,
    word: Word,
    evidence: Evidence,
    statistics: Statistics,
}

/// Lets the entries of a job race. The store is that of the system.
pub fn run(
    job: &Job,
    store: &mut Store,
    system: &System,
    stop: &StopToken,
    observer: &mut dyn Observer,
) -> Result<Decision, Contradiction> {
    let (sender, events) = channel();
    let tasks = job.entries.iter().map(|entry| (entry.weight, entry.delay));
    let mut race = Race {
        job,
        store,
        system,
        stop,
        observer,
        subject: Subject::new(&job.text, job.check),
        started: Instant::now(),
        schedule: Schedule::new(job.jobs, tasks),
        workers: job.entries.iter().map(|_| None).collect(),
        taken: vec![0; job.entries.len()],
        post: job.exchange.then(|| Arc::new(Post::new(job.entries.len()))),
        claims: vec![None; job.entries.len()],
        certified: vec![false; job.entries.len()],
        sender,
        events,
        pending: VecDeque::new(),
        accepted: None,
        reasons: Vec::new(),
        statistics: Statistics::new(),
    };
    let result = race.run();
    // Nobody is left behind: workers are killed when they are dropped.
    race.dismiss_all(|_| true);
    let mut statistics = std::mem::take(&mut race.statistics);
    if let Some(accepted) = race.accepted {
        // How long the others have lived since then.
        statistics.set("portfolio.stopping", accepted.elapsed().as_secs_f64());
    }
    for (i, entry) in job.entries.iter().enumerate() {
        let time = race.schedule.used(i).as_secs_f64();
        statistics.set(&format!("portfolio.time.{i}.{}", entry.engine()), time);
        if let Some(post) = &race.post {
            statistics.set(&format!("portfolio.sent.{i}.{}", entry.engine()), post.sent(i));
            statistics.set(&format!("portfolio.taken.{i}.{}", entry.engine()), race.taken[i]);
        }
    }
    if let Some(post) = &race.post {
        statistics.set("portfolio.stale", post.dropped());
    }
    let (outcome, winner) = result?;
    if let Some(winner) = winner {
        winner.iter().for_each(|(name, figure)| statistics.set(name, figure));
    }
    Ok(Decision { outcome, statistics })
}

struct Race<'a> {
    job: &'a Job,
    store: &'a mut Store,
    system: &'a System,
    stop: &'a StopToken,
    observer: &'a mut dyn Observer,
    subject: Subject,
    started: Instant,
    schedule: Schedule,
    workers: Vec<Option<Worker>>,
    /// How much of what others have learnt was of use to each.
    taken: Vec<u64>,
    /// Where workers exchange what they have learnt.
    post: Option<Arc<Post>>,
    /// What each entry says, with its evidence once that has come and was not rejected.
    claims: Vec<Option<(Word, Evidence)>>,
    /// Whose certificates were accepted by their workers.
    certified: Vec<bool>,
    /// Handed to the threads of new workers.
    sender: Sender<Event>,
    events: Receiver<Event>,
    /// Verdicts that could not be judged yet.
    pending: VecDeque<Verdict>,
    /// When a verdict was accepted.
    accepted: Option<Instant>,
    /// Why entries gave up.
    reasons: Vec<String>,
    statistics: Statistics,
}

impl Race<'_> {
    fn run(&mut self) -> Result<(Outcome, Option<Statistics>), Contradiction> {
        let mut turn_over = Instant::now();
        loop {
            if self.stop.is_stopped() {
                return match self.certified_outcome() {
                    Some((outcome, by)) => {
                        self.settle_contradictions(&outcome, by)?;
                        Ok((outcome, None))
                    }
                    None => Ok((Outcome::Stopped, None)),
                };
            }
            if turn_over <= Instant::now() || self.schedule.is_wanting() {
                self.next_turn();
                turn_over = Instant::now() + self.schedule.turn();
            }
            let verdict = if self.schedule.is_over() {
                // There is time for what was put off, and nothing else to do.
                match self.pending.pop_front() {
                    Some(verdict) => verdict,
                    None => return Ok((Outcome::Unknown(self.reasons.join("; ")), None)),
                }
            } else {
                match self.wait(turn_over) {
                    Some(verdict) => verdict,
                    None => continue,
                }
            };
            let winner = verdict.statistics.clone();
            if let Some((outcome, by)) = self.judge(verdict) {
                self.settle_contradictions(&outcome, by)?;
                return Ok((outcome, Some(winner)));
            }
        }
    }

    /// The verdict of a worker that has accepted a certificate and has had no time to finish.
    fn certified_outcome(&self) -> Option<(Outcome, usize)> {
        (0..self.claims.len()).filter(|&i| self.certified[i]).find_map(|i| {
            let (word, _) = self.claims[i].as_ref()?;
            Some((self.certified_by(i, *word), i))
        })
    }

    fn certified_by(&self, i: usize, word: Word) -> Outcome {
        let entry = self.job.entries[i].clone();
        match word {
            Word::Sat => Outcome::Sat(entry, None),
            Word::Unsat => Outcome::Unsat(entry, None),
        }
    }

    /// Starts, stops and continues workers.
    fn next_turn(&mut self) {
        let (stop, start) = self.schedule.next_turn();
        for i in stop {
            if let Some(worker) = &self.workers[i] {
                worker.suspend();
            }
        }
        for i in start {
            match &self.workers[i] {
                Some(worker) => worker.resume(),
                None => self.start(i),
            }
        }
        if let Some(i) = (0..self.workers.len()).find(|&i| self.schedule.is_running(i))
            && let Some(worker) = &self.workers[i]
        {
            let (depth, lemmas) = worker.progress();
            self.observer.progress(&self.job.entries[i], depth, lemmas);
        }
        self.statistics.add("portfolio.turns", 1);
    }

    fn start(&mut self, i: usize) {
        let job = self.job;
        let entry = &job.entries[i];
        let mut words = job.words.clone();
        words.extend(entry.words().map(OsString::from));
        words.push("-".into());
        let launch = Launch {
            program: &job.program,
            words,
            text: &job.text,
            subject: self.subject,
            post: self.post.as_ref(),
        };
        self.statistics.add("portfolio.started", 1);
        match Worker::start(i, &launch, self.sender.clone()) {
            Ok(worker) => self.workers[i] = Some(worker),
            Err(error) => self.drop_entry(i, &format!("it cannot be started: {error}")),
        }
    }

    /// Waits for an event until the turn is over; a verdict is for the caller to judge.
    fn wait(&mut self, turn_over: Instant) -> Option<Verdict> {
        let since = Instant::now();
        let event = self.events.recv_timeout((turn_over - since).min(PERIOD));
        self.schedule.pass(since.elapsed());
        match event {
            Ok(Event::Claim(i, word)) => {
                let nothing = Evidence::Missing("its evidence has not come".to_owned());
                self.claims[i] = Some((word, nothing));
                self.schedule.hurry(i);
            }
            Ok(Event::Certified(i)) => self.certified[i] = true,
            Ok(Event::End(i, report)) => {
                self.bury(i);
                match report {
                    Report::Verdict { word, evidence, statistics, .. } => {
                        self.claims[i] = Some((word, evidence.clone()));
                        return Some(Verdict { entry: i, word, evidence, statistics });
                    }
                    Report::Unknown(reason) => {
                        self.reasons.push(format!("{}: {reason}", self.job.entries[i]));
                    }
                    Report::Failure(reason) => self.drop_entry(i, &reason),
                }
            }
            Ok(Event::Gone(i)) => {
                let how = self.workers[i].as_mut().map(Worker::autopsy).unwrap_or_default();
                self.drop_entry(i, &how);
            }
            // The sender is here, too.
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
        }
        None
    }

    /// A worker has said all.
    fn bury(&mut self, i: usize) {
        self.dismiss(i);
        self.schedule.finish(i);
    }

    /// Workers are not needed any more. The end of a process that has much memory takes a while, so they end at once.
    fn dismiss_all(&mut self, is_needless: impl Fn(usize) -> bool) {
        let needless: Vec<usize> = (0..self.workers.len()).filter(|&i| is_needless(i)).collect();
        for &i in &needless {
            if let Some(worker) = &mut self.workers[i] {
                worker.kill();
            }
        }
        needless.into_iter().for_each(|i| self.dismiss(i));
    }

    /// A worker is not needed any more.
    fn dismiss(&mut self, i: usize) {
        if let Some(worker) = self.workers[i].take() {
            self.taken[i] = worker.taken();
        }
    }

    /// An entry is out of the race because of a mistake of its own.
    fn drop_entry(&mut self, i: usize, reason: &str) {
        self.bury(i);
        self.claims[i] = None;
        self.certified[i] = false;
        let entry = &self.job.entries[i];
        self.observer.warning(&format!("{entry} was dropped: {reason}"));
        self.reasons.push(format!("{entry}: {reason}"));
        self.statistics.add("portfolio.dropped", 1);
    }

    /// Judges a verdict; the winner, if it is accepted.
    fn judge(&mut self, verdict: Verdict) -> Option<(Outcome, usize)> {
        let (i, word) = (verdict.entry, verdict.word);
        let entry = &self.job.entries[i];
        let patience =
            if self.schedule.is_over() { Duration::MAX } else { PATIENCE + self.started.elapsed() };
        let limit = self.job.witness_budget.min(patience);
        match self.judge_within(entry, word, &verdict.evidence, limit) {
            Judgement::Accepted(outcome) => {
                self.accepted = Some(Instant::now());
                return Some((outcome, i));
            }
            Judgement::Rejected(reason) => self.drop_entry(i, &reason),
            Judgement::Undecided(_) if limit < self.job.witness_budget && !self.stop.is_stopped() => {
                self.pending.push_back(verdict);
            }
            Judgement::Undecided(_) if self.certified[i] => return Some((self.certified_by(i, word), i)),
            Judgement::Undecided(reason) | Judgement::Groundless(reason) => {
                self.reasons.push(format!("{entry} says {word}, but nothing shows it: {reason}"));
            }
        }
        None
    }

    fn judge_within(&mut self, entry: &Entry, word: Word, evidence: &Evidence, limit: Duration) -> Judgement {
        let Race { store, system, stop, .. } = self;
        let since = Instant::now();
        let judgement = with_deadline(stop, limit, |token| {
            let mut budget = Budget::until(token.clone());
            let (validity, outcome) = match (word, evidence) {
                (_, Evidence::Missing(reason)) => return Judgement::Groundless(reason.clone()),
                (Word::Sat, Evidence::Certificate) => (Validity::Valid, Outcome::Sat(entry.clone(), None)),
                (Word::Unsat, Evidence::Certificate) => {
                    (Validity::Valid, Outcome::Unsat(entry.clone(), None))
                }
                (_, Evidence::Model(bodies)) => match read_model(store, system, bodies) {
                    Ok(model) => {
                        let validity = check_model(store, system, &model, &mut budget);
                        (validity, Outcome::Sat(entry.clone(), Some(model)))
                    }
                    Err(reason) => return Judgement::Rejected(format!("its model cannot be read: {reason}")),
                },
                (_, Evidence::Derivation(derivation)) => {
                    let validity = check_derivation(store, system, derivation, &mut budget);
                    (validity, Outcome::Unsat(entry.clone(), Some(derivation.clone())))
                }
            };
            match validity {
                Validity::Valid => Judgement::Accepted(outcome),
                Validity::Invalid(defect) => Judgement::Rejected(format!("its witness is wrong: {defect}")),
                Validity::Unknown(reason) => Judgement::Undecided(format!("validation: {reason}")),
            }
        });
        self.statistics.set("portfolio.time.judge", since.elapsed().as_secs_f64());
        judgement
    }

    /// Looks for entries that have come to the opposite verdict. They may finish, and are dropped if their
    /// evidence is rejected; otherwise nobody wins.
    fn settle_contradictions(&mut self, outcome: &Outcome, by: usize) -> Result<(), Contradiction> {
        let word = match outcome {
            Outcome::Sat(..) => Word::Sat,
            Outcome::Unsat(..) => Word::Unsat,
            Outcome::Stopped | Outcome::Unknown(_) => return Ok(()),
        };
        let deadline = Instant::now().checked_add(self.job.witness_budget);
        let mut settled = false;
        while !settled {
            // What has come already is heard.
            while let Ok(event) = self.events.try_recv() {
                match event {
                    Event::Claim(i, word) => {
                        let nothing = Evidence::Missing("its evidence has not come".to_owned());
                        self.claims[i] = Some((word, nothing));
                    }
                    Event::Certified(_) => {}
                    Event::End(i, Report::Verdict { word, evidence, .. }) => {
                        self.dismiss(i);
                        self.claims[i] = Some((word, evidence));
                    }
                    Event::End(i, Report::Unknown(_) | Report::Failure(_)) | Event::Gone(i) => {
                        self.dismiss(i);
                        self.claims[i] = None;
                    }
                }
            }
            settled = true;
            // Whoever does not contradict is not needed any more.
            let contradicts: Vec<bool> =
                self.claims.iter().map(|claim| claim.as_ref().is_some_and(|&(w, _)| w != word)).collect();
            self.dismiss_all(|i| !contradicts[i]);
            for i in 0..self.claims.len() {
                let Some((opposite, evidence)) = self.claims[i].clone().filter(|&(w, _)| w != word) else {
                    continue;
                };
                let late = self.stop.is_stopped() || deadline.is_some_and(|end| Instant::now() >= end);
                if let (Some(worker), false) = (&self.workers[i], late) {
                    worker.resume();
                    settled = false;
                    continue;
                }
                let entry = self.job.entries[i].clone();
                let limit = self.job.witness_budget;
                match self.judge_within(&entry, opposite, &evidence, limit) {
                    Judgement::Rejected(reason) => self.drop_entry(i, &reason),
                    _ => {
                        let own = self.claims[by].take();
                        let own = own.map_or(Evidence::Certificate, |(_, evidence)| evidence);
                        let winner = self.job.entries[by].to_string();
                        let sides = [
                            Claim { entry: winner, word, evidence: &own },
                            Claim { entry: entry.to_string(), word: opposite, evidence: &evidence },
                        ];
                        return Err(contradiction(self.store, self.system, self.subject, sides));
                    }
                }
            }
            if !settled {
                std::thread::sleep(PERIOD);
            }
        }
        Ok(())
    }
}
