//! Intervals and requests.

use loop_schedule::{
    Interval, IntervalRule, IntervalWarning, PromptRequest, PromptRequestError, ScheduleSettings,
    ScheduledInterval,
};
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
    rule: Option<u8>,
    effective: Option<String>,
    #[serde(default)]
    hint: bool,
    warn: Option<String>,
}

#[test]
fn requests_are_read_by_three_rules() {
    for case in cases::<RequestCase>(include_str!("../fixtures/loop_parse.json")) {
        let input = &case.input;
        match (PromptRequest::parse(input), case.kind.as_str()) {
            (Ok(request), "schedule") => schedules(&case, &request),
            (Err(PromptRequestError::NoPrompt { interval }), "usage") => {
                assert_eq!(interval.map(|interval| interval.to_string()), case.interval, "{input:?}");
            }
            (Err(PromptRequestError::Interval { error, prompt }), "error") => {
                assert_eq!(Some(error.interval()), case.interval.as_deref(), "{input:?}");
                assert_eq!(prompt, case.prompt, "{input:?}");
            }
            (read, kind) => panic!("{input:?} is {kind}, not {read:?}"),
        }
    }
}

fn schedules(case: &RequestCase, request: &PromptRequest) {
    let input = &case.input;
    let rule = match request.rule() {
        IntervalRule::Leading => 1,
        IntervalRule::Trailing => 2,
        IntervalRule::Default => 3,
    };
    assert_eq!(Some(rule), case.rule, "{input:?}");
    assert_eq!(request.prompt(), case.prompt, "{input:?}");
    assert_eq!(Some(request.interval().to_string()), case.interval, "{input:?}");
    assert_eq!(Some(request.rounded().to_string()), case.effective, "{input:?}");
    assert_eq!(Some(request.rounded().cron().to_string()), case.cron, "{input:?}");
    assert_eq!(request.hint().is_some(), case.hint, "{input:?}: {:?}", request.hint());
    let effective = ScheduledInterval::Rounded(request.rounded());
    let warnings = IntervalWarning::all(request.interval(), effective, &ScheduleSettings::classic());
    let warned = |name| match name {
        "month-end" => warnings.iter().any(|warning| matches!(warning, IntervalWarning::MonthEnd { .. })),
        "expiry" => {
            warnings.iter().any(|warning| matches!(warning, IntervalWarning::LongerThanExpiry { .. }))
        }
        other => panic!("there is no warning {other}"),
    };
    assert!(case.warn.as_deref().is_none_or(warned), "{input:?}: {warnings:?}");
}

#[test]
fn near_misses_have_a_hint_and_other_words_have_none() {
    for input in
        ["check every 1.5h", "1h30m check", "5 minutes check x", "watch it every morning", "tidy every 5min"]
    {
        assert!(PromptRequest::parse(input).unwrap().hint().is_some(), "{input:?}");
    }
    for input in ["check every PR", "fix all 5 bugs", "read every d", "2nd look", "every", "5", "explain m"] {
        let request = PromptRequest::parse(input).unwrap();
        assert_eq!((request.rule(), request.hint()), (IntervalRule::Default, None), "{input:?}");
    }
}

#[test]
fn what_cannot_be_an_interval_is_an_error() {
    for input in ["0m x", "00s x", "99999999999999999999d x", "32d x", "745h x", "x every 0 days"] {
        assert!(matches!(PromptRequest::parse(input), Err(PromptRequestError::Interval { .. })), "{input:?}");
    }
}
