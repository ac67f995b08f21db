//! The data that `loop run` stores about a run, and the data that it must not store.

use std::{fs, path::PathBuf};

use rustix::process::Signal;
use serde_json::Value;

use crate::support::{Manifest, Started, World};

/// Returns the folders of the stored runs.
fn kept(world: &World) -> Vec<PathBuf> {
    let Ok(runs) = fs::read_dir(world.state().join("runs")) else { return Vec::new() };
    runs.map(|run| run.expect("it is there").path()).filter(|run| run.is_dir()).collect()
}

/// Returns the names of all files beside the runs' folders.
fn all_names(world: &World) -> Vec<String> {
    let runs = fs::read_dir(world.state().join("runs")).expect("it is there");
    runs.map(|entry| entry.expect("it is there").file_name().to_string_lossy().into_owned()).collect()
}

/// Returns the content of all files in the state directory.
fn all_kept(world: &World) -> String {
    let mut folders = vec![world.state()];
    let mut text = String::new();
    while let Some(folder) = folders.pop() {
        for entry in
            fs::read_dir(folder).expect("it is there").map(|entry| entry.expect("it is there").path())
        {
            if entry.is_dir() {
                folders.push(entry);
            } else {
                text.push_str(&String::from_utf8_lossy(&fs::read(entry).expect("it is there")));
            }
        }
    }
    text
}

#[test]
fn a_run_keeps_its_events_under_the_id_of_its_record() {
    let world = World::new();
    world.run_manifest(&Manifest::new("echo $LOOP_RUN_ID > id", "true")).exits(0);
    let id = world.record()["run_id"].as_str().unwrap().to_owned();
    assert_eq!(world.read("id").trim(), id);
    let run = world.state().join("runs").join(&id);
    let events = fs::read_to_string(run.join("events.jsonl")).unwrap();
    let last: Value = serde_json::from_str(events.lines().last().unwrap()).unwrap();
    assert_eq!(last["event"]["kind"]["run_finished"]["ending"]["halt"]["reason"], "goal_met");
    let info: Value = serde_json::from_slice(&fs::read(run.join("run.json")).unwrap()).unwrap();
    assert_eq!(info["run"]["manifest"]["text"], world.read("loop.json").as_str());
}

#[test]
fn without_a_journal_nothing_is_kept() {
    let world = World::new();
    world.manifest(&Manifest::new("true", "false"));
    let ran = world.run(&["run", "--no-journal"]).exits(1);
    assert!(!ran.stderr.contains("loop resume"), "{}", ran.stderr);
    assert_eq!(kept(&world), Vec::<PathBuf>::new());
    world.record();
}

#[test]
fn two_loops_in_one_folder_are_refused_unless_they_are_allowed() {
    let world = World::new();
    let fifo = world.fifo("fifo");
    let first = world.start_manifest(&Manifest::new("exec 3>fifo; echo up >&3; sleep 1000", "true"));
    assert_eq!(fifo.line(), "up\n");
    let id = kept(&world)[0].file_name().unwrap().to_string_lossy().into_owned();

    let quick = ["run", "--agent", "touch ran", "--check", "true", "--max", "1"];
    world.run(&quick).exits(2).says(&[&id, "--parallel"]);
    world.run(&[&quick[..], &["--no-journal"]].concat()).exits(2).says(&[&id, "--parallel"]);
    assert!(!world.has("ran"));
    world.run(&[&quick[..], &["--parallel"]].concat()).exits(0);
    assert!(world.has("ran"));

    first.signal(Signal::INT);
    first.finish().exits(130);
    world.run(&quick).exits(0);
}

#[test]
fn a_run_without_a_journal_is_alone_in_its_folder_too() {
    for signal in [Signal::TERM, Signal::KILL] {
        let world = World::new();
        let fifo = world.fifo("fifo");
        let loops = ["run", "--agent", "exec 3>fifo; echo $LOOP_RUN_ID >&3; sleep 1000", "--check", "true"];
        let first =
            Started::new(&mut world.loop_command(&[&loops[..], &["--max", "1", "--no-journal"]].concat()));
        let id = fifo.line().trim().to_owned();

        let quick = ["run", "--agent", "touch ran", "--check", "true", "--max", "1"];
        world.run(&quick).exits(2).says(&[&id, "keeps no journal", "--parallel"]);
        world.run(&[&quick[..], &["--no-journal"]].concat()).exits(2).says(&[&id, "--parallel"]);
        world.run(&["every", "1s", "--count", "1", "--", "touch ran"]).exits(2).says(&[&id]);
        world.run(&["resume"]).exits(2).says(&[&id]);
        assert!(!world.has("ran"));
        // No command can show this run.
        world.run(&["show", &id]).exits(2).says(&["no run"]);
        assert_eq!(world.run(&["runs"]).exits(0).stdout, "");
        world.run(&[&quick[..], &["--parallel"]].concat()).exits(0);

        first.signal(signal);
        if signal == Signal::KILL {
            first.killed();
        } else {
            drop(first.finish().exits(143));
        }
        world.run(&quick).exits(0);
        assert!(!all_names(&world).iter().any(|name| name.ends_with(".unkept")), "{signal:?}");
    }
}

#[test]
fn a_run_does_not_go_on_beside_one_without_a_journal() {
    let world = World::new();
    world.run_manifest(&Manifest::new("true", "false").set("guardrails.max_iterations", 1)).exits(1);
    let id = world.record()["run_id"].as_str().unwrap().to_owned();
    let fifo = world.fifo("fifo");
    let agent = "exec 3>fifo; echo $LOOP_RUN_ID >&3; sleep 1000";
    let args = ["run", "--agent", agent, "--check", "true", "--max", "1", "--no-journal"];
    let first = Started::new(&mut world.loop_command(&args));
    let other = fifo.line().trim().to_owned();
    world.run(&["resume", &id, "--add-iterations", "1"]).exits(2).says(&[&other, "works in"]);
    first.signal(Signal::TERM);
    first.finish().exits(143);
    world.run(&["resume", &id, "--add-iterations", "1"]).exits(1);
}

#[test]
fn runs_that_cannot_be_kept_are_refused_before_anything_is_spent() {
    let world = World::new();
    world.manifest(&Manifest::new("touch ran", "true"));
    fs::create_dir(world.state()).unwrap();
    fs::write(world.state().join("runs"), "in the way").unwrap();
    world.run(&["run"]).exits(2).says(&["runs", "--no-journal"]);
    assert!(!world.has("ran"));
    world.run(&["run", "--no-journal"]).exits(0).says(&["other runs are not kept out of this folder"]);
}

#[test]
fn secrets_are_neither_kept_nor_shown() {
    let world = World::new();
    let agent = "printf 'token=%s pass' \"$MY_TOKEN\"; printf 'word-%s\\n' ghp_abcdefghijklmnopqrstuvwxyz0123456789; exit 1";
    let manifest = Manifest::new(agent, "echo \"it is $MY_TOKEN\"; false")
        .set(
            "agent.env",
            serde_json::json!({ "pass": ["MY_TOKEN"], "set": { "DB_PASSWORD": "swordfish-12" } }),
        )
        .set("guardrails.max_iterations", 1);
    world.manifest(&manifest);
    let mut command = world.loop_command(&["run", "--show-output"]);
    let ran = Started::new(command.env("MY_TOKEN", "hunter2-hunter2")).finish().exits(1);
    let kept = all_kept(&world);
    for secret in ["hunter2-hunter2", "swordfish-12"] {
        assert!(!kept.contains(secret), "{kept}");
        assert!(!ran.stderr.contains(secret), "{}", ran.stderr);
    }
    assert!(kept.contains("[redacted]") && ran.stderr.contains("it is [redacted]"), "{kept}\n{}", ran.stderr);
}
