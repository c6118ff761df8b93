//! Shem on random scripts of fixed seeds, against answers that z3 gave once.
//!
//! `tests/data/answers.txt` is written by `shem-diff --record`; this test needs no z3.

use shem_testkit::answers::{self, Record};
use shem_testkit::compare::rehearse;
use shem_testkit::generate::generate;
use shem_testkit::script::print;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::common::Library;

const ANSWERS: &str = include_str!("data/answers.txt");

/// The failure of one script, with the script.
fn failure(record: &Record) -> Option<String> {
    let script = generate(record.profile, record.seed);
    let failure = rehearse(&Library, &script, &record.answers).expect("nothing is read or written")?;
    Some(format!("{} {}: {failure}\n{}", record.profile.name(), record.seed, print(&script)))
}

#[test]
fn shem_agrees_with_the_recorded_answers() {
    let records = answers::read(ANSWERS).expect("a file of records");
    assert!(records.len() >= 1_500);
    let next = AtomicUsize::new(0);
    let workers = thread::available_parallelism().map_or(2, usize::from).min(8);
    let mut failures: Vec<(usize, String)> = thread::scope(|scope| {
        let work = || {
            let mut failures = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(record) = records.get(number) else { return failures };
                failures.extend(failure(record).map(|text| (number, text)));
            }
        };
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a worker ends")).collect()
    });
    failures.sort();
    let report: Vec<_> = failures.iter().take(5).map(|(_, text)| text.as_str()).collect();
    assert!(failures.is_empty(), "{} of {} failed\n{}", failures.len(), records.len(), report.join("\n"));
}
