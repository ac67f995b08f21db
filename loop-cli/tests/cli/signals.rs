//! Signals end a run, and leave no process behind.

use rustix::process::Signal;

use crate::{
    support::{FOREVER, Fifo, Manifest, Started, World, until},
    terminal::{Terminal, hung_up},
};

/// An agent that says so on `held` when it is there, and then stays.
fn staying(before: &str) -> Manifest {
    Manifest::new(&format!("{before} exec 9> held; echo there >&9; while :; do {FOREVER}; done"), "true")
}

/// A run whose agent is there.
fn under_way(world: &World, manifest: &Manifest) -> (Started, Fifo) {
    let held = world.fifo("held");
    let started = world.start_manifest(manifest);
    assert_eq!(held.line(), "there\n");
    (started, held)
}

#[test]
fn a_signal_ends_the_agent_and_is_recorded() {
    for (signal, code) in [(Signal::HUP, 129), (Signal::INT, 130), (Signal::TERM, 143)] {
        let world = World::new();
        let (started, held) = under_way(&world, &staying(""));
        started.signal(signal);
        started.finish().exits(code).says(&["cancelled"]);
        held.released();
        let record = world.record();
        assert_eq!(record["stop_reason"], "cancelled");
        assert_eq!((&record["success"], &record["iterations"]), (&false.into(), &1.into()));
        assert_eq!(record["signal"], code - 128);
        assert_eq!(world.leftovers(), 0);
        // `loop tail` exits with the run's code, also afterwards.
        assert_eq!(world.run(&["tail"]).exits(code).stdout.lines().last(), Some("cancelled"));
    }
}

#[test]
fn a_signal_ends_the_check_too() {
    let world = World::new();
    let check = format!("exec 9> held; echo there >&9; {FOREVER}");
    let (started, held) = under_way(&world, &Manifest::new("true", &check));
    started.signal(Signal::INT);
    started.finish().exits(130);
    held.released();
}

#[test]
fn a_signal_ends_a_wait() {
    let world = World::new();
    let manifest = Manifest::new("true", "false").set("pace", serde_json::json!({ "every_seconds": 1000 }));
    let started = world.start_manifest(&manifest);
    started.says("waiting");
    started.signal(Signal::TERM);
    started.finish().exits(143);
    assert_eq!(world.record()["iterations"], 1);
}

#[test]
fn a_second_signal_kills_an_agent_that_does_not_listen() {
    let world = World::new();
    let (started, held) = under_way(&world, &staying("trap '' TERM INT HUP;"));
    started.signal(Signal::INT);
    started.says("stopping");
    started.signal(Signal::INT);
    started.finish().exits(130).says(&["killed by a second signal"]);
    held.released();
    let record = world.record();
    assert_eq!((&record["stop_reason"], &record["iterations"]), (&"cancelled".into(), &1.into()));
    let told = world.run(&["tail"]).exits(130).stdout;
    assert_eq!(told.lines().last(), Some("cancelled: it was killed"));
}

#[test]
fn who_follows_a_run_that_is_cancelled_exits_as_it_does() {
    let world = World::new();
    let (started, _held) = under_way(&world, &staying(""));
    let tail = Started::new(&mut world.loop_command(&["tail"]));
    until("the run is followed", || tail.printed().contains("iteration 1 of 3"));
    started.signal(Signal::TERM);
    started.finish().exits(143);
    tail.finish().exits(143);
}

#[test]
fn ctrl_c_at_a_terminal_ends_the_run() {
    let world = World::new();
    let held = world.fifo("held");
    world.manifest(&staying(""));
    let mut terminal = Terminal::new(&world, &["run", "loop.json"]);
    assert_eq!(held.line(), "there\n");
    terminal.types("\u{3}");
    terminal.finish().exits(130);
    held.released();
}

#[test]
fn an_agent_that_ends_with_its_work_saved_has_the_time_for_it() {
    let world = World::new();
    let manifest = Manifest::new(
        &format!("trap 'echo saved > saved; exit' TERM; exec 9> held; echo there >&9; {FOREVER} & wait"),
        "true",
    );
    let (started, held) = under_way(&world, &manifest);
    started.signal(Signal::TERM);
    started.finish().exits(143);
    held.released();
    assert_eq!(world.read("saved"), "saved\n");
}

#[test]
fn a_hangup_that_is_ignored_from_the_start_stays_ignored() {
    let world = World::new();
    let held = world.fifo("held");
    world.manifest(&Manifest::new("echo there > held; read go < go", "test $go || true"));
    assert!(world.command("mkfifo", &["go"]).status().unwrap().success());
    let nohup = ["-c", "trap '' HUP; exec \"$0\" run loop.json", env!("CARGO_BIN_EXE_loop")];
    let started = Started::new(&mut world.command("sh", &nohup));
    assert_eq!(held.line(), "there\n");
    started.signal(Signal::HUP);
    std::fs::write(world.path("go"), "go\n").unwrap();
    started.finish().exits(0).says(&["goal_met"]);
}

#[test]
fn a_dry_run_that_is_interrupted_leaves_no_check_behind() {
    let world = World::new();
    let held = world.fifo("held");
    let check = format!("exec 9> held; echo there >&9; {FOREVER}");
    world.manifest(&Manifest::new("true", &check));
    let started = Started::new(&mut world.loop_command(&["run", "loop.json", "--dry-run"]));
    assert_eq!(held.line(), "there\n");
    started.signal(Signal::INT);
    started.finish().exits(130);
    held.released();
    assert!(world.records().is_empty());
}

#[test]
fn a_terminal_that_is_gone_cancels_the_run_wherever_it_is() {
    let agent = "echo working; : > agent_works; sleep 1000";
    let check = "echo checking; : > check_works; sleep 1000";
    for (agent, check, sign) in [(agent, "true", "agent_works"), ("true", check, "check_works")] {
        let world = World::new();
        world.manifest(&Manifest::new(agent, check));
        hung_up(&world, &["run", "loop.json"], || world.has(sign)).exits(129);
        assert_eq!(world.record()["stop_reason"], "cancelled");
    }
}
