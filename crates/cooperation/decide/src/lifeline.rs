//! A worker does not outlive the process that started it.
//!
//! On Linux the kernel sees to it: it kills the worker when the thread that started it is gone, even where the
//! worker is stopped at the moment or loops without end. On other systems with processes of Unix a thread of the worker
//! looks from time to time whether its parent is still there.

/// Ends this process when the process with this number, which has to be its parent, ends. Says whether the
/// parent is there at all.
pub fn tie_to(parent: u32) -> bool {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Signal, set_parent_process_death_signal};
        // If the parent ends between these lines, the second one notices.
        set_parent_process_death_signal(Some(Signal::KILL)).is_ok() && is_child_of(parent)
    }
    #[cfg(not(target_os = "linux"))]
    {
        std::thread::spawn(move || {
            while is_child_of(parent) {
                std::thread::sleep(std::time::Duration::from_millis(100));
            }
            std::process::exit(1);
        });
        is_child_of(parent)
    }
}

fn is_child_of(parent: u32) -> bool {
    #[cfg(unix)]
    {
        let found = rustix::process::getppid().map(|id| id.as_raw_nonzero().get());
        found.and_then(|id| u32::try_from(id).ok()) == Some(parent)
    }
    #[cfg(not(unix))]
    true
}
