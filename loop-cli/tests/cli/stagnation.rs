//! `stagnation`: runs that no longer get anywhere.

use rustix::process::Signal;
use serde_json::json;

use crate::support::{Manifest, Scenario};

/// The output of the check is the same, apart from a time and the number of a process.
const CHECK: &str = "echo \"2 failed in 0.0${LOOP_ITERATION}s (pid $$)\"; false";

/// An agent that changes nothing and keeps its prompts elsewhere, with more iterations than are needed.
fn stuck(agent: &str) -> Manifest {
    Manifest::new(&format!("cat > ../prompt-$LOOP_ITERATION; {agent}"), CHECK)
        .set("guardrails.max_iterations", 12)
}

fn prompt(scenario: &Scenario, iteration: u64) -> String {
    scenario.read(&format!("../prompt-{iteration}"))
}

/// Runs the manifest. Returns its reason and its iterations.
fn end_in(scenario: &Scenario, manifest: &Manifest) -> (String, u64) {
    scenario.run_manifest(manifest).exits(1);
    let record = scenario.record();
    let reason = record["stop_reason"].as_str().expect("a reason");
    (reason.to_owned(), record["iterations"].as_u64().expect("a number"))
}

fn end(manifest: &Manifest) -> (String, u64) {
    end_in(&Scenario::new(), manifest)
}

fn halted_after(iterations: u64) -> (String, u64) {
    ("stagnated".to_owned(), iterations)
}

fn not_halted() -> (String, u64) {
    ("max_iterations".to_owned(), 12)
}

#[test]
fn an_agent_that_is_stuck_is_told_and_the_run_halts() {
    let scenario = Scenario::new();
    let ran = scenario.run_manifest(&stuck("true")).exits(1);
    ran.says(&[
        "the next prompt says: 5 iterations in a row left the same files",
        "stagnated",
        "8 iterations in a row left the same files and the same check output",
        "loop resume",
    ]);
    let record = scenario.record();
    assert_eq!((&record["stop_reason"], &record["iterations"]), (&json!("stagnated"), &json!(8)));
    assert!(!prompt(&scenario, 5).contains("in a row"), "{}", prompt(&scenario, 5));
    for (iteration, count) in [(6, 5), (7, 6), (8, 7)] {
        let told = format!("{count} iterations in a row left the same files");
        assert!(prompt(&scenario, iteration).contains(&told), "{}", prompt(&scenario, iteration));
    }
    assert!(prompt(&scenario, 6).contains("The run ends after 8 such iterations"));
    let shown = scenario.run(&["show", "-i", "6", "--prompt"]).exits(0);
    assert_eq!(shown.stdout, prompt(&scenario, 6));
}

#[test]
fn a_person_who_resumes_starts_the_count_anew() {
    let scenario = Scenario::new();
    scenario.run_manifest(&stuck("true").set("guardrails.max_iterations", 30)).exits(1);
    let id = scenario.record()["run_id"].as_str().expect("an id").to_owned();
    scenario.run(&["resume", &id]).exits(1).says(&["stagnated"]);
    assert_eq!(scenario.records()[1]["iterations"], 16);
    assert!(prompt(&scenario, 14).contains("5 iterations in a row"));
}

#[test]
fn a_killed_run_halts_where_it_would_have_halted() {
    let scenario = Scenario::new();
    let fifo = scenario.fifo("../fifo");
    let wait = "[ $LOOP_ITERATION != 6 ] || [ -e ../go ] || { exec 3>../fifo; echo up >&3; sleep 1000; }";
    let run = scenario.start_manifest(&stuck(wait));
    assert_eq!(fifo.line(), "up\n");
    run.signal(Signal::KILL);
    run.killed();
    scenario.write("../go", "");
    scenario.run(&["resume"]).exits(1).says(&["iteration 6 of 12, attempt 2", "stagnated"]);
    fifo.released();
    assert_eq!(scenario.record()["iterations"], 8);
    assert!(prompt(&scenario, 7).contains("6 iterations in a row"));
}

#[test]
fn a_pace_or_a_word_turns_it_off() {
    assert_eq!(end(&stuck("true").set("pace.every_seconds", 0.001)), not_halted());
    assert_eq!(end(&stuck("true").set("stagnation", "off")), not_halted());
    let chosen = stuck("true").set("pace.every_seconds", 0.001).set("stagnation.halt_after", 3);
    assert_eq!(end(&chosen), halted_after(3));
}

#[test]
fn changed_files_or_another_output_are_progress() {
    assert_eq!(end(&stuck("echo $LOOP_ITERATION > file")), not_halted());
    let counting = Manifest::new("true", "echo $LOOP_ITERATION of 100 rows; false");
    assert_eq!(end(&counting.set("guardrails.max_iterations", 12)), not_halted());
}

#[test]
fn without_snapshots_the_words_of_the_agent_count() {
    let without = |agent: &str| stuck(agent).set("snapshots", "off");
    assert_eq!(end(&without("echo I am done")), halted_after(8));
    assert_eq!(end(&without("echo I try $LOOP_ITERATION")), not_halted());
}

#[test]
fn the_same_protected_change_three_times_is_enough() {
    let sealed = |agent: &str| {
        let scenario = Scenario::new();
        scenario.write("check.sh", "test -e done\n");
        let manifest = Manifest::new(agent, "sh check.sh").set("evaluator.sealed", true);
        end_in(&scenario, &manifest.set("guardrails.max_iterations", 5))
    };
    assert_eq!(sealed("echo exit 0 > check.sh"), halted_after(3));
    let works = "echo exit 0 > check.sh; echo $LOOP_ITERATION > file";
    assert_eq!(sealed(works), ("max_iterations".to_owned(), 5));
}

#[test]
fn circles_and_scores_count_on_request() {
    let circle = stuck("echo $((LOOP_ITERATION % 2)) > file");
    assert_eq!(end(&circle), not_halted());
    assert_eq!(end(&circle.set("stagnation.oscillation_after", 4)), halted_after(6));
    let score = |agent: &str| {
        let check = "echo score=0.$(cat file); false";
        let score = Manifest::new(agent, check).set("evaluator.score.pattern", "score=(.*)");
        score
            .set("guardrails.max_iterations", 12)
            .set("stagnation.score", json!({ "gain": 0.01, "within": 3 }))
    };
    assert_eq!(end(&score("echo 500$LOOP_ITERATION > file")), halted_after(4));
    assert_eq!(end(&score("echo $((10 + 4 * LOOP_ITERATION)) > file")), not_halted());
}

#[test]
fn each_of_several_loops_halts_by_itself() {
    let scenario = Scenario::new();
    let agent = "echo I am done";
    let manifest = Manifest::new(agent, CHECK).set("guardrails.max_iterations", 12).set("parallel.n", 2);
    scenario.run_manifest(&manifest).exits(1);
    let shown = scenario.run(&["show", "-i", "1"]).exits(0).stdout;
    assert_eq!(shown.matches("stagnated").count(), 2, "{shown}");
}

#[test]
fn the_line_of_the_check_is_that_of_the_check() {
    let scenario = Scenario::new();
    let ran =
        scenario.run_manifest(&stuck("true").set("evaluator.command", "echo no answer yet; false")).exits(1);
    let lines: Vec<_> = ran.stderr.lines().filter(|line| line.trim_start().starts_with("check  ")).collect();
    assert_eq!(lines.len(), 8, "{}", ran.stderr);
    assert!(lines.iter().all(|line| line.ends_with("no answer yet")), "{}", ran.stderr);
    assert!(prompt(&scenario, 6).contains("[loop] 5 iterations in a row"), "{}", prompt(&scenario, 6));
}

#[test]
fn other_edits_of_a_protected_file_are_no_progress() {
    let scenario = Scenario::new();
    scenario.write("check.sh", "echo no; exit 1\n");
    let manifest = Manifest::new("echo \"# $LOOP_ITERATION\" > check.sh", "sh check.sh")
        .set("evaluator.sealed", true)
        .set("guardrails.max_iterations", 12);
    assert_eq!(end_in(&scenario, &manifest), halted_after(8));
}
