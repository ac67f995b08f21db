//! Facts in a manifest that loop only stores and prints.

use serde_json::{Value, json};

use crate::support::{Manifest, Scenario};

fn read(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn metadata_is_printed_by_check_and_stored_with_the_run() {
    let scenario = Scenario::new();
    let metadata =
        json!({ "category": "tests", "applies_to": ["rust", { "since": 1.85 }], "text": "{var.x}" });
    let manifest = Manifest::new("true", "true").set("metadata", metadata.clone());
    scenario.run_manifest(&manifest).exits(0);
    let checked = read(&scenario.run(&["check", "--json", "loop.json"]).exits(0).stdout);
    assert_eq!((&checked["metadata"], &checked["max_iterations"]), (&metadata, &json!(3)));
    assert_eq!((&checked["name"], &checked["is_complete"]), (&json!("loop"), &json!(true)));
    assert!(checked["description"].as_str().is_some_and(|text| text.contains("All is well")), "{checked}");
    scenario.write("loop.json", "{}");
    assert_eq!(read(&scenario.run(&["show", "--json"]).exits(0).stdout)["metadata"], metadata);
}

#[test]
fn metadata_may_be_missing_or_set_by_a_flag_and_is_always_an_object() {
    let scenario = Scenario::new();
    scenario.manifest(&Manifest::new("true", "true"));
    let checked = |args: &[&str]| {
        read(&scenario.run(&[&["check", "--json", "loop.json"], args].concat()).exits(0).stdout)
    };
    assert_eq!(checked(&[])["metadata"], json!({}));
    assert_eq!(checked(&["--set", "metadata.a.b=[1, x]"])["metadata"], json!({ "a": { "b": [1, "x"] } }));
    scenario
        .run(&["check", "loop.json", "--set", "metadata=3"])
        .exits(2)
        .says(&["`metadata` has to be an object"]);
    scenario
        .run(&["check", "loop.json", "--set", "metadata={a: {b: 1, b: 2}}"])
        .exits(2)
        .says(&["`b` appears here twice"]);
}

#[test]
fn a_date_stays_a_date_and_a_secret_is_hidden() {
    let scenario = Scenario::new();
    let secret = format!("ghp_{}", "a1B2".repeat(9));
    scenario.write(
        "loop.toml",
        format!(
            "goal = 'g'\nagent.command = 'true'\nevaluator.command = 'true'\nguardrails.max_iterations = 1\n\
             [metadata]\nreviewed = 2026-11-01\nkey = '{secret}'\n"
        ),
    );
    let checked = scenario.run(&["check", "--json", "loop.toml"]).exits(0);
    assert_eq!(read(&checked.stdout)["metadata"], json!({ "reviewed": "2026-11-01", "key": "[redacted]" }));
    scenario.run(&["run", "loop.toml"]).exits(0);
    let shown = scenario.run(&["show", "--json"]).exits(0).stdout;
    assert_eq!(read(&shown)["metadata"]["reviewed"], "2026-11-01");
    assert!(!shown.contains(&secret));
}
