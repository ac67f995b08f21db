//! `loop every`: its goal, and intervals of two words.

use serde_json::Value;

use crate::support::Scenario;

/// The record, the JSON and the exit code agree.
#[test]
fn a_goal_includes_that_the_last_iteration_did_not_fail() {
    for (args, line, reason) in [
        (&["1ms", "--count", "2"][..], "false", Some("max_iterations")),
        (&["1ms", "--count", "2"], "[ $LOOP_ITERATION = 1 ]", Some("max_iterations")),
        (&["1h", "--unlimited", "--for", "1h"], "false", Some("time_exceeded")),
        (&["1ms", "--count", "2"], "[ $LOOP_ITERATION = 2 ]", None),
        (&["1ms", "--count", "2", "--until", "done"], "echo done; false", Some("failed_iteration")),
        (&["1ms", "--count", "3", "--until-unchanged", "1"], "echo same; false", Some("failed_iteration")),
        (&["1ms", "--count", "2", "--until", "done"], "echo done", None),
    ] {
        let scenario = Scenario::new();
        let ran = scenario
            .run(&[&["every"], args, &["--json", "--", line]].concat())
            .exits(i32::from(reason.is_some()));
        let told: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        let record = scenario.record();
        for json in [&told, &record] {
            assert_eq!(json["success"], reason.is_none(), "{line}: {json}");
            assert_eq!(json["stop_reason"].as_str(), reason.or(Some("goal_met")), "{line}: {json}");
        }
    }
}

#[test]
fn an_interval_of_two_words_is_refused_with_the_form_of_one() {
    let scenario = Scenario::new();
    for (args, form) in [
        (&["every", "5", "minutes", "check", "the", "build"][..], "`loop every 5m check the build`"),
        (&["every", "2", "hours", "look"], "`loop every 2h look`"),
        (&["every", "1h", "30m", "check"], "`loop every 1h30m check`"),
        (&["every", "1", "day"], "`loop every 24h PROMPT`"),
    ] {
        scenario.run(args).exits(2).says(&[form]);
    }
    assert!(scenario.records().is_empty());
}
