//! `loop assay`: cases, models and runs.

use serde_json::{Value, json};

use crate::{
    model_server::ModelServer,
    support::{CommandResult, Scenario},
    task::says,
};

const ASSAY: &[&str] = &["assay", "cases", "--model", "openai:scripted"];

/// A folder with one case of this text.
fn scenario(case: &str) -> Scenario {
    let scenario = Scenario::new();
    scenario.write("cases/greet.yaml", case);
    scenario
}

/// The lines of JSON on standard output.
fn results(result: &CommandResult) -> Vec<Value> {
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
    let unauthorized = || loop_testing::Answer::status(401);
    let server = ModelServer::new([unauthorized(), says("hello")]);
    let ran = server.run(&scenario, &[ASSAY, &["--runs", "2", "--json"]].concat()).exits(0);
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
