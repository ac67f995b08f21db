//! Whole manifests: which are valid, which are refused and with which messages.

mod condition;
mod invalid;
mod judge;
mod laws;
mod review;
mod schema;
mod secrets;
mod toml;
mod valid;
mod warnings;

use std::path::Path;

use crate::{Diagnostics, LoadedPlan, Plan, Source};

/// A valid manifest, in YAML.
const YAML: &str = "\
goal: All tests pass
agent:
  command: claude -p
  prompt: |
    Reach this: {goal}
    The check says: {evaluator_output}
evaluator:
  command: cargo test
guardrails:
  max_iterations: 5
";

/// The same in JSON.
const JSON: &str = r#"{
  "goal": "All tests pass",
  "agent": {
    "command": "claude -p",
    "prompt": "Reach this: {goal}\nThe check says: {evaluator_output}\n"
  },
  "evaluator": { "command": "cargo test" },
  "guardrails": { "max_iterations": 5 }
}
"#;

/// The same in TOML.
const TOML: &str = r#"goal = "All tests pass"

[agent]
command = "claude -p"
prompt = """
Reach this: {goal}
The check says: {evaluator_output}
"""

[evaluator]
command = "cargo test"

[guardrails]
max_iterations = 5
"#;

/// Loads the manifest from a file with this name and these bytes.
fn load(file: &str, bytes: impl Into<Vec<u8>>) -> Result<LoadedPlan, Diagnostics> {
    Plan::of(Source::from_bytes(Path::new(file), bytes.into())?)
}

/// Returns the message for a manifest that must be refused.
fn refusal(file: &str, bytes: impl Into<Vec<u8>>) -> String {
    load(file, bytes).expect_err("this manifest has to be refused").to_string()
}

/// Returns [`YAML`] with `new` in place of `old`.
fn yaml(old: &str, new: &str) -> String {
    assert_eq!(YAML.matches(old).count(), 1, "`{old}` stands once in the manifest");
    YAML.replace(old, new)
}

/// Returns [`JSON`] with `new` in place of `old`.
fn json(old: &str, new: &str) -> String {
    assert_eq!(JSON.matches(old).count(), 1, "`{old}` stands once in the manifest");
    JSON.replace(old, new)
}

/// Compares with the snapshot `name`, which contains the manifest and the message.
fn check(name: &str, manifest: &str, said: &str) {
    insta::with_settings!({ description => manifest, prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, said);
    });
}

/// Checks that each of these manifests, in a file with this name, is refused as its snapshot says.
fn refused(file: &str, cases: &[(&str, String)]) {
    for (name, manifest) in cases {
        let said = refusal(file, manifest.as_str());
        schema::assert_refused(file, manifest, &said);
        check(name, manifest, &said);
    }
}
