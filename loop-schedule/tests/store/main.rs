//! Jobs on disk: which data the store keeps and refuses, and which process fires.
#![expect(clippy::unwrap_used, reason = "a test whose scenario cannot be made has failed")]

mod files;
mod killed;
mod processes;

use jiff::{SignedDuration, Timestamp};
use loop_schedule::{Job, JobId, Trigger, Zone};

fn now() -> Timestamp {
    "2026-03-02T08:00:30Z".parse().unwrap()
}

/// Creates a job that fires every ten minutes, without jitter.
fn job(bits: u32) -> Job {
    let trigger = Trigger::Cron { expression: "*/10 * * * *".parse().unwrap(), zone: Zone::utc() };
    Job::new(JobId::from_bits(bits), trigger, "look", now()).without_jitter()
}

fn minutes(minutes: i64) -> SignedDuration {
    SignedDuration::from_mins(minutes)
}
