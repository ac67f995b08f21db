//! What people know of sessions, for the tests of what is read here.

use serde_json::Value;

/// The inputs of an area, and what is expected of each.
pub(crate) fn of(area: &str) -> Vec<(Value, Value)> {
    let cases: Value =
        serde_json::from_str(include_str!("../tests/fixtures/session_cases.json")).expect("cases");
    let all = cases["cases"].as_array().expect("a list").iter().filter(|case| case["area"] == area);
    all.map(|case| (case["input"].clone(), case["expected"].clone())).collect()
}
