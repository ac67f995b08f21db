//! `[memory]`: how much of what earlier work taught reaches a model.
//!
//! `memory` is also a key of manifests, with other keys. So a `loop.toml` that is both has one table for both, and each
//! reader takes its own keys.

use loop_knowledge::recall::{BUDGET_SHARE, TOP_K, UNKNOWN_WINDOW_TOKENS};
use serde_json::{Value, json};

use super::table::{SettingsOwner, SettingsTable};
use crate::{
    document::{Node, ObjectEntry, Value as Tree},
    keys,
};

/// The keys of the table.
pub(super) const KEYS: &[&str] =
    &["enabled", "top_k", "budget_pct", "inject_on_start", "mine_at_end", "notes", "auto_accept", "embedder"];

/// The most experiences that settings allow.
const MOST_EXPERIENCES: u64 = 1_000;

/// The values of the table.
#[derive(Debug, Clone, Default)]
pub struct MemorySettings {
    /// Whether models receive memories.
    pub enabled: Option<bool>,
    /// The most experiences that recall returns.
    pub top_k: Option<u64>,
    /// The part of a model's window that recall may fill, from 0 to 1.
    pub budget_pct: Option<f64>,
    /// Whether a session begins with what is known about its first prompt.
    pub inject_on_start: Option<bool>,
    /// Whether the model of a long session proposes memories when the session ends.
    pub mine_at_end: Option<bool>,
    /// Whether recall returns notes, too.
    pub notes: Option<bool>,
    /// Whether proposals become memories without a person's yes. Only the user sets it.
    pub auto_accept: bool,
    /// The name of the embedder of memories. Only the user sets it.
    pub embedder: Option<String>,
}

/// How memories are used in a folder.
///
/// # Default
/// Models receive memories, at most 5 experiences, within a quarter of their window. A session begins with them. Recall
/// leaves notes out. The model proposes memories at the end of a long session, and a person decides about each of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MemoryRules {
    /// Whether models receive memories.
    pub is_enabled: bool,
    /// The most experiences that recall returns.
    pub top_k: usize,
    /// The part of a model's window that recall may fill, from 0 to 1.
    pub budget_share: f64,
    /// Whether a session begins with what is known about its first prompt.
    pub injects_on_start: bool,
    /// Whether the model of a long session proposes memories when the session ends.
    pub mines_at_end: bool,
    /// Whether recall returns notes, too.
    pub has_notes: bool,
    /// Whether proposals become memories without a person's yes.
    pub accepts_all: bool,
}

impl Default for MemoryRules {
    fn default() -> Self {
        Self {
            is_enabled: true,
            top_k: TOP_K,
            budget_share: BUDGET_SHARE,
            injects_on_start: true,
            mines_at_end: true,
            has_notes: false,
            accepts_all: false,
        }
    }
}

impl MemoryRules {
    /// Returns the rules of the user, or narrower ones of the project.
    pub(super) fn of(user: &MemorySettings, project: &MemorySettings) -> Self {
        let default = Self::default();
        let on = |user: Option<bool>, project: Option<bool>, default| {
            user.unwrap_or(default) && project.unwrap_or(true)
        };
        let most = user.top_k.unwrap_or(TOP_K as u64);
        let share = user.budget_pct.unwrap_or(default.budget_share);
        Self {
            is_enabled: on(user.enabled, project.enabled, default.is_enabled),
            top_k: usize::try_from(project.top_k.unwrap_or(most).min(most)).unwrap_or(usize::MAX),
            budget_share: project.budget_pct.unwrap_or(share).min(share),
            injects_on_start: on(user.inject_on_start, project.inject_on_start, default.injects_on_start),
            mines_at_end: on(user.mine_at_end, project.mine_at_end, default.mines_at_end),
            has_notes: on(user.notes, project.notes, default.has_notes),
            accepts_all: user.auto_accept,
        }
    }

    /// Returns how many tokens recall may fill of a window with this many tokens. If the window is unknown, that is
    /// 512, or 0 if no part of it may be filled.
    ///
    /// ```
    /// use loop_manifest::settings::MemoryRules;
    ///
    /// assert_eq!(MemoryRules::default().budget(Some(8_192)), 2_048);
    /// assert_eq!(MemoryRules::default().budget(None), 512);
    /// assert_eq!(MemoryRules { budget_share: 0.0, ..MemoryRules::default() }.budget(None), 0);
    /// ```
    pub fn budget(&self, window: Option<u64>) -> u64 {
        match window {
            Some(window) => (window as f64 * self.budget_share) as u64,
            None if self.budget_share > 0.0 => UNKNOWN_WINDOW_TOKENS,
            None => 0,
        }
    }
}

pub(super) fn read(mut table: SettingsTable<'_>, owner: SettingsOwner) -> MemorySettings {
    let why = "a person has to see what a project's work proposes";
    table.refuse_in_project(&["auto_accept"], owner, why);
    table.refuse_in_project(&["embedder"], owner, "its server receives your memories");
    MemorySettings {
        enabled: table.flag("enabled").map(|flag| flag.value),
        top_k: table.number("top_k", MOST_EXPERIENCES).map(|number| number.value),
        budget_pct: table.share_of_one("budget_pct").map(|share| share.value),
        inject_on_start: table.flag("inject_on_start").map(|flag| flag.value),
        mine_at_end: table.flag("mine_at_end").map(|flag| flag.value),
        notes: table.flag("notes").map(|flag| flag.value),
        auto_accept: table.flag("auto_accept").is_some_and(|flag| flag.value),
        embedder: table.text("embedder", |name| Ok::<_, String>(name.to_owned())).map(|name| name.value),
    }
}

/// Takes the keys of a manifest's `memory` out of a project's table. Returns them, if there are any.
pub(super) fn of_manifest(entry: &mut ObjectEntry, owner: SettingsOwner) -> Option<ObjectEntry> {
    let Tree::Object(fields) = &mut entry.node.value else { return None };
    let is_of_manifest = |field: &mut ObjectEntry| {
        owner == SettingsOwner::Project && keys::of_object("memory").any(|key| key.name() == field.key)
    };
    let taken: Vec<_> = fields.extract_if(.., is_of_manifest).collect();
    let node = Node { value: Tree::Object(taken), ..entry.node.clone() };
    match &node.value {
        Tree::Object(taken) if taken.is_empty() => None,
        _ => Some(ObjectEntry { node, ..entry.clone() }),
    }
}

/// The JSON Schema of the keys that a project can have.
pub(super) fn schema() -> Value {
    let flag = |default: bool, description: &str| {
        json!({
            "type": "boolean",
            "default": default,
            "description": description,
        })
    };
    json!({
        "type": "object",
        "description": "How much of what earlier work taught reaches a model.",
        "additionalProperties": false,
        "properties": {
            "enabled": flag(true, "In `loop.toml`: whether models receive memories. A project can only turn it off."),
            "top_k": {
                "type": "integer",
                "minimum": 0,
                "maximum": MOST_EXPERIENCES,
                "default": TOP_K,
                "description": "In `loop.toml`: the most experiences that recall returns. A project can only lower it.",
            },
            "budget_pct": {
                "type": "number",
                "minimum": 0,
                "maximum": 1,
                "default": BUDGET_SHARE,
                "description": "In `loop.toml`: the part of a model's window that recall may fill in a session, from 0 to \
                    1. A project can only lower it.",
            },
            "inject_on_start": flag(true, "In `loop.toml`: whether a session begins with what is known about its first \
                prompt. A project can only turn it off."),
            "mine_at_end": flag(true, "In `loop.toml`: whether the model of a session with ten turns or more proposes \
                memories when the session ends. A project can only turn it off."),
            "notes": flag(false, "In `loop.toml`: whether recall returns notes, too. A project can only turn it off."),
        },
    })
}
