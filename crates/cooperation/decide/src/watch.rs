//! Limits of a search, watched from the thread of the [`clock`].
//!
//! The search sees nothing of them but a stop token, which it asks now and again. Whoever has to keep a limit whatever
//! happens asks [`Stopped`] whether a search that was told to stop has had its time.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use shem_base::StopToken;

use crate::clock::{self, Scheduled};
use crate::reason::Cause;

/// Between two looks at the limits.
const PERIOD: Duration = Duration::from_millis(10);
/// How long a search may go on after it was asked to stop.
const GRACE: Duration = Duration::from_millis(500);
/// The same at the end of the whole run, if the program also works all this time: then it is not the machine that is
/// late. What this leaves of a tenth of a second is for the end of the process, which gives its memory back.
const LAST_GRACE: Duration = Duration::from_millis(50);

/// Watches a search.
pub struct Watch {
    token: StopToken,
    stopped: Arc<OnceLock<Stopped>>,
    _looks: Scheduled,
}

impl Watch {
    /// Begins to watch: the search is stopped as soon as a limit is reached, which is asked for every few milliseconds.
    /// From then on `late` is called as often, until the watch ends.
    pub fn start(
        reached: impl Fn() -> Option<Cause> + Send + 'static,
        late: impl Fn(&Stopped) + Send + 'static,
    ) -> Watch {
        let (token, stopped) = (StopToken::new(), Arc::new(OnceLock::<Stopped>::new()));
        let (to_stop, since) = (token.clone(), Arc::clone(&stopped));
        let look = move || {
            if let Some(stopped) = since.get() {
                late(stopped);
            } else if let Some(cause) = reached() {
                since.get_or_init(|| Stopped::new(cause));
                to_stop.stop();
            }
        };
        look();
        Watch { token, stopped, _looks: clock::repeat(PERIOD, look) }
    }

    /// Stopped when the search is to end.
    pub fn token(&self) -> &StopToken {
        &self.token
    }

    /// Why the search was stopped, if it was.
    pub fn cause(&self) -> Option<Cause> {
        self.stopped.get().map(|stopped| stopped.cause)
    }
}

/// That a search was stopped.
#[derive(Clone, Copy, Debug)]
pub struct Stopped {
    /// Why.
    pub cause: Cause,
    at: Instant,
    /// The processor's time of the program then.
    used: Option<Duration>,
}

impl Stopped {
    /// A search is stopped now.
    pub fn new(cause: Cause) -> Stopped {
        Stopped { cause, at: Instant::now(), used: processor_time() }
    }

    /// Whether the search has had the time that it needs to end.
    pub fn is_over(&self, whole_run: bool) -> bool {
        let elapsed = self.at.elapsed();
        let worked = || Some(processor_time()?.saturating_sub(self.used?) >= LAST_GRACE);
        elapsed > GRACE || (whole_run && elapsed > LAST_GRACE && worked().unwrap_or(false))
    }
}

/// The processor's time that the threads of the program have used so far, where the system tells.
fn processor_time() -> Option<Duration> {
    #[cfg(unix)]
    return rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime).try_into().ok();
    #[cfg(not(unix))]
    None
}
