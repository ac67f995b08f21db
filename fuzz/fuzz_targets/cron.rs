//! Fuzzes schedules as people type them: cron expressions, intervals, requests.

#![no_main]

use jiff::Timestamp;
use libfuzzer_sys::fuzz_target;
use loop_schedule::{Cron, JobRequest, ScheduleSettings, ScheduledInterval, Zone};

/// Zones with unusual clock changes: none, an hour, half an hour, and one that skipped a day.
const ZONES: [&str; 4] = ["UTC", "Europe/Riga", "Australia/Lord_Howe", "Pacific/Apia"];

fuzz_target!(|text: &str| {
    if let Ok(cron) = text.parse::<Cron>() {
        fires(&cron, text.len() as i64);
    }
    for settings in [ScheduleSettings::default(), ScheduleSettings::classic()] {
        let Ok(request) = JobRequest::parse(text, &settings, &Zone::utc(), Timestamp::UNIX_EPOCH) else { continue };
        assert!(text.contains(&request.prompt));
        assert!(request.trigger.next_after(Timestamp::UNIX_EPOCH).is_some());
        if let Some(ScheduledInterval::Rounded(effective)) = request.effective {
            assert!(!effective.period().is_zero());
            fires(&effective.cron(), text.len() as i64);
        }
    }
});

/// An expression survives printing and parsing, and its fires are in order.
fn fires(cron: &Cron, months: i64) {
    assert_eq!(cron.to_string().parse().as_ref(), Ok(cron));
    assert!(!cron.describe().is_empty());
    let from = Timestamp::from_second(months % 1_000 * 2_629_746).expect("within the next century");
    for zone in ZONES {
        let zone: Zone = zone.parse().expect("a zone of the bundled database");
        let mut last = from;
        for next in cron.fires_after(from, &zone).take(4) {
            assert!(last < next, "{next} comes after {last}");
            last = next;
        }
    }
}
