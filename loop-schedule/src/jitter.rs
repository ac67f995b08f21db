//! Jitter: the offset of a fire from its slot.
//!
//! Everybody picks nine o'clock, so at nine o'clock all jobs compete for the model and for other services. Jitter that
//! is drawn again at each start makes a job fire twice, or never, around a restart. So it depends only on the job's id,
//! and never changes.

use std::time::Duration;

use jiff::Timestamp;

use crate::JobId;

/// The limits for the offset between fires and their slots.
///
/// ```
/// use std::time::Duration;
/// use loop_schedule::{Jitter, JobId};
/// let id: JobId = "80000000".parse()?; // exactly in the middle
/// assert_eq!(Jitter::CLASSIC.delay(id, Duration::from_mins(60)), Duration::from_mins(3));
/// assert_eq!(Jitter::OFF.delay(id, Duration::from_mins(60)), Duration::ZERO);
/// # Ok::<(), loop_schedule::JobIdError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Jitter {
    percent: u32,
    most: Duration,
    lead: Duration,
}

impl Jitter {
    /// No jitter.
    pub const OFF: Self = Self { percent: 0, most: Duration::ZERO, lead: Duration::ZERO };

    /// Up to a tenth of the interval, and 15 minutes; a one-shot on the hour or half hour up to 90 seconds
    /// early.
    pub const CLASSIC: Self =
        Self { percent: 10, most: Duration::from_mins(15), lead: Duration::from_secs(90) };

    /// Up to half the interval, and 30 minutes; one-shots as in [`CLASSIC`](Self::CLASSIC).
    pub const CURRENT: Self =
        Self { percent: 50, most: Duration::from_mins(30), lead: Duration::from_secs(90) };

    /// Sets the largest delay, as a percentage of the interval and as a duration. More than 100 counts as 100, so that
    /// a fire never comes after the next slot.
    #[must_use]
    pub fn up_to(self, percent: u32, most: Duration) -> Self {
        Self { percent: percent.min(100), most, ..self }
    }

    /// Sets how early a one-shot on the hour or half hour may fire.
    #[must_use]
    pub fn lead(self, lead: Duration) -> Self {
        Self { lead, ..self }
    }

    /// Returns the delay of a job after its slot. It is less than `interval`, the time to the next slot.
    pub fn delay(&self, id: JobId, interval: Duration) -> Duration {
        let share = interval.as_millis() * u128::from(self.percent) / 100;
        part(id, share.min(self.most.as_millis()))
    }

    /// Returns how long before its time a one-shot fires.
    pub fn advance(&self, id: JobId, time: Timestamp) -> Duration {
        const HALF_HOUR: i64 = 30 * 60;
        let is_round = time.as_second().rem_euclid(HALF_HOUR) < 60;
        if is_round { part(id, self.lead.as_millis()) } else { Duration::ZERO }
    }
}

/// Returns the id's fraction of `millis`, which is less than `millis` unless both are zero.
fn part(id: JobId, millis: u128) -> Duration {
    let part = (millis * u128::from(id.to_bits())) >> 32;
    Duration::from_millis(u64::try_from(part).unwrap_or(u64::MAX))
}
