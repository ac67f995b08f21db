//! `evaluator.sealed`: what it does with changed files, tests that did not run, and a run that is resumed. The tests in
//! `tests/cheats` have the table of attacks.

use std::fs;

use serde_json::json;

use crate::support::{Manifest, Scenario};

const CHECK: &str = "#!/bin/sh\ntest -e done\n";

/// A folder with a script that judges, and a manifest that seals it.
fn sealed(agent: &str) -> (Scenario, Manifest) {
    let scenario = Scenario::new();
    scenario.write("check.sh", CHECK);
    (scenario, Manifest::new(agent, "sh check.sh").set("evaluator.sealed", true))
}

/// Returns the names of the trees that are left.
fn trees(scenario: &Scenario) -> usize {
    fs::read_dir(scenario.path("../home/.cache/loop/copies")).map_or(0, Iterator::count)
}

#[test]
fn a_changed_check_is_put_back_and_the_agent_is_told() {
    let (scenario, manifest) = sealed("cat > prompt-$LOOP_ITERATION; echo exit 0 > check.sh");
    let ran = scenario.run_manifest(&manifest.set("guardrails.max_iterations", 2)).exits(1);
    ran.says(&[
        "iteration 1 changed protected files, and loop put them back: check.sh",
        "`evaluator.protect: [\"!check.sh\"]` allows it",
    ]);
    assert_eq!(scenario.read("check.sh"), CHECK);
    assert!(!scenario.read("prompt-1").contains("judge"));
    let told =
        "these files judge your work, so your changes to them do not count, and they were put back: check.sh";
    assert!(scenario.read("prompt-2").contains(told), "{}", scenario.read("prompt-2"));
    let diff = scenario.run(&["diff", "0..1", "check.sh"]).exits(0);
    diff.prints(&["+exit 0"]);
}

#[test]
fn a_success_with_a_changed_check_stays_a_success() {
    let (scenario, manifest) = sealed("touch done; rm check.sh");
    scenario.run_manifest(&manifest).exits(0).says(&["put them back: check.sh", "goal_met"]);
    assert_eq!(scenario.read("check.sh"), CHECK);
    assert_eq!(trees(&scenario), 0);
}

#[test]
fn a_changed_check_can_stay_or_end_the_run() {
    let (scenario, manifest) = sealed("echo exit 0 > check.sh");
    let keep =
        manifest.clone().set("evaluator.on_protected_change", "keep").set("guardrails.max_iterations", 1);
    scenario.run_manifest(&keep).exits(1).says(&["the check does not use that: check.sh"]);
    assert_eq!(scenario.read("check.sh"), "exit 0\n");
    scenario.write("check.sh", CHECK);
    let halt = manifest.set("evaluator.on_protected_change", "halt");
    scenario
        .run_manifest(&halt)
        .exits(1)
        .says(&["protected_path_changed", "iteration 1 changed protected files"]);
    assert_eq!(scenario.records()[1]["iterations"], 1);
}

#[test]
fn more_files_can_be_protected_and_others_excepted() {
    let (scenario, manifest) = sealed("echo 2 > golden/a; echo 'test -e golden/a' > check.sh");
    scenario.write("golden/a", "1\n");
    scenario.write("check.sh", "test $(cat golden/a) = 2\n");
    let excepted = manifest.clone().set("evaluator.protect", json!(["golden", "!golden/a"]));
    scenario.run_manifest(&excepted).exits(0);
    scenario.write("golden/a", "1\n");
    let protected = manifest.set("evaluator.protect", json!(["golden"])).set("guardrails.max_iterations", 1);
    scenario.run_manifest(&protected).exits(1).says(&["check.sh, golden/a"]);
    assert_eq!(scenario.read("golden/a"), "1\n");
}

#[test]
fn a_new_file_in_a_place_that_judges_stays_and_is_not_used() {
    let (scenario, manifest) = sealed("cat > prompt; mkdir -p tests; touch tests/new");
    scenario.write("check.sh", "test -e tests/new\n");
    scenario.run_manifest(&manifest.set("guardrails.max_iterations", 2)).exits(1);
    assert!(scenario.has("tests/new"));
    let told = "the sealed check does not use new files in places that judge: tests/new";
    assert!(scenario.read("prompt").contains(told), "{}", scenario.read("prompt"));
}

#[test]
fn a_check_that_runs_no_test_is_refused() {
    let scenario = Scenario::new();
    let manifest =
        Manifest::new("true", "printf 'running 0 tests\\n\\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\\n'").set("evaluator.sealed", true);
    scenario.run_manifest(&manifest).exits(3).says(&["passes although no test ran"]);
    assert_eq!(scenario.record()["iterations"], 0);
}

#[test]
fn a_check_that_needs_no_file_is_warned_of() {
    let warning = "the check also passes in an empty folder";
    for (check, is_warned) in [("true", true), ("test -e check.sh", false)] {
        let (scenario, manifest) = sealed("true");
        let ran = scenario.run_manifest(&manifest.set("evaluator.command", check)).exits(0);
        assert_eq!(ran.stderr.contains(warning), is_warned, "{}", ran.stderr);
    }
}

#[test]
fn fewer_tests_than_before_are_no_pass() {
    let scenario = Scenario::new();
    scenario.write("passed", "3");
    let check = "echo \"===== $(cat passed) passed in 0.12s =====\"; test -e done";
    let manifest = Manifest::new("cat > prompt; touch done; echo 2 > passed", check)
        .set("evaluator.sealed", true)
        .set("evaluator.protect", json!(["!passed"]))
        .set("guardrails.max_iterations", 2);
    scenario.run_manifest(&manifest).exits(1);
    let told = "the check exited with 0, but only 2 tests ran, and at least 3 tests must run";
    assert!(scenario.read("prompt").contains(told), "{}", scenario.read("prompt"));
    scenario.write("passed", "3");
    fs::remove_file(scenario.path("done")).expect("a file");
    scenario.run_manifest(&manifest.clone().set("evaluator.min_tests", 2)).exits(0);
    scenario.write("passed", "3");
    fs::remove_file(scenario.path("done")).expect("a file");
    scenario.run_manifest(&manifest.set("evaluator.min_tests", "off")).exits(0);
}

#[test]
fn what_no_snapshot_has_is_there_as_it_was() {
    let (scenario, manifest) = sealed("touch done; echo bad > node_modules/tool; echo bad > .env");
    scenario.write(".gitignore", "node_modules\n.env\n");
    scenario.write(".git/HEAD", "ref: refs/heads/main\n");
    scenario.write("node_modules/tool", "good\n");
    scenario.write(".env", "good\n");
    scenario.write(
        "check.sh",
        "grep -q good node_modules/tool && grep -q good .env && test -e .git/HEAD && test -e done\n",
    );
    scenario.run_manifest(&manifest).exits(0);
}

#[test]
fn nothing_of_one_check_reaches_the_next() {
    let (scenario, manifest) = sealed("touch done-$LOOP_ITERATION");
    scenario.write(
        "check.sh",
        "test -e done-2 && ! test -e left && exit 0; touch left; echo exit 0 > check.sh; exit 1\n",
    );
    scenario.run_manifest(&manifest).exits(0);
    assert_eq!(scenario.record()["iterations"], 2);
    assert!(!scenario.has("left"));
}

#[test]
fn a_resumed_run_has_the_same_check() {
    let (scenario, manifest) = sealed("echo exit 0 > check.sh; test ! -e ready || touch done");
    scenario.run_manifest(&manifest.set("guardrails.max_iterations", 1)).exits(1);
    assert_eq!(trees(&scenario), 1);
    scenario.write("ready", "");
    let resumed = scenario.run(&["resume", "--add-iterations", "1"]).exits(0);
    resumed.says(&["put them back: check.sh", "goal_met"]);
    assert_eq!(trees(&scenario), 0);
}

#[test]
fn a_resumed_run_whose_copies_changed_judges_nothing() {
    let (scenario, manifest) = sealed("touch done-$LOOP_ITERATION");
    scenario.write(".gitignore", "node_modules\n");
    scenario.write("node_modules/tool", "exit 1\n");
    scenario.write("check.sh", "sh node_modules/tool\n");
    scenario.run_manifest(&manifest.set("guardrails.max_iterations", 1)).exits(1);
    let copies = scenario.path("../home/.cache/loop/copies");
    let run = fs::read_dir(copies).expect("copies").next().expect("a run").expect("a folder").path();
    fs::write(run.join("apart/node_modules/tool"), "exit 0\n").expect("a file");
    let resumed = scenario.run(&["resume", "--add-iterations", "1"]).exits(3);
    resumed.says(&["the sealed check cannot judge", "is not as it was when it was copied"]);
    let id = scenario.records()[0]["run_id"].as_str().expect("an id").to_owned();
    scenario.run(&["rm", &id]).exits(0);
    assert_eq!(trees(&scenario), 0);
}

#[test]
fn a_pass_is_confirmed_before_it_counts() {
    let scenario = Scenario::new();
    scenario.write("n", "");
    let manifest = Manifest::new("true", "echo x >> n; test $(wc -l < n) -ge 2 && test $(wc -l < n) -ne 4")
        .set("evaluator.confirm", 3)
        .set("guardrails.max_iterations", 3);
    scenario.run_manifest(&manifest).exits(0);
    assert_eq!(scenario.read("n").lines().count(), 7);
    assert_eq!(scenario.record()["iterations"], 3);
}

#[test]
fn the_protected_part_of_a_document_is_put_back_and_the_rest_stays() {
    let scenario = Scenario::new();
    scenario.write(
        "package.json",
        "{\n    \"name\": \"app\",\n    \"scripts\": { \"test\": \"test -e done\" }\n}\n",
    );
    let agent =
        "sed -i 's/test -e done/true/; s/\"name\"/\"version\": \"2\", \"name\"/' package.json; touch made";
    let manifest = Manifest::new(agent, "npm test || test -e done")
        .set("evaluator.sealed", true)
        .set("evaluator.min_tests", "off")
        .set("guardrails.max_iterations", 1);
    let ran = scenario.run_manifest(&manifest).exits(1);
    ran.says(&["changed what configures tests, and loop put that back in `package.json`"]);
    let expected = "{\n    \"version\": \"2\",\n    \"name\": \"app\",\n    \"scripts\": {\n        \"test\": \"test -e done\"\n    }\n}\n";
    assert_eq!(scenario.read("package.json"), expected);
    assert!(scenario.has("made"));
    assert!(!scenario.has(".package.json.loop"));
}

#[test]
fn a_file_whose_name_is_a_word_of_the_usual_prompt_judges_too() {
    let scenario = Scenario::new();
    scenario.write("state", "open\n");
    scenario.write("rules", "s/done/yes/p\n");
    let manifest = json!({
        "goal": "It is done",
        "agent": { "command": "echo 's/open/yes/p' > rules" },
        "evaluator": { "command": "sed -n -f rules state | grep -q yes", "sealed": true },
        "guardrails": { "max_iterations": 1 },
    });
    scenario.write("loop.json", manifest.to_string());
    scenario.run(&["run", "loop.json"]).exits(1).says(&["loop put them back: rules"]);
}
