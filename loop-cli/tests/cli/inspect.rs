//! The commands that show runs: `loop runs`, `show`, `tail` and `rm`.

use std::{fs, process::Stdio};

use rustix::process::Signal;
use serde_json::Value;

use crate::{
    support::{CommandResult, FOREVER, Manifest, RunningCommand, Scenario, wait_until},
    terminal::Terminal,
};

/// Creates a scenario whose agent prints in colour, complains, reports its cost, and succeeds at the second try.
fn scenario() -> Scenario {
    let agent = "printf '\\033[31mred\\033[0m\\377 %s\\n' $LOOP_ITERATION; echo oh >&2; \
                 echo '{\"cost_usd\": 0.25, \"input_tokens\": 1000, \"output_tokens\": 234}' >> \"$LOOP_USAGE_FILE\"; \
                 test $LOOP_ITERATION = 2 || exit 3";
    let scenario = Scenario::new();
    scenario.manifest(&Manifest::new(agent, "echo checked; test $LOOP_ITERATION = 2"));
    scenario
}

/// Compares a page with its snapshot. Times, ids and folders differ from run to run.
fn seen(name: &str, page: &str) {
    let filters = [
        (r" +\b(\d+ms|\d+\.\ds)\b", " [time]"),
        (r"\d+[smh] ago", "[age]"),
        (r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "[run]"),
        (r"\b[0-9a-f]{8}(-[0-9a-f]{0,4}){0,3}\b", "[short]"),
        (r"\d{4}-\d\d-\d\dT[0-9:]+Z", "[began]"),
        (r"/\S+/work\b", "[work]"),
    ];
    insta::with_settings!({ filters => filters, omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(name, page);
    });
}

/// Removes the padding of columns, which depends on ids and ages.
fn squeezed(page: &str) -> String {
    let line = |line: &str| {
        line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect::<Vec<_>>().join("  ")
    };
    page.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn listed(scenario: &Scenario, args: &[&str]) -> Vec<Value> {
    let lines = scenario.run(&[&["runs", "--json"], args].concat()).exits(0).stdout;
    lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn ids(scenario: &Scenario) -> Vec<String> {
    listed(scenario, &["--all"]).iter().map(|run| run["run_id"].as_str().expect("an id").to_owned()).collect()
}

/// Creates a run that was killed in its first iteration, and returns its id.
fn dead(scenario: &Scenario) -> String {
    let held = scenario.fifo("held");
    let started = scenario.start_manifest(&Manifest::new(&format!("echo there > held; {FOREVER}"), "true"));
    held.line();
    started.signal(Signal::KILL);
    started.killed();
    ids(scenario).remove(0)
}

fn run(scenario: &Scenario) -> CommandResult {
    scenario.run(&["run", "loop.json"])
}

#[test]
fn runs_are_listed_newest_first() {
    let scenario = scenario();
    scenario.write("other.json", scenario.read("loop.json"));
    run(&scenario).exits(0);
    scenario.run(&["run", "other.json"]).exits(0);
    seen("runs", &squeezed(&scenario.run(&["runs"]).exits(0).stdout));
    let runs = listed(&scenario, &[]);
    assert_eq!([&runs[0]["loop"], &runs[1]["loop"]], ["other", "loop"]);
    assert_eq!((&runs[0]["state"], &runs[0]["record"]["iterations"]), (&"goal_met".into(), &2.into()));
}

#[test]
fn only_runs_of_this_folder_are_listed_unless_all_are_asked_for() {
    let scenario = scenario();
    scenario.write("elsewhere/file", "");
    scenario.run(&["run", "loop.json", "--cwd", "elsewhere"]).exits(0);
    let ran = scenario.run(&["runs"]).exits(0).says(&["loop runs --all"]);
    assert_eq!(ran.stdout, "");
    assert!(listed(&scenario, &[]).is_empty());
    seen("runs_all", &squeezed(&scenario.run(&["runs", "--all"]).exits(0).stdout));
    scenario.run(&["show"]).exits(2).says(&["there are no stored runs of this folder"]);
}

#[test]
fn a_run_is_shown_with_its_iterations_and_how_to_go_on() {
    let scenario = scenario();
    run(&scenario).exits(0);
    seen("show_goal_met", &scenario.run(&["show"]).exits(0).stdout);
    scenario.run_manifest(&Manifest::new("true", "false").set("guardrails.max_iterations", 1)).exits(1);
    seen("show_max_iterations", &scenario.run(&["show"]).exits(0).stdout);
    let id = dead(&scenario);
    seen("show_unfinished", &scenario.run(&["show", &id]).exits(0).stdout);
}

#[test]
fn a_run_is_shown_to_programs_too() {
    let scenario = scenario();
    run(&scenario).exits(0);
    let shown: Value = serde_json::from_str(&scenario.run(&["show", "--json"]).exits(0).stdout).unwrap();
    assert_eq!(shown["run"]["run_id"], scenario.record()["run_id"]);
    assert_eq!(shown["ending"]["halt"]["reason"], "goal_met");
    let first = &shown["iterations"][0];
    assert_eq!((&first["exit_code"], &first["verdict"]), (&3.into(), &"fail".into()));
    assert_eq!((&first["cost_usd"], &first["tokens"]), (&0.25.into(), &1234.into()));
    assert_eq!(shown["iterations"].as_array().unwrap().len(), 2);
}

#[test]
fn an_iteration_is_shown_alone() {
    let scenario = scenario();
    run(&scenario).exits(0);
    seen("show_iteration", &scenario.run(&["show", "-i", "1"]).exits(0).stdout);
    assert_eq!(scenario.run(&["show", "-i", "2", "--evaluation"]).exits(0).stdout, "checked\n");
    scenario.run(&["show", "-i", "3"]).exits(2).says(&["no iteration 3: it has had 2"]);
    scenario.run(&["show", "--output"]).exits(2).says(&["--iteration"]);
    dead(&scenario);
    scenario.run(&["show", "-i", "1", "--output"]).exits(2).says(&["no stored output"]);
    scenario.run(&["show", "-i", "1", "--evaluation"]).exits(2).says(&["there is no verdict"]);
}

#[test]
fn output_arrives_byte_for_byte_in_a_pipe_and_harmless_on_a_terminal() {
    let scenario = scenario();
    run(&scenario).exits(0);
    let args = ["show", "-i", "2", "--output"];
    let piped = scenario.loop_command(&args).output().unwrap();
    assert_eq!(piped.stdout, b"\x1b[31mred\x1b[0m\xff 2\n");
    assert_eq!(piped.stderr, b"oh\n");
    assert_eq!(Terminal::new(&scenario, &args).finish().exits(0).stderr, "red\u{fffd} 2\noh\n");
}

#[test]
fn output_that_was_too_much_to_keep_is_said_to_lack_its_middle() {
    let scenario = Scenario::new();
    scenario.run_manifest(&Manifest::new("head -c 20000000 /dev/zero", "true")).exits(0);
    let ran = scenario.run(&["show", "-i", "1", "--output"]).exits(0).says(&["not stored, after the first"]);
    assert!(ran.stdout.len() < 20_000_000);
}

#[test]
fn what_is_gone_of_a_run_is_missed_only_where_it_is_asked_for() {
    let scenario = Scenario::new();
    scenario.run_manifest(&Manifest::new("head -c 100000 /dev/zero | tr '\\0' x", "true")).exits(0);
    let runs = scenario.state().join("runs");
    let run = runs.join(&ids(&scenario)[0]);
    fs::remove_dir_all(run.join("outputs")).unwrap();
    for args in
        [&["show"][..], &["show", "--json"], &["show", "-i", "1"], &["show", "-i", "1", "--evaluation"]]
    {
        scenario.run(args).exits(0);
    }
    scenario.run(&["show", "-i", "1", "--output"]).exits(2).says(&["outputs"]);
    // The index contains only data that is also in the runs' own files.
    fs::remove_file(runs.join("index.jsonl")).unwrap();
    assert_eq!(listed(&scenario, &[])[0]["state"], "goal_met");
    scenario.run(&["show"]).exits(0);
    fs::remove_file(run.join("events.jsonl")).unwrap();
    scenario.run(&["show"]).exits(2).says(&["events.jsonl cannot be read"]);
}

#[test]
fn a_page_that_cannot_be_written_is_a_failure() {
    let scenario = scenario();
    run(&scenario).exits(0);
    for args in [
        &["runs"][..],
        &["runs", "--json"],
        &["show"],
        &["show", "--json"],
        &["show", "-i", "2", "--output"],
        &["check"],
        &["schema"],
        &["policy", "show"],
        &["schedule", "next", "0 9 * * *"],
        &["run", "--dry-run"],
    ] {
        let full = fs::File::options().write(true).open("/dev/full").expect("a disk that is full");
        let mut command = scenario.loop_command(args);
        command.stdin(Stdio::null()).stdout(full).stderr(Stdio::piped());
        RunningCommand::as_it_is(&mut command).finish().exits(3).says(&["standard output cannot be written"]);
    }
}

#[test]
fn a_living_run_is_followed_to_its_end() {
    let scenario = Scenario::new();
    let held = scenario.fifo("held");
    let agent = "test -e go && exit; echo there > held; until test -e go; do sleep 0.01; done";
    let started = scenario.start_manifest(&Manifest::new(agent, "test $LOOP_ITERATION = 2"));
    assert_eq!(held.line(), "there\n");
    assert_eq!(listed(&scenario, &[])[0]["state"], "running");
    let tail = RunningCommand::new(&mut scenario.loop_command(&["tail"]));
    wait_until("the run is followed", || tail.printed().contains("iteration 1 of 3"));
    scenario.write("go", "");
    seen("tail", &tail.finish().exits(0).stdout);
    started.finish().exits(0);
}

#[test]
fn who_follows_a_run_exits_as_it_did() {
    let scenario = scenario();
    scenario.run_manifest(&Manifest::new("true", "false").set("guardrails.max_iterations", 1)).exits(1);
    scenario.run(&["tail"]).exits(1);
    let id = dead(&scenario);
    scenario.run(&["tail", &id]).exits(3).says(&["the run died", "loop resume"]);
}

#[test]
fn a_run_is_removed_unless_it_lives() {
    let scenario = Scenario::new();
    let held = scenario.fifo("held");
    let started = scenario.start_manifest(&Manifest::new(&format!("echo there > held; {FOREVER}"), "true"));
    held.line();
    let id = ids(&scenario).remove(0);
    scenario.run(&["rm", &id]).exits(2).says(&["still running"]);
    started.signal(Signal::TERM);
    started.finish().exits(143);
    scenario.run(&["rm", &id, "nonsense"]).exits(2).says(&["nonsense"]);
    assert_eq!(ids(&scenario), [id.as_str()]);
    assert_eq!(scenario.run(&["rm", &id, &id]).exits(0).stdout, format!("removed {id}\n"));
    assert!(ids(&scenario).is_empty() && !scenario.state().join("runs").join(&id).exists());
    scenario.run(&["rm"]).exits(2).says(&["<RUNS>"]);
}

#[test]
fn the_last_runs_are_kept() {
    let scenario = scenario();
    (0..3).for_each(|_| drop(run(&scenario).exits(0)));
    let before = ids(&scenario);
    scenario.run(&["rm", "--keep", "1"]).exits(0);
    assert_eq!(ids(&scenario), before[..1]);
}

#[test]
fn the_runs_of_other_folders_are_deleted_only_after_a_yes() {
    let scenario = scenario();
    run(&scenario).exits(0);
    let all = || scenario.run(&["runs", "--all", "--json"]).exits(0).stdout.lines().count();
    scenario.write("other/README", "");
    let elsewhere = |args: &[&str]| {
        let mut command = scenario.loop_command(args);
        command.current_dir(scenario.path("other"));
        RunningCommand::new(&mut command).finish()
    };
    elsewhere(&["rm", "--keep", "0"]).exits(0);
    assert_eq!(all(), 1);
    let refused = elsewhere(&["rm", "--keep", "0", "--everywhere"]).exits(2).says(&["--yes"]);
    assert!(refused.stdout.contains(&ids(&scenario)[0]), "{}", refused.stdout);
    assert_eq!(all(), 1);
    elsewhere(&["rm", "--keep", "0", "--everywhere", "--yes"]).exits(0);
    assert_eq!(all(), 0);
    scenario.run(&["rm", "--everywhere"]).exits(2).says(&["--keep"]);
}
