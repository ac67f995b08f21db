//! What people know of sessions, for the tests of what is shown and read here.

use serde_json::Value;

/// The inputs of an area, and what is expected of each.
pub(crate) fn of(area: &str) -> Vec<(Value, Value)> {
    read(include_str!("../../tests/fixtures/session_cases.json"), area)
}

/// The same of what is repeated.
pub(crate) fn of_repetitions(area: &str) -> Vec<(Value, Value)> {
    read(include_str!("../../tests/fixtures/repeat_cases.json"), area)
}

fn read(cases: &str, area: &str) -> Vec<(Value, Value)> {
    let cases: Value = serde_json::from_str(cases).unwrap();
    let all = cases["cases"].as_array().unwrap().iter();
    let found: Vec<_> = all
        .filter(|case| case["area"] == area)
        .map(|case| (case["input"].clone(), case["expected"].clone()))
        .collect();
    assert!(!found.is_empty(), "there are no cases of {area}");
    found
}
