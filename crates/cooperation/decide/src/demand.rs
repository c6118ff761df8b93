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
//! The *budget* is the user's (`--witness-budget`). The share of the witness is a second and half of the time that has
//! passed since the beginning, that of the certificate two seconds and the whole of that time. Where it is known when the
//! run will be stopped, a step before another one leaves half of the time that is left.

use std::time::Duration;

use crate::options::{Checking, SolveOptions};

/// The share of a witness: this, and this part of the time that has passed.
const WITNESS_TIME: Duration = Duration::from_secs(1);
const WITNESS_PART: u32 = 2;

/// The share of a certificate: this, and as much as has passed.
const CERTIFICATE_TIME: Duration = Duration::from_secs(2);

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
    /// The time for a witness, by the user's word.
    pub budget: Duration,
    /// How much time has passed since the beginning.
    pub elapsed: Duration,
    /// When the run will be stopped, as a time since the beginning, if that is known.
    pub limit: Option<Duration>,
}

impl Situation {
    /// The situation after so much time.
    pub fn new(options: &SolveOptions, is_all_that_counts: bool, elapsed: Duration) -> Situation {
        // Where time must not matter, shares are those of the beginning.
        let elapsed = if options.deterministic { Duration::ZERO } else { elapsed };
        Situation {
            checking: options.checking,
            is_wanted: options.witness,
            is_all_that_counts,
            budget: options.witness_budget,
            elapsed,
            limit: options.time_limit.filter(|_| !options.deterministic),
        }
    }

    /// The steps, in their order.
    pub fn steps(&self) -> Vec<Step> {
        let Situation { checking, is_wanted, is_all_that_counts, budget, elapsed, limit } = *self;
        if is_all_that_counts {
            return vec![Step::Witness(budget)];
        }
        let left = limit.map(|limit| limit.saturating_sub(elapsed));
        let before_another = |time: Duration| left.map_or(time, |left| time.min(left / 2));
        let share = budget.min(WITNESS_TIME + elapsed / WITNESS_PART);
        let witness = before_another(if is_wanted { budget } else { share });
        match checking {
            Checking::Trust if is_wanted => vec![Step::Witness(budget), Step::Nothing],
            Checking::Trust => vec![Step::Nothing],
            Checking::Share => {
                let certificate = budget.min(CERTIFICATE_TIME + elapsed);
                vec![Step::Witness(witness), Step::Certificate(certificate), Step::Nothing]
            }
            Checking::Require => vec![Step::Witness(before_another(budget)), Step::Certificate(budget)],
        }
    }
}

/// How long a worker builds a witness that was not asked for, after a search of this time.
pub(crate) fn building_time(options: &SolveOptions, elapsed: Duration) -> Duration {
    let steps = Situation::new(options, false, elapsed).steps();
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
        let s = Duration::from_secs;
        let ms = Duration::from_millis;
        let rows: [(Checking, bool, bool, u64, Option<u64>, &[Step]); 12] = [
            (Trust, false, false, 4, None, &[Nothing]),
            (Trust, true, false, 4, None, &[Witness(s(60)), Nothing]),
            (Trust, false, true, 4, None, &[Witness(s(60))]),
            (Share, false, false, 0, None, &[Witness(s(1)), Certificate(s(2)), Nothing]),
            (Share, false, false, 4, None, &[Witness(s(3)), Certificate(s(6)), Nothing]),
            (Share, false, false, 8, Some(10), &[Witness(s(1)), Certificate(s(10)), Nothing]),
            (Share, false, false, 400, None, &[Witness(s(60)), Certificate(s(60)), Nothing]),
            (Share, true, false, 4, None, &[Witness(s(60)), Certificate(s(6)), Nothing]),
            (Share, true, false, 4, Some(9), &[Witness(ms(2500)), Certificate(s(6)), Nothing]),
            (Share, true, true, 4, Some(9), &[Witness(s(60))]),
            (Require, false, false, 4, None, &[Witness(s(60)), Certificate(s(60))]),
            (Require, true, false, 4, Some(24), &[Witness(s(10)), Certificate(s(60))]),
        ];
        for (checking, is_wanted, is_all_that_counts, elapsed, limit, expected) in rows {
            let (elapsed, limit) = (s(elapsed), limit.map(s));
            let situation =
                Situation { checking, is_wanted, is_all_that_counts, budget: s(60), elapsed, limit };
            assert_eq!(situation.steps(), expected, "{situation:?}");
        }
    }
}
