//! `parallel`: several loops at once, each in its own copy of the folder.

use std::fs;

use rustix::process::Signal;
use serde_json::json;

use crate::support::{FOREVER, Fifo, Manifest, Scenario};

/// Does this in the loop with the number `$lane`.
fn agent(does: &str) -> String {
    format!("lane=${{PWD##*/}}; {does}")
}

fn manifest(does: &str, check: &str) -> Manifest {
    Manifest::new(&agent(does), check).set("parallel", json!({ "n": 3 }))
}

/// Returns the names of the copies that are left.
fn copies(scenario: &Scenario) -> Vec<String> {
    let Ok(runs) = fs::read_dir(scenario.path("../home/.cache/loop/copies")) else { return Vec::new() };
    // Their journals are beside them.
    let runs = runs.map(|run| run.expect("a run").path()).filter(|run| run.extension().is_none());
    let copies = runs.flat_map(|run| fs::read_dir(run).expect("copies"));
    let mut names: Vec<_> =
        copies.map(|copy| copy.expect("a copy").file_name().into_string().expect("a name")).collect();
    names.sort();
    names
}

#[test]
fn the_first_loop_that_meets_the_goal_wins() {
    let scenario = Scenario::new();
    scenario.write(".git/HEAD", "ref: main\n");
    scenario.write("old", "old");
    scenario.write("removed", "old");
    let does =
        format!("[ $lane = 2 ] || {FOREVER}; cat log >> log 2>/dev/null; echo $lane >> log; rm -f removed");
    let manifest = manifest(&does, "test $(wc -l < log) -ge 2");
    let ran = scenario.run_manifest(&manifest).exits(0);
    ran.says(&["loop 2, iteration 1: check", "loop 2, iteration 2: check", "goal_met"]);
    assert_eq!((scenario.read("log"), scenario.read("old")), ("2\n2\n".to_owned(), "old".to_owned()));
    assert!(!scenario.has("removed"));
    assert_eq!(scenario.read(".git/HEAD"), "ref: main\n");
    assert_eq!(copies(&scenario), [""; 0]);
    let shown = scenario.run(&["show", "-i", "1"]).exits(0);
    shown.prints(&["loop 2 of 3 won", "loop 1     cancelled", "loop 2     met the goal after 2 iterations"]);
}

#[test]
fn the_best_score_wins() {
    let scenario = Scenario::new();
    let manifest = manifest("echo $lane > n", "echo score: $(cat n)")
        .set("parallel.pick", "best")
        .set("evaluator.score", json!({ "pattern": r"score: (\d+)", "direction": "down" }));
    scenario.run_manifest(&manifest).exits(0);
    assert_eq!(scenario.read("n"), "1\n");
    scenario.run_manifest(&manifest.set("evaluator.score.direction", "up")).exits(0);
    assert_eq!(scenario.read("n"), "3\n");
}

#[test]
fn the_loops_share_the_budget_of_the_run() {
    let scenario = Scenario::new();
    let does = format!("echo '{{\"cost_usd\": 0.4}}' >> \"$LOOP_USAGE_FILE\"; {FOREVER}");
    let manifest = manifest(&does, "true").set("guardrails.max_cost_usd", 1);
    scenario.run_manifest(&manifest).exits(1).says(&["budget_exceeded", "$1.20 spent"]);
    assert_eq!(scenario.record()["estimated_cost_usd"], 1.2);
}

#[test]
fn without_a_winner_the_work_of_each_loop_stays() {
    let scenario = Scenario::new();
    let manifest = manifest("echo $lane >> log", "false");
    scenario.run_manifest(&manifest).exits(1).says(&["max_iterations"]);
    assert!(!scenario.has("log"));
    assert_eq!(copies(&scenario), ["1", "2", "3"]);
    let shown = scenario.run(&["show", "-i", "1"]).exits(0);
    shown.prints(&["none of 3 loops won", "after 3 iterations", "home/.cache/loop/copies/"]);
}

/// The copies are all that is left of the work, so more iterations go on in them, as many as a person grants each loop.
#[test]
fn granted_iterations_continue_each_loop_in_its_copy() {
    let scenario = Scenario::new();
    let check = "test $(grep -c 'mind the gap' log) -ge 2";
    let manifest = Manifest::new(&agent("echo $lane {prompt} >> log"), check)
        .set("agent.prompt", "note: {guidance}")
        .set("parallel", json!({ "n": 2 }))
        .set("guardrails.max_iterations", 2);
    scenario.run_manifest(&manifest).exits(1).says(&["max_iterations"]);
    scenario.run(&["resume", "--add-iterations", "1", "--note", "mind the gap"]).exits(1);
    assert_eq!(copies(&scenario), ["1", "2"]);
    let ended = scenario.run(&["resume", "--add-iterations", "5", "--note", "mind the gap"]).exits(0);
    ended.says(&["iteration 4: check", "goal_met"]);
    let log = scenario.read("log");
    assert!(
        ["1", "2"].iter().any(|lane| {
            log == format!(
                "{lane} note: \n{lane} note: \n{lane} note: mind the gap\n{lane} note: mind the gap\n"
            )
        }),
        "{log}"
    );
    assert_eq!(copies(&scenario), [""; 0]);
}

#[test]
fn an_interrupted_run_leaves_the_folder_as_it_is_and_names_the_copies() {
    let scenario = Scenario::new();
    let begun = scenario.fifo("begun");
    let does = format!("echo $lane > n; echo $lane > '{}'; {FOREVER}", scenario.path("begun").display());
    let running = scenario.start_manifest(&manifest(&does, "true").set("parallel.pick", "best"));
    begun.line();
    running.signal(Signal::INT);
    running.finish().exits(130).says(&["the work of the loops is in", "copies/"]);
    assert!(!scenario.has("n"));
    assert_eq!(copies(&scenario), ["1", "2", "3"]);
}

/// Returns what makes an agent hang unless there is a file `again`, and the pipes to which the loops write before that.
fn hangs_once(scenario: &Scenario, count: usize) -> (String, Vec<Fifo>) {
    let begun = (1..=count).map(|lane| scenario.fifo(&format!("begun{lane}"))).collect();
    let (again, pipe) = (scenario.path("again"), scenario.path("begun"));
    let hangs =
        format!("[ -e '{}' ] || {{ echo x > '{}'$lane; {FOREVER}; }}", again.display(), pipe.display());
    (hangs, begun)
}

/// A run that is interrupted or dies continues in the copies: each loop knows its iterations and its work.
#[test]
fn loops_that_were_cut_off_continue_where_they_were() {
    for signal in [Signal::INT, Signal::KILL] {
        let scenario = Scenario::new();
        let (hangs, begun) = hangs_once(&scenario, 2);
        let does = format!("echo $lane >> log; [ $(wc -l < log) -lt 2 ] || {hangs}");
        let manifest = manifest(&does, "test $(wc -l < log) -ge 3").set("parallel.n", 2);
        let running = scenario.start_manifest(&manifest);
        // Both loops are in their second iteration.
        begun.iter().for_each(|begun| drop(begun.line()));
        running.signal(signal);
        running.killed();
        assert!(!scenario.has("log"));
        scenario.write("again", "");
        let resumed = scenario.run(&["resume"]).exits(0).says(&["goal_met"]);
        assert!(!resumed.stderr.contains("iteration 1: check"), "{}", resumed.stderr);
        let log = scenario.read("log");
        assert!(["1\n1\n1\n", "2\n2\n2\n"].contains(&&*log), "{log}");
        let left = fs::read_dir(scenario.path("../home/.cache/loop/copies")).expect("the folder").count();
        assert_eq!(left, 0, "after {signal:?}, the copies and the journals are deleted");
    }
}

#[test]
fn an_interrupted_pass_is_the_only_one_that_may_run_again() {
    let scenario = Scenario::new();
    let (hangs, begun) = hangs_once(&scenario, 3);
    let running = scenario.start_manifest(&manifest(&hangs, "false").set("guardrails.max_iterations", 2));
    begun.iter().for_each(|begun| drop(begun.line()));
    running.signal(Signal::INT);
    running.finish().exits(130);
    scenario.write("again", "");
    let resumed = scenario.run(&["resume"]).exits(1);
    resumed.says(&["max_iterations", "the loops have run, and the goal is not met", "iteration 2: "]);
    scenario.run(&["resume"]).exits(0).says(&["no unfinished run", "ended as max_iterations"]);
}

#[test]
fn what_a_person_changed_meanwhile_is_not_overwritten() {
    let scenario = Scenario::new();
    scenario.write("notes", "old");
    let person = format!("echo mine > '{}'", scenario.path("notes").display());
    let manifest = manifest(&format!("echo $lane > notes; {person}"), "true");
    let ran = scenario.run_manifest(&manifest).exits(3);
    ran.says(&["the result of loop", "stays in", "nothing was handed back: notes changed in both"]);
    assert_eq!(scenario.read("notes"), "mine\n");
    assert_eq!(copies(&scenario), ["1", "2", "3"]);
}

/// The person takes over what the loop wrote, and the next attempt puts the rest into the folder.
#[test]
fn a_solved_conflict_is_handed_back_on_resume() {
    let scenario = Scenario::new();
    let person = format!("echo mine > '{}'", scenario.path("notes").display());
    let does = format!("[ $lane = 2 ] || {FOREVER}; echo theirs > notes; echo new > other; {person}");
    scenario.run_manifest(&manifest(&does, "test -e other")).exits(3);
    let run = scenario.record()["run_id"].as_str().expect("a run").to_owned();
    scenario.run(&["resume", &run]).exits(3).says(&["notes changed in both"]);
    scenario.write("notes", "theirs\n");
    scenario.run(&["resume", &run]).exits(0).says(&["goal_met"]);
    assert_eq!((scenario.read("notes"), scenario.read("other")), ("theirs\n".into(), "new\n".into()));
    assert_eq!(copies(&scenario), [""; 0]);
}

#[test]
fn what_several_loops_cannot_do_is_refused() {
    let scenario = Scenario::new();
    let manifest = manifest("true", "true").set("guardrails.hitl_checkpoint", true).set("parallel.n", 1);
    scenario.run_manifest(&manifest).exits(2).says(&[
        "several loops cannot ask at `guardrails.hitl_checkpoint`",
        "`parallel.n` has to be from 2 to 64",
    ]);
}

/// The commits of all loops would go to the one repository, whichever of them wins.
#[test]
fn a_work_tree_of_a_repository_elsewhere_is_refused() {
    let scenario = Scenario::new();
    scenario.write("../elsewhere/HEAD", "ref: refs/heads/main\n");
    scenario.write(".git", format!("gitdir: {}\n", scenario.path("../elsewhere").display()));
    let ran = scenario.run_manifest(&manifest("touch done", "test -e done"));
    ran.exits(2).says(&["`parallel` cannot work in", "which all copies would share", "Run it in a clone"]);
    assert!(!scenario.has("done"));
}
