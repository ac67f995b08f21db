//! Changes of a run in its folder: seen, restored, and taken back.

use std::{
    env,
    ffi::OsStr,
    fs::{self, Permissions},
    os::unix::{ffi::OsStrExt as _, fs::PermissionsExt as _},
    process::Command,
};

use crate::{
    support::{Manifest, RunningCommand, Scenario},
    task_agents::reviewer,
};

/// Three iterations, each of which writes its number into `n` and a new file, and removes `old`.
fn three() -> Manifest {
    Manifest::new("echo $LOOP_ITERATION > n; echo new > new.$LOOP_ITERATION; rm -f old", "false")
}

fn changed() -> Scenario {
    let scenario = Scenario::new();
    scenario.write("old", "three days of work\n");
    scenario.write("n", "0\n");
    scenario
        .run_manifest(&three())
        .exits(1)
        .says(&["changed", "5 files changed: 3 added, 1 removed, 1 modified"]);
    scenario
}

#[test]
fn a_run_shows_what_it_changed_at_each_step() {
    let scenario = changed();
    let names = scenario.run(&["diff", "--names"]).exits(0).stdout;
    assert_eq!(names, "M n\nA new.1\nA new.2\nA new.3\nD old\n");
    let step = scenario.run(&["show", "-i", "2", "--diff"]).exits(0).stdout;
    assert!(step.contains("-1\n+2\n") && step.contains("+++ b/new.2") && !step.contains("new.1"), "{step}");
    assert_eq!(scenario.run(&["diff", "1..3", "n"]).exits(0).stdout.lines().last(), Some("+3"));
    scenario.run(&["show"]).exits(0).prints(&["5 files changed"]);
    let journal = journal(&scenario);
    assert_eq!(journal.matches(r#""name":"snapshot""#).count(), 3, "{journal}");
    assert_eq!(journal.matches(r#""name":"changed","hash":"#).count(), 3, "{journal}");
    let page = scenario.run(&["report", "--html", "-"]).exits(0);
    page.prints(&["<dt>changed</dt><dd>5 files changed: 3 added, 1 removed, 1 modified</dd>"]);
}

fn journal(scenario: &Scenario) -> String {
    let runs = fs::read_dir(scenario.state().join("runs")).expect("runs").flatten();
    let journals = runs.filter_map(|run| fs::read_to_string(run.path().join("events.jsonl")).ok());
    journals.collect()
}

#[test]
fn a_restore_is_shown_and_undone_and_names_later_edits() {
    let scenario = changed();
    scenario.write("n", "mine\n");
    scenario.write("other", "mine too\n");
    scenario.run(&["restore", "-", "-i", "1"]).exits(2).says(&["nobody can be asked", "--yes"]);
    assert_eq!(scenario.read("n"), "mine\n");
    let done = scenario.run(&["restore", "-", "-i", "1", "--yes"]).exits(0);
    done.prints(&["M n", "D new.2", "edited after the run, and overwritten:\n  n\n"]);
    assert_eq!(scenario.read("n"), "1\n");
    assert!(scenario.has("new.1") && !scenario.has("new.3"));
    scenario.run(&["restore", "--undo", "--yes"]).exits(0);
    assert_eq!((scenario.read("n"), scenario.read("other")), ("mine\n".to_owned(), "mine too\n".to_owned()));
    assert!(scenario.has("new.3"));
    scenario.run(&["restore", "-", "-i", "0", "old", "--yes"]).exits(0);
    assert_eq!(
        (scenario.read("old").as_str(), scenario.read("n").as_str()),
        ("three days of work\n", "mine\n")
    );
    scenario.run(&["restore", "-", "-i", "9", "--yes"]).exits(2).says(&["there is no snapshot"]);
    scenario.run(&["restore", "-", "-i", "0", "../x", "--yes"]).exits(2).says(&["cannot be restored"]);
}

#[test]
fn nothing_is_restored_while_a_run_works_in_the_folder() {
    let scenario = changed();
    let fifo = scenario.fifo("alive");
    let manifest = Manifest::new("echo here > alive; exec sleep 1000 > alive", "false");
    let running = scenario.start_manifest(&manifest);
    assert_eq!(fifo.line(), "here\n");
    scenario.run(&["restore", "-", "-i", "0", "--yes"]).exits(2).says(&["works in"]);
    assert_eq!(scenario.read("n"), "3\n");
    running.signal(rustix::process::Signal::TERM);
    running.finish();
}

#[test]
fn snapshots_can_be_off_and_are_never_in_themselves() {
    let scenario = Scenario::new();
    scenario.run_manifest(&three().set("snapshots", "off")).exits(1);
    assert!(!scenario.state().join("snapshots").exists());
    scenario.run(&["diff"]).exits(2).says(&["has no snapshots"]);
    // A state directory within the folder.
    let inner = scenario.path("state-here");
    scenario.write("n", "0\n");
    scenario.manifest(&three());
    RunningCommand::new(scenario.loop_command(&["run"]).env("LOOP_HOME", &inner)).finish().exits(1);
    let names = RunningCommand::new(scenario.loop_command(&["diff", "--names"]).env("LOOP_HOME", &inner));
    let names = names.finish().exits(0).stdout;
    assert!(names.contains("M n") && !names.contains("state-here"), "{names}");
}

#[test]
fn a_damaged_store_is_an_error_until_it_is_made_anew() {
    let scenario = changed();
    let store =
        fs::read_dir(scenario.state().join("snapshots")).expect("stores").flatten().next().expect("one");
    fs::write(store.path().join("format"), "something else").expect("a file");
    scenario.run_manifest(&three()).exits(1).says(&["takes no snapshots", "damaged", "loop snapshots reset"]);
    assert_eq!(scenario.run_manifest(&three()).stderr.matches("loop snapshots reset").count(), 1);
    let required = three().set("snapshots", "on");
    // In the line of the agent and in the reason.
    let refused = scenario.run_manifest(&required).exits(3).says(&["cannot be captured", "damaged"]);
    assert_eq!(refused.stderr.matches("loop snapshots reset").count(), 2, "{}", refused.stderr);
    scenario.run(&["snapshots", "reset", "--yes"]).exits(0);
    scenario.write("n", "0\n");
    scenario.run_manifest(&required).exits(1).says(&["changed"]);
    scenario.run(&["snapshots", "list"]).exits(0).prints(&["0..3"]);
    scenario.run(&["snapshots", "gc"]).exits(0).prints(&["now"]);
}

#[test]
fn a_run_without_its_goal_returns_to_its_best_step() {
    let scenario = Scenario::new();
    let scores = "case $(cat n) in 2) echo score: 9;; *) echo score: 4;; esac; false";
    let manifest = Manifest::new("echo $LOOP_ITERATION > n", scores).set("on_halt", "restore_best");
    let manifest = manifest.set("evaluator.score", serde_json::json!({ "pattern": r"score: (\d+)" }));
    scenario
        .run_manifest(&manifest)
        .exits(1)
        .says(&["the folder has the state after iteration 2 again", "(`loop diff 0..2`)"]);
    assert_eq!(scenario.read("n"), "2\n");
    scenario.run(&["show"]).exits(0).prints(&["9.00"]);
    let start = Manifest::new("echo $LOOP_ITERATION > n", "false").set("on_halt", "restore_start");
    let ran = scenario.run_manifest(&start).exits(1).says(&["the state before the first iteration again"]);
    assert!(!ran.stderr.contains("changed"), "{}", ran.stderr);
    assert_eq!(scenario.read("n"), "2\n");
}

#[test]
fn a_worse_step_is_undone_before_the_next_one() {
    let scenario = Scenario::new();
    scenario.write("n", "");
    let agent = "echo $LOOP_ITERATION >> n; test $LOOP_ITERATION != 2 || echo bad > bad";
    let check = "if test -e bad; then echo 1; else echo 5; fi; false";
    let manifest = Manifest::new(agent, check).set("on_regression", "restore");
    let manifest = manifest.set("evaluator.score", serde_json::json!({ "pattern": r"(\d+)" }));
    scenario.run_manifest(&manifest).exits(1).says(&["the score fell from 5 to 1"]);
    assert_eq!(scenario.read("n"), "1\n3\n");
    assert!(!scenario.has("bad"));
}

fn git(scenario: &Scenario, args: &[&str]) -> String {
    let identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"];
    let done = Command::new("git").args(identity).args(args).current_dir(scenario.path("")).output();
    let done = done.expect("git runs");
    assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).expect("text")
}

#[test]
fn a_run_is_handed_over_as_a_branch_or_a_patch() {
    let scenario = Scenario::new();
    scenario.write("old", "old\n");
    scenario.write("n", "0\n");
    git(&scenario, &["init", "-q"]);
    git(&scenario, &["config", "user.name", "Ann"]);
    git(&scenario, &["config", "user.email", "ann@example.org"]);
    git(&scenario, &["add", "."]);
    git(&scenario, &["commit", "-q", "-m", "first"]);
    scenario.run_manifest(&three()).exits(1);
    let status = git(&scenario, &["status", "--porcelain"]);
    // A program of the folder is not git.
    scenario.write("git", "#!/bin/sh\n: > hijacked\n");
    fs::set_permissions(scenario.path("git"), Permissions::from_mode(0o755)).expect("a mode");
    let mut apply = scenario.loop_command(&["apply", "--branch", "fixed"]);
    apply.env("PATH", format!(".:{}", env::var("PATH").expect("a path")));
    RunningCommand::new(&mut apply).finish().exits(0).says(&["the branch fixed has"]);
    fs::remove_file(scenario.path("git")).expect("a file");
    assert_eq!(git(&scenario, &["status", "--porcelain"]), status);
    assert_eq!(
        git(&scenario, &["diff", "--name-status", "HEAD", "fixed"]),
        "M\tn\nA\tnew.1\nA\tnew.2\nA\tnew.3\nD\told\n"
    );
    assert_eq!(git(&scenario, &["show", "fixed:n"]), "3\n");
    scenario.run(&["apply", "--branch", "fixed"]).exits(2).says(&["exists already"]);
    scenario.run(&["apply", "--patch", "run.patch"]).exits(0);
    git(&scenario, &["stash", "-q", "--include-untracked", "--", "n", "old", "new.1", "new.2", "new.3"]);
    git(&scenario, &["apply", "run.patch"]);
    assert_eq!(
        (scenario.read("n").as_str(), scenario.has("old"), scenario.has("new.3")),
        ("3\n", false, true)
    );
}

#[test]
fn a_score_at_a_pointer_is_better_if_it_is_lower() {
    let scenario = Scenario::new();
    let check = r#"echo measured; echo "{\"ms\": $(cat n)}"; false"#;
    let agent = "echo $(( ($LOOP_ITERATION - 2) * ($LOOP_ITERATION - 2) + 5 )) > n";
    let score = serde_json::json!({ "pointer": "/ms", "direction": "down" });
    let manifest = Manifest::new(agent, check).set("evaluator.score", score).set("on_halt", "restore_best");
    scenario.run_manifest(&manifest).exits(1).says(&["the state after iteration 2 again"]);
    assert_eq!(scenario.read("n"), "5\n");
}

#[test]
fn the_snapshots_of_a_run_go_with_it() {
    let scenario = changed();
    let listed = scenario.run(&["snapshots", "list"]).exits(0).stdout;
    let (run, _) = listed.split_once("  0..3  ").expect("a run with its snapshots");
    scenario.run(&["rm", run]).exits(0);
    assert_eq!(scenario.run(&["snapshots", "list"]).exits(0).stdout.trim(), "");
}

#[test]
fn a_task_captures_each_of_its_loops() {
    let scenario = Scenario::new();
    scenario.write("task.md", "Write hello.\n");
    let pending = r#"$([ $(cat hello) = 2 ] || echo '"a second line"')"#;
    let agent = "cat > /dev/null; echo $LOOP_ITERATION > hello";
    let review = format!("cat | ({})", reviewer(pending));
    scenario.run(&["task", "task.md", "--agent", agent, "--review-agent", &review]).exits(0);
    assert!(scenario.run(&["snapshots", "list"]).exits(0).stdout.contains("0..2"));
    let step = scenario.run(&["diff", "1..2", "hello"]).exits(0).stdout;
    assert!(step.ends_with("-1\n+2\n"), "{step}");
    scenario.run(&["restore", "-", "-i", "1", "hello", "--yes"]).exits(0);
    assert_eq!(scenario.read("hello"), "1\n");
}

#[test]
fn a_full_store_is_a_warning_and_has_room_again_for_the_next_run() {
    let scenario = Scenario::new();
    let large =
        Manifest::new("head -c 200000 /dev/urandom > large", "false").set("snapshots.max_bytes", 100_000);
    let full = scenario.run_manifest(&large).exits(1).says(&["more than `snapshots.max_bytes`", "changed"]);
    assert_eq!(full.stderr.matches("more than `snapshots.max_bytes`").count(), 1, "{}", full.stderr);
    assert!(!full.stderr.contains("takes no snapshots"), "{}", full.stderr);
    fs::remove_file(scenario.path("large")).expect("a file");
    let small = three().set("snapshots.max_bytes", 100_000);
    let next = scenario.run_manifest(&small).exits(1);
    assert!(!next.stderr.contains("max_bytes"), "{}", next.stderr);
    let listed = scenario.run(&["snapshots", "list"]).exits(0).stdout;
    assert_eq!(listed.lines().count(), 1, "{listed}");
}

#[test]
fn the_snapshots_of_a_run_that_turned_them_off_end_with_it() {
    let scenario = Scenario::new();
    scenario.write("n", "0\n");
    let stores = scenario.state().join("snapshots");
    // The captures after the first iteration and before the second fail; the store is good again at the end.
    let agent = "echo $LOOP_ITERATION > n; f=$(echo \"$STORES\"/*/format); \
                 case $LOOP_ITERATION in 1) cp $f keep; echo bad > $f;; 2) cp keep $f;; esac";
    let agent = agent.replace("$STORES", stores.to_str().expect("text"));
    let manifest = Manifest::new(&agent, "false").set("guardrails.max_iterations", 2);
    scenario.run_manifest(&manifest).exits(1).says(&["takes no snapshots"]);
    let ended = fs::read_dir(&stores).expect("stores").flatten().flat_map(|store| {
        fs::read_dir(store.path().join("runs")).expect("runs").flatten().map(|run| run.path().join("ended"))
    });
    assert_eq!(ended.map(|ended| ended.exists()).collect::<Vec<_>>(), [true]);
}

#[test]
fn paths_of_a_diff_and_of_a_restore_may_begin_with_a_dot() {
    let scenario = Scenario::new();
    scenario
        .run_manifest(&Manifest::new("mkdir -p src; echo $LOOP_ITERATION | tee n > src/a", "false"))
        .exits(1);
    let names = scenario.run(&["diff", "--names", "-", "./src"]).exits(0).stdout;
    assert_eq!(names, "A src/\nA src/a\n");
    assert_eq!(scenario.run(&["diff", "--names", "-", "."]).exits(0).stdout, "A n\nA src/\nA src/a\n");
    scenario.run(&["diff", "-", "/etc"]).exits(2).says(&["it does not name a file below the folder"]);
    scenario.run(&["restore", "-", "-i", "1", "./src/a", "--yes"]).exits(0);
    assert_eq!((scenario.read("src/a"), scenario.read("n")), ("1\n".to_owned(), "3\n".to_owned()));
}

#[test]
fn a_patch_refuses_bytes_that_it_cannot_have_and_names_what_it_lacks() {
    let scenario = Scenario::new();
    scenario.run_manifest(&Manifest::new(r"printf '\351\n' > latin; echo x > 'a b'", "false")).exits(1);
    scenario.run(&["apply", "--patch", "-"]).exits(2).says(&["latin cannot be part of a patch", "--branch"]);
    fs::remove_file(scenario.path("latin")).expect("a file");
    scenario.run_manifest(&Manifest::new("echo s > .env; echo y > 'a b'", "false")).exits(1);
    let patch = scenario.run(&["apply", "--patch", "-"]).exits(0);
    patch.says(&["the changes of .env are not part of it: its name belongs to a secret"]).prints(&["+y"]);
    scenario.run_manifest(&Manifest::new("echo t > .env", "false")).exits(1);
    scenario.run(&["apply", "--patch", "-"]).exits(2).says(&["changed no file whose content they have"]);
}

#[test]
fn names_that_direct_a_terminal_are_quoted_and_a_patch_restores_them() {
    let scenario = Scenario::new();
    let agent = r#"echo x > "$(printf 'n\351\033\342\200\256')""#;
    scenario.run_manifest(&Manifest::new(agent, "false")).exits(1);
    scenario.run(&["diff", "--names"]).exits(0).prints(&[r#"A "n\351\033\342\200\256""#]);
    scenario.run(&["apply", "--patch", "odd.patch"]).exits(0);
    let file = scenario.path("").join(OsStr::from_bytes(b"n\xe9\x1b\xe2\x80\xae"));
    fs::remove_file(&file).expect("the file of the agent");
    git(&scenario, &["init", "-q"]);
    git(&scenario, &["apply", "odd.patch"]);
    assert_eq!(fs::read(file).expect("the patch names it"), b"x\n");
}

#[test]
fn a_removed_folder_keeps_its_snapshots() {
    let scenario = changed();
    let id = scenario.record()["run_id"].as_str().expect("an id").to_owned();
    let moved = scenario.path("").parent().expect("a parent").join("moved");
    fs::rename(scenario.path(""), &moved).expect("a folder");
    let elsewhere =
        |args: &[&str]| RunningCommand::new(scenario.loop_command(args).current_dir("/")).finish();
    assert_eq!(elsewhere(&["diff", &id, "--names", "n"]).exits(0).stdout, "M n\n");
    elsewhere(&["show", &id]).exits(0).prints(&["5 files changed"]);
    elsewhere(&["rm", &id]).exits(0);
    fs::rename(&moved, scenario.path("")).expect("a folder");
    assert_eq!(scenario.run(&["snapshots", "list"]).exits(0).stdout.trim(), "");
}
