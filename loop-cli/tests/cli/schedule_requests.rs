//! `loop schedule add`: the schedule in the text and in the flags.

use serde_json::Value;

use crate::{
    schedule::{added, schedule},
    support::Scenario,
};

#[test]
fn an_interval_runs_as_written_unless_it_is_rounded() {
    let scenario = Scenario::new();
    let plan = |args: &[&str]| -> Value {
        let ran = schedule(&scenario, &[&["add", "--dry-run", "--json"], args].concat()).exits(0);
        serde_json::from_str(&ran.stdout).expect("JSON")
    };
    let (rounded, exact) = (plan(&["--rounded", "45m look"]), plan(&["45m look"]));
    assert_eq!((&rounded["effective"], &rounded["cron"]), (&"1h".into(), &"0 * * * *".into()));
    assert_eq!(rounded["warnings"].as_array().map(Vec::len), Some(1));
    assert_eq!((&exact["interval"], &exact["effective"]), (&"45m".into(), &"45m".into()));
    assert_eq!((&exact["cron"], &exact["warnings"]), (&Value::Null, &Value::Array(Vec::new())));
    assert_eq!(plan(&["100h look"])["warnings"].as_array().map(Vec::len), Some(1));
    assert_eq!(plan(&["--rounded", "2s look"])["warnings"].as_array().map(Vec::len), Some(1));
    assert_eq!(plan(&["--every", "20m", "sum up Monday"])["prompt"], "sum up Monday");
    added(&scenario, &["90s look", "--agent", "x"]);
    let listed = schedule(&scenario, &["list"]).exits(0).stdout;
    assert!(listed.contains("Every 90 seconds"), "{listed}");
    schedule(&scenario, &["add", "--dry-run", "30s look"])
        .exits(2)
        .says(&["30s is too short", "once a minute"]);
    schedule(&scenario, &["add", "--rounded", "--cron", "0 9 * * *", "look"]).exits(2).says(&["--rounded"]);
}

#[test]
fn a_dry_run_names_what_is_missing() {
    let scenario = Scenario::new();
    let plan = |args: &[&str]| schedule(&scenario, &[&["add", "--dry-run", "5m look"], args].concat());
    plan(&["--agent", "no-such-agent -p"]).exits(0).says(&["`no-such-agent` is not on PATH"]);
    plan(&["--run", "no-such.yaml"]).exits(2).says(&["no-such.yaml"]);
    plan(&["--model", "no-such-model"]).exits(2).says(&["no-such-model"]);
}

#[test]
fn words_are_described_as_expressions_are() {
    let scenario = Scenario::new();
    for (written, described) in [
        ("0 9 * * 1-5", "Weekdays at 9:00 AM\n"),
        ("weekdays at 9", "Weekdays at 9:00 AM\n"),
        ("45m", "Every 45 minutes\n"),
    ] {
        assert_eq!(schedule(&scenario, &["describe", written]).exits(0).stdout, described);
    }
    schedule(&scenario, &["describe", "every day at 9 look"]).exits(2).says(&["every day at 9 look"]);
    schedule(&scenario, &["describe", "0 9 * * mon"]).exits(2).says(&["mon"]);
}

#[test]
fn rounding_drops_no_time() {
    let scenario = Scenario::new();
    let plan = |text: &str| -> Value {
        let ran = schedule(&scenario, &["add", "--dry-run", "--json", "--rounded", text]).exits(0);
        serde_json::from_str(&ran.stdout).expect("JSON")
    };
    for (text, cron, warnings) in [
        ("every 45m look", "0 * * * *", 1),
        ("1h30m look", "0 */2 * * *", 1),
        ("every hour look", "0 * * * *", 0),
        ("every day at 9 look", "0 9 * * *", 0),
        ("0 9 * * * look", "0 9 * * *", 0),
    ] {
        let planned = plan(text);
        assert_eq!((&planned["cron"], &planned["prompt"]), (&cron.into(), &"look".into()), "{text}");
        assert_eq!(planned["warnings"].as_array().map(Vec::len), Some(warnings), "{text}");
    }
    assert!(plan("tomorrow at 8 look")["at"].is_string());
    schedule(&scenario, &["add", "--agent", "x", "--rounded", "5M look"]).exits(2).says(&["every 5m"]);
}

#[test]
fn the_flag_for_an_interval_accepts_the_words_for_it() {
    let scenario = Scenario::new();
    for (written, interval) in
        [("45 minutes", "45m"), ("an hour", ""), ("two hours", "2h"), ("day", "1d"), ("1h30m", "90m")]
    {
        let ran = schedule(&scenario, &["add", "--dry-run", "--json", "--every", written, "look"]);
        if interval.is_empty() {
            ran.exits(2).says(&["--every", "30m"]);
            continue;
        }
        let planned: Value = serde_json::from_str(&ran.exits(0).stdout).expect("JSON");
        assert_eq!(
            (&planned["interval"], &planned["prompt"]),
            (&interval.into(), &"look".into()),
            "{written}"
        );
    }
}

#[test]
fn a_step_that_does_not_fit_into_its_field_is_refused() {
    let scenario = Scenario::new();
    schedule(&scenario, &["add", "--agent", "x", "--cron", "*/90 * * * *", "look"]).exits(2).says(&[
        "*/90",
        "at most 60",
        "90m",
    ]);
    schedule(&scenario, &["add", "--agent", "x", "*/90 * * * * look"]).exits(2).says(&["*/90", "at most 60"]);
    schedule(&scenario, &["add", "--agent", "x", "--dry-run", "--cron", "*/60 * * * *", "look"]).exits(0);
}

#[test]
fn a_time_at_both_ends_is_refused_with_a_form_that_works() {
    let scenario = Scenario::new();
    schedule(&scenario, &["add", "--agent", "x", "at 9am look at the deploy every day"]).exits(2).says(&[
        "`at 9am … every day`",
        "The nearest form is `every day at 9:00`",
        "`hourly: PROMPT`",
    ]);
    schedule(&scenario, &["add", "--agent", "x", "weekdays at 9 and weekends at 10 look"])
        .exits(2)
        .says(&["`weekdays at 9:00 PROMPT`, `weekends at 10:00 PROMPT`"]);
    assert_eq!(schedule(&scenario, &["list", "--json"]).exits(0).stdout, "");
    schedule(&scenario, &["add", "--agent", "x", "--dry-run", "hourly: look at what broke on weekdays"])
        .exits(0);
}

#[test]
fn a_flag_that_does_not_exist_is_no_prompt() {
    let scenario = Scenario::new();
    for (args, hint) in [
        (vec!["--interval", "5m", "look"], "`--every`"),
        (vec!["--dryrun", "5m", "look"], "`--dry-run`"),
        (vec!["--name", "foo", "5m", "look"], "loop schedule add --help"),
        (vec!["-x", "5m", "look"], "there is no such option"),
    ] {
        schedule(&scenario, &[&["add", "--agent", "x"], &args[..]].concat()).exits(2).says(&[args[0], hint]);
    }
    assert_eq!(schedule(&scenario, &["list", "--json"]).exits(0).stdout, "");
    schedule(&scenario, &["add", "--agent", "x", "--dry-run", "--every", "5m", "--help is wrong: mend it"])
        .exits(0);
}

#[test]
fn the_flag_for_one_fire_accepts_the_words_for_it() {
    let scenario = Scenario::new();
    let first = |written: &str, text: &[&str]| -> Value {
        let ran =
            schedule(&scenario, &[&["add", "--dry-run", "--json", "--tz", "UTC"], text].concat()).exits(0);
        let planned: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        assert!(planned["at"].is_string(), "{written}: {planned}");
        planned["at"].clone()
    };
    for written in ["9:00", "6pm", "noon", "tomorrow at 8", "2126-12-24 18:00"] {
        let word = if written.starts_with("tomorrow") || written.len() > 9 { "" } else { "at " };
        let text = format!("{word}{written} look");
        assert_eq!(
            first(written, &["--far", "--at", written, "look"]),
            first(written, &["--far", &text]),
            "{written}"
        );
    }
    for written in ["every day", "soon", "25:00", "9:00 look"] {
        schedule(&scenario, &["add", "--at", written, "look"]).exits(2).says(&["is not a time"]);
    }
}

#[test]
fn a_refused_time_is_shown_in_the_zone() {
    let scenario = Scenario::new();
    for (time, shown) in [
        ("2126-12-24T18:00", "on 2126-12-24 18:00 +02:00, which is more than a year away"),
        ("2020-01-01T09:00", "2020-01-01 09:00 +02:00 has passed"),
    ] {
        let add = ["add", "--dry-run", "--tz", "Europe/Riga", "--at", time, "look"];
        schedule(&scenario, &add).exits(2).says(&[shown]);
    }
}

#[test]
fn a_label_before_a_schedule_never_makes_the_default_of_ten_minutes() {
    let scenario = Scenario::new();
    let add = |text: &str| schedule(&scenario, &["add", "--dry-run", "--tz", "UTC", text]);
    for text in ["cron=0 9 * * * look", "look cron=0 9 * * *", "crontab: 0 9 * * * look"] {
        let ran = add(text).exits(0);
        assert!(
            ran.stdout.contains("Every day at 9:00 AM") && ran.stdout.starts_with("not added: look\n"),
            "{text}: {}",
            ran.stdout
        );
    }
    add("look half an hour from now").exits(2).says(&["half an hour from now"]);
    add("- every 5 minutes look").exits(2).says(&["Write it first, with a colon behind it"]);
    let ran = add("in an hour look").exits(0);
    assert!(ran.stdout.contains("once, "), "{}", ran.stdout);
}
