//! The expected behaviour of a declarative loop manifest, as data that also applies to other implementations
//! (`tests/fixtures/manifest_cases.json`).
//!
//! Each key of a case's `given` describes the manifest, and each key of its `expect` describes the result. An unknown
//! key fails the test, so that no case is skipped.

use serde_json::{Value, json};

use crate::{
    support::{CommandResult, Manifest, Scenario},
    terminal::Terminal,
};

/// Features that this version lacks: files that an agent must not change.
const NOT_YET: [&str; 1] = ["bob-evaluator-tamper"];

#[test]
#[expect(clippy::print_stdout, reason = "the last id in a failure's output is that of the case")]
fn every_case_holds_but_those_that_come_later() {
    let data: Value = serde_json::from_str(include_str!("../fixtures/manifest_cases.json")).unwrap();
    let mut later = Vec::new();
    for case in data["cases"].as_array().unwrap() {
        let id = case["id"].as_str().unwrap();
        if NOT_YET.contains(&id) {
            later.push(id);
            continue;
        }
        println!("{id}");
        CaseResult::of(case).holds(&case["expect"]);
    }
    assert_eq!(later, NOT_YET);
}

/// The result of a case.
struct CaseResult {
    scenario: Scenario,
    ran: CommandResult,
    manifest: Manifest,
}

impl CaseResult {
    fn of(case: &Value) -> Self {
        let given = case["given"].as_object().expect("an object");
        let mut manifest = Manifest::new("true", "true");
        for (key, value) in given {
            manifest = says(manifest, key, value);
        }
        let scenario = Scenario::new();
        scenario.write("a-case.json", serde_json::to_string_pretty(&manifest.0).expect("JSON"));
        let ran = match (text(&case["when"]), given.get("answer")) {
            ("validate", _) => scenario.run(&["check", "a-case.json"]),
            (_, Some(answer)) => {
                let mut terminal = Terminal::new(&scenario, &["run", "a-case.json"]);
                terminal.shows("type a note", 1);
                terminal.types(&format!("{}\n", text(answer)));
                terminal.finish()
            }
            (when, None) => {
                assert!(when.starts_with("run") || when.starts_with("read"), "when: {when}");
                scenario.run(&["run", "a-case.json"])
            }
        };
        Self { scenario, ran, manifest }
    }

    fn holds(&self, expect: &Value) {
        for (key, value) in expect.as_object().expect("an object") {
            self.expectation(key, value);
        }
    }

    fn expectation(&self, key: &str, value: &Value) {
        let Self { scenario, ran, .. } = self;
        match key {
            "valid" => assert_eq!(value, ran.code == 0, "{}", ran.stderr),
            "exit" => assert_eq!(value, ran.code, "{}", ran.stderr),
            // "defaults to the file name"
            "name" => assert!(ran.stdout.starts_with("a-case\n"), "{}", ran.stdout),
            "error_mentions" => {
                for part in list(value) {
                    assert!(ran.stderr.contains(text(part)), "{part}: {}", ran.stderr);
                }
            }
            "stdout" => assert_eq!(scenario.read("agent.stdout").trim(), text(value).trim()),
            // "closed/empty"
            "stdin" => assert_eq!(scenario.read("agent.stdin"), ""),
            "file_PWNED" => assert_eq!(value, scenario.has("PWNED")),
            "iterations" | "success" | "blockable" => assert_eq!(&scenario.record()[key], value),
            // The rest of the sentence is a remark.
            "stop_reason" => {
                let name = text(value).split(' ').next();
                assert_eq!(scenario.record()[key].as_str(), name);
            }
            "one_line_json_keys" => {
                let record = scenario.record();
                for name in list(value) {
                    assert!(record.get(text(name)).is_some(), "{name}: {record}");
                }
            }
            "before_spending" => self.refuses_or_says_unknown(),
            other => panic!("nobody knows what to expect by `{other}`"),
        }
    }

    /// A limit on an unreported cost: refused, or run with an unknown cost after the opt-in.
    fn refuses_or_says_unknown(&self) {
        assert_eq!(self.ran.code, 2);
        assert!(self.scenario.records().is_empty());
        let accepted = self.manifest.clone().set("guardrails.allow_unmetered", true);
        self.scenario.run_manifest(&accepted).exits(0).says(&["unknown"]);
        assert_eq!(self.scenario.record()["estimated_cost_usd"], Value::Null);
    }
}

/// Returns the manifest after applying one key of `given`.
fn says(manifest: Manifest, key: &str, value: &Value) -> Manifest {
    let limit = |name: &str| manifest.clone().set(&format!("guardrails.{name}"), value.clone());
    match key {
        "manifest" => Manifest(value.clone()),
        "manifest_extra" => {
            let extra = value.as_object().expect("an object").iter();
            extra.fold(manifest, |manifest, (key, value)| {
                manifest.set(&format!("guardrails.{key}"), value.clone())
            })
        }
        // Keep the agent's output, and the rest of its input.
        "command" => {
            let command = format!("{{ {}; }} > agent.stdout; cat > agent.stdin", text(value));
            manifest.set("agent.command", command)
        }
        "prompt" => manifest.set("agent.prompt", value.clone()),
        "prompt_bytes" => {
            let bytes = value.as_u64().and_then(|bytes| bytes.try_into().ok()).expect("a size");
            manifest.set("agent.prompt", "x".repeat(bytes))
        }
        "evaluator" => manifest.set("evaluator.command", value.clone()),
        "stop_condition" => manifest.set("stop_condition", value.clone()),
        "pattern" => manifest.set("stop_condition", json!({ "type": "output_matches", "pattern": value })),
        "max_iterations" | "max_cost_usd" => limit(key),
        // A question is asked only after an iteration that did not meet the goal.
        "hitl_checkpoint" => limit(key).set("evaluator.command", "false"),
        "iteration_cost_usd" => {
            let agent = format!("echo '{{\"cost_usd\": {value}}}' >> \"$LOOP_USAGE_FILE\"");
            manifest.set("agent.command", agent)
        }
        // The manifest's agent "prints no usage" already, and its check already leads to "goal met in 1 iteration". The
        // test types the answer.
        "agent" | "run" | "answer" => manifest,
        other => panic!("nobody knows what is given by `{other}`"),
    }
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}
