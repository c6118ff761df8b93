//! How much memory is in use, and what happens when there is no more.
//!
//! A program installs [`CountingAllocator`] as its allocator: the system's, with a count of the bytes handed out.
//! Reading the count costs nothing, so the limit of a run is watched by the thread that reads the [`clock`](crate::clock),
//! which asks the search to stop. That takes a while; a search that goes on allocating meanwhile, or a machine without
//! free memory, would end in an abort: that is what Rust does when an allocation fails. Instead the program gives the answer
//! that was agreed on, and ends.
//!
//! A library cannot choose the allocator of a program: without [`CountingAllocator`] the count is zero and nothing of
//! this happens.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The bytes in use now, and the greatest number of them so far.
static USED: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
/// An allocation that would lift the count above this ends the program.
static CEILING: AtomicUsize = AtomicUsize::new(usize::MAX);
/// Whether an answer is owed if memory runs out now.
static ANSWER_OWED: AtomicBool = AtomicBool::new(false);
/// That answer, at hand when there is no memory to write it with. Nothing is allocated while this is locked.
static ANSWER: Mutex<&[u8]> = Mutex::new(b"");

/// The system's allocator, with a count.
#[derive(Clone, Copy, Debug, Default)]
pub struct CountingAllocator;

/// The bytes in use.
pub fn used() -> usize {
    USED.load(Ordering::Relaxed)
}

/// The greatest number of bytes that were in use.
pub fn peak() -> usize {
    PEAK.load(Ordering::Relaxed)
}

/// From now on, an allocation that fails, or goes far above the limit, ends the program, with this answer if one is owed.
/// The search has to have the time to notice the limit before that. No answer is owed yet.
pub fn set_limit(limit: Option<usize>, answer: &'static [u8]) {
    let ceiling = limit.map(|limit| limit.saturating_add(limit / 4).saturating_add(64_000_000));
    CEILING.store(ceiling.unwrap_or(usize::MAX), Ordering::Relaxed);
    *ANSWER.lock().unwrap_or_else(PoisonError::into_inner) = answer;
    set_answer_owed(false);
}

/// Says whether an answer is owed: if memory runs out while it is, the program gives it.
pub fn set_answer_owed(owed: bool) {
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
    let owed = ANSWER_OWED.swap(false, Ordering::Relaxed);
    CEILING.store(usize::MAX, Ordering::Relaxed);
    let answer = if owed { *ANSWER.lock().unwrap_or_else(PoisonError::into_inner) } else { b"" };
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
unsafe impl GlobalAlloc for CountingAllocator {
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
