//! Stored files that are damaged, or that somebody replaced: the program rejects or repairs them, and reports that.
//! Nothing is silently empty, nothing is written through a link, and nothing panics.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Stdio,
};

use crate::{
    schedule::{added, schedule},
    support::{CommandResult, Manifest, RunningCommand, Scenario},
};

const SECRET: &str = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789";

pub(crate) fn twice() -> Scenario {
    let scenario = Scenario::new();
    scenario.manifest(&Manifest::new("true", "[ $LOOP_ITERATION = 2 ]"));
    scenario
}

/// Returns the only file with this name below the state directory.
pub(crate) fn stored(folder: &Path, name: &str) -> PathBuf {
    fn look(folder: &Path, name: &str, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("it is there").path();
            if path.is_dir() {
                look(&path, name, found);
            } else if path.file_name().is_some_and(|it| it == name) {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    look(folder, name, &mut found);
    assert_eq!(found.len(), 1, "{name}: {found:?}");
    found.remove(0)
}

#[test]
fn damaged_jobs_are_refused_and_not_replaced() {
    let scenario = Scenario::new();
    let id = added(&scenario, &["10m look", "--agent", "x"]);
    let path = stored(&scenario.state(), "jobs.json");
    let whole = fs::read(&path).expect("a file");
    for damaged in [&whole[..whole.len() / 2], b"", b"\0\0\0"] {
        fs::write(&path, damaged).expect("a file");
        let named = path.to_str().expect("text");
        let folder = path.parent().and_then(Path::to_str).expect("text");
        for args in [
            &["list"] as &[&str],
            &["list", "--json"],
            &["show", &id],
            &["delete", &id],
            &["add", "10m look", "--agent", "x"],
            &["run", "--once"],
        ] {
            let ran = schedule(&scenario, args).exits(2);
            ran.says(&[named, "is damaged", "backup", &format!("mv '{folder}' '{folder}.damaged'")]);
        }
        assert_eq!(fs::read(&path).expect("a file"), damaged);
    }
    fs::remove_file(&path).expect("removed");
    schedule(&scenario, &["run", "--once"]).exits(2).says(&["is missing, although jobs were stored in it"]);
    let folder = path.parent().expect("a folder");
    fs::rename(folder, folder.with_extension("damaged")).expect("moved");
    schedule(&scenario, &["list"]).exits(0).says(&["this folder has no jobs"]);
}

#[test]
fn a_linked_folder_of_jobs_is_refused() {
    let scenario = Scenario::new();
    let elsewhere = scenario.path("elsewhere");
    for target in [elsewhere.clone(), scenario.path("nowhere")] {
        fs::create_dir_all(&elsewhere).expect("a folder");
        fs::create_dir_all(scenario.state()).expect("a folder");
        let link = scenario.state().join("schedule");
        symlink(&target, &link).expect("a link");
        for args in [&["list"] as &[&str], &["add", "10m look", "--agent", "x"], &["run", "--once"]] {
            let ran = schedule(&scenario, args).exits(2);
            ran.says(&[link.to_str().expect("text"), "is a link", "mv '"]);
        }
        assert_eq!(fs::read_dir(&elsewhere).expect("a folder").count(), 0);
        fs::remove_file(link).expect("a link");
    }
}

#[test]
fn lines_of_the_history_that_cannot_be_read_are_reported() {
    let scenario = Scenario::new();
    let id = added(&scenario, &["10m look", "--agent", "true"]);
    schedule(&scenario, &["fire", &id]).exits(0);
    schedule(&scenario, &["run", "--once"]).exits(0);
    let path = stored(&scenario.state(), "fires.jsonl");
    let mut whole = fs::read(&path).expect("a file");
    whole.truncate(whole.len() / 2);
    fs::write(&path, whole).expect("a file");
    for args in [&["list"] as &[&str], &["list", "--json"], &["show", &id]] {
        schedule(&scenario, args).exits(0).says(&["1 line of ", "fires.jsonl cannot be read"]);
    }
}

#[test]
fn runs_that_the_list_lacks_are_listed_all_the_same() {
    let scenario = twice();
    scenario.run(&["run"]).exits(0);
    let index = scenario.state().join("runs/index.jsonl");
    let whole = fs::read(&index).expect("an index");
    for length in [0, whole.len() / 2] {
        fs::write(&index, &whole[..length]).expect("an index");
        let ran = scenario.run(&["runs", "--json"]).exits(0).says(&["warning:", "index.jsonl"]);
        assert!(ran.stdout.contains(r#""state":"goal_met""#), "{}", ran.stdout);
    }
    scenario.run(&["run"]).exits(0).says(&["index.jsonl"]);
    let ran = scenario.run(&["runs", "--json"]).exits(0);
    assert_eq!((ran.stdout.lines().count(), ran.stderr.as_str()), (2, ""));
}

#[test]
fn a_run_whose_journal_lacks_the_end_that_is_listed_is_not_gone_on_with() {
    let scenario = Scenario::new();
    scenario.run_manifest(&Manifest::new("true", "false")).exits(1);
    let journal = stored(&scenario.state(), "events.jsonl");
    let whole = fs::read_to_string(&journal).expect("a journal");
    let id = scenario.record()["run_id"].as_str().expect("an id").to_owned();
    for lines in [0, 3] {
        let cut: String = whole.split_inclusive('\n').take(lines).collect();
        fs::write(&journal, &cut).expect("a journal");
        scenario.run(&["resume", &id, "--add-iterations", "1"]).exits(2).says(&["events.jsonl", "backup"]);
        assert_eq!(fs::read_to_string(&journal).expect("a journal"), cut);
    }
}

/// Things that an agent can plant in place of the record's file while it works.
#[test]
fn no_record_is_written_through_what_was_planted_during_the_run() {
    for planted in ["ln -s $PWD/victim", "ln $PWD/victim", "mkfifo"] {
        for asked in [false, true] {
            let scenario = Scenario::new();
            scenario.write("victim", "");
            let file =
                if asked { scenario.path("record.jsonl") } else { scenario.state().join("telemetry.jsonl") };
            let shown = file.to_str().expect("text").to_owned();
            let manifest = Manifest::new(&format!("rm -f '{shown}'; {planted} '{shown}'"), "true");
            scenario.manifest(&manifest);
            let args: &[&str] =
                if asked { &["run", "loop.json", "--telemetry", &shown] } else { &["run", "loop.json"] };
            scenario
                .run(args)
                .exits(if asked { 3 } else { 0 })
                .says(&["the run's record was not written", &shown]);
            assert_eq!(scenario.read("victim"), "", "{planted}");
        }
    }
}

#[test]
fn a_link_that_a_person_names_is_followed() {
    let scenario = twice();
    scenario.write("target.jsonl", "");
    symlink(scenario.path("target.jsonl"), scenario.path("link.jsonl")).expect("a link");
    scenario.run(&["run", "--telemetry", "link.jsonl"]).exits(0);
    assert_eq!(scenario.read("target.jsonl").lines().count(), 1);
    symlink("/nowhere/at/all", scenario.path("dangling")).expect("a link");
    scenario.run(&["run", "--telemetry", "dangling"]).exits(2).says(&["dangling is a link"]);
    let ran = scenario.run(&["run", "--quiet", "--telemetry", "/dev/stdout"]).exits(0);
    assert!(ran.stdout.contains(r#""stop_reason":"goal_met""#), "{}", ran.stdout);
}

#[test]
fn a_record_that_was_asked_for_and_cannot_be_written_is_a_failure() {
    let scenario = twice();
    let ran = scenario.run(&["run", "--telemetry", "/dev/full"]).exits(3);
    let ran = ran.says(&["the run's record was not written"]);
    assert!(!ran.stderr.contains("record  "), "no record is shown: {}", ran.stderr);
    scenario.run(&["every", "1s", "--count", "1", "--telemetry", "/dev/full", "--", "true"]).exits(3);
    let mut command = scenario.loop_command(&["run", "--json"]);
    let full = fs::File::options().write(true).open("/dev/full").expect("a disk that is full");
    command.stdin(Stdio::null()).stdout(full).stderr(Stdio::piped());
    RunningCommand::as_it_is(&mut command).finish().exits(3).says(&["standard output cannot be written"]);
}

/// The system's limit on file sizes simulates a full disk. The user did not request this record, so a failure is only a
/// warning.
#[test]
fn a_record_that_nobody_asked_for_and_that_cannot_be_written_is_a_warning() {
    let scenario = Scenario::new();
    scenario.manifest(&Manifest::new("true", "true"));
    fs::create_dir_all(scenario.state()).expect("a folder");
    fs::write(scenario.state().join("telemetry.jsonl"), "x".repeat(64 * 1024)).expect("a file");
    let script = r#"trap '' XFSZ; ulimit -f 64; exec "$0" run loop.json"#;
    let mut command = scenario.command("sh", &["-c", script, env!("CARGO_BIN_EXE_loop")]);
    RunningCommand::new(&mut command).finish().exits(0).says(&["the run's record was not written"]);
}

#[test]
fn no_clock_makes_it_panic() {
    for error in ["-99999999999", "999999999999", "-9223372036854775808", "9223372036854775807"] {
        let scenario = twice();
        let run = |args: &[&str]| -> CommandResult {
            let mut command = scenario.loop_command(args);
            let ran = RunningCommand::new(command.env("LOOP_TEST_CLOCK_ERROR", error)).finish();
            assert!(!ran.stderr.contains("panicked"), "{error} {args:?}:\n{}", ran.stderr);
            ran
        };
        run(&["run"]).exits(0);
        for args in [
            &["runs"] as &[&str],
            &["show"],
            &["resume"],
            &["schedule", "list"],
            &["schedule", "next", "0 9 * * *"],
            &["schedule", "add", "10m look", "--agent", "true"],
            &["schedule", "add", "--at", "18:00", "look", "--agent", "true"],
            &["schedule", "list"],
            &["schedule", "run", "--once"],
        ] {
            run(args);
        }
        assert_eq!(scenario.record()["success"], true, "{error}");
    }
}

/// Looks for the secret in all that is stored.
fn assert_nowhere(folder: &Path) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("it is there").path();
        assert!(!path.file_name().is_some_and(|name| name.to_string_lossy().contains(SECRET)), "{path:?}");
        if path.is_dir() {
            assert_nowhere(&path);
        } else {
            let text = String::from_utf8_lossy(&fs::read(&path).expect("a file")).into_owned();
            assert!(!text.contains(SECRET), "{}: {text}", path.display());
        }
    }
}

#[test]
fn a_key_in_a_folders_path_is_stored_nowhere_and_its_runs_go_on() {
    let scenario = Scenario::new();
    let manifest = Manifest::new("true", "false").0.to_string();
    scenario.write(&format!("{SECRET}/loop.json"), manifest);
    let within = |args: &[&str]| -> CommandResult {
        let mut command = scenario.loop_command(args);
        RunningCommand::new(command.current_dir(scenario.path(SECRET))).finish()
    };
    within(&["run"]).exits(1);
    let id = scenario.record()["run_id"].as_str().expect("an id").to_owned();
    within(&["schedule", "add", "10m", "--run", "loop.json"]).exits(0);
    within(&["schedule", "add", "1h look", "--agent", "true"]).exits(0);
    assert_nowhere(&scenario.state());
    assert_eq!(within(&["runs", "--json"]).exits(0).stdout.lines().count(), 1);
    scenario.run(&["resume", &id, "--add-iterations", "1"]).exits(2).says(&["change into that folder", &id]);
    within(&["resume", &id, "--add-iterations", "1"]).exits(1);
    assert_eq!(scenario.records().last().expect("a record")["iterations"], 4);
    let jobs = within(&["schedule", "list", "--json"]).exits(0).stdout;
    assert_eq!(jobs.lines().count(), 2, "{jobs}");
    let first: serde_json::Value = serde_json::from_str(jobs.lines().next().expect("a job")).expect("JSON");
    within(&["schedule", "fire", first["id"].as_str().expect("an id")]).exits(0);
    within(&["schedule", "run", "--once"]).exits(0);
    assert_eq!(scenario.records().len(), 3);
    assert_nowhere(&scenario.state());
}

#[test]
fn a_secret_in_a_prompt_is_stored_nowhere() {
    let scenario = Scenario::new();
    let ran = schedule(&scenario, &["add", &format!("10m use {SECRET} to look"), "--agent", "true"]).exits(0);
    ran.says(&["warning:", "the prompt contains a secret", "[redacted]"]);
    let command = format!("agent --key {SECRET}");
    schedule(&scenario, &["add", "10m look", "--agent", &command]).exits(2).says(&["variable"]);
    let jobs = schedule(&scenario, &["list", "--json"]).exits(0).stdout;
    assert_eq!(jobs.lines().count(), 1);
    assert!(jobs.contains("use [redacted] to look"), "{jobs}");
    assert_nowhere(&scenario.state());
}

/// Creates a pipe without a writer.
pub(crate) fn pipe(path: &Path) {
    rustix::fs::mkfifoat(rustix::fs::CWD, path, rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR)
        .expect("a pipe");
}

#[test]
fn a_page_is_written_to_a_regular_file_only() {
    let scenario = twice();
    scenario.run(&["run"]).exits(0);
    scenario.write("victim", "precious");
    symlink("victim", scenario.path("link.html")).expect("a link");
    symlink("nowhere", scenario.path("dangling.html")).expect("a link");
    pipe(&scenario.path("pipe.html"));
    for name in ["link.html", "dangling.html", "pipe.html", "/dev/null"] {
        scenario.run(&["report", "--html", name]).exits(2).says(&[name, "regular file", "--html -"]);
    }
    assert_eq!(scenario.read("victim"), "precious");
    assert!(!scenario.has("nowhere"));
    // A new page replaces a longer old page completely.
    scenario.write("page.html", "x".repeat(1 << 20));
    scenario.run(&["report", "--html", "page.html"]).exits(0);
    assert!(scenario.read("page.html").ends_with("</html>\n"));
}

#[test]
fn a_manifest_that_is_a_pipe_is_refused_at_once() {
    let scenario = Scenario::new();
    pipe(&scenario.path("loop.yaml"));
    for args in [&["run"] as &[&str], &["check"], &["run", "loop.yaml"], &["check", "--run", "loop.yaml"]] {
        scenario.run(args).exits(2).says(&["loop.yaml", "not a file", "regular file"]);
    }
}
