//! `loop assay`: cases, models and runs.

use serde_json::{Value, json};

use loop_testing::{Answer, Call, Gate};
use rustix::process::Signal;

use crate::{
    model_server::ModelServer,
    support::{CommandResult, FOREVER, Manifest, RunningCommand, Scenario, wait_until},
    task::says,
};

pub(crate) const ASSAY: &[&str] = &["assay", "cases", "--model", "openai:scripted"];

/// A folder with one case of this text.
pub(crate) fn scenario(case: &str) -> Scenario {
    let scenario = Scenario::new();
    scenario.write("cases/greet.yaml", case);
    scenario
}

/// The lines of JSON on standard output.
pub(crate) fn results(result: &CommandResult) -> Vec<Value> {
    result.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

const GREET: &str = "\
prompt: 'Greet {the} world.'
checks:
- contains: hello
- not_contains: goodbye
- regex: '(?i)wor.d'
- command: grep -q hello \"$LOOP_REPLY\"
";

#[test]
fn each_case_is_made_by_each_model_and_each_run_is_checked() {
    let scenario = scenario(GREET);
    scenario.write(
        "cases/other.json",
        json!({ "prompt": "Count.", "checks": [{ "contains": "3" }] }).to_string(),
    );
    let server = ModelServer::new(["hello world", "hello", "goodbye", "3", "1 2 3", "4"].map(says));
    let ran = server.run(&scenario, &[ASSAY, &["--runs", "3", "--json"]].concat()).exits(1);
    let found = results(&ran);
    let passed: Vec<_> = found.iter().map(|line| (line["case"].clone(), line["passed"].clone())).collect();
    assert_eq!(passed, [(json!("greet"), json!(1)), (json!("other"), json!(2))]);
    assert_eq!(found[0]["model"], "openai:scripted");
    assert_eq!(found[0]["failed"], 2);
    assert_eq!(found[0]["notes"][0]["run"], 2);
    assert_eq!(found[0]["notes"][0]["why"], "nothing in the reply matches /(?i)wor.d/");
    let ran = ran.says(&[
        "greet, openai:scripted, run 1 of 3: passed",
        "run 3 of 3: failed: the reply lacks `hello`; ",
    ]);
    ran.says(&["`command` did not pass"]);
    let prompt = server.requests()[0].body["messages"].to_string();
    assert!(prompt.contains("Greet {the} world."), "{prompt}");
    assert!(!scenario.state().join("assays").read_dir().expect("a folder").any(|_| true));
}

#[test]
fn a_table_shows_passes_with_their_interval() {
    let scenario = scenario("prompt: Hi.\nchecks: [contains: hello]\n");
    let server = ModelServer::new(["hello"; 4].map(says));
    let ran = server.run(&scenario, &[ASSAY, &["--runs", "4", "--quiet"]].concat()).exits(0);
    let ran = ran.prints(&["greet  openai:scripted  4 of 4  51% to 100%"]);
    assert_eq!(ran.stderr, "");
}

#[test]
fn bad_cases_are_all_reported_before_anything_runs() {
    let scenario = scenario("promt: x\n");
    scenario.write(
        "cases/a.yaml",
        "prompt: x\nfolder: nowhere\nchecks: [{regex: '('}, {contain: x}, {json: {type: 5}}]\n",
    );
    scenario.write("cases/b.toml", "manifest = 'loop.json'\n");
    scenario.write("cases/loop.json", "{\"goal\": 5}");
    scenario.write("cases/c.json", "{");
    let server = ModelServer::new([]);
    server.run(&scenario, ASSAY).exits(2).says(&[
        "greet.yaml: unknown key `promt`: did you mean `prompt`?",
        "a.yaml: `folder`: there is no folder cases/nowhere",
        "a.yaml: check 1: `regex`: regex parse error",
        "a.yaml: check 2: unknown check `contain`: did you mean `contains`?",
        "a.yaml: check 3: `json` is not a JSON schema",
        "c.json: ",
    ]);
    for bad in ["cases/greet.yaml", "cases/a.yaml", "cases/c.json"] {
        std::fs::remove_file(scenario.path(bad)).expect("a file");
    }
    server.run(&scenario, ASSAY).exits(2).says(&["b.toml: ", "`goal`"]);
    std::fs::remove_file(scenario.path("cases/b.toml")).expect("a file");
    std::fs::remove_file(scenario.path("cases/loop.json")).expect("a file");
    server.run(&scenario, ASSAY).exits(2).says(&["cases: there is no case"]);
    assert!(server.requests().is_empty());
}

#[test]
fn a_run_that_cannot_be_made_is_neither_passed_nor_failed() {
    let scenario = scenario("prompt: Hi.\nchecks: [contains: hello]\n");
    let unauthorized = || Answer::status(401);
    let server = ModelServer::new([unauthorized(), says("hello")]);
    let ran = server.run(&scenario, &[ASSAY, &["--runs", "2", "--json"]].concat()).exits(3);
    let found = results(&ran);
    assert_eq!(
        (&found[0]["passed"], &found[0]["failed"], &found[0]["not_made"]),
        (&json!(1), &json!(0), &json!(1))
    );
    assert_eq!(found[0]["notes"][0]["outcome"], "not_made");
    let server = ModelServer::new([unauthorized()]);
    let ran = server.run(&scenario, &[ASSAY, &["--json"]].concat()).exits(3);
    assert_eq!(results(&ran)[0]["seconds"], Value::Null);
}

#[test]
fn the_schema_for_editors_accepts_what_the_command_accepts() {
    let printed = Scenario::new().run(&["schema", "--assay"]).exits(0).stdout;
    let schema: Value = serde_json::from_str(&printed).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let judge = json!({ "judge": { "criteria": ["It is polite"], "model": "openai:other" } });
    let checks = json!([
        { "contains": "a" }, { "not_contains": "b" }, { "regex": "c" }, { "json": { "type": "object" } },
        { "command": "true" }, judge, { "max_tokens": 9 }, { "max_seconds": 1.5 }, { "calls": ["read_file"] },
        { "not_calls": ["write_file"] },
    ]);
    let cases = [
        (json!({ "prompt": "x", "checks": checks, "system": "y", "tools": ["read_file"] }), true),
        (json!({ "manifest": "loop.yaml", "folder": "start" }), true),
        (json!({ "prompt": "x", "manifest": "loop.yaml", "checks": [] }), false),
        (json!({ "checks": [{ "contains": "a" }] }), false),
        (json!({ "promt": "x" }), false),
        (json!({ "prompt": "x", "checks": [{ "contain": "a" }] }), false),
    ];
    for (case, is_valid) in cases {
        assert_eq!(validator.is_valid(&case), is_valid, "{case}");
    }
}

/// A case that is a loop, with a folder to start from.
fn with_loop(agent: &str, check: &str) -> Scenario {
    let scenario = scenario("manifest: loops/fix.json\nfolder: start\n");
    let manifest = Manifest::new(agent, check).0.to_string();
    scenario.write("cases/loops/fix.json", manifest);
    scenario.write("cases/start/state", "broken\n");
    scenario
}

/// Why the first run did not pass.
pub(crate) fn why(result: &CommandResult) -> String {
    results(result)[0]["notes"][0]["why"].as_str().expect("a reason").to_owned()
}

#[test]
fn a_manifest_is_a_whole_loop_in_a_fresh_copy_of_its_folder() {
    let scenario = with_loop("echo x >> state", "test $(wc -l < state) = 3");
    let ran = scenario.run(&["assay", "cases", "--runs", "2", "--json"]).exits(0);
    let found = results(&ran);
    assert_eq!(found[0]["model"], "echo x >> state");
    assert_eq!(found[0]["iterations"], json!({ "median": 2.0, "p90": 2.0 }));
    assert_eq!(scenario.read("cases/start/state"), "broken\n");
    let scenario = with_loop("true", "false");
    let ran = scenario.run(&["assay", "cases", "--json"]).exits(1);
    assert!(why(&ran).starts_with("max_iterations"), "{}", ran.stdout);
}

#[test]
fn with_a_scripted_model_two_assays_print_the_same_bytes_and_a_page() {
    let scenario = scenario(GREET);
    let printed = || {
        let server = ModelServer::new(["hello world", "goodbye"].map(says));
        let args = [ASSAY, &["--runs", "2", "--json", "--html", "page.html"]].concat();
        server.run(&scenario, &args).exits(1).stdout
    };
    let first = printed();
    let page = scenario.read("page.html");
    assert!(
        page.starts_with("<!doctype html>") && page.contains("1 of 2") && page.contains("<svg"),
        "{page}"
    );
    let second = printed();
    // The whole seconds of a run depend on the machine.
    let untimed = |lines: &str| -> Vec<Value> {
        let without = |line: &str| {
            let mut line: Value = serde_json::from_str(line).expect("JSON");
            line["seconds"] = Value::Null;
            line
        };
        lines.lines().map(without).collect()
    };
    assert_eq!(untimed(&second), untimed(&first));
    assert!(second != first || scenario.read("page.html") == page);
}

#[test]
fn a_baseline_is_worse_only_if_the_difference_excludes_zero() {
    let scenario = scenario("prompt: Hi.\nchecks: [contains: hello]\n");
    let assay = |passes: usize, runs: usize, more: &[&str]| {
        let replies = (0..runs).map(|run| says(if run < passes { "hello" } else { "no" }));
        let runs = runs.to_string();
        ModelServer::new(replies).run(&scenario, &[ASSAY, &["--runs", &runs, "--json"], more].concat())
    };
    scenario.write("before.jsonl", assay(6, 6, &[]).exits(0).stdout);
    let compared = |passes: usize, code| {
        let ran = assay(passes, 6, &["--baseline", "before.jsonl", "--min-pass", "50%"]).exits(code);
        results(&ran)[0]["baseline"]["change"].clone()
    };
    assert_eq!(compared(5, 0), "unclear");
    assert_eq!(compared(0, 1), "worse");
    scenario.write("before.jsonl", "{}\n");
    assay(1, 1, &["--baseline", "before.jsonl"]).exits(2).says(&["before.jsonl:1 is no result of an assay"]);
}

#[test]
fn a_case_that_hangs_or_costs_more_than_its_share_is_cut() {
    let hangs = scenario("prompt: Hi.\nchecks: [max_seconds: 0.3]\n");
    let ran = hangs.run(&["assay", "cases", "--agent", FOREVER, "--json"]).exits(1);
    assert!(why(&ran).starts_with("time_exceeded"), "{}", ran.stdout);
    let spends = "echo '{\"cost_usd\": 3}' >> \"$LOOP_USAGE_FILE\"; sleep 1000 #";
    let scenario = with_loop(spends, "true");
    let ran = scenario.run(&["assay", "cases", "--runs", "2", "--budget", "4", "--json"]).exits(1);
    assert!(why(&ran).starts_with("budget_exceeded"), "{}", ran.stdout);
}

#[test]
fn calls_of_tools_are_checked_in_a_copy_of_the_folder() {
    let case = "\
prompt: Look.
tools: [list_files]
folder: start
checks:
- calls: [list_files]
- not_calls: [read_file]
";
    let scenario = scenario(case);
    scenario.write("cases/start/found.txt", "");
    let listing = Answer::calls([Call::new("c1", "list_files", ["{}"])]);
    let server = ModelServer::new([listing, says("done"), says("done")]);
    let ran = server.run(&scenario, &[ASSAY, &["--runs", "2", "--json"]].concat()).exits(1);
    let note = json!([{ "run": 2, "outcome": "failed", "why": "it did not call `list_files`" }]);
    assert_eq!(results(&ran)[0]["notes"], note);
    assert!(server.requests()[1].body["messages"].to_string().contains("found.txt"));
    let with_agent = scenario.run(&["assay", "cases", "--agent", "true"]).exits(2);
    with_agent.says(&["`system` and `tools` need a model, but the agent is a command"]);
}

#[test]
fn a_cancelled_assay_is_continued_by_the_same_command() {
    let scenario = scenario("prompt: Hi.\nchecks: [contains: hello]\n");
    let gate = Gate::new();
    let held = Answer::deltas(["hel", "lo"]).gated(&gate);
    let server = ModelServer::new([says("hello"), held, says("hello")]);
    let args = [ASSAY, &["--runs", "2", "--json"]].concat();
    let running = RunningCommand::new(&mut server.command(&scenario, &args));
    wait_until("the second request", || server.requests().len() == 2);
    running.signal(Signal::INT);
    running.finish().exits(130).says(&["the same command continues it"]);
    let ran = server.run(&scenario, &args).exits(0);
    assert_eq!(server.requests().len(), 3);
    // The run that was cut does not count.
    assert_eq!(results(&ran)[0]["iterations"], json!({ "median": 1.0, "p90": 1.0 }));
}
