//! The check of a certificate, on several cores if it has several parts.
//!
//! An engine that has decided is about to end the run, so the others wait, and their cores are free for the check. It may
//! take as long as the search: what an engine has found in many small steps is asked for again in a few large ones.
//!
//! Helpers work for a limited time, each with a store of its own; afterwards the cores go back to the other engines.
//! What a helper has begun by then is checked by the first thread.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use shem_base::{Budget, StopToken};
use shem_chc::Graph;
use shem_check::{Certificate, CertificateError};
use shem_term::Store;

use crate::clock::stop_after;
use crate::demand::certified_wait;
use crate::options::SolveOptions;

/// A check after a search that was shorter than this is left to one thread.
const SHORT: Duration = Duration::from_millis(300);

/// Helpers have this time, and as much again as has passed before.
const HELP_TIME: Duration = Duration::from_secs(1);

/// A store of more terms is not copied for a helper.
const MOST_TERMS: usize = 1 << 20;

/// What is checked in parts: a certificate on its graph.
pub trait InParts: Sync {
    /// The number of its parts.
    fn parts(&self) -> usize;

    /// Checks the part of this number.
    fn check_part(&self, part: usize, store: &mut Store, budget: &mut Budget)
    -> Result<(), CertificateError>;
}

impl InParts for (&Certificate, &Graph) {
    fn parts(&self) -> usize {
        self.0.parts(self.1)
    }

    fn check_part(
        &self,
        part: usize,
        store: &mut Store,
        budget: &mut Budget,
    ) -> Result<(), CertificateError> {
        self.0.check_part(part, store, self.1, budget)
    }
}

/// Checks certificates, with helper threads if that is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CertificateChecker {
    cores: usize,
    /// The time of the search.
    passed: Duration,
}

impl CertificateChecker {
    /// One thread.
    pub const SINGLE: CertificateChecker = CertificateChecker { cores: 1, passed: Duration::ZERO };

    /// Those that the options allow, after a search of this time.
    pub fn new(options: &SolveOptions, passed: Duration) -> CertificateChecker {
        // Where time must not matter, work is counted, and that of one thread.
        if options.deterministic || passed < SHORT {
            return CertificateChecker::SINGLE;
        }
        CertificateChecker { cores: options.cores.max(1), passed }
    }

    /// How many threads check a certificate of so many parts, if the store has so many terms.
    pub fn threads(self, parts: usize, terms: usize) -> usize {
        if terms > MOST_TERMS { 1 } else { self.cores.min(parts).max(1) }
    }

    /// One core less, and how long a witness is waited for once the certificate was accepted, if a store of so many terms
    /// can be judged in two threads.
    pub fn beside_witness(self, terms: usize) -> Option<(CertificateChecker, Duration)> {
        let rest = CertificateChecker { cores: self.cores - 1, ..self };
        (self.threads(2, terms) > 1).then(|| (rest, certified_wait(self.passed)))
    }

    /// Checks a certificate.
    pub fn check(
        self,
        certificate: &dyn InParts,
        store: &mut Store,
        token: &StopToken,
    ) -> Result<(), CertificateError> {
        let helpers = self.threads(certificate.parts(), store.len()) - 1;
        if helpers == 0 {
            let mut budget = Budget::until(token.clone());
            let mut parts = 0..certificate.parts();
            return parts.try_for_each(|part| certificate.check_part(part, store, &mut budget));
        }
        let (help, _scheduled) = stop_after(token, HELP_TIME + self.passed);
        let work =
            Work { certificate, next: AtomicUsize::new(0), left: Mutex::default(), wrong: Mutex::default() };
        let checked = thread::scope(|scope| {
            for _ in 0..helpers {
                let mut store = store.clone();
                let (work, help) = (&work, &help);
                // Without a helper the first thread checks everything.
                let _ = thread::Builder::new().spawn_scoped(scope, move || work.help(&mut store, help));
            }
            let checked = work.check(store, token);
            if checked.is_err() {
                help.stop();
            }
            checked
        });
        if let Some(wrong) = take(&work.wrong) {
            return Err(wrong);
        }
        checked?;
        let mut budget = Budget::until(token.clone());
        take(&work.left).into_iter().try_for_each(|part| certificate.check_part(part, store, &mut budget))
    }
}

/// A certificate in the course of its check.
struct Work<'a> {
    certificate: &'a dyn InParts,
    /// The first part that nobody has begun.
    next: AtomicUsize,
    /// The parts that helpers have begun and not checked.
    left: Mutex<Vec<usize>>,
    /// What a helper has found to be wrong.
    wrong: Mutex<Option<CertificateError>>,
}

impl Work<'_> {
    fn next_part(&self) -> Option<usize> {
        let part = self.next.fetch_add(1, Ordering::Relaxed);
        (part < self.certificate.parts()).then_some(part)
    }

    /// Checks parts as long as there are any.
    fn check(&self, store: &mut Store, token: &StopToken) -> Result<(), CertificateError> {
        let mut budget = Budget::until(token.clone());
        while let Some(part) = self.next_part() {
            self.certificate.check_part(part, store, &mut budget)?;
        }
        Ok(())
    }

    /// Checks parts until the time is over or one is wrong.
    fn help(&self, store: &mut Store, token: &StopToken) {
        let mut budget = Budget::until(token.clone());
        while !token.is_stopped()
            && let Some(part) = self.next_part()
        {
            match self.certificate.check_part(part, store, &mut budget) {
                Ok(()) => {}
                Err(CertificateError::Unknown(_)) => {
                    return self.left.lock().unwrap_or_else(PoisonError::into_inner).push(part);
                }
                Err(wrong) => {
                    // Nobody needs to check the rest.
                    self.next.store(self.certificate.parts(), Ordering::Relaxed);
                    *self.wrong.lock().unwrap_or_else(PoisonError::into_inner) = Some(wrong);
                    return;
                }
            }
        }
    }
}

fn take<T: Default>(mutex: &Mutex<T>) -> T {
    std::mem::take(&mut *mutex.lock().unwrap_or_else(PoisonError::into_inner))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::thread::sleep;
    use std::time::Instant;

    use shem_base::UnknownReason;

    use super::*;

    /// Parts that take a while, of which one may be wrong; threads other than the first may be too slow.
    #[derive(Debug, Default)]
    struct Slow {
        wrong: Option<usize>,
        slow_helpers: bool,
        checked: Mutex<BTreeSet<usize>>,
        first: Mutex<Option<thread::ThreadId>>,
    }

    impl InParts for Slow {
        fn parts(&self) -> usize {
            6
        }

        fn check_part(
            &self,
            part: usize,
            _: &mut Store,
            budget: &mut Budget,
        ) -> Result<(), CertificateError> {
            let is_helper = *self.first.lock().expect("no panic") != Some(thread::current().id());
            if self.slow_helpers && is_helper {
                let since = Instant::now();
                while budget.check_stop().is_ok() && since.elapsed() < Duration::from_secs(60) {
                    sleep(Duration::from_millis(1));
                }
                return Err(UnknownReason::Stopped.into());
            }
            sleep(Duration::from_millis(20));
            if self.wrong == Some(part) {
                return Err(CertificateError::wrong("a part is wrong"));
            }
            assert!(self.checked.lock().expect("no panic").insert(part), "{part} twice");
            Ok(())
        }
    }

    #[track_caller]
    fn check(certificate: &Slow, passed: u64) -> Result<(), CertificateError> {
        *certificate.first.lock().expect("no panic") = Some(thread::current().id());
        let checker = CertificateChecker { cores: 3, passed: Duration::from_millis(passed) };
        checker.check(certificate, &mut Store::new(), &StopToken::new())
    }

    #[test]
    fn every_part_is_checked_once() {
        for slow_helpers in [false, true] {
            let certificate = Slow { slow_helpers, ..Slow::default() };
            assert_eq!(check(&certificate, if slow_helpers { 50 } else { 60_000 }), Ok(()));
            let checked = certificate.checked.into_inner().expect("no panic");
            assert_eq!(checked, (0..6).collect::<BTreeSet<_>>(), "{slow_helpers}");
        }
    }

    #[test]
    fn one_wrong_part_is_enough() {
        for part in 0..6 {
            let certificate = Slow { wrong: Some(part), ..Slow::default() };
            assert_eq!(
                check(&certificate, 60_000),
                Err(CertificateError::wrong("a part is wrong")),
                "{part}"
            );
        }
    }

    #[test]
    fn short_deterministic_and_large_runs_are_checked_by_one_thread() {
        let options = SolveOptions { cores: 4, ..SolveOptions::default() };
        let long = Duration::from_secs(3);
        assert_eq!(CertificateChecker::new(&options, long).threads(9, 10), 4);
        assert_eq!(CertificateChecker::new(&options, long).threads(2, 10), 2);
        assert_eq!(CertificateChecker::new(&options, long).threads(0, 10), 1);
        assert_eq!(CertificateChecker::new(&options, long).threads(9, MOST_TERMS + 1), 1);
        assert_eq!(CertificateChecker::new(&options, Duration::from_millis(1)), CertificateChecker::SINGLE);
        let counted = SolveOptions { deterministic: true, ..options };
        assert_eq!(CertificateChecker::new(&counted, long), CertificateChecker::SINGLE);
    }
}
