//! A job in the words of a person, ready to be scheduled.

use jiff::Timestamp;

use crate::{
    Cron, ExactPeriod, Expiry, Interval, IntervalWarning, Job, JobId, PeriodError, Phrase, PhraseError,
    PhraseTime, ScheduleSettings, ScheduledInterval, Trigger, Zone,
};

/// A job that a person asked for: what fires it, and its prompt.
///
/// Words of time that are not a schedule are an error. By default, an interval is kept to the second. The
/// [settings](ScheduleSettings::rounds_intervals) can round it to the nearest that divides the hour or the day.
///
/// ```
/// use loop_schedule::{JobRequest, ScheduleSettings, Zone};
///
/// let (settings, now) = (ScheduleSettings::default(), "2026-03-02T12:00:00Z".parse()?);
/// let request = JobRequest::parse("check the deploy every 45m", &settings, &Zone::utc(), now)?;
/// assert_eq!(request.prompt, "check the deploy");
/// assert_eq!(request.trigger.describe(), "Every 45 minutes");
///
/// let rounded = settings.with_rounded_intervals(true);
/// let request = JobRequest::parse("check the deploy every 45m", &rounded, &Zone::utc(), now)?;
/// assert_eq!(request.trigger.describe(), "Every hour");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct JobRequest {
    /// The trigger of the job.
    pub trigger: Trigger,
    /// The prompt. Empty if the text was only a schedule.
    pub prompt: String,
    /// When the job expires.
    pub expiry: Expiry,
    /// The interval as written. `None` for times of day and one-shots.
    pub interval: Option<Interval>,
    /// The interval that is kept.
    pub effective: Option<ScheduledInterval>,
    /// Notes for the person: what was rounded, or that the interval is the default.
    pub notes: Vec<String>,
}

impl JobRequest {
    /// Parses what a person typed. Times of day are those of the zone.
    ///
    /// # Errors
    /// [`JobRequestError`] if there are words of time that are not a schedule, or if the schedule cannot be kept. A
    /// text that is only a schedule is no error: its prompt is empty.
    pub fn parse(
        text: &str,
        settings: &ScheduleSettings,
        zone: &Zone,
        now: Timestamp,
    ) -> Result<Self, JobRequestError> {
        let phrase = Phrase::parse(text, zone, now)?;
        match phrase.time {
            Some(PhraseTime::Interval(interval)) => {
                Self::every(interval, &phrase.prompt, settings, zone, now)
            }
            Some(PhraseTime::Cron(expression)) => Ok(Self::cron(expression, &phrase.prompt, zone)),
            Some(PhraseTime::Once(time)) => Ok(Self::once(time, &phrase.prompt)),
            None => {
                let mut request = Self::every(Interval::DEFAULT, &phrase.prompt, settings, zone, now)?;
                request.notes.push(format!("no time is given, so it fires every {}", Interval::DEFAULT));
                Ok(request)
            }
        }
    }

    /// Parses what a person typed after the word `every`, as in `/every hour look`. The text may also contain a whole
    /// schedule: `/every 30m look`, `/every weekdays at 9 look`.
    ///
    /// # Errors
    /// As for [`parse`](Self::parse).
    pub fn parse_after_every(
        text: &str,
        settings: &ScheduleSettings,
        zone: &Zone,
        now: Timestamp,
    ) -> Result<Self, JobRequestError> {
        let whole = format!("every {text}");
        let is_scheduled = |text: &str| Phrase::parse(text, zone, now).map(|phrase| phrase.time.is_some());
        let is_continued = || !matches!(is_scheduled(&whole), Ok(false));
        match is_scheduled(text) {
            Ok(false) | Err(_) if is_continued() => Self::parse(&whole, settings, zone, now),
            _ => Self::parse(text, settings, zone, now),
        }
    }

    /// Creates a request for an interval. The text is the prompt, whatever its words.
    ///
    /// # Errors
    /// [`JobRequestError::Period`] if the interval is shorter than a minute, unless intervals are rounded.
    pub fn every(
        interval: Interval,
        prompt: &str,
        settings: &ScheduleSettings,
        zone: &Zone,
        now: Timestamp,
    ) -> Result<Self, JobRequestError> {
        let (trigger, effective) = if settings.rounds_intervals {
            let even = interval.rounded();
            let trigger = Trigger::Cron { expression: even.cron(), zone: zone.clone() };
            (trigger, ScheduledInterval::Rounded(even))
        } else {
            let exact = ExactPeriod::new(interval.period(), now);
            let period = exact.map_err(|error| JobRequestError::Period { interval, error })?;
            (Trigger::Every(period), ScheduledInterval::Exact(interval))
        };
        let notes =
            IntervalWarning::all(interval, effective, settings).iter().map(ToString::to_string).collect();
        let request = Self::new(trigger, prompt.to_owned(), Expiry::Settings);
        Ok(Self { interval: Some(interval), effective: Some(effective), notes, ..request })
    }

    /// Creates a request for a cron expression, which does not expire. The text is the prompt, whatever its words.
    pub fn cron(expression: Cron, prompt: &str, zone: &Zone) -> Self {
        Self::new(Trigger::Cron { expression, zone: zone.clone() }, prompt.to_owned(), Expiry::Never)
    }

    /// Creates a request for one fire. The text is the prompt, whatever its words.
    pub fn once(time: Timestamp, prompt: &str) -> Self {
        Self::new(Trigger::At { time }, prompt.to_owned(), Expiry::Settings)
    }

    fn new(trigger: Trigger, prompt: String, expiry: Expiry) -> Self {
        Self { trigger, prompt, expiry, interval: None, effective: None, notes: Vec::new() }
    }

    /// Creates the job.
    pub fn job(&self, id: JobId, now: Timestamp) -> Job {
        Job::new(id, self.trigger.clone(), self.prompt.clone(), now).expires(self.expiry)
    }
}

/// The reason why a request cannot be scheduled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JobRequestError {
    /// Its words of time are not a schedule that can be kept.
    #[error(transparent)]
    Phrase(#[from] PhraseError),
    /// A job cannot fire that often.
    #[error("{interval} is too short: a job fires at most once a minute, so write 1m")]
    Period {
        /// The interval.
        interval: Interval,
        /// The limits. They are no cause, because the message already contains them.
        error: PeriodError,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_interval_expires_whether_or_not_it_is_rounded() {
        let now = "2026-03-02T12:00:00Z".parse().expect("a time");
        for settings in
            [ScheduleSettings::default(), ScheduleSettings::classic(), ScheduleSettings::current()]
        {
            let expiry = |text: &str| JobRequest::parse(text, &settings, &Zone::utc(), now).unwrap().expiry;
            assert_eq!(expiry("every day at 9 look"), Expiry::Never);
            assert_eq!(expiry("0 9 * * 1-5 look"), Expiry::Never);
            assert_eq!(expiry("every 45m look"), Expiry::Settings);
        }
    }

    #[test]
    fn only_the_classic_settings_round() {
        let is_rounded = |settings: ScheduleSettings| settings.rounds_intervals;
        let rounds = [ScheduleSettings::classic(), ScheduleSettings::current(), ScheduleSettings::default()];
        assert_eq!(rounds.map(is_rounded), [true, false, false]);
    }

    #[test]
    fn a_schedule_may_begin_with_the_name_of_the_command() {
        let now = "2026-03-02T12:00:00Z".parse().expect("a time");
        let read = |text: &str| {
            let request =
                JobRequest::parse_after_every(text, &ScheduleSettings::default(), &Zone::utc(), now);
            request.map_or_else(
                |error| error.to_string(),
                |request| format!("{} | {}", request.trigger.describe(), request.prompt),
            )
        };
        for (text, expected) in [
            ("hour look", "Every hour | look"),
            ("2 hours look", "Every 2 hours | look"),
            ("day at 9 look", "Every day at 9:00 AM | look"),
            ("monday 8am look", "Every Monday at 8:00 AM | look"),
            ("30m look", "Every 30 minutes | look"),
            ("weekdays at 9:30 look", "Weekdays at 9:30 AM | look"),
            ("look every 2 hours", "Every 2 hours | look"),
            ("in 20 minutes look", "Once at 2026-03-02T12:20:00Z | look"),
            ("file look", "Every 10 minutes | file look"),
        ] {
            assert_eq!(read(text), expected);
        }
        for (text, nearest) in
            [("hour and a half look", "`every 90m`"), ("night look", "`every day at 23:00`")]
        {
            assert!(read(text).contains(nearest), "{}", read(text));
        }
    }
}
