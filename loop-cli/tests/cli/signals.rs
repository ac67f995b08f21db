//! Signals end a run, and leave no process behind.

use rustix::process::Signal;

use crate::{
    support::{FOREVER, Fifo, Manifest, RunningCommand, Scenario, wait_until},
    terminal::{Terminal, hung_up},
};

/// Returns an agent that reports on `held` when it runs, and then stays.
fn staying(before: &str) -> Manifest {
    Manifest::new(&format!("{before} exec 9> held; echo there >&9; while :; do {FOREVER}; done"), "true")
}

/// Starts a run, and waits until its agent runs.
fn under_way(scenario: &Scenario, manifest: &Manifest) -> (RunningCommand, Fifo) {
    let held = scenario.fifo("held");
    let started = scenario.start_manifest(manifest);
    assert_eq!(held.line(), "there\n");
    (started, held)
}

#[test]
fn a_signal_ends_the_agent_and_is_recorded() {
    for (signal, code) in [(Signal::HUP, 129), (Signal::INT, 130), (Signal::TERM, 143)] {
        let scenario = Scenario::new();
        let (started, held) = under_way(&scenario, &staying(""));
        started.signal(signal);
        started.finish().exits(code).says(&["cancelled"]);
        held.released();
        let record = scenario.record();
        assert_eq!(record["stop_reason"], "cancelled");
        assert_eq!((&record["success"], &record["iterations"]), (&false.into(), &1.into()));
        assert_eq!(record["signal"], code - 128);
        assert_eq!(scenario.leftovers(), 0);
        // `loop tail` exits with the run's code, also afterwards.
        assert_eq!(scenario.run(&["tail"]).exits(code).stdout.lines().last(), Some("cancelled"));
    }
}

#[test]
fn a_resume_continues_the_run_that_a_person_ended() {
    let scenario = Scenario::new();
    let (started, held) = under_way(&scenario, &staying("test -e again && exit 0; touch again;"));
    started.signal(Signal::INT);
    started.finish().exits(130);
    held.released();
    let id = |index: usize| scenario.records()[index]["run_id"].as_str().expect("an id").to_owned();
    // Another run has ended since, so the command only names this one.
    scenario.run(&["run", "--agent", "true", "--check", "true", "--max", "1"]).exits(0);
    let named = format!("`loop resume {}`", id(0));
    scenario.run(&["resume"]).exits(0).says(&["no unfinished run", "ended as cancelled", &named]);
    scenario.run(&["rm", &id(1)]).exits(0);
    scenario.run(&["resume"]).exits(0).says(&["goal_met", "iterations 2"]);
    assert_eq!(id(2), id(0));
    scenario.run(&["resume"]).exits(0).says(&["no unfinished run"]);
}

#[test]
fn a_signal_ends_the_check_too() {
    let scenario = Scenario::new();
    let check = format!("exec 9> held; echo there >&9; {FOREVER}");
    let (started, held) = under_way(&scenario, &Manifest::new("true", &check));
    started.signal(Signal::INT);
    started.finish().exits(130);
    held.released();
}

#[test]
fn a_signal_ends_a_wait() {
    let scenario = Scenario::new();
    let manifest = Manifest::new("true", "false").set("pace", serde_json::json!({ "every_seconds": 1000 }));
    let started = scenario.start_manifest(&manifest);
    started.says("waiting");
    started.signal(Signal::TERM);
    started.finish().exits(143);
    assert_eq!(scenario.record()["iterations"], 1);
}

#[test]
fn a_second_signal_kills_an_agent_that_does_not_listen() {
    let scenario = Scenario::new();
    let (started, held) = under_way(&scenario, &staying("trap '' TERM INT HUP;"));
    started.signal(Signal::INT);
    started.says("stopping");
    started.signal(Signal::INT);
    started.finish().exits(130).says(&["killed by a second signal"]);
    held.released();
    let record = scenario.record();
    assert_eq!((&record["stop_reason"], &record["iterations"]), (&"cancelled".into(), &1.into()));
    let told = scenario.run(&["tail"]).exits(130).stdout;
    assert_eq!(told.lines().last(), Some("cancelled: it was killed"));
}

#[test]
fn who_follows_a_run_that_is_cancelled_exits_as_it_does() {
    let scenario = Scenario::new();
    let (started, _held) = under_way(&scenario, &staying(""));
    let tail = RunningCommand::new(&mut scenario.loop_command(&["tail"]));
    wait_until("the run is followed", || tail.printed().contains("iteration 1 of 3"));
    started.signal(Signal::TERM);
    started.finish().exits(143);
    tail.finish().exits(143);
}

#[test]
fn ctrl_c_at_a_terminal_ends_the_run() {
    let scenario = Scenario::new();
    let held = scenario.fifo("held");
    scenario.manifest(&staying(""));
    let mut terminal = Terminal::new(&scenario, &["run", "loop.json"]);
    assert_eq!(held.line(), "there\n");
    terminal.types("\u{3}");
    terminal.finish().exits(130);
    held.released();
}

#[test]
fn an_agent_that_ends_with_its_work_saved_has_the_time_for_it() {
    let scenario = Scenario::new();
    let manifest = Manifest::new(
        &format!("trap 'echo saved > saved; exit' TERM; exec 9> held; echo there >&9; {FOREVER} & wait"),
        "true",
    );
    let (started, held) = under_way(&scenario, &manifest);
    started.signal(Signal::TERM);
    started.finish().exits(143);
    held.released();
    assert_eq!(scenario.read("saved"), "saved\n");
}

#[test]
fn a_hangup_that_is_ignored_from_the_start_stays_ignored() {
    let scenario = Scenario::new();
    let held = scenario.fifo("held");
    scenario.manifest(&Manifest::new("echo there > held; read go < go", "test $go || true"));
    assert!(scenario.command("mkfifo", &["go"]).status().unwrap().success());
    let nohup = ["-c", "trap '' HUP; exec \"$0\" run loop.json", env!("CARGO_BIN_EXE_loop")];
    let started = RunningCommand::new(&mut scenario.command("sh", &nohup));
    assert_eq!(held.line(), "there\n");
    started.signal(Signal::HUP);
    std::fs::write(scenario.path("go"), "go\n").unwrap();
    started.finish().exits(0).says(&["goal_met"]);
}

#[test]
fn a_dry_run_that_is_interrupted_leaves_no_check_behind() {
    let scenario = Scenario::new();
    let held = scenario.fifo("held");
    let check = format!("exec 9> held; echo there >&9; {FOREVER}");
    scenario.manifest(&Manifest::new("true", &check));
    let started = RunningCommand::new(&mut scenario.loop_command(&["run", "loop.json", "--dry-run"]));
    assert_eq!(held.line(), "there\n");
    started.signal(Signal::INT);
    started.finish().exits(130);
    held.released();
    assert!(scenario.records().is_empty());
}

#[test]
fn a_terminal_that_is_gone_cancels_the_run_wherever_it_is() {
    let agent = "echo working; : > agent_works; sleep 1000";
    let check = "echo checking; : > check_works; sleep 1000";
    for (agent, check, sign) in [(agent, "true", "agent_works"), ("true", check, "check_works")] {
        let scenario = Scenario::new();
        scenario.manifest(&Manifest::new(agent, check));
        hung_up(&scenario, &["run", "loop.json"], || scenario.has(sign)).exits(129);
        assert_eq!(scenario.record()["stop_reason"], "cancelled");
    }
}
