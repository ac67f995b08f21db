//! The confirmation of a new job, for the person or the model that added it.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use loop_schedule::{FirstFire, Job, ScheduleSettings, Trigger, Zone};
use loop_telemetry::words::{count, duration, instant, span, until};

/// A new job, and what its owner has to know about it: `loop schedule add`, `/every` and `CronCreate` confirm alike.
#[derive(Debug)]
pub struct JobConfirmation<'a> {
    /// The job.
    pub job: &'a Job,
    /// Its first fire.
    pub first: FirstFire,
    /// How it was added. `None` if it was not.
    pub added: Option<AddedAs<'a>>,
    /// The flag that changes its expiry, if there is one.
    pub expiry_flag: Option<&'a str>,
    /// The settings for jobs.
    pub settings: &'a ScheduleSettings,
    /// The zone of the person.
    pub zone: &'a Zone,
    /// The time of the confirmation.
    pub now: Timestamp,
}

/// How a job was added.
#[derive(Debug, Clone, Copy)]
pub struct AddedAs<'a> {
    /// The session, agent or model that carries the job out.
    pub by: &'a str,
    /// The command that deletes it, without its id.
    pub delete: &'a str,
}

impl JobConfirmation<'_> {
    /// Returns the lines after the job's id and prompt: its schedule, its next fire, what carries it out, its expiry
    /// and the command that deletes it. `one_line` makes a value fit to be shown.
    pub fn lines(&self, one_line: impl Fn(&str) -> String) -> Vec<String> {
        let Self { job, added, .. } = self;
        let mut fields = vec![("when", when(&job.trigger, self.zone)), ("next", self.next())];
        fields.extend(added.map(|added| ("by", added.by.to_owned())));
        if job.trigger.is_recurring() {
            fields.push(("until", self.until()));
        }
        fields.extend(added.map(|added| ("cancel", format!("{} {}", added.delete, job.id))));
        fields.into_iter().map(|(name, value)| format!("  {name:<8}{}", one_line(&value))).collect()
    }

    fn next(&self) -> String {
        // Jitter derives from the id, which only an added job has.
        let due = if self.added.is_some() { self.first.due } else { self.first.slot };
        next_fire(self.first.slot, due, self.zone, self.now)
    }

    /// Describes when a recurring job expires.
    fn until(&self) -> String {
        let Some(lifetime) = self.job.expiry.lifetime(self.settings) else {
            return "you delete it: it does not expire".to_owned();
        };
        let length = SignedDuration::try_from(lifetime).ok();
        let end = length.and_then(|length| self.job.created_at.checked_add(length).ok());
        let end = end.map(|end| instant(end, self.zone.rules())).unwrap_or_default();
        let flag = self.expiry_flag.map(|flag| format!(" (`{flag}`)")).unwrap_or_default();
        format!(
            "its first fire after {end} is its last, because it expires after {}{flag}",
            whole_days(lifetime)
        )
    }
}

/// Describes a trigger with its expression and zone: `Weekdays at 9:00 AM (0 9 * * 1-5, UTC)`. `zone` is that of the
/// person, for the time of a one-shot.
pub fn when(trigger: &Trigger, zone: &Zone) -> String {
    match trigger {
        Trigger::Cron { expression, zone } => match trigger.describe() {
            words if words == expression.to_string() => format!("{words} ({zone})"),
            words => format!("{words} ({expression}, {zone})"),
        },
        Trigger::Every(_) => trigger.describe(),
        Trigger::At { time } => format!("once, {}", instant(*time, zone.rules())),
    }
}

/// Formats the next fire, and its slot if jitter separates the two.
pub fn next_fire(slot: Timestamp, due: Timestamp, zone: &Zone, now: Timestamp) -> String {
    let (due_text, distance) = (instant(due, zone.rules()), until(due, now));
    let shift = due.duration_since(slot);
    let side = if shift.is_negative() { "before" } else { "after" };
    match shift.unsigned_abs().as_secs() {
        0 => format!("{due_text}, {distance}"),
        seconds => {
            let shift = span(Duration::from_secs(seconds));
            format!("{due_text}, {distance} ({shift} {side} its time, so that jobs do not all start at once)")
        }
    }
}

fn whole_days(time: Duration) -> String {
    const DAY: u64 = 86_400;
    match (time.as_secs() / DAY, time.as_secs() % DAY) {
        (days @ 1.., 0) => count(days, "day"),
        _ => duration(time),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shift_of_a_fire_is_explained() {
        let slot: Timestamp = "2026-11-28T15:50:00Z".parse().expect("a time");
        let (utc, now) = (Zone::utc(), slot - SignedDuration::from_secs(30));
        let shown = |seconds| next_fire(slot, slot + SignedDuration::from_secs(seconds), &utc, now);
        assert_eq!(shown(0), "Sat 2026-11-28 15:50 +00:00, in 30s");
        let later = "Sat 2026-11-28 15:50:03 +00:00, in 33s (3s after its time, so that jobs do not all start at once)";
        assert_eq!(shown(3), later);
        assert!(shown(-20).ends_with("(20s before its time, so that jobs do not all start at once)"));
    }
}
