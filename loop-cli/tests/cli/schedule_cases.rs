//! The known answers of `loop-schedule`, tried through the command. That crate's own tests cover all of them; these are
//! some of each class.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use crate::{schedule::schedule, support::Scenario};

/// The number of cases in each class.
const EACH: usize = 4;

fn cases(json: &str) -> Vec<Value> {
    let mut file: Value = serde_json::from_str(json).expect("JSON");
    serde_json::from_value(file["cases"].take()).expect("cases")
}

/// Returns some cases of each class, spread over the class.
fn some(cases: Vec<Value>, class: &str) -> Vec<Value> {
    let mut classes = BTreeMap::<String, Vec<Value>>::new();
    for case in cases {
        classes.entry(case[class].to_string()).or_default().push(case);
    }
    let spread = |cases: Vec<Value>| {
        let step = cases.len().div_ceil(EACH);
        cases.into_iter().step_by(step)
    };
    classes.into_values().flat_map(spread).collect()
}

fn text<'a>(case: &'a Value, key: &str) -> &'a str {
    case[key].as_str().unwrap_or_else(|| panic!("{key} of {case}"))
}

#[test]
fn the_next_fire_is_the_known_one() {
    let scenario = Scenario::new();
    for case in some(cases(include_str!("../../../loop-schedule/tests/fixtures/cron_next.json")), "cls") {
        let (class, expr, zone) = (text(&case, "cls"), text(&case, "expr"), text(&case, "tz"));
        let from: Timestamp = text(&case, "from").parse().expect("a time");
        let from = from - SignedDuration::from_nanos(i64::from(case["inclusive"] == true));
        let next = schedule(
            &scenario,
            &["next", expr, "-n", "1", "--json", "--tz", zone, "--from", &from.to_string()],
        );
        if class == "extended-grammar" {
            next.exits(2);
            continue;
        }
        let agrees =
            case["agrees_with"].as_array().is_some_and(|rules| rules.iter().any(|rule| rule == "vixie"));
        let expected = match class {
            // Here either day may match, so the job fires earlier than in dialects where both must match.
            "star-step-day" => None,
            "universal" => case["expect"].as_str(),
            "dst-rule" if agrees => case["expect"].as_str(),
            _ => case["vixie_answer"].as_str(),
        };
        let fires: Vec<Timestamp> = serde_json::from_str(&next.exits(0).stdout).expect("JSON");
        match expected {
            Some(expected) => assert_eq!(fires, [expected.parse().expect("a time")], "{case}"),
            None => assert!(fires[0] > from, "{case}"),
        }
    }
}

#[test]
fn exactly_the_dialect_is_taken() {
    let scenario = Scenario::new();
    for case in
        some(cases(include_str!("../../../loop-schedule/tests/fixtures/cron_invalid.json")), "dialect")
    {
        let code = if case["dialect"] == "ok" && case["never_fires"] != true { 0 } else { 2 };
        schedule(&scenario, &["next", "--tz", "UTC", "--", text(&case, "expr")]).exits(code);
    }
}

#[test]
fn intervals_become_those_that_come_around_evenly() {
    let scenario = Scenario::new();
    for case in
        some(cases(include_str!("../../../loop-schedule/tests/fixtures/interval_to_cron.json")), "rounded")
    {
        let ran = schedule(
            &scenario,
            &["add", "--rounded", "--dry-run", "--json", &format!("{} x", text(&case, "interval"))],
        );
        let planned: Value = serde_json::from_str(&ran.exits(0).stdout).expect("JSON");
        assert_eq!((&planned["cron"], &planned["effective"]), (&case["cron"], &case["effective"]), "{case}");
    }
}

#[test]
fn rounded_requests_keep_their_times_or_are_refused() {
    let scenario = Scenario::new();
    for case in cases(include_str!("../../../loop-schedule/tests/fixtures/loop_parse.json")) {
        let ran = schedule(&scenario, &["add", "--rounded", "--dry-run", "--json", text(&case, "input")]);
        let input = text(&case, "input");
        // Claude Code schedules these at ten minutes, whatever time they name.
        let names_a_time = case["hint"] == true || ["check 5m", "run it everyday"].contains(&input);
        if case["kind"] != "schedule" || (names_a_time && ran.code == 2) {
            ran.exits(2);
            continue;
        }
        let planned: Value = serde_json::from_str(&ran.exits(0).stdout).expect("JSON");
        if names_a_time {
            assert_ne!(planned["interval"], "10m", "{case}");
            continue;
        }
        for key in ["effective", "cron", "prompt"] {
            assert_eq!(planned[key], case[key], "{key} of {case}");
        }
    }
}
