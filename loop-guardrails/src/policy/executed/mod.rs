//! Recognises manifests, task files and price tables by their content.
//!
//! `loop run ci.json` and `loop task fix.md` accept a file of any name. So the names in
//! [`instructions`](super::instructions) do not cover every file that a later command executes, and we have to check
//! the content.
//!
//! | file | recognised by |
//! | --- | --- |
//! | manifest, in JSON, YAML or TOML | the key `agent` at its top, beside `evaluator` or `guardrails`; or a key with a command, beside none that manifests do not have |
//! | task, in TOML | a list `user` in a table `chat` |
//! | task, in Markdown | a head between two lines `---` that has no other keys than `tools`, `model` and `checks` |
//! | price table of a manifest (`agent.prices`) | the key `usd_per_million_tokens` at its top |
//!
//! The name of the file does not matter: a link or a move can give the same content a name that `loop` executes. We
//! parse the text instead of searching it, since a key has many spellings (`"\u0061gent"`, `? agent`, `agent.prompt =
//! ""`). The parsers and their options accept everything that the loaders of manifests and tasks accept.
//!
//! A Markdown task without a head looks like any other text. Only the run that executes it knows that it is a task, and
//! guards it by its path: see [`ActionPolicy::asking_before`](super::ActionPolicy::asking_before).

mod markdown;
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
            .or_else(|| yaml::keys(&text).and_then(|keys| Self::of_keys(&keys)))
            .or_else(|| markdown::is_task(&text).then_some(Self::Task))
    }

    fn of_keys(keys: &[String]) -> Option<Self> {
        let has_prices = keys.iter().any(|key| key == PRICES);
        let prices = || has_prices.then_some(Self::Prices);
        is_manifest(keys.iter().map(String::as_str)).then_some(Self::Manifest).or_else(prices)
    }

    fn of_toml(text: &str) -> Option<Self> {
        let table = DeTable::parse(text).ok()?.into_inner();
        if is_manifest(table.keys().map(|key| key.get_ref().as_ref())) {
            return Some(Self::Manifest);
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
    "resume",
    "sandbox",
    "shell",
    "skills",
    "snapshots",
    "stagnation",
    "stop_condition",
    "vars",
];

/// The keys that can hold a command. With flags for the rest, one of them is enough for `loop run`.
const COMMAND_KEYS: [&str; 3] = ["agent", "evaluator", "on_finish"];

/// Returns whether an object with these keys is a manifest, a part of one that flags complete, or nearly one.
fn is_manifest<'k>(keys: impl Iterator<Item = &'k str>) -> bool {
    let keys: Vec<_> = keys.collect();
    let has = |key: &str| keys.contains(&key);
    let is_whole = has("agent") && (has("evaluator") || has("guardrails"));
    is_whole || COMMAND_KEYS.into_iter().any(has) && keys.iter().all(|key| MANIFEST_KEYS.contains(key))
}

impl fmt::Display for ExecutedFile {
    /// Completes the sentence "it is a manifest, which `loop run` executes".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Manifest => "a manifest, which `loop run` executes",
            Self::Task => "a task file, which `loop task` executes",
            Self::Prices => "a price table, by which `loop` counts money",
        })
    }
}
