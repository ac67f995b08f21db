//! Checks a job before a store accepts it.

use jiff::{SignedDuration, Timestamp};

use super::{Job, JobError, Trigger};
use crate::ScheduleSettings;

/// How far away the first fire of a new job may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Horizon {
    /// At most a year, because a later one is usually a mistake.
    Year,
    /// As far as the calendar search goes.
    Far,
}

/// The first fire of a new job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FirstFire {
    /// Its first slot, without jitter.
    pub slot: Timestamp,
    /// The time of that fire, with jitter.
    pub due: Timestamp,
}

impl Job {
    /// Returns the first fire, if the job can be scheduled at all.
    ///
    /// # Errors
    /// [`JobError`] if it never fires, has a step that does not fit into its field, is in the past, is too far away, or its prompt is empty or too long.
    pub fn first_fire(
        &self,
        settings: &ScheduleSettings,
        reach: Horizon,
        now: Timestamp,
    ) -> Result<FirstFire, JobError> {
        const YEAR: SignedDuration = SignedDuration::from_hours(366 * 24);
        if self.prompt.trim().is_empty() {
            return Err(JobError::NoPrompt);
        }
        if self.prompt.len() > settings.max_prompt_bytes {
            let (bytes, most) = (self.prompt.len(), settings.max_prompt_bytes);
            return Err(JobError::LongPrompt { bytes, most });
        }
        if let Trigger::Cron { expression, .. } = &self.trigger {
            expression.check_steps()?;
        }
        let slot = self.trigger.next_after(now).ok_or(match self.trigger {
            Trigger::At { time } => JobError::Past { time },
            Trigger::Cron { .. } | Trigger::Every(_) => JobError::NeverFires,
        })?;
        if reach == Horizon::Year && slot.duration_since(now) > YEAR {
            return Err(JobError::FarOff { first: slot });
        }
        Ok(FirstFire { slot, due: self.due(slot, self.trigger.next_after(slot), settings) })
    }

    /// Returns when a slot fires: with jitter, but never after the next slot, and never before the job was created.
    pub(crate) fn due(
        &self,
        slot: Timestamp,
        next: Option<Timestamp>,
        settings: &ScheduleSettings,
    ) -> Timestamp {
        if !self.jitter {
            return slot;
        }
        if !self.trigger.is_recurring() {
            let early = slot.checked_sub(settings.jitter.advance(self.id, slot)).unwrap_or(slot);
            return early.max(self.created_at).min(slot);
        }
        // Without a next slot, only the upper bound limits the jitter.
        let interval = next.unwrap_or(Timestamp::MAX).duration_since(slot).unsigned_abs();
        slot.checked_add(settings.jitter.delay(self.id, interval)).unwrap_or(slot)
    }

    /// Returns whether this slot is the last one.
    pub(crate) fn is_last(&self, slot: Timestamp, settings: &ScheduleSettings) -> bool {
        let age = slot.duration_since(self.created_at);
        let expired = |expiry| age >= SignedDuration::try_from(expiry).unwrap_or(SignedDuration::MAX);
        !self.trigger.is_recurring() || self.expiry.lifetime(settings).is_some_and(expired)
    }
}
