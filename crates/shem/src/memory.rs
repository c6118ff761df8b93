//! How much memory is in use, and what happens when there is no more.
//!
//! The program installs [`Counting`] as its allocator: the system's, with a count of the bytes handed out.
//! Reading the count costs nothing, so the limit of a run is watched by the thread that reads the clock
//! (`watchdog`), which asks the search to stop. That takes a while; a search that goes on allocating
//! meanwhile, or a machine without free memory, would end in an abort: that is what Rust does when an allocation fails. Instead the program answers `unknown` and ends as it does with any other `unknown`.
//!
//! A library cannot choose the allocator of a program: without [`Counting`] the count is zero and nothing of
//! this happens.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};

use serde_json::json;
use shem_decide::Cause;
use shem_decide::report::Line;

/// The bytes in use now, and the greatest number of them so far.
static USED: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
/// An allocation that would lift the count above this ends the program.
static CEILING: AtomicUsize = AtomicUsize::new(usize::MAX);
/// Whether an answer is owed: if memory runs out now, it is `unknown`.
static ANSWER_OWED: AtomicBool = AtomicBool::new(false);
/// How that answer is written, as a number of [`AnswerFormat`].
static FORMAT: AtomicU8 = AtomicU8::new(AnswerFormat::Word as u8);

/// How answers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnswerFormat {
    /// As a word.
    Word,
    /// As an object of JSON.
    Json,
    /// As a worker's report.
    Report,
}

/// The answer `unknown` in each format, at hand when there is no memory to write it with.
const OUT_OF_MEMORY: [&[u8]; 3] = [b"unknown\n", OUT_OF_MEMORY_JSON, OUT_OF_MEMORY_REPORT];
/// A [`Line::Failure`].
const OUT_OF_MEMORY_REPORT: &[u8] = b"{\"failure\":\"out of memory\"}\n";
/// It has what the form demands; the answers to earlier checks are lost.
const OUT_OF_MEMORY_JSON: &[u8] = concat!(
    "{\"version\":2,\"shem\":\"",
    env!("CARGO_PKG_VERSION"),
    "\",\"checks\":[{\"answer\":\"unknown\",\"reason\":\"out of memory\"}],\"exit_code\":0}\n"
)
.as_bytes();

impl AnswerFormat {
    /// The answer `unknown` of a run that was ended.
    pub(crate) fn unknown(self, cause: &Cause) -> String {
        match self {
            AnswerFormat::Word => "unknown\n".to_owned(),
            AnswerFormat::Json => {
                let unknown = json!({ "answer": "unknown", "reason": cause.to_string() });
                crate::horn::json::run(vec![unknown], None, 0).to_string() + "\n"
            }
            AnswerFormat::Report => Line::Failure(cause.to_string()).text(),
        }
    }
}

/// The system's allocator, with a count.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counting;

/// The bytes in use.
pub fn used() -> usize {
    USED.load(Ordering::Relaxed)
}

/// The greatest number of bytes that were in use.
pub fn peak() -> usize {
    PEAK.load(Ordering::Relaxed)
}

/// From now on, an allocation that fails, or goes far above the limit, ends the program. The search has to have the
/// time to notice the limit before that. No answer is owed yet.
pub(crate) fn set_limit(limit: Option<usize>, format: AnswerFormat) {
    let ceiling = limit.map(|limit| limit.saturating_add(limit / 4).saturating_add(64_000_000));
    CEILING.store(ceiling.unwrap_or(usize::MAX), Ordering::Relaxed);
    FORMAT.store(format as u8, Ordering::Relaxed);
    set_answer_owed(false);
}

/// Says whether an answer is owed: if memory runs out while it is, the answer is `unknown`.
pub(crate) fn set_answer_owed(owed: bool) {
    ANSWER_OWED.store(owed, Ordering::Relaxed);
}

fn count(before: usize, after: usize) {
    let used = USED.fetch_add(after.wrapping_sub(before), Ordering::Relaxed);
    let used = used.wrapping_add(after.wrapping_sub(before));
    if used > PEAK.load(Ordering::Relaxed) {
        PEAK.store(used, Ordering::Relaxed);
    }
}

/// Answers if an answer is owed, and ends the program.
#[cold]
fn end_program() -> ! {
    // Whoever fails first answers; a second failure, of this thread or another, ends at once.
    let format = FORMAT.load(Ordering::Relaxed);
    // A report always ends with a line that says how.
    let owed = ANSWER_OWED.swap(false, Ordering::Relaxed) || format == AnswerFormat::Report as u8;
    CEILING.store(usize::MAX, Ordering::Relaxed);
    let answer = if owed { OUT_OF_MEMORY[usize::from(format)] } else { b"" };
    write_raw(answer, b"shem: unknown: out of memory\n");
    std::process::exit(if owed { 0 } else { 1 })
}

/// Writes to standard output and standard error without allocating and without their locks, which the thread
/// may hold.
#[cfg(unix)]
#[allow(unsafe_code, reason = "the SAFETY comments say why it is right; nothing else can count memory")]
fn write_raw(out: &[u8], err: &[u8]) {
    use std::fs::File;
    use std::mem::ManuallyDrop;
    use std::os::fd::FromRawFd;
    for (descriptor, words) in [(1, out), (2, err)] {
        // SAFETY: the descriptor is open as long as the program runs, and is not closed here.
        let mut file = ManuallyDrop::new(unsafe { File::from_raw_fd(descriptor) });
        let _ = file.write_all(words);
    }
}

#[cfg(not(unix))]
fn write_raw(out: &[u8], err: &[u8]) {
    let _ = std::io::stdout().write_all(out);
    let _ = std::io::stderr().write_all(err);
}

/// Counts a block that grows from one size to the other, which is made by `allocate`.
#[inline]
fn counted(before: usize, after: usize, allocate: impl FnOnce() -> *mut u8) -> *mut u8 {
    if after > before && used().saturating_add(after - before) > CEILING.load(Ordering::Relaxed) {
        end_program();
    }
    let block = allocate();
    if block.is_null() {
        end_program();
    }
    count(before, after);
    block
}

// SAFETY: every call is handed on to the system's allocator with the same arguments, and what it returns is
// returned, unless the program ends.
#[allow(unsafe_code, reason = "the SAFETY comments say why it is right; nothing else can count memory")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the rules of the trait.
        counted(0, layout.size(), || unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the rules of the trait.
        counted(0, layout.size(), || unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the rules of the trait; the block came from the system's allocator.
        unsafe { System.dealloc(block, layout) };
        count(layout.size(), 0);
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller keeps the rules of the trait; the block came from the system's allocator.
        counted(layout.size(), size, || unsafe { System.realloc(block, layout, size) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_without_memory_reports_a_failure() {
        let line = Line::Failure("out of memory".to_owned());
        assert_eq!(OUT_OF_MEMORY_REPORT, line.text().as_bytes());
    }
}
