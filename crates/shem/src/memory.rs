//! How much memory is in use, and what happens when there is no more.
//!
//! The program installs [`Counting`] as its allocator: the system's, with a count of the bytes handed out.
//! Reading the count costs nothing, so the limit of a run is watched by the thread that reads the clock
//! (`guard`), which asks the search to stop. That takes a while; a search that goes on allocating
//! meanwhile, or a system that has nothing left to give, would end in an abort, since Rust has no other answer
//! to a failed allocation. Instead the last words are written and the program ends as it does with any other
//! `unknown`.
//!
//! A library cannot choose the allocator of a program: without [`Counting`] the count is zero and nothing of
//! this happens.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};

/// The bytes in use now, and the greatest number of them so far.
static USED: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
/// No allocation may lift the count above this.
static CEILING: AtomicUsize = AtomicUsize::new(usize::MAX);
/// Whether the last words are still to be written: a program asked for them and has not answered yet.
static PENDING: AtomicBool = AtomicBool::new(false);
/// The form of the last words, as a number of [`Form`].
static FORM: AtomicU8 = AtomicU8::new(Form::Word as u8);

/// How an answer is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// As a word.
    Word,
    /// As an object of JSON.
    Object,
    /// As a worker's report.
    Report,
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

/// From now on, an allocation that fails or goes above the ceiling ends the program with `unknown`, in this
/// form.
pub(crate) fn arm(ceiling: Option<usize>, form: Form) {
    CEILING.store(ceiling.unwrap_or(usize::MAX), Ordering::Relaxed);
    FORM.store(form as u8, Ordering::Relaxed);
    PENDING.store(true, Ordering::Relaxed);
}

/// Takes note that there is an answer: the program must not say `unknown` any more.
pub(crate) fn answered() {
    PENDING.store(false, Ordering::Relaxed);
}

/// The ceiling is of no use outside of a run.
pub(crate) fn disarm() {
    CEILING.store(usize::MAX, Ordering::Relaxed);
    PENDING.store(false, Ordering::Relaxed);
}

fn count(before: usize, after: usize) {
    let used = USED.fetch_add(after.wrapping_sub(before), Ordering::Relaxed);
    let used = used.wrapping_add(after.wrapping_sub(before));
    if used > PEAK.load(Ordering::Relaxed) {
        PEAK.store(used, Ordering::Relaxed);
    }
}

fn too_much(before: usize, after: usize) -> bool {
    after > before && used().saturating_add(after - before) > CEILING.load(Ordering::Relaxed)
}

/// Writes the last words and ends the program.
#[cold]
fn exhausted() -> ! {
    // Whoever fails first speaks; a second failure, of this thread or another, ends at once.
    let pending = PENDING.swap(false, Ordering::Relaxed);
    CEILING.store(usize::MAX, Ordering::Relaxed);
    const OBJECT: u8 = Form::Object as u8;
    const REPORT: u8 = Form::Report as u8;
    let answer: &[u8] = match (pending, FORM.load(Ordering::Relaxed)) {
        (false, _) => b"",
        (true, OBJECT) => b"{\"answer\":\"unknown\",\"reason\":\"out of memory\"}\n",
        (true, REPORT) => b"failure out of memory\n",
        (true, _) => b"unknown\n",
    };
    write_raw(answer, b"shem: unknown: out of memory\n");
    std::process::exit(if pending { 0 } else { 1 })
}

/// Writes to standard output and standard error without allocating and without their locks, which the thread
/// may hold.
#[cfg(unix)]
#[allow(unsafe_code)]
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

// SAFETY: every call is handed on to the system's allocator with the same arguments, and what it returns is
// returned, unless the program ends.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if too_much(0, layout.size()) {
            exhausted();
        }
        // SAFETY: the caller keeps the rules of the trait.
        let block = unsafe { System.alloc(layout) };
        if block.is_null() {
            exhausted();
        }
        count(0, layout.size());
        block
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if too_much(0, layout.size()) {
            exhausted();
        }
        // SAFETY: the caller keeps the rules of the trait.
        let block = unsafe { System.alloc_zeroed(layout) };
        if block.is_null() {
            exhausted();
        }
        count(0, layout.size());
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the rules of the trait; the block came from the system's allocator.
        unsafe { System.dealloc(block, layout) };
        count(layout.size(), 0);
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if too_much(layout.size(), size) {
            exhausted();
        }
        // SAFETY: the caller keeps the rules of the trait; the block came from the system's allocator.
        let block = unsafe { System.realloc(block, layout, size) };
        if block.is_null() {
            exhausted();
        }
        count(layout.size(), size);
        block
    }
}
