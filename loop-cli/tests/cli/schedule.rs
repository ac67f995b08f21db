//! `loop schedule`: reports about jobs and changes to them, while no process fires them.

use serde_json::Value;

use crate::support::{CommandResult, Scenario};

/// Runs `loop schedule` with these arguments, to its end.
pub(crate) fn schedule(scenario: &Scenario, args: &[&str]) -> CommandResult {
    scenario.run(&[&["schedule"], args].concat())
}

/// Adds a job with these arguments, and returns its id.
pub(crate) fn added(scenario: &Scenario, args: &[&str]) -> String {
    let ran = schedule(scenario, &[&["add", "--json"], args].concat()).exits(0);
    let added: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    added["id"].as_str().expect("an id").to_owned()
}

/// Compares a page with its snapshot. Ids, times and folders differ from run to run.
pub(crate) fn page(name: &str, text: &str) {
    let filters = [
        (r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "[run]"),
        (r"\b01[0-9a-f]{6}(-[0-9a-f]*)?\n", "[run]\n"),
        (r"\b[0-9a-f]{8}\b", "[job ##]"),
        (r"\b[A-Z][a-z]{2} \d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)? \+\d\d:\d\d", "[time]"),
        (r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)", "[time]"),
        (r", in \d+[a-z]+( \d+[a-z]+)?", ", [in]"),
        // Every sixtieth job has no jitter.
        (r" \([^()]+ after its time, [^()]+\)", ""),
        (r"\b\d+[smh] ago", "[ago]"),
        (r"  (\d+ms|\d+\.\ds)  ", "  [took]  "),
        // The header is as wide as the times below it.
        (r"began +took +", "began  took  "),
        (r"/\S+/work\b", "[folder]"),
        (r"\b\d\d:\d\d:\d\d\b", "[clock]"),
    ];
    insta::with_settings!({ filters => filters, omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(name, text);
    });
}

#[test]
fn what_is_added_is_said_with_its_time_and_who_does_it() {
    let scenario = Scenario::new();
    let add =
        ["add", "--tz", "Europe/Riga", "--no-jitter", "45m look at the deploy", "--agent", "my-agent -p"];
    let ran = schedule(&scenario, &add).exits(0);
    page("schedule_add", &(ran.stdout + &ran.stderr));
    let ran =
        schedule(&scenario, &["add", "--cron", "0 9 * * 1-5", "Review", "--agent", "x", "--max-time", "5m"]);
    ran.exits(0);
    scenario.write(
        "tests.json",
        r#"{"goal": "g", "agent": {"command": "a", "prompt": "{goal} {evaluator_output}"},
        "evaluator": {"command": "c"}, "guardrails": {"max_iterations": 3}}"#,
    );
    added(&scenario, &["--run", "tests.json", "--cron", "30 18 * * *"]);
    added(&scenario, &["2h", "--run", "tests.json"]);
    let jobs = schedule(&scenario, &["list", "--json"]).exits(0).stdout;
    let jobs: Vec<Value> = jobs.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let prompts: Vec<_> = jobs.iter().map(|job| job["prompt"].as_str().expect("a prompt")).collect();
    assert_eq!(prompts, ["look at the deploy", "Review", "run tests", "run tests"]);
    assert_eq!(jobs[1]["action"]["agent"]["max_seconds"], 300);
    assert_eq!(jobs[3]["when"]["period_seconds"], 7_200);
    let manifest = jobs[2]["action"]["manifest"]["path"].as_str().expect("a path");
    assert!(manifest.starts_with('/') && manifest.ends_with("/tests.json"), "{manifest}");
}

#[test]
fn a_dry_run_needs_nobody_who_does_it_and_adds_nothing() {
    let scenario = Scenario::new();
    let ran = schedule(&scenario, &["add", "--dry-run", "--tz", "UTC", "check it every 5m."]).exits(0);
    page("schedule_dry_run", &(ran.stdout + &ran.stderr));
    assert!(!scenario.state().exists());
}

#[test]
fn once_is_one_instant() {
    let scenario = Scenario::new();
    for (args, cron) in [
        (vec!["--once", "45m look"], false),
        (vec!["--once", "--cron", "0 9 * * *", "look"], false),
        (vec!["--at", "2126-01-01T09:00", "--far", "look"], false),
        (vec!["--cron", "0 9 * * *", "look"], true),
    ] {
        let ran = schedule(&scenario, &[&["add", "--dry-run", "--json"], &args[..]].concat()).exits(0);
        let planned: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        assert_eq!((planned["cron"].is_string(), planned["at"].is_string()), (cron, !cron), "{args:?}");
    }
}

#[test]
fn a_job_that_never_expires_has_no_last_fire() {
    let scenario = Scenario::new();
    let add = |expires: &str| {
        schedule(&scenario, &["add", "--dry-run", "--expires", expires, "every 2 weeks look"])
    };
    let kept = add("never").exits(0);
    assert!(!kept.stderr.contains("its first fire is its last"), "{}", kept.stderr);
    add("30d").exits(0);
    add("7d").exits(0).says(&["its first fire is its last"]);
}

#[test]
fn a_listed_time_names_its_zone() {
    let scenario = Scenario::new();
    added(&scenario, &["--at", "2126-12-24T18:00", "--far", "--tz", "Asia/Tokyo", "look", "--agent", "x"]);
    let listed = schedule(&scenario, &["list"]).exits(0).stdout;
    assert!(listed.contains("once 2126-12-24 09:00 UTC"), "{listed}");
}

#[test]
fn words_of_time_are_a_schedule_or_are_refused() {
    let scenario = Scenario::new();
    let plan = |text: &str| schedule(&scenario, &["add", "--tz", "UTC", "--dry-run", "--json", text]);
    for (text, cron, prompt) in [
        ("every day at 9 look", "0 9 * * *", "look"),
        ("look, weekdays at 9:30", "30 9 * * 1-5", "look"),
        ("every monday 8am look", "0 8 * * 1", "look"),
        ("0 9 * * 1-5 look", "0 9 * * 1-5", "look"),
    ] {
        let planned: Value = serde_json::from_str(&plan(text).exits(0).stdout).expect("JSON");
        assert_eq!((&planned["cron"], &planned["prompt"]), (&cron.into(), &prompt.into()), "{text}");
        assert_eq!(planned["expires_after"], Value::Null, "{text}");
    }
    for text in ["tomorrow at 8 look", "in 20 minutes look", "look at 18:00"] {
        let planned: Value = serde_json::from_str(&plan(text).exits(0).stdout).expect("JSON");
        assert!(planned["at"].is_string() && planned["prompt"] == "look", "{text}");
    }
    for (text, nearest) in [
        ("look every Monday", "`every monday at 9:00`"),
        ("check 5m", "`every 5m`"),
        ("every hour and a half look", "`every 90m`"),
        ("every hour at :15 look", "`15 * * * *`"),
        ("every day at 9 in Riga look", "No form means the same"),
        ("0 9 * * look", "`0 9 * * *`"),
        ("twice a day look", "`every 12h`"),
    ] {
        plan(text).exits(2).says(&[nearest, "--every 10m"]);
    }
    for (args, interval) in [
        (&["1h30m look"][..], "90m"),
        (&["--every", "1h30m", "look"], "90m"),
        (&["--every", "1.5h", "look"], "90m"),
        (&["look every 20m, please"], "20m"),
    ] {
        let added = schedule(&scenario, &[&["add", "--dry-run", "--json"], args].concat()).exits(0).stdout;
        let planned: Value = serde_json::from_str(&added).expect("JSON");
        assert_eq!(
            (&planned["interval"], &planned["prompt"]),
            (&interval.into(), &"look".into()),
            "{args:?}"
        );
    }
    // Half of these times is understood: the job would run at other times than its author meant.
    for (text, nearest) in [
        ("wish on Dec 24", "`Dec 24 at 9:00`"),
        ("check every morning at 9am", "`every day at 9:00`"),
        ("look day after tomorrow at 8", " 08:00`"),
        ("every hour between 9 and 17 look", "`0 9-17 * * *`"),
        ("in half an hour look", "`in 30 minutes`"),
        ("every fortnight look", "`every 2 weeks`"),
    ] {
        plan(text).exits(2).says(&["looks like a time", nearest]);
    }
    let default: Value = serde_json::from_str(&plan("look").exits(0).stdout).expect("JSON");
    assert_eq!((&default["effective"], &default["expires_after"]), (&"10m".into(), &259_200.into()));
    assert_eq!(default["warnings"][0], "no time is given, so it fires every 10m");
    let expiring =
        schedule(&scenario, &["add", "--dry-run", "--json", "--expires", "7d", "weekdays at 9:30 look"]);
    let expiring: Value = serde_json::from_str(&expiring.exits(0).stdout).expect("JSON");
    assert_eq!(expiring["expires_after"], 604_800);
}

#[test]
fn the_list_fits_a_terminal_and_says_who_fires() {
    let scenario = Scenario::new();
    schedule(&scenario, &["list"]).exits(0).says(&["this folder has no jobs"]);
    let long = "10m Look at the deploy\nand then at the logs, and then write down what you have seen there.";
    let ids = [
        added(&scenario, &[long, "--agent", "x"]),
        added(&scenario, &["--cron", "1,2,3,4,5,6,7,8,9 1-5 * * 1-5", "odd", "--agent", "x"]),
        added(&scenario, &["--at", "2126-01-01T09:00", "--far", "--tz", "UTC", "far", "--agent", "x"]),
    ];
    schedule(&scenario, &["pause", &ids[0], &ids[1], &ids[2]]).exits(0);
    let ran = schedule(&scenario, &["list"]).exits(0);
    assert!(ran.stdout.lines().all(|line| console::measure_text_width(line) <= 80), "{}", ran.stdout);
    page("schedule_list", &(ran.stdout + &ran.stderr));
    schedule(&scenario, &["resume", &ids[0]]).exits(0).says(&["resumes with its next slot"]);
    schedule(&scenario, &["delete", &ids[0], &ids[1]]).exits(0);
    assert_eq!(schedule(&scenario, &["list", "--json"]).exits(0).stdout.lines().count(), 1);
}

#[test]
fn jobs_of_another_folder_are_not_seen() {
    let scenario = Scenario::new();
    scenario.write("other/file", "");
    added(&scenario, &["10m look", "--agent", "x"]);
    assert_eq!(schedule(&scenario, &["list", "--json", "--cwd", "other"]).exits(0).stdout, "");
}

#[test]
fn mistakes_say_what_to_do() {
    let scenario = Scenario::new();
    scenario.write("broken.json", "{}");
    let mistakes: [&[&str]; 14] = [
        &["add", ""],
        &["add", "15m"],
        &["add", "0m look", "--agent", "x"],
        &["add", "--cron", "0 9 * * MON", "look"],
        &["add", "--cron", "0 0 31 2 *", "look"],
        &["add", "--cron", "0 0 * * *", "--agent", "x"],
        &["add", "--tz", "UTC", "--at", "2001-01-01T00:00:00Z", "look"],
        &["add", "--at", "soon", "look"],
        &["add", "--tz", "UTC", "--at", "2126-01-01T00:00:00Z", "look"],
        &["add", "--tz", "Europe/Rigga", "look"],
        &["add", "10m", "--run", "broken.json"],
        &["show", "00000001"],
        &["delete", "1"],
        &["next", "0 0 31 2 *"],
    ];
    let said = mistakes.map(|args| {
        let ran = schedule(&scenario, args).exits(2);
        format!("loop schedule {args:?}\n{}{}", ran.stdout, ran.stderr)
    });
    page("schedule_mistakes", &said.join("\n"));
    assert_eq!(schedule(&scenario, &["list", "--json"]).exits(0).stdout, "");
}

#[test]
fn without_anybody_who_does_it_nothing_is_added() {
    let scenario = Scenario::new();
    let mut command = scenario.loop_command(&["schedule", "add", "10m look"]);
    let ran =
        crate::support::RunningCommand::new(command.env("OLLAMA_HOST", "127.0.0.1:1")).finish().exits(2);
    ran.says(&["no `--run` or `--agent` is given", "--model"]);
}

#[test]
fn what_the_system_is_told_is_printed() {
    let scenario = Scenario::new();
    let unit = schedule(&scenario, &["install", "--systemd"]).exits(0).stdout;
    for line in [
        "[Service]",
        "/loop\" schedule run\n",
        "WorkingDirectory=/",
        "Environment=\"PATH=",
        "WantedBy=default.target",
    ] {
        assert!(unit.contains(line), "{unit}");
    }
    let line = schedule(&scenario, &["install", "--cron"]).exits(0).stdout;
    assert!(line.starts_with("* * * * * cd /") && line.ends_with(" schedule run --once --quiet\n"), "{line}");
}

#[test]
fn an_agent_that_does_not_exist_is_a_warning_and_an_error_appears_once() {
    let scenario = Scenario::new();
    let added = schedule(&scenario, &["add", "10m look", "--agent", "no-such-agent"]).exits(0);
    added.says(&["warning", "the agent's program `no-such-agent` is not on PATH"]);
    let refused = schedule(&scenario, &["add", "60 * * * * look", "--agent", "true"]).exits(2);
    assert_eq!(refused.stderr.matches("out of range").count(), 1, "{}", refused.stderr);
}
