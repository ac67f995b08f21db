//! `loop schedule`: reports about jobs and changes to them, while no process fires them.

use serde_json::Value;

use crate::support::{Ran, World};

/// `loop schedule` with these arguments, to its end.
pub(crate) fn schedule(world: &World, args: &[&str]) -> Ran {
    world.run(&[&["schedule"], args].concat())
}

/// Adds a job with these arguments; gives its id.
pub(crate) fn added(world: &World, args: &[&str]) -> String {
    let ran = schedule(world, &[&["add", "--json"], args].concat()).exits(0);
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
        (r"\b\d+[smh] ago", "[ago]"),
        (r"  (\d+ms|\d+\.\ds)  ", "  [took]  "),
        // As wide as the times below.
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
    let world = World::new();
    let add =
        ["add", "--tz", "Europe/Riga", "--no-jitter", "45m look at the deploy", "--agent", "my-agent -p"];
    let ran = schedule(&world, &add).exits(0);
    page("schedule_add", &(ran.stdout + &ran.stderr));
    let ran =
        schedule(&world, &["add", "--cron", "0 9 * * 1-5", "Review", "--agent", "x", "--max-time", "5m"]);
    ran.exits(0);
    world.write(
        "tests.json",
        r#"{"goal": "g", "agent": {"command": "a", "prompt": "{goal} {evaluator_output}"},
        "evaluator": {"command": "c"}, "guardrails": {"max_iterations": 3}}"#,
    );
    added(&world, &["--run", "tests.json", "--cron", "30 18 * * *"]);
    added(&world, &["2h", "--run", "tests.json"]);
    let jobs = schedule(&world, &["list", "--json"]).exits(0).stdout;
    let jobs: Vec<Value> = jobs.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let prompts: Vec<_> = jobs.iter().map(|job| job["prompt"].as_str().expect("a prompt")).collect();
    assert_eq!(prompts, ["look at the deploy", "Review", "run tests", "run tests"]);
    assert_eq!(jobs[1]["errand"]["agent"]["max_seconds"], 300);
    assert_eq!(jobs[3]["when"]["expression"], "0 */2 * * *");
    let manifest = jobs[2]["errand"]["manifest"]["path"].as_str().expect("a path");
    assert!(manifest.starts_with('/') && manifest.ends_with("/tests.json"), "{manifest}");
}

#[test]
fn a_dry_run_needs_nobody_who_does_it_and_adds_nothing() {
    let world = World::new();
    let ran = schedule(&world, &["add", "--dry-run", "--tz", "UTC", "check 5m"]).exits(0);
    page("schedule_dry_run", &(ran.stdout + &ran.stderr));
    assert!(!world.state().exists());
}

#[test]
fn once_is_one_instant() {
    let world = World::new();
    for (args, cron) in [
        (vec!["--once", "45m look"], false),
        (vec!["--once", "--cron", "0 9 * * *", "look"], false),
        (vec!["--at", "2126-01-01T09:00", "--far", "look"], false),
        (vec!["--cron", "0 9 * * *", "look"], true),
    ] {
        let ran = schedule(&world, &[&["add", "--dry-run", "--json"], &args[..]].concat()).exits(0);
        let planned: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        assert_eq!((planned["cron"].is_string(), planned["at"].is_string()), (cron, !cron), "{args:?}");
    }
}

#[test]
fn an_interval_can_be_kept_as_it_is() {
    let world = World::new();
    let plan = |args: &[&str]| -> Value {
        let ran = schedule(&world, &[&["add", "--dry-run", "--json"], args].concat()).exits(0);
        serde_json::from_str(&ran.stdout).expect("JSON")
    };
    let (rounded, exact) = (plan(&["45m look"]), plan(&["--exact", "45m look"]));
    assert_eq!((&rounded["effective"], &rounded["cron"]), (&"1h".into(), &"0 * * * *".into()));
    assert_eq!((&exact["interval"], &exact["effective"]), (&"45m".into(), &"45m".into()));
    assert_eq!((&exact["cron"], &exact["warnings"]), (&Value::Null, &Value::Array(Vec::new())));
    assert_eq!(plan(&["--exact", "100h look"])["warnings"].as_array().map(Vec::len), Some(1));
    added(&world, &["--exact", "90s look", "--agent", "x"]);
    let listed = schedule(&world, &["list"]).exits(0).stdout;
    assert!(listed.contains("Every 1m 30s exactly"), "{listed}");
    schedule(&world, &["add", "--dry-run", "--exact", "30s look"]).exits(2).says(&["30s", "a minute"]);
    schedule(&world, &["add", "--exact", "--cron", "0 9 * * *", "look"]).exits(2).says(&["--exact"]);
}

#[test]
fn the_list_fits_a_terminal_and_says_who_fires() {
    let world = World::new();
    schedule(&world, &["list"]).exits(0).says(&["this folder has no jobs"]);
    let long = "10m Look at the deploy\nand then at the logs, and then write down what you have seen there.";
    let ids = [
        added(&world, &[long, "--agent", "x"]),
        added(&world, &["--cron", "1,2,3,4,5,6,7,8,9 1-5 * * 1-5", "odd", "--agent", "x"]),
        added(&world, &["--at", "2126-01-01T09:00", "--far", "--tz", "UTC", "far", "--agent", "x"]),
    ];
    schedule(&world, &["pause", &ids[0], &ids[1], &ids[2]]).exits(0);
    let ran = schedule(&world, &["list"]).exits(0);
    assert!(ran.stdout.lines().all(|line| console::measure_text_width(line) <= 80), "{}", ran.stdout);
    page("schedule_list", &(ran.stdout + &ran.stderr));
    schedule(&world, &["resume", &ids[0]]).exits(0).says(&["goes on with its next slot"]);
    schedule(&world, &["delete", &ids[0], &ids[1]]).exits(0);
    assert_eq!(schedule(&world, &["list", "--json"]).exits(0).stdout.lines().count(), 1);
}

#[test]
fn jobs_of_another_folder_are_not_seen() {
    let world = World::new();
    world.write("other/file", "");
    added(&world, &["10m look", "--agent", "x"]);
    assert_eq!(schedule(&world, &["list", "--json", "--cwd", "other"]).exits(0).stdout, "");
}

#[test]
fn mistakes_say_what_to_do() {
    let world = World::new();
    world.write("broken.json", "{}");
    let mistakes: [&[&str]; 14] = [
        &["add", ""],
        &["add", "15m"],
        &["add", "0m look", "--agent", "x"],
        &["add", "--cron", "0 9 * * MON", "look"],
        &["add", "--cron", "0 0 31 2 *", "look"],
        &["add", "--cron", "0 0 * * *", "--agent", "x"],
        &["add", "--at", "2001-01-01T00:00:00Z", "look"],
        &["add", "--at", "soon", "look"],
        &["add", "--at", "2126-01-01T00:00:00Z", "look"],
        &["add", "--tz", "Europe/Rigga", "look"],
        &["add", "10m", "--run", "broken.json"],
        &["show", "00000001"],
        &["delete", "1"],
        &["next", "0 0 31 2 *"],
    ];
    let said = mistakes.map(|args| {
        let ran = schedule(&world, args).exits(2);
        format!("loop schedule {args:?}\n{}{}", ran.stdout, ran.stderr)
    });
    page("schedule_mistakes", &said.join("\n"));
    assert_eq!(schedule(&world, &["list", "--json"]).exits(0).stdout, "");
}

#[test]
fn without_anybody_who_does_it_nothing_is_added() {
    let world = World::new();
    let mut command = world.loop_command(&["schedule", "add", "10m look"]);
    let ran = crate::support::Started::new(command.env("OLLAMA_HOST", "127.0.0.1:1")).finish().exits(2);
    ran.says(&["neither `--run` nor `--agent` says who does it", "--model"]);
}

#[test]
fn what_the_system_is_told_is_printed() {
    let world = World::new();
    let unit = schedule(&world, &["install", "--systemd"]).exits(0).stdout;
    for line in [
        "[Service]",
        "/loop\" schedule run\n",
        "WorkingDirectory=/",
        "Environment=\"PATH=",
        "WantedBy=default.target",
    ] {
        assert!(unit.contains(line), "{unit}");
    }
    let line = schedule(&world, &["install", "--cron"]).exits(0).stdout;
    assert!(line.starts_with("* * * * * cd /") && line.ends_with(" schedule run --once --quiet\n"), "{line}");
}
