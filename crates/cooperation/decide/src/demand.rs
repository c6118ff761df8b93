//! What has to be checked before a verdict counts: a list of steps, tried in their order.
//!
//! | checking | the witness is | steps |
//! | --- | --- | --- |
//! | [`Trust`](Checking::Trust) | not wanted | nothing |
//! | [`Trust`](Checking::Trust) | wanted | witness in the budget, then nothing |
//! | [`Share`](Checking::Share) | not wanted | witness in its share, then certificate in its share, then nothing |
//! | [`Share`](Checking::Share) | wanted | witness in the budget, then certificate in its share, then nothing |
//! | [`Require`](Checking::Require) | wanted or not | witness in the budget, then certificate in the budget |
//! | any | all that counts | witness in the budget |
//!
//! Where there is no certificate, its step is left out, and the witness has its share, too.
//!
//! The *budget* is the user's (`--witness-budget`). The share of the witness is a second and half of the time that has
//! passed since the beginning, that of the certificate two seconds and the whole of that time. Where it is known when the
//! run will be stopped, a step before another one leaves half of the time that is left.
//!
//! Where two cores are free, witness and certificate are judged at the same time, and each has the time of both. Once the
//! certificate was accepted, a witness that is not wanted has [`certified_wait`] left: most witnesses that can be judged
//! at all are judged by then.

use std::time::Duration;

use crate::options::{Checking, SolveOptions};

/// The share of a witness: this, and this part of the time that has passed.
const WITNESS_TIME: Duration = Duration::from_secs(1);
const WITNESS_PART: u32 = 2;

/// The share of a certificate: this, and as much as has passed.
const CERTIFICATE_TIME: Duration = Duration::from_secs(2);

/// How long the witness is waited for once the certificate was accepted: this, and this part of the time that has passed.
const CERTIFIED_TIME: Duration = Duration::from_millis(100);
const CERTIFIED_PART: u32 = 20;

/// How long a witness that is not wanted is waited for once the certificate was accepted, after so much time.
pub(crate) fn certified_wait(elapsed: Duration) -> Duration {
    CERTIFIED_TIME + elapsed / CERTIFIED_PART
}

/// A step of judging. The first one that succeeds says what was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The witness is built and judged, in this time.
    Witness(Duration),
    /// The certificate of the engine is checked, in this time.
    Certificate(Duration),
    /// Nothing is checked: the verdict counts all the same.
    Nothing,
}

/// What the steps depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Situation {
    /// How much the user wants to be checked.
    pub checking: Checking,
    /// Whether the witness is part of the answer.
    pub is_wanted: bool,
    /// Whether nothing but a witness counts: see [`System::needs_evaluation`](shem_chc::System::needs_evaluation).
    pub is_all_that_counts: bool,
    /// Whether the engine has a certificate.
    pub has_certificate: bool,
    /// The time for a witness, by the user's word.
    pub budget: Duration,
    /// How much time has passed since the beginning.
    pub elapsed: Duration,
    /// When the run will be stopped, as a time since the beginning, if that is known.
    pub limit: Option<Duration>,
}

impl Situation {
    /// The situation after so much time.
    pub fn new(
        options: &SolveOptions,
        is_all_that_counts: bool,
        has_certificate: bool,
        elapsed: Duration,
    ) -> Situation {
        // Where time must not matter, shares are those of the beginning.
        let elapsed = if options.deterministic { Duration::ZERO } else { elapsed };
        Situation {
            checking: options.checking,
            is_wanted: options.witness,
            is_all_that_counts,
            has_certificate,
            budget: options.witness_budget,
            elapsed,
            limit: options.time_limit.filter(|_| !options.deterministic),
        }
    }

    /// The steps, in their order.
    pub fn steps(&self) -> Vec<Step> {
        let Situation { checking, is_wanted, is_all_that_counts, has_certificate, budget, elapsed, limit } =
            *self;
        if is_all_that_counts {
            return vec![Step::Witness(budget)];
        }
        let certificate = budget.min(CERTIFICATE_TIME + elapsed);
        let mut witness = WITNESS_TIME + elapsed / WITNESS_PART;
        if is_wanted || checking == Checking::Require {
            witness = budget;
        } else if !has_certificate {
            witness += certificate;
        }
        let left = limit.filter(|_| has_certificate).map(|limit| limit.saturating_sub(elapsed));
        let witness = Step::Witness(budget.min(left.map_or(witness, |left| witness.min(left / 2))));
        let mut steps = match checking {
            Checking::Trust if is_wanted => vec![Step::Witness(budget), Step::Nothing],
            Checking::Trust => vec![Step::Nothing],
            Checking::Share => vec![witness, Step::Certificate(certificate), Step::Nothing],
            Checking::Require => vec![witness, Step::Certificate(budget)],
        };
        steps.retain(|step| has_certificate || !matches!(step, Step::Certificate(_)));
        steps
    }
}

/// How long a worker builds a witness, after a search of this time.
pub(crate) fn building_time(options: &SolveOptions, has_certificate: bool, elapsed: Duration) -> Duration {
    let steps = Situation::new(options, false, has_certificate, elapsed).steps();
    steps
        .iter()
        .find_map(|step| if let Step::Witness(time) = step { Some(*time) } else { None })
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table at the top of this file, row by row.
    #[test]
    fn steps_follow_the_table() {
        use Checking::{Require, Share, Trust};
        use Step::{Certificate, Nothing, Witness};
        type Row = (Checking, bool, bool, bool, u64, Option<u64>, &'static [Step]);
        const fn s(seconds: u64) -> Duration {
            Duration::from_secs(seconds)
        }
        const fn ms(milliseconds: u64) -> Duration {
            Duration::from_millis(milliseconds)
        }
        const ROWS: [Row; 16] = [
            (Trust, false, false, true, 4, None, &[Nothing]),
            (Trust, true, false, true, 4, None, &[Witness(s(60)), Nothing]),
            (Trust, false, true, true, 4, None, &[Witness(s(60))]),
            (Share, false, false, true, 0, None, &[Witness(s(1)), Certificate(s(2)), Nothing]),
            (Share, false, false, false, 0, None, &[Witness(s(3)), Nothing]),
            (Share, false, false, true, 4, None, &[Witness(s(3)), Certificate(s(6)), Nothing]),
            (Share, false, false, false, 4, Some(10), &[Witness(s(9)), Nothing]),
            (Share, false, false, true, 8, Some(10), &[Witness(s(1)), Certificate(s(10)), Nothing]),
            (Share, false, false, true, 400, None, &[Witness(s(60)), Certificate(s(60)), Nothing]),
            (Share, true, false, true, 4, None, &[Witness(s(60)), Certificate(s(6)), Nothing]),
            (Share, true, false, true, 4, Some(9), &[Witness(ms(2500)), Certificate(s(6)), Nothing]),
            (Share, true, false, false, 4, Some(9), &[Witness(s(60)), Nothing]),
            (Share, true, true, true, 4, Some(9), &[Witness(s(60))]),
            (Require, false, false, true, 4, None, &[Witness(s(60)), Certificate(s(60))]),
            (Require, false, false, false, 4, None, &[Witness(s(60))]),
            (Require, true, false, true, 4, Some(24), &[Witness(s(10)), Certificate(s(60))]),
        ];
        for (checking, is_wanted, is_all_that_counts, has_certificate, elapsed, limit, expected) in ROWS {
            let (budget, elapsed, limit) = (s(60), s(elapsed), limit.map(s));
            let situation = Situation {
                checking,
                is_wanted,
                is_all_that_counts,
                has_certificate,
                budget,
                elapsed,
                limit,
            };
            assert_eq!(situation.steps(), expected, "{situation:?}");
        }
    }
}
