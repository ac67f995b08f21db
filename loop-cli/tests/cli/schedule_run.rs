//! `loop schedule run`: jobs that fire.

use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use loop_testing::Answer;
use rustix::process::Signal;
use serde_json::Value;

use crate::{
    model_server::ModelServer,
    schedule::{added, page, schedule},
    support::{FOREVER, Manifest, RunningCommand, Scenario, wait_until},
    terminal::Terminal,
};

/// Starts `loop schedule run`, and waits until it fires jobs.
fn scheduler(scenario: &Scenario) -> RunningCommand {
    let started = waiting(scenario);
    started.says("jobs fire from now on");
    started
}

/// Starts `loop schedule run`.
fn waiting(scenario: &Scenario) -> RunningCommand {
    RunningCommand::new(&mut scenario.loop_command(&["schedule", "run"]))
}

/// Adds a job whose agent reports that it started, and stays alive. It writes its prompt to `told`.
fn staying(scenario: &Scenario) -> String {
    let agent = format!("cat >>told; exec 9>held; echo there >&9; {FOREVER}");
    added(scenario, &["10m Stay.", "--agent", &agent])
}

fn fires(scenario: &Scenario, job: &str) -> Vec<Value> {
    let shown = schedule(scenario, &["show", job, "--json"]).exits(0).stdout;
    let shown: Value = serde_json::from_str(&shown).expect("JSON");
    shown["fires"].as_array().expect("fires").clone()
}

#[test]
fn a_fire_is_a_run_of_its_own() {
    let scenario = Scenario::new();
    let job =
        added(&scenario, &["10m Say it's $HOME.", "--agent", "cat >told; echo $LOOP_JOB_ID >id; echo done"]);
    schedule(&scenario, &["fire", &job]).exits(0).says(&["nothing fires these jobs now"]);
    let ran = schedule(&scenario, &["run", "--once"]).exits(0).says(&["(on request)", "goal_met"]);
    page("schedule_once", &ran.stderr);
    assert_eq!(
        (scenario.read("told").as_str(), scenario.read("id").trim()),
        ("Say it's $HOME.", job.as_str())
    );
    let record = scenario.record();
    assert_eq!(record["loop"], "say-it-s-home", "the run carries the name of its job");
    let fires = fires(&scenario, &job);
    assert_eq!((fires.len(), &fires[0]["run_id"]), (1, &record["run_id"]));
    page("schedule_show", &schedule(&scenario, &["show", &job]).exits(0).stdout);
    scenario.run(&["show", record["run_id"].as_str().expect("an id")]).exits(0);
}

#[test]
fn an_agent_that_fails_is_not_said_to_have_done_it() {
    let scenario = Scenario::new();
    let job = added(&scenario, &["10m Fail.", "--agent", "echo no luck >&2; exit 3"]);
    schedule(&scenario, &["fire", &job]).exits(0);
    schedule(&scenario, &["run", "--once", "--quiet"])
        .exits(0)
        .says(&["agent failed", "exited with 3: no luck"]);
    let list = schedule(&scenario, &["list"]).exits(0).stdout;
    assert!(list.contains("agent failed"), "{list}");
}

#[test]
fn a_manifest_runs_as_it_always_does() {
    let scenario = Scenario::new();
    scenario.manifest(&Manifest::new("echo x >>work", "test $(wc -l <work) = 2"));
    let job = added(&scenario, &["10m", "--run", "loop.json"]);
    schedule(&scenario, &["fire", &job]).exits(0);
    schedule(&scenario, &["run", "--once"]).exits(0).says(&["│ iteration 2 of 3", "goal_met"]);
    assert_eq!(scenario.record()["iterations"], 2);
}

#[test]
fn a_prompt_goes_to_a_model() {
    let server = ModelServer::new([Answer::deltas(["All is ", "well."])]);
    let scenario = Scenario::new();
    let mut add = server
        .command(&scenario, &["schedule", "add", "--json", "10m How is it?", "--model", "openai:scripted"]);
    let job: Value =
        serde_json::from_str(&RunningCommand::new(&mut add).finish().exits(0).stdout).expect("JSON");
    schedule(&scenario, &["fire", job["id"].as_str().expect("an id")]).exits(0);
    let ran =
        server.run(&scenario, &["schedule", "run", "--once"]).exits(0).says(&["│ All is well.", "goal_met"]);
    assert!(!ran.stderr.contains("run_id"), "{}", ran.stderr);
    assert!(server.requests()[0].body["messages"].to_string().contains("How is it?"));
    assert_eq!(scenario.record()["iterations"], 1);
}

#[test]
fn a_slot_that_has_come_fires_once_and_a_one_shot_is_over_then() {
    let scenario = Scenario::new();
    let time = Timestamp::now() + SignedDuration::from_secs(4);
    added(&scenario, &["--at", &time.to_string(), "--no-jitter", "Once.", "--agent", "echo x >>done"]);
    schedule(&scenario, &["run", "--once"]).exits(0);
    wait_until("its time has come", || Timestamp::now() > time);
    let first = schedule(&scenario, &["run", "--once"]).exits(0);
    let place = |text: &str| first.stderr.find(text).unwrap_or_else(|| panic!("{text}: {}", first.stderr));
    assert!(
        place("fires Once.") < place("goal_met") && place("goal_met") < place("is over"),
        "{}",
        first.stderr
    );
    schedule(&scenario, &["run", "--once"]).exits(0);
    assert_eq!(scenario.read("done"), "x\n");
    assert_eq!(schedule(&scenario, &["list", "--json"]).exits(0).stdout, "");
}

#[test]
fn when_the_firing_process_is_killed_another_takes_over_and_nothing_fires_twice() {
    let scenario = Scenario::new();
    let (held, job) = (scenario.fifo("held"), staying(&scenario));
    let first = scheduler(&scenario);
    let second = waiting(&scenario);
    second.says("another process fires these jobs");
    schedule(&scenario, &["fire", &job]).exits(0);
    assert_eq!(held.line(), "there\n");

    first.signal(Signal::KILL);
    let killed = Instant::now();
    second.says("jobs fire from now on");
    assert!(killed.elapsed() < Duration::from_secs(5));
    second.says(&format!("{job} was cut off"));
    first.killed();
    held.released();
    let next = added(&scenario, &["10m Next.", "--agent", "echo next >>told"]);
    schedule(&scenario, &["fire", &next]).exits(0);
    second.says(&format!("{next} goal_met"));
    assert_eq!(scenario.read("told"), "Stay.next\n");
    second.signal(Signal::TERM);
    second.finish().exits(143);
}

#[test]
fn off_ends_what_runs_and_on_lets_jobs_fire_again() {
    let scenario = Scenario::new();
    let (held, job) = (scenario.fifo("held"), staying(&scenario));
    let running = scheduler(&scenario);
    schedule(&scenario, &["fire", &job]).exits(0);
    assert_eq!(held.line(), "there\n");
    schedule(&scenario, &["off"]).exits(0);
    running.says(&format!("{job} cancelled"));
    held.released();

    let next = added(&scenario, &["10m Next.", "--agent", "echo next >>told"]);
    schedule(&scenario, &["fire", &next]).exits(0).says(&["everything is stopped"]);
    schedule(&scenario, &["run", "--once"]).exits(0).says(&["nothing fires"]);
    assert_eq!(scenario.read("told"), "Stay.");
    schedule(&scenario, &["on"]).exits(0);
    schedule(&scenario, &["run", "--once"]).exits(0).says(&["another process fires these jobs"]);
    running.says(&format!("{next} goal_met"));
    running.signal(Signal::INT);
    running.finish().exits(130);
    assert_eq!(fires(&scenario, &job)[0]["stop_reason"], "cancelled");
}

#[test]
fn a_variable_stops_everything_too() {
    let scenario = Scenario::new();
    let job = added(&scenario, &["10m Do it.", "--agent", "echo x >>done"]);
    schedule(&scenario, &["fire", &job]).exits(0);
    for args in [&["schedule", "run"][..], &["schedule", "run", "--once"]] {
        let mut command = scenario.loop_command(args);
        RunningCommand::new(command.env("LOOP_DISABLE_SCHEDULE", "1"))
            .finish()
            .exits(0)
            .says(&["nothing fires"]);
    }
    assert!(!scenario.has("done"));
}

#[test]
fn a_run_that_is_there_already_goes_first() {
    let scenario = Scenario::new();
    let held = scenario.fifo("held");
    let agent = format!("trap 'echo x >over; exit' TERM; exec 9>held; echo there >&9; {FOREVER} & wait");
    let by_hand = scenario.start_manifest(&Manifest::new(&agent, "false"));
    assert_eq!(held.line(), "there\n");
    let job =
        added(&scenario, &["10m Wait.", "--agent", "test -e over && echo late >>done || echo early >>done"]);
    schedule(&scenario, &["fire", &job]).exits(0);
    let running = scheduler(&scenario);
    by_hand.signal(Signal::TERM);
    by_hand.finish().exits(143);
    // It looks again within a minute, or when the jobs change.
    added(&scenario, &["1d Later.", "--agent", "true"]);
    running.says(&format!("{job} goal_met"));
    assert_eq!(scenario.read("done"), "late\n");
}

#[test]
fn a_deleted_job_does_not_fire() {
    let scenario = Scenario::new();
    let job = added(&scenario, &["10m Do it.", "--agent", "echo x >>done"]);
    schedule(&scenario, &["fire", &job]).exits(0);
    schedule(&scenario, &["delete", &job]).exits(0);
    schedule(&scenario, &["run", "--once"]).exits(0);
    assert!(!scenario.has("done"));
}

#[test]
fn the_live_table_fits_its_terminal_and_is_gone_at_the_end() {
    let scenario = Scenario::new();
    let long = "10m Look at the deploy, and then at the logs, and then write down what you have seen there.";
    let jobs = [
        added(&scenario, &[long, "--agent", "true"]),
        added(&scenario, &["--cron", "0 9 * * 1-5", "Review the open pull requests", "--agent", "true"]),
    ];
    schedule(&scenario, &["pause", &jobs[0], &jobs[1]]).exits(0);
    let mut terminal = Terminal::live(&scenario, &["schedule", "run"], (80, 24), false);
    terminal.shows("Look at the deploy", 1);
    schedule(&scenario, &["fire", &jobs[1]]).exits(0);
    let mut seen = String::new();
    wait_until("it has fired", || {
        let mut emulator = vt100::Parser::new(24, 80, 0);
        emulator.process(terminal.sent().as_bytes());
        seen = emulator.screen().rows(0, 80).map(|row| row.trim_end().to_owned() + "\n").collect();
        // In its line, and in the table.
        seen.matches("goal_met").count() == 2
    });
    page("schedule_live", seen.trim_end());
    terminal.types("\u{3}");
    let ran = terminal.finish().exits(130);
    let mut emulator = vt100::Parser::new(24, 80, 0);
    emulator.process(ran.stderr.replace('\n', "\r\n").as_bytes());
    assert!(!emulator.screen().contents().contains("2 jobs of"), "{}", emulator.screen().contents());
}
