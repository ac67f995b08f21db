//! Known session behaviour, as test cases for the input parsers of this crate.

use serde_json::Value;

/// Returns the inputs of an area, each with its expected result.
pub(crate) fn of(area: &str) -> Vec<(Value, Value)> {
    read(include_str!("../tests/fixtures/session_cases.json"), area)
}

/// Returns the inputs of an area of repeats, each with its expected result.
pub(crate) fn of_repetitions(area: &str) -> Vec<(Value, Value)> {
    read(include_str!("../tests/fixtures/repeat_cases.json"), area)
}

fn read(cases: &str, area: &str) -> Vec<(Value, Value)> {
    let cases: Value = serde_json::from_str(cases).expect("cases");
    let all = cases["cases"].as_array().expect("a list").iter().filter(|case| case["area"] == area);
    let found: Vec<_> = all.map(|case| (case["input"].clone(), case["expected"].clone())).collect();
    assert!(!found.is_empty(), "there are no cases of {area}");
    found
}
