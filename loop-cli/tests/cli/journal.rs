//! The data that `loop run` stores about a run, and the data that it must not store.

use std::{fs, path::PathBuf};

use rustix::process::Signal;
use serde_json::Value;

use crate::{
    cut_secrets::is_copy,
    support::{Manifest, RunningCommand, Scenario},
};

/// Returns the folders of the stored runs.
fn journal_files(scenario: &Scenario) -> Vec<PathBuf> {
    let Ok(runs) = fs::read_dir(scenario.state().join("runs")) else { return Vec::new() };
    runs.map(|run| run.expect("it is there").path()).filter(|run| run.is_dir()).collect()
}

/// Returns the names of all files beside the runs' folders.
fn all_names(scenario: &Scenario) -> Vec<String> {
    let runs = fs::read_dir(scenario.state().join("runs")).expect("it is there");
    runs.map(|entry| entry.expect("it is there").file_name().to_string_lossy().into_owned()).collect()
}

/// Returns the content of all files in the state directory.
fn stored_text(scenario: &Scenario) -> String {
    let mut folders = vec![scenario.state()];
    let mut text = String::new();
    while let Some(folder) = folders.pop() {
        for entry in
            fs::read_dir(folder).expect("it is there").map(|entry| entry.expect("it is there").path())
        {
            if is_copy(&entry) {
                continue;
            }
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
    let scenario = Scenario::new();
    scenario.run_manifest(&Manifest::new("echo $LOOP_RUN_ID > id", "true")).exits(0);
    let id = scenario.record()["run_id"].as_str().unwrap().to_owned();
    assert_eq!(scenario.read("id").trim(), id);
    let run = scenario.state().join("runs").join(&id);
    let events = fs::read_to_string(run.join("events.jsonl")).unwrap();
    let last: Value = serde_json::from_str(events.lines().last().unwrap()).unwrap();
    assert_eq!(last["event"]["kind"]["run_finished"]["ending"]["halt"]["reason"], "goal_met");
    let info: Value = serde_json::from_slice(&fs::read(run.join("run.json")).unwrap()).unwrap();
    assert_eq!(info["run"]["manifest"]["text"], scenario.read("loop.json").as_str());
}

#[test]
fn without_a_journal_nothing_is_kept() {
    let scenario = Scenario::new();
    scenario.manifest(&Manifest::new("true", "false"));
    let ran = scenario.run(&["run", "--no-journal"]).exits(1);
    assert!(!ran.stderr.contains("loop resume"), "{}", ran.stderr);
    assert_eq!(journal_files(&scenario), Vec::<PathBuf>::new());
    scenario.record();
}

#[test]
fn two_loops_in_one_folder_are_refused_unless_they_are_allowed() {
    let scenario = Scenario::new();
    let fifo = scenario.fifo("fifo");
    let first = scenario.start_manifest(&Manifest::new("exec 3>fifo; echo up >&3; sleep 1000", "true"));
    assert_eq!(fifo.line(), "up\n");
    let id = journal_files(&scenario)[0].file_name().unwrap().to_string_lossy().into_owned();

    let quick = ["run", "--agent", "touch ran", "--check", "true", "--max", "1"];
    scenario.run(&quick).exits(2).says(&[&id, "--parallel"]);
    scenario.run(&[&quick[..], &["--no-journal"]].concat()).exits(2).says(&[&id, "--parallel"]);
    assert!(!scenario.has("ran"));
    scenario.run(&[&quick[..], &["--parallel"]].concat()).exits(0);
    assert!(scenario.has("ran"));

    first.signal(Signal::INT);
    first.finish().exits(130);
    scenario.run(&quick).exits(0);
}

#[test]
fn a_run_without_a_journal_is_alone_in_its_folder_too() {
    for signal in [Signal::TERM, Signal::KILL] {
        let scenario = Scenario::new();
        let fifo = scenario.fifo("fifo");
        let loops = ["run", "--agent", "exec 3>fifo; echo $LOOP_RUN_ID >&3; sleep 1000", "--check", "true"];
        let first = RunningCommand::new(
            &mut scenario.loop_command(&[&loops[..], &["--max", "1", "--no-journal"]].concat()),
        );
        let id = fifo.line().trim().to_owned();

        let quick = ["run", "--agent", "touch ran", "--check", "true", "--max", "1"];
        scenario.run(&quick).exits(2).says(&[&id, "it has no journal", "--parallel"]);
        scenario.run(&[&quick[..], &["--no-journal"]].concat()).exits(2).says(&[&id, "--parallel"]);
        scenario.run(&["every", "1s", "--count", "1", "--", "touch ran"]).exits(2).says(&[&id]);
        scenario.run(&["resume"]).exits(2).says(&[&id]);
        assert!(!scenario.has("ran"));
        // No command can show this run.
        scenario.run(&["show", &id]).exits(2).says(&["no run"]);
        assert_eq!(scenario.run(&["runs"]).exits(0).stdout, "");
        scenario.run(&[&quick[..], &["--parallel"]].concat()).exits(0);

        first.signal(signal);
        if signal == Signal::KILL {
            first.killed();
        } else {
            drop(first.finish().exits(143));
        }
        scenario.run(&quick).exits(0);
        assert!(!all_names(&scenario).iter().any(|name| name.ends_with(".unkept")), "{signal:?}");
    }
}

#[test]
fn a_run_does_not_go_on_beside_one_without_a_journal() {
    let scenario = Scenario::new();
    scenario.run_manifest(&Manifest::new("true", "false").set("guardrails.max_iterations", 1)).exits(1);
    let id = scenario.record()["run_id"].as_str().unwrap().to_owned();
    let fifo = scenario.fifo("fifo");
    let agent = "exec 3>fifo; echo $LOOP_RUN_ID >&3; sleep 1000";
    let args = ["run", "--agent", agent, "--check", "true", "--max", "1", "--no-journal"];
    let first = RunningCommand::new(&mut scenario.loop_command(&args));
    let other = fifo.line().trim().to_owned();
    scenario.run(&["resume", &id, "--add-iterations", "1"]).exits(2).says(&[&other, "works in"]);
    first.signal(Signal::TERM);
    first.finish().exits(143);
    scenario.run(&["resume", &id, "--add-iterations", "1"]).exits(1);
}

#[test]
fn runs_that_cannot_be_kept_are_refused_before_anything_is_spent() {
    let scenario = Scenario::new();
    scenario.manifest(&Manifest::new("touch ran", "true"));
    fs::create_dir(scenario.state()).unwrap();
    fs::write(scenario.state().join("runs"), "in the way").unwrap();
    scenario.run(&["run"]).exits(2).says(&["runs", "--no-journal"]);
    assert!(!scenario.has("ran"));
    scenario.run(&["run", "--no-journal"]).exits(0).says(&["cannot lock this folder against other runs"]);
}

#[test]
fn secrets_are_neither_kept_nor_shown() {
    let scenario = Scenario::new();
    let agent = "printf 'token=%s pass' \"$MY_TOKEN\"; printf 'word-%s\\n' ghp_abcdefghijklmnopqrstuvwxyz0123456789; exit 1";
    let manifest = Manifest::new(agent, "echo \"it is $MY_TOKEN\"; false")
        .set(
            "agent.env",
            serde_json::json!({ "pass": ["MY_TOKEN"], "set": { "DB_PASSWORD": "swordfish-12" } }),
        )
        .set("guardrails.max_iterations", 1);
    scenario.manifest(&manifest);
    let mut command = scenario.loop_command(&["run", "--show-output"]);
    let ran = RunningCommand::new(command.env("MY_TOKEN", "hunter2-hunter2")).finish().exits(1);
    let kept = stored_text(&scenario);
    for secret in ["hunter2-hunter2", "swordfish-12"] {
        assert!(!kept.contains(secret), "{kept}");
        assert!(!ran.stderr.contains(secret), "{}", ran.stderr);
    }
    assert!(kept.contains("[redacted]") && ran.stderr.contains("it is [redacted]"), "{kept}\n{}", ran.stderr);
}
