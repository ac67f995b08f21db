//! A report at nine every weekday, in virtual time: a week passes at once.
//!
//! The scheduler is pure: it takes the time, and returns the jobs that are due. Only the program knows what a report
//! is.
//!
//! Run it with `cargo run -p loop-schedule --example scheduled_report`.
#![expect(clippy::print_stdout, reason = "an example shows what came of it")]

use std::error::Error;

use jiff::{SignedDuration, Timestamp};
use loop_schedule::{Job, JobId, JobState, ScheduleSettings, Scheduler, SchedulerEvent, Trigger, Zone};

fn report(at: Timestamp, zone: &Zone) -> String {
    format!("report of {}", at.to_zoned(zone.rules().clone()).strftime("%A, %H:%M"))
}

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let riga: Zone = "Europe/Riga".parse()?;
    let start: Timestamp = "2026-03-26T00:00:00Z".parse()?; // a Thursday; on Sunday the clocks change
    let trigger = Trigger::Cron { expression: "0 9 * * 1-5".parse()?, zone: riga.clone() };
    let job = Job::new(JobId::from_bits(1), trigger, "report", start).without_jitter();

    let mut scheduler =
        Scheduler::new(ScheduleSettings::classic().with_expiry(std::time::Duration::from_secs(30 * 86_400)));
    scheduler.set(job.clone(), &JobState::new(start), start);
    let mut reports = Vec::new();
    for minute in 0..7 * 24 * 60 {
        let now = start + SignedDuration::from_mins(minute);
        for event in scheduler.tick(now, true) {
            if let SchedulerEvent::Fired(fire) = event {
                reports.push(report(now, &riga));
                scheduler.finished(fire.job.id);
            }
        }
    }

    println!("{}", reports.join("\n"));
    // Nine o'clock means nine in Riga, before and after the clock change.
    let days = ["Thursday", "Friday", "Monday", "Tuesday", "Wednesday"];
    assert_eq!(reports, days.map(|day| format!("report of {day}, 09:00")));
    Ok(())
}
