//! Recognises manifests, task files, cases, plans and price tables by their content.
//!
//! `loop run ci.json`, `loop task fix.md` and `loop plan run --file todo.md` accept a file of any name, and `loop assay`
//! a folder of any name. So the names in
//! [`instructions`](super::instructions) do not cover every file that a later command executes, and we have to check
//! the content.
//!
//! | file | recognised by |
//! | --- | --- |
//! | manifest, in JSON, YAML or TOML | the key `agent` at its top, beside `evaluator` or `guardrails`; or a key with a command, beside none that manifests do not have |
//! | task, in TOML | a list `user` in a table `chat` |
//! | task, in Markdown | a head between two lines `---` that has no other keys than `tools`, `model` and `checks` |
//! | case of an assay, in JSON, YAML or TOML | only keys of cases, among them `manifest`, or `prompt` and `checks` |
//! | plan that executes commands | a step with the annotation `[validate: command ...]` or `[validate: custom ...]` |
//! | price table of a manifest (`agent.prices`) | the key `usd_per_million_tokens` at its top |
//!
//! The name of the file does not matter: a link or a move can give the same content a name that `loop` executes. We
//! parse the text instead of searching it, since a key has many spellings (`"\u0061gent"`, `? agent`, `agent.prompt =
//! ""`). The parsers and their options accept everything that the loaders of manifests and tasks accept.
//!
//! A Markdown task without a head looks like any other text. Only the run that executes it knows that it is a task, and
//! guards it by its path: see [`ActionPolicy::asking_before`](super::ActionPolicy::asking_before).

mod markdown;
mod plan;
mod yaml;

#[cfg(test)]
mod tests;

use std::fmt;

use toml::de::{DeTable, DeValue};

/// The maximum size of a manifest in bytes. `loop` does not execute longer files.
pub(super) const MAX_BYTES: u64 = 16 << 20;

/// How `loop` uses a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExecutedFile {
    /// `loop run` executes it.
    Manifest,
    /// `loop task` executes it.
    Task,
    /// `loop assay` executes it.
    Case,
    /// `loop plan run` executes the commands in it.
    Plan,
    /// `loop` computes costs with it.
    Prices,
}

impl ExecutedFile {
    /// Recognises a manifest or a task file. Returns nothing for any other content.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        if bytes.len() as u64 > MAX_BYTES {
            return None;
        }
        let text = std::str::from_utf8(bytes).ok()?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
        Self::of_toml(&text)
            .or_else(|| yaml::keys(&text).and_then(|keys| Self::of_keys(keys.iter().map(String::as_str))))
            .or_else(|| markdown::is_task(&text).then_some(Self::Task))
            .or_else(|| plan::has_commands(&text).then_some(Self::Plan))
    }

    fn of_keys<'k>(keys: impl Iterator<Item = &'k str>) -> Option<Self> {
        let keys: Vec<_> = keys.collect();
        if is_manifest(&keys) {
            return Some(Self::Manifest);
        }
        let has_prices = || keys.contains(&PRICES).then_some(Self::Prices);
        is_case(&keys).then_some(Self::Case).or_else(has_prices)
    }

    fn of_toml(text: &str) -> Option<Self> {
        let table = DeTable::parse(text).ok()?.into_inner();
        if let Some(executed) = Self::of_keys(table.keys().map(|key| key.get_ref().as_ref())) {
            return Some(executed);
        }
        let DeValue::Table(chat) = table.get("chat")?.get_ref() else { return None };
        let is_list = chat.get("user").is_some_and(|user| matches!(user.get_ref(), DeValue::Array(_)));
        is_list.then_some(Self::Task)
    }
}

/// The key of a price table.
const PRICES: &str = "usd_per_million_tokens";

/// The keys at the top of a manifest. `loop run` refuses a file with others.
const MANIFEST_KEYS: &[&str] = &[
    "$schema",
    "agent",
    "chat",
    "check_first",
    "evaluator",
    "feedback",
    "goal",
    "guardrails",
    "limits",
    "memory",
    "metadata",
    "models",
    "name",
    "on_finish",
    "on_halt",
    "on_regression",
    "pace",
    "parallel",
    "policy",
    "rag",
    "reading",
    "resume",
    "sandbox",
    "shell",
    "skills",
    "snapshots",
    "stagnation",
    "stop_condition",
    "summary",
    "vars",
];

/// The keys that can hold a command. With flags for the rest, one of them is enough for `loop run`.
const COMMAND_KEYS: [&str; 3] = ["agent", "evaluator", "on_finish"];

/// Returns whether an object with these keys is a manifest, a part of one that flags complete, or nearly one.
fn is_manifest(keys: &[&str]) -> bool {
    let has = |key: &str| keys.contains(&key);
    let is_whole = has("agent") && (has("evaluator") || has("guardrails"));
    is_whole || COMMAND_KEYS.into_iter().any(has) && keys.iter().all(|key| MANIFEST_KEYS.contains(key))
}

/// The keys of a case. `loop assay` refuses a file with others.
const CASE_KEYS: &[&str] = &["checks", "folder", "manifest", "prompt", "system", "tools"];

/// Returns whether an object with these keys is a case. A case with a prompt needs checks, which can be commands.
fn is_case(keys: &[&str]) -> bool {
    let has = |key: &str| keys.contains(&key);
    (has("manifest") || has("prompt") && has("checks")) && keys.iter().all(|key| CASE_KEYS.contains(key))
}

impl fmt::Display for ExecutedFile {
    /// Completes the sentence "it is a manifest, which `loop run` executes".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Manifest => "a manifest, which `loop run` executes",
            Self::Task => "a task file, which `loop task` executes",
            Self::Case => "a case, which `loop assay` executes",
            Self::Plan => "a plan with commands, which `loop plan run` executes",
            Self::Prices => "a price table, by which `loop` counts money",
        })
    }
}
