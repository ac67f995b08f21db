//! A run whose process died, or that was halted, goes on.

use std::fs;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::support::{FOREVER, Fifo, Manifest, Started, World, until};

/// Notes each iteration that it is run in, and waits for ever in the second one until it may go on.
const AGENT: &str = "echo $LOOP_ITERATION >> ran; [ $LOOP_ITERATION != 2 ] || [ -e go ] || \
                     { exec 3>fifo; echo up >&3; sleep 1000; }";

/// Runs `manifest` until its agent says that it waits, and kills the loop.
fn killed(world: &World, manifest: &Manifest) -> Fifo {
    let fifo = world.fifo("fifo");
    let run = world.start_manifest(manifest);
    assert_eq!(fifo.line(), "up\n");
    run.signal(Signal::KILL);
    run.killed();
    world.write("go", "");
    fifo
}

fn manifest() -> Manifest {
    Manifest::new(AGENT, "[ $LOOP_ITERATION = 4 ]").set("guardrails.max_iterations", 5)
}

/// Returns how often each iteration ran, oldest first.
fn ran(world: &World) -> Vec<String> {
    world.read("ran").lines().map(str::to_owned).collect()
}

fn id(record: &Value) -> String {
    record["run_id"].as_str().expect("an id").to_owned()
}

#[test]
fn a_killed_run_goes_on_where_it_was_and_ends_as_if_it_had_not_been() {
    let world = World::new();
    let fifo = killed(&world, &manifest());
    // Nobody who knew the agent is left. Either its guardian ends it, or the resume does.
    world.run(&["resume"]).exits(0).says(&["iteration 2 of 5, attempt 2", "goal_met"]);
    fifo.released();
    // Only the iteration that was cut off ran twice.
    assert_eq!(ran(&world), ["1", "2", "2", "3", "4"]);
    let record = world.record();
    assert_eq!(record["iterations"], 4);
    let events = world.state().join("runs").join(id(&record)).join("events.jsonl");
    assert_eq!(fs::read_to_string(events).unwrap().matches("run_resumed").count(), 1);
    // The run is done, and stays done.
    world.run(&["resume"]).exits(0).says(&["no run was cut off"]);
    world.run(&["resume", &id(&record)]).exits(0).says(&["has met its goal"]);
    assert_eq!(ran(&world).len(), 5);
}

#[cfg(target_os = "linux")]
#[test]
fn an_agent_that_outlived_its_loop_is_ended_before_another_one_begins() {
    use std::{os::unix::fs::MetadataExt, path::Path};

    let world = World::new();
    let fifo = world.fifo("fifo");
    let run = world.start_manifest(&manifest());
    assert_eq!(fifo.line(), "up\n");
    // Stopped, so that it does not see that its guardian is gone.
    run.signal(Signal::STOP);
    let stat = |pid: &Path| fs::read_to_string(pid.join("stat")).unwrap_or_default();
    let is_stopped = || stat(&Path::new("/proc").join(run.pid().to_string())).contains(") T ");
    until("it is stopped", is_stopped);
    let program = fs::metadata(env!("CARGO_BIN_EXE_loop")).unwrap().ino();
    let is_guardian = |pid: &Path| {
        stat(pid).contains(&format!(" {} ", run.pid()))
            && fs::metadata(pid.join("exe")).is_ok_and(|exe| exe.ino() == program)
    };
    let processes = fs::read_dir("/proc").unwrap().map(|process| process.unwrap().path());
    let guardians: Vec<_> =
        processes.filter(|pid| is_guardian(pid) && !pid.ends_with(run.pid().to_string())).collect();
    let pid = guardians[0].file_name().unwrap().to_str().unwrap().parse().unwrap();
    kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
    run.signal(Signal::KILL);
    run.killed();
    world.write("go", "");

    world.run(&["resume"]).exits(0).says(&["left processes behind, which were ended", "goal_met"]);
    fifo.released();
    assert_eq!(ran(&world), ["1", "2", "2", "3", "4"]);
}

#[test]
fn the_same_run_goes_on_with_its_id_and_its_totals() {
    let world = World::new();
    world.manifest(&Manifest::new("echo $LOOP_RUN_ID >> ids", "false"));
    world.run(&["run"]).exits(1).says(&["loop resume", "--add-iterations N"]);
    let first = id(&world.record());
    let ran = world.run(&["resume", &first[..20], "--add-iterations", "2", "--json"]);
    let ran = ran.exits(1).says(&["iteration 5 of 5", "max_iterations"]);
    let record: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((record["iterations"].as_u64(), id(&record)), (Some(5), first.clone()));
    assert_eq!(world.records()[1], record);
    assert_eq!(record["started_at"], world.records()[0]["started_at"]);
    assert_eq!(world.read("ids"), format!("{first}\n").repeat(5));
    // The raised limits persist.
    world.run(&["resume", &first, "--add-iterations", "1"]).exits(1).says(&["iteration 6 of 6"]);
}

#[test]
fn the_table_under_a_run_that_went_on_has_all_its_iterations() {
    let world = World::new();
    world.run_manifest(&Manifest::new("true", "echo $LOOP_ITERATION; false")).exits(1);
    let id = id(&world.record());
    let ran = world.run(&["resume", &id, "--add-iterations", "1"]).exits(1);
    let rows = ran.stderr.lines().skip_while(|line| !line.contains("verdict"));
    let numbers: Vec<_> = rows.skip(1).map_while(|row| row.split_whitespace().next()).collect();
    assert_eq!(numbers, ["1", "2", "3", "4"], "{}", ran.stderr);
}

#[test]
fn money_and_time_can_be_added() {
    let world = World::new();
    let agent = r#"echo '{"cost_usd": 0.6}' >> "$LOOP_USAGE_FILE""#;
    let manifest = Manifest::new(agent, "false").set("guardrails.max_iterations", 9);
    world.manifest(&manifest.set("guardrails.max_cost_usd", 1));
    world.run(&["run"]).exits(1).says(&["budget_exceeded", "--add-cost USD"]);
    let first = world.record();
    assert_eq!(first["iterations"], 2);
    let args = ["resume", &id(&first), "--add-cost", "1.25", "--add-seconds", "60"];
    world.run(&args).exits(1).says(&["budget_exceeded", "of $2.25"]);
    assert_eq!(world.records()[1]["iterations"], 4);
    world.run(&["resume", &id(&first), "--add-cost", "much"]).exits(2).says(&["2.50"]);
}

#[test]
fn a_note_reaches_the_next_prompt() {
    let world = World::new();
    let manifest = Manifest::new("cat > prompt", "false").set("guardrails.max_iterations", 1);
    world.manifest(&manifest.set("agent.prompt", "Do it. {guidance}"));
    world.run(&["run"]).exits(1);
    let id = id(&world.record());
    world.run(&["resume", &id, "--add-iterations", "1", "--note", "not the tests"]).exits(1);
    assert_eq!(world.read("prompt"), "Do it. not the tests");
}

#[test]
fn more_leave_is_for_the_last_run_that_was_halted_here() {
    let world = World::new();
    let check = "[ $LOOP_ITERATION = 4 ]";
    let manifest = Manifest::new("echo $LOOP_ITERATION >> ran", check).set("guardrails.max_iterations", 2);
    world.run_manifest(&manifest).exits(1).says(&["max_iterations"]);
    world.run(&["resume", "--add-iterations", "3"]).exits(0).says(&["goal_met"]);
    assert_eq!(id(&world.records()[0]), id(&world.records()[1]));
    // It lacks nothing any more.
    world.run(&["resume", "--add-iterations", "3"]).exits(0).says(&["no run was cut off"]);
    assert_eq!(ran(&world), ["1", "2", "3", "4"]);
}

#[test]
fn with_nothing_to_go_on_with_it_says_so() {
    let world = World::new();
    world.run(&["resume"]).exits(0).says(&["no run was cut off in this folder"]);
    world.run_manifest(&Manifest::new("true", "false")).exits(1);
    world.run(&["resume"]).exits(0).says(&["max_iterations", "loop resume 0"]);
    world.run(&["resume", "nothing"]).exits(2).says(&["nothing"]);
}

#[test]
fn a_living_run_is_left_alone() {
    let world = World::new();
    let fifo = world.fifo("fifo");
    let run = world.start_manifest(&Manifest::new(&format!("exec 3>fifo; echo up >&3; {FOREVER}"), "true"));
    fifo.line();
    world.run(&["resume"]).exits(2).says(&["still going"]);
    let runs = world.run(&["runs", "--json"]).exits(0).stdout;
    let listed: Value = serde_json::from_str(runs.lines().next().unwrap()).unwrap();
    world.run(&["resume", &id(&listed)]).exits(2).says(&["still going"]);
    run.signal(Signal::TERM);
    run.finish().exits(143);
}

#[test]
fn of_two_that_take_up_a_run_at_once_one_does() {
    let world = World::new();
    let agent = "echo x >> ran; [ -e go ] || { exec 3>fifo; echo up >&3; sleep 1000; }; \
                 until [ -e go-on ]; do sleep 0.01; done";
    drop(killed(&world, &Manifest::new(agent, "true")));
    let start = || Started::new(&mut world.loop_command(&["resume"]));
    let (mut first, mut second) = (start(), start());
    // One of them is refused while the other one's agent waits.
    until("one is refused", || first.has_ended() || second.has_ended());
    let (refused, other) = if first.has_ended() { (first, second) } else { (second, first) };
    refused.finish().exits(2).says(&["still going"]);
    world.write("go-on", "");
    other.finish().exits(0);
    assert_eq!(world.read("ran").lines().count(), 2);
    world.record();
}

#[test]
fn a_manifest_that_changed_is_refused_unless_it_is_accepted() {
    let world = World::new();
    killed(&world, &manifest()).released();
    world.manifest(&manifest().set("guardrails.max_iterations", 3));
    let refused = world.run(&["resume"]).exits(2);
    let refused =
        refused.says(&["has changed", "-     \"max_iterations\": 5", "+     \"max_iterations\": 3"]);
    assert!(refused.stderr.contains("--accept-changes"));
    assert_eq!(ran(&world).len(), 2);
    world.run(&["resume", "--accept-changes"]).exits(1).says(&["max_iterations"]);
    assert_eq!(ran(&world), ["1", "2", "2", "3"]);
}

#[test]
fn a_manifest_that_is_gone_is_not_missed() {
    let world = World::new();
    killed(&world, &manifest()).released();
    fs::remove_file(world.path("loop.json")).unwrap();
    world.run(&["resume"]).exits(0);
}

#[test]
fn a_loop_of_flags_goes_on_too() {
    let world = World::new();
    let fifo = world.fifo("fifo");
    let args =
        ["run", "--agent", AGENT, "--check", "[ $LOOP_ITERATION = 3 ]", "--max", "4", "--goal", "it's 3"];
    let run = Started::new(&mut world.loop_command(&args));
    fifo.line();
    run.signal(Signal::KILL);
    run.killed();
    world.write("go", "");
    world.run(&["resume"]).exits(0);
    assert_eq!(ran(&world), ["1", "2", "2", "3"]);
    assert_eq!(world.record()["manifest"], Value::Null);
}

#[test]
fn an_iteration_that_was_cut_off_is_not_run_again_where_the_manifest_says_so() {
    for (word, said) in [("halt", "does not let it run again"), ("ask", "nobody was there")] {
        let world = World::new();
        killed(&world, &manifest().set("resume", word)).released();
        world.run(&["resume"]).exits(1).says(&[said, "hitl_checkpoint"]);
        assert_eq!(ran(&world), ["1", "2"]);
        // To resume it once more is to say that it may.
        let id = id(&world.record());
        world.run(&["resume", &id]).exits(0);
        assert_eq!(ran(&world), ["1", "2", "2", "3", "4"]);
    }
}

#[test]
fn a_journal_that_was_cut_off_anywhere_is_gone_on_with() {
    let world = World::new();
    let agent = "[ ! -e resumed ] || echo $LOOP_ITERATION >> again";
    world.run_manifest(&Manifest::new(agent, "[ $LOOP_ITERATION = 3 ]")).exits(0);
    let id = id(&world.record());
    let path = world.state().join("runs").join(&id).join("events.jsonl");
    let whole = fs::read(&path).unwrap();
    world.write("resumed", "");
    let lines: Vec<_> = whole.split_inclusive(|byte| *byte == b'\n').collect();
    for kept in 0..lines.len() {
        // The last line is torn in its middle.
        let torn = &lines[kept][..lines[kept].len() / 2];
        let before = lines[..kept].concat();
        fs::write(&path, [&before, torn].concat()).unwrap();
        // It was about to be noted how it ended.
        fs::write(world.state().join("runs/index.jsonl"), open_only(&world)).unwrap();
        world.write("again", "");
        if kept == 0 {
            // The process died before the first event was safe.
            fs::remove_file(path.with_file_name("begun")).unwrap();
        }
        world.run(&["resume"]).exits(0).says(&["goal_met"]);
        let settled = String::from_utf8_lossy(&before).matches("step_settled").count();
        let again = world.read("again");
        assert!(again.lines().all(|ran| ran.parse::<usize>().unwrap() > settled), "{settled}: {again}");
        assert_eq!(world.records().last().unwrap()["iterations"], 3);
    }
}

/// The list of runs as it was before any of them ended.
fn open_only(world: &World) -> String {
    let index = fs::read_to_string(world.state().join("runs/index.jsonl")).expect("it is there");
    index.lines().take(1).map(|line| format!("{line}\n")).collect()
}

#[test]
fn the_kill_and_the_resume_that_the_readme_shows_work() {
    let readme = include_str!("../../../README.md");
    let (_, rest) = readme.split_once("### Runs\n").expect("the chapter");
    let (_, rest) = rest.split_once("```sh\n").expect("the example");
    let (example, _) = rest.split_once("```").expect("its end");
    assert!(example.contains("kill -9") && example.contains("loop resume"));
    // No test depends on speed: this agent waits for the kill, and the kill for the agent.
    let example = example
        .replace("'sleep 2'", "'echo $LOOP_ITERATION >> ran; test -e go || sleep 1000'")
        .replace("sleep 3;", "until test -e ran; do sleep 0.01; done;")
        .replace("kill -9 $!", "kill -9 $!; wait $!; touch go");
    assert!(example.contains("touch go") && example.contains("test -e go"), "{example}");
    let world = World::new();
    let path = std::path::Path::new(env!("CARGO_BIN_EXE_loop")).parent().expect("a folder");
    let path = format!("{}:{}", path.display(), std::env::var("PATH").expect("a path"));
    Started::new(world.command("sh", &["-c", &example]).env("PATH", path)).finish().exits(0);
    assert_eq!(ran(&world), ["1", "1", "2", "3"]);
    assert_eq!(world.record()["success"], true);
}

#[test]
fn failures_that_a_person_has_seen_do_not_end_the_run_again() {
    let world = World::new();
    let failing = Manifest::new("echo $LOOP_ITERATION >> ran; [ -e mended ]", "[ -e mended ]");
    let manifest = failing.set("guardrails.max_consecutive_failures", 2).set("guardrails.max_iterations", 6);
    world.run_manifest(&manifest).exits(1).says(&["consecutive_failures"]);
    assert_eq!(ran(&world), ["1", "2"]);
    let id = id(&world.record());
    // They were wrong: it fails on, and is ended again as soon as it would be in a new run, and no sooner.
    world.run(&["resume", &id]).exits(1).says(&["consecutive_failures"]);
    assert_eq!(ran(&world), ["1", "2", "3", "4"]);
    world.write("mended", "");
    world.run(&["resume", &id]).exits(0).says(&["goal_met"]);
    assert_eq!(ran(&world), ["1", "2", "3", "4", "5"]);
    // Used-up budgets stay used up.
    let last = world.records().pop().expect("a record");
    assert_eq!(last["iterations"], 5);
}
