//! `loop verify`: what it finds in a journal and in a folder that are not what the run recorded.

use std::{fs, path::PathBuf};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{CommandResult, Manifest, Scenario};

const CHECK: &str = "#!/bin/sh\ntest -e done\n";

/// A folder with a script that judges.
fn scenario() -> Scenario {
    let scenario = Scenario::new();
    scenario.write("check.sh", CHECK);
    scenario
}

fn sealed(agent: &str) -> Manifest {
    Manifest::new(agent, "sh check.sh").set("evaluator.sealed", true)
}

fn journal(scenario: &Scenario) -> PathBuf {
    let record = scenario.record();
    scenario.state().join("runs").join(record["run_id"].as_str().expect("an id")).join("events.jsonl")
}

/// Changes a text in the journal, with a checksum that fits.
fn forge(scenario: &Scenario, from: &str, to: &str) {
    let text = fs::read_to_string(journal(scenario)).expect("a journal");
    let mut is_changed = false;
    let lines = text.lines().map(|line| {
        if !line.contains(from) || std::mem::replace(&mut is_changed, true) {
            return format!("{line}\n");
        }
        let (body, _) = line.rsplit_once(",\"crc\"").expect("a checksum");
        loop_telemetry::checksum::seal(&format!("{}}}", body.replace(from, to))) + "\n"
    });
    let forged: String = lines.collect();
    assert!(is_changed, "{text}");
    fs::write(journal(scenario), forged).expect("it can be written");
}

fn answer(ran: &CommandResult) -> Value {
    serde_json::from_str(&ran.stdout).expect("JSON")
}

/// Returns what is in the folder, with contents and times.
fn folder(scenario: &Scenario) -> Vec<(PathBuf, Vec<u8>, std::time::SystemTime)> {
    let entries = fs::read_dir(scenario.path("")).expect("a folder");
    let mut entries: Vec<_> = entries
        .map(|entry| {
            let path = entry.expect("an entry").path();
            let time = path.metadata().and_then(|found| found.modified()).expect("a time");
            (path.clone(), fs::read(&path).unwrap_or_default(), time)
        })
        .collect();
    entries.sort();
    entries
}

#[test]
fn an_honest_sealed_run_is_verified_and_its_folder_stays_as_it_is() {
    let scenario = scenario();
    scenario.run_manifest(&sealed("test $LOOP_ITERATION = 1 || touch done")).exits(0);
    // What happens to the folder after the run does not matter.
    fs::remove_file(scenario.path("done")).unwrap();
    scenario.write("check.sh", "exit 1\n");
    let before = folder(&scenario);
    let ran = scenario.run(&["verify"]).exits(0);
    ran.prints(&[
        "journal  intact: ",
        "sealed; ran again on the state after iteration 2",
        "pass, as recorded",
    ]);
    assert_eq!(folder(&scenario), before);
    let found = answer(&scenario.run(&["verify", "--json"]).exits(0));
    assert_eq!(found["verified"], true);
    assert_eq!(found["journal"]["state"], "intact");
    let check = json!({
        "sealed": true, "iteration": 2, "recorded": "pass", "now": "pass", "changed_files": [],
    });
    assert_eq!(found["check"], check);
    let copies = fs::read_dir(scenario.path("../home/.cache/loop/copies")).map_or(0, Iterator::count);
    assert_eq!((copies, scenario.leftovers()), (0, 0));
}

#[test]
fn a_run_that_failed_is_verified_too() {
    let scenario = scenario();
    scenario.run_manifest(&sealed("true").set("guardrails.max_iterations", 1)).exits(1);
    scenario.run(&["verify"]).exits(0).prints(&["fail, as recorded"]);
    // A run without a seal is judged by the checks that it left.
    scenario.run_manifest(&Manifest::new("touch done", "sh check.sh")).exits(0);
    scenario.run(&["verify"]).exits(0).prints(&["not sealed; ran again", "pass, as recorded"]);
}

#[test]
fn a_changed_journal_is_found_and_so_is_one_whose_end_was_cut_off() {
    let scenario = scenario();
    scenario.run_manifest(&sealed("touch done; echo I did it")).exits(0);
    let whole = fs::read(journal(&scenario)).unwrap();
    forge(&scenario, "\"evaluated\":true", "\"evaluated\":true ");
    let ran = scenario.run(&["verify"]).exits(1);
    ran.prints(&["journal  changed: line 2 of ", "not run again", "differs from the record"]);
    let last = whole[..whole.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap();
    fs::write(journal(&scenario), &whole[..=last]).unwrap();
    let found = answer(&scenario.run(&["verify", "--json"]).exits(1));
    assert_eq!((&found["verified"], &found["journal"]["state"]), (&json!(false), &json!("broken")));
    fs::remove_file(journal(&scenario)).unwrap();
    scenario.run(&["verify"]).exits(1).prints(&["events.jsonl was removed"]);
    // The rest of a write that was interrupted is no change.
    fs::write(journal(&scenario), [&whole[..], b"{\"v\":2,\"se"].concat()).unwrap();
    scenario.run(&["verify"]).exits(0).prints(&["intact"]);
}

#[test]
fn another_manifest_in_the_state_directory_is_found() {
    let scenario = scenario();
    scenario.run_manifest(&sealed("touch done")).exits(0);
    let info = journal(&scenario).with_file_name("run.json");
    let text = fs::read_to_string(&info).unwrap();
    let (body, _) = text.rsplit_once(",\"crc\"").unwrap();
    let forged = format!("{}}}", body.replace("sh check.sh", "true"));
    fs::write(&info, loop_telemetry::checksum::seal(&forged)).unwrap();
    scenario.run(&["verify"]).exits(1).prints(&["run.json is not the one with which the run began"]);
}

#[test]
fn a_head_that_was_kept_elsewhere_counts_instead_of_the_record() {
    let scenario = scenario();
    scenario.run_manifest(&sealed("touch done")).exits(0);
    let head = scenario.record()["journal_head"].as_str().unwrap().to_owned();
    assert_eq!(head.len(), 64);
    let listed = answer(&scenario.run(&["runs", "--json"]).exits(0));
    assert_eq!(listed["record"]["journal_head"], head.as_str());
    scenario.run(&["report", "--html", "page.html"]).exits(0);
    assert!(scenario.read("page.html").contains(&head));
    scenario.run(&["verify", "--head", &head]).exits(0);
    let other = head.replace(|digit: char| digit.is_ascii_digit(), "a");
    scenario.run(&["verify", "--head", &other]).exits(1).prints(&["no line has the digest"]);
}

#[test]
fn a_snapshot_of_another_run_in_the_place_of_the_judged_one_is_found() {
    let scenario = scenario();
    let snapshots = |run: &str| {
        let stores = fs::read_dir(scenario.state().join("snapshots")).expect("stores");
        let mut runs = stores.map(|store| store.expect("a store").path().join("runs").join(run));
        runs.find(|run| run.exists()).expect("snapshots of the run")
    };
    let id = || scenario.records().last().expect("a record")["run_id"].as_str().expect("an id").to_owned();
    scenario.run_manifest(&sealed("touch done evil")).exits(0);
    let other = snapshots(&id()).join("1.snapshot");
    for made in ["done", "evil"] {
        fs::remove_file(scenario.path(made)).expect("a file");
    }
    scenario.run_manifest(&sealed("touch done")).exits(0);
    scenario.run(&["verify"]).exits(0);
    fs::copy(other, snapshots(&id()).join("1.snapshot")).expect("a copy");
    let found = scenario.run(&["verify"]).exits(1);
    found.prints(&["is not the one that the run took", "differs from the record"]);
}

#[test]
fn without_its_snapshots_a_run_cannot_be_verified() {
    let scenario = scenario();
    scenario.run_manifest(&sealed("touch done")).exits(0);
    scenario.run(&["snapshots", "reset", "--yes"]).exits(0);
    let ran = scenario.run(&["verify"]).exits(2);
    ran.prints(&["intact", "there is no snapshot of the state", "cannot be verified"]);
    let manifest = Manifest::new("touch done", "sh check.sh").set("snapshots", "off");
    scenario.run_manifest(&manifest).exits(0);
    scenario.run(&["verify"]).exits(2).prints(&["there is no snapshot of the state after iteration 1"]);
}

#[test]
fn a_check_that_depends_on_a_file_outside_has_another_verdict_without_it() {
    let scenario = scenario();
    let outside = scenario.state().with_file_name("outside");
    fs::write(&outside, "").unwrap();
    let check = format!("test -e done && test -e {}", outside.display());
    scenario.run_manifest(&Manifest::new("touch done", &check).set("evaluator.sealed", true)).exits(0);
    scenario.run(&["verify"]).exits(0);
    fs::remove_file(&outside).unwrap();
    let ran = scenario.run(&["verify"]).exits(1);
    ran.prints(&["intact", "fail, but the run recorded pass", "differs from the record"]);
}

#[test]
fn a_run_that_was_killed_and_resumed_is_verified() {
    let scenario = scenario();
    let fifo = scenario.fifo("fifo");
    let agent = "[ -e go ] || { exec 3>fifo; echo up >&3; sleep 1000; }; touch done";
    let run = scenario.start_manifest(&sealed(agent));
    assert_eq!(fifo.line(), "up\n");
    scenario.run(&["verify"]).exits(2).says(&["is still running: verify it after its end"]);
    run.signal(Signal::KILL);
    run.killed();
    scenario.write("go", "");
    scenario.run(&["verify"]).exits(2).prints(&["no end to compare with", "loop resume"]);
    scenario.run(&["resume"]).exits(0);
    scenario.run(&["verify"]).exits(0).prints(&["intact", "pass, as recorded"]);
}

#[test]
fn a_run_that_cheated_without_a_seal_has_the_same_verdict_and_a_warning() {
    let scenario = scenario();
    scenario.run_manifest(&Manifest::new("echo exit 0 > check.sh", "sh check.sh")).exits(0);
    let ran = scenario.run(&["verify"]).exits(0);
    ran.prints(&["not sealed", "the run changed files that judge: check.sh", "pass, as recorded"]);
    let found = answer(&scenario.run(&["verify", "--json"]).exits(0));
    assert_eq!(found["check"]["changed_files"], json!(["check.sh"]));
}

#[test]
fn a_task_and_a_run_without_a_check_say_what_was_compared() {
    let scenario = scenario();
    let confident = "printf '{\"confidence\": 1}'";
    let manifest = json!({
        "goal": "All is well",
        "agent": { "command": confident, "prompt": "{goal}" },
        "evaluator": { "confidence": { "at_least": 0.5 } },
        "guardrails": { "max_iterations": 2 },
    });
    scenario.run_manifest(&Manifest(manifest)).exits(0);
    scenario.run(&["verify"]).exits(2).prints(&["intact", "the run has no `evaluator.command`"]);
    scenario.run(&["every", "1s", "--count", "1", "--", "true"]).exits(0);
    scenario.run(&["verify"]).exits(2).prints(&["intact", "only the journal can be verified"]);
}

#[test]
fn another_line_in_the_file_of_the_records_is_found() {
    let scenario = scenario();
    scenario.run_manifest(&sealed("true").set("guardrails.max_iterations", 1)).exits(1);
    scenario.run(&["verify"]).exits(0);
    let file = scenario.state().join("telemetry.jsonl");
    let text = fs::read_to_string(&file).expect("records");
    let forged = text.replace("\"success\":false", "\"success\":true");
    assert_ne!(forged, text);
    fs::write(&file, forged).expect("it can be written");
    scenario
        .run(&["verify"])
        .exits(1)
        .prints(&["`telemetry.jsonl` has another end of this run", "differs from the record"]);
    let found = answer(&scenario.run(&["verify", "--json"]).exits(1));
    assert_eq!((&found["record_changed"], &found["journal"]["state"]), (&json!(true), &json!("intact")));
    // The record of a run can be somewhere else.
    fs::remove_file(&file).expect("a file");
    scenario.run(&["verify"]).exits(0);
}

#[test]
fn the_beginning_of_a_head_is_enough() {
    let scenario = scenario();
    scenario.run_manifest(&sealed("touch done")).exits(0);
    let head = scenario.record()["journal_head"].as_str().expect("a digest").to_owned();
    for head in [head.to_uppercase(), head[..12].to_owned()] {
        scenario.run(&["verify", "--head", &head]).exits(0);
    }
    for head in [&head[..11], "0123456789ag", ""] {
        scenario.run(&["verify", "--head", head]).exits(2).says(&["12 to 64 hexadecimal digits"]);
    }
}

#[test]
fn a_first_check_without_a_seal_says_why_nothing_can_be_verified() {
    let scenario = scenario();
    scenario.write("done", "");
    scenario.run_manifest(&Manifest::new("true", "sh check.sh").set("check_first", true)).exits(0);
    let told = ["passed before the first iteration", "`evaluator.sealed: true`", "loop check --run"];
    scenario.run(&["verify"]).exits(2).prints(&told);
}

#[test]
fn a_line_that_only_claims_a_later_format_was_changed() {
    let scenario = scenario();
    scenario.run_manifest(&sealed("touch done")).exits(0);
    let text = fs::read_to_string(journal(&scenario)).expect("a journal");
    let lines = text.lines().count();
    for changed in [0, lines / 2, lines - 1] {
        let line = |(at, line): (usize, &str)| match line.strip_prefix("{\"v\":") {
            Some(rest) if at == changed => format!("{{\"v\":9{}\n", &rest[1..]),
            _ => format!("{line}\n"),
        };
        fs::write(journal(&scenario), text.lines().enumerate().map(line).collect::<String>())
            .expect("it is written");
        let ran = scenario.run(&["verify"]).exits(1);
        assert!(ran.stdout.contains("has the format 9"), "{}", ran.stdout);
    }
}
