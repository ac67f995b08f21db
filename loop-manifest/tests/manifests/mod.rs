//! Whole manifests: what is refused and in which words, what is taken, and what is never taken.

mod condition;
mod judge;
mod laws;
mod review;
mod right;
mod schema;
mod toml;
mod warned;
mod wrong;

use std::path::Path;

use crate::{Diagnostics, Loaded, Plan, Source};

/// A manifest that is right, in YAML.
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

/// The manifest that a file of this name holds, if it holds `bytes`.
fn load(file: &str, bytes: impl Into<Vec<u8>>) -> Result<Loaded, Diagnostics> {
    Plan::of(Source::from_bytes(Path::new(file), bytes.into())?)
}

/// What is said about a manifest that must not be taken.
fn refusal(file: &str, bytes: impl Into<Vec<u8>>) -> String {
    load(file, bytes).expect_err("this manifest has to be refused").to_string()
}

/// [`YAML`] with `new` in the place of `old`.
fn yaml(old: &str, new: &str) -> String {
    assert_eq!(YAML.matches(old).count(), 1, "`{old}` stands once in the manifest");
    YAML.replace(old, new)
}

/// [`JSON`] with `new` in the place of `old`.
fn json(old: &str, new: &str) -> String {
    assert_eq!(JSON.matches(old).count(), 1, "`{old}` stands once in the manifest");
    JSON.replace(old, new)
}

/// Compares with the snapshot `name`, which keeps the manifest beside what is said about it.
fn check(name: &str, manifest: &str, said: &str) {
    insta::with_settings!({ description => manifest, prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, said);
    });
}

/// Each of these manifests in a file of this name has to be refused, as its snapshot says.
fn refused(file: &str, cases: &[(&str, String)]) {
    for (name, manifest) in cases {
        let said = refusal(file, manifest.as_str());
        schema::assert_refused(file, manifest, &said);
        check(name, manifest, &said);
    }
}
