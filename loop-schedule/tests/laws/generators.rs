//! Generators for the laws.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use loop_schedule::{CatchUp, Cron, ExactPeriod, Job, JobId, Overlap, Trigger, Zone};
use proptest::{prelude::*, sample::select};

/// Zones with all kinds of clock changes: by an hour, by half an hour, at midnight, on both hemispheres, and none.
pub(crate) const ZONES: [&str; 6] =
    ["America/New_York", "Europe/Riga", "Australia/Lord_Howe", "America/Santiago", "Asia/Kolkata", "UTC"];

/// The middle of days on which some of these zones change their clocks, and of one on which none does.
const DAYS: [&str; 7] = [
    "2025-03-09T07:00:00Z",
    "2025-11-02T06:00:00Z",
    "2025-03-30T01:00:00Z",
    "2025-10-26T01:00:00Z",
    "2025-04-05T15:00:00Z",
    "2025-10-04T15:30:00Z",
    "2025-06-15T12:00:00Z",
];

/// Returns a configuration with this number of cases, and without a file for failures.
pub(crate) fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

pub(crate) fn at(time: &str) -> Timestamp {
    time.parse().unwrap()
}

pub(crate) fn zone() -> impl Strategy<Value = Zone> {
    select(ZONES.as_slice()).prop_map(|name| name.parse().unwrap())
}

/// Generates instants within 40 hours of a clock change, to the millisecond.
pub(crate) fn instant() -> impl Strategy<Value = Timestamp> {
    let hours = 40 * 3_600_000_i64;
    (select(DAYS.as_slice()), -hours..hours)
        .prop_map(|(day, millis)| at(day) + SignedDuration::from_millis(millis))
}

/// Generates a field of an expression with at most `most` terms.
fn field(range: std::ops::RangeInclusive<u32>, most: usize) -> impl Strategy<Value = String> {
    let (first, last) = range.clone().into_inner();
    let number = range.clone();
    let pair = (range.clone(), range).prop_map(|(a, b)| (a.min(b), a.max(b)));
    let step = 1..=last;
    let term = prop_oneof![
        3 => Just("*".to_owned()),
        2 => step.clone().prop_map(|step| format!("*/{step}")),
        3 => number.prop_map(|number| number.to_string()),
        1 => pair.clone().prop_map(|(a, b)| format!("{a}-{b}")),
        1 => (pair, step).prop_map(|((a, b), step)| format!("{a}-{b}/{step}")),
        1 => Just(format!("{first}-{last}")),
    ];
    prop::collection::vec(term, 1..=most).prop_map(|terms| terms.join(","))
}

/// Generates an expression whose fields have at most `most` terms.
pub(crate) fn expression(most: usize) -> impl Strategy<Value = String> {
    let day = (field(1..=31, most), field(1..=12, most), field(0..=7, most));
    (field(0..=59, most), field(0..=23, most), day)
        .prop_map(|(minute, hour, (day, month, weekday))| format!("{minute} {hour} {day} {month} {weekday}"))
}

/// Generates expressions that fire at least once a day.
fn frequent() -> impl Strategy<Value = Cron> {
    (field(0..=59, 2), field(0..=23, 2))
        .prop_map(|(minute, hour)| format!("{minute} {hour} * * *").parse().unwrap())
}

fn trigger(start: Timestamp) -> impl Strategy<Value = Trigger> {
    prop_oneof![
        (frequent(), zone()).prop_map(|(expression, zone)| Trigger::Cron { expression, zone }),
        (60_u64..100_000).prop_map(move |seconds| Trigger::Every(
            ExactPeriod::new(Duration::from_secs(seconds), start).unwrap()
        )),
        (1_i64..300_000)
            .prop_map(move |seconds| Trigger::At { time: start + SignedDuration::from_secs(seconds) }),
    ]
}

/// Generates a job that is created at `start`.
pub(crate) fn job(start: Timestamp) -> impl Strategy<Value = Job> {
    let catch_up = select([CatchUp::None, CatchUp::Once, CatchUp::Ask].as_slice());
    let overlap = select([Overlap::Skip, Overlap::QueueOne, Overlap::Cancel].as_slice());
    (any::<u32>(), trigger(start), catch_up, overlap, any::<bool>()).prop_map(
        move |(bits, trigger, catch_up, overlap, jitter)| {
            let mut job =
                Job::new(JobId::from_bits(bits), trigger, "x", start).catch_up(catch_up).overlap(overlap);
            job.jitter = jitter;
            job
        },
    )
}
