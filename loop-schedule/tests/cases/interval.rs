//! Intervals and requests.

use loop_schedule::{Interval, JobRequest, ScheduleSettings, Trigger, Zone};
use serde::Deserialize;

use crate::cases;

#[derive(Deserialize)]
struct RoundingCase {
    interval: String,
    minutes: u64,
    cron: String,
    effective: String,
    effective_minutes: u64,
    rounded: bool,
}

#[test]
fn intervals_become_the_nearest_that_come_around_evenly() {
    for case in cases::<RoundingCase>(include_str!("../fixtures/interval_to_cron.json")) {
        let interval: Interval = case.interval.parse().unwrap();
        let effective = interval.rounded();
        assert_eq!(interval.period().as_secs().div_ceil(60), case.minutes, "{interval}");
        assert_eq!(effective.cron().to_string(), case.cron, "{interval}");
        assert_eq!(effective.to_string(), case.effective, "{interval}");
        assert_eq!(effective.period().as_secs(), case.effective_minutes * 60, "{interval}");
        assert_eq!(!interval.is_even(), case.rounded, "{interval}");
    }
}

#[derive(Deserialize)]
struct RequestCase {
    input: String,
    kind: String,
    interval: Option<String>,
    prompt: String,
    cron: Option<String>,
    effective: Option<String>,
    #[serde(default)]
    hint: bool,
    warn: Option<String>,
}

/// Words of time that Claude Code schedules at ten minutes without a hint.
const NOT_SILENT: &[&str] = &["check 5m", "run it everyday"];

/// An input with `hint` names a time that Claude Code replaces by ten minutes. We keep the time, or refuse it.
#[test]
fn rounding_reads_each_request_or_refuses_its_time() {
    let now = "2026-03-02T12:00:00Z".parse().unwrap();
    for case in cases::<RequestCase>(include_str!("../fixtures/loop_parse.json")) {
        let input = &case.input;
        let may_differ = case.hint || NOT_SILENT.contains(&input.as_str());
        match JobRequest::parse(input, &ScheduleSettings::classic(), &Zone::utc(), now) {
            Err(error) => assert!(may_differ || case.kind == "error", "{input:?}: {error}"),
            Ok(request) if may_differ => {
                assert_ne!(request.interval, Some(Interval::DEFAULT), "{input:?}");
                assert_ne!(&request.prompt, input);
            }
            Ok(request) if request.prompt.is_empty() => assert_eq!(case.kind, "usage", "{input:?}"),
            Ok(request) => schedules(&case, &request),
        }
    }
}

fn schedules(case: &RequestCase, request: &JobRequest) {
    let input = &case.input;
    let cron = match &request.trigger {
        Trigger::Cron { expression, .. } => Some(expression.to_string()),
        _ => None,
    };
    assert_eq!(request.prompt, case.prompt, "{input:?}");
    assert_eq!(request.interval.map(|interval| interval.to_string()), case.interval, "{input:?}");
    assert_eq!(request.effective.map(|interval| interval.to_string()), case.effective, "{input:?}");
    assert_eq!(cron, case.cron, "{input:?}");
    let is_rounded = request.interval.map(|interval| interval.period().as_secs().div_ceil(60))
        != request.effective.map(|effective| effective.period().as_secs() / 60);
    let warns = |text: &str| request.notes.iter().any(|note| note.contains(text));
    assert_eq!(is_rounded, warns("divides neither"), "{input:?}: {:?}", request.notes);
    let warned = |name| match name {
        "month-end" => warns("first of each month"),
        "expiry" => warns("longer than the lifetime"),
        other => panic!("there is no warning {other}"),
    };
    assert!(case.warn.as_deref().is_none_or(warned), "{input:?}: {:?}", request.notes);
}
