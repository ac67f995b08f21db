//! `[models.NAME]`: models by names of their own.
//!
//! A server receives the whole conversation, and a key is money. So only the user's own file contains the addresses of
//! models and their keys. A project can name models, but cannot send anybody's key or files to a server of its
//! choosing.

use std::{collections::BTreeMap, ffi::OsStr};

use loop_guardrails::policy::environment::looks_secret;
use serde_json::{Value, json};

use super::table::{SettingsOwner, SettingsTable};
use crate::{
    Source,
    diagnostics::{Diagnostic, Span},
    document::{self, Node, ObjectEntry},
    mismatch::{self, ExpectedValue},
    names::{HistoryShare, ToolMode, VendorModel},
};

/// The keys of one model.
const KEYS: &[&str] = &[
    "model",
    "base_url",
    "server",
    "key_env",
    "tool_mode",
    "tools_in_text",
    "tools",
    "context_tokens",
    "tags",
    "history",
];

/// Those of them that only the user's own file can have.
const OF_USER: [&str; 3] = ["base_url", "key_env", "server"];

/// A model with a name of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedModel {
    /// The vendor, and its name for the model.
    pub model: VendorModel,
    /// The address of its server; `None` is the vendor's own.
    pub base_url: Option<String>,
    /// The name of the server in `[servers]` that starts for it.
    pub server: Option<String>,
    /// The variable with its key. A server with a `base_url` never gets the vendor's key.
    pub key_env: Option<String>,
    /// How it gets tools.
    pub tool_mode: ToolMode,
    /// Whether it accepts tools. Without it, the server or the bundled table provides it.
    pub tools: Option<bool>,
    /// The size of its context, in tokens. Without it, the server or the bundled table provides it.
    pub context_tokens: Option<u64>,
    /// The tags by which `@TAG` finds it.
    pub tags: Vec<String>,
    /// How much of the conversation it gets when it is asked once.
    pub history: Option<HistoryShare>,
}

impl NamedModel {
    /// Returns a model without a table: it uses its vendor's address and key.
    pub const fn plain(model: VendorModel) -> Self {
        Self {
            model,
            base_url: None,
            server: None,
            key_env: None,
            tool_mode: ToolMode::Auto,
            tools: None,
            context_tokens: None,
            tags: Vec::new(),
            history: None,
        }
    }
}

/// The models of the table, by name.
pub(super) fn read(
    node: &Node,
    source: &Source,
    owner: SettingsOwner,
    problems: &mut Vec<Diagnostic>,
) -> BTreeMap<String, NamedModel> {
    let document::Value::Object(entries) = &node.value else {
        problems.push(mismatch::report("models", ExpectedValue::Object, node, source.text()));
        return BTreeMap::new();
    };
    let mut models = BTreeMap::new();
    for ObjectEntry { key: name, key_span, node, .. } in entries {
        if name.is_empty() || name.contains([':', ' ']) {
            let finding = Diagnostic::error(format!("`{name}` cannot be a name for a model"));
            let label = "write it without spaces and `:`, which separates a vendor from a model";
            problems.push(finding.at(key_span.clone(), label));
            continue;
        }
        let table = SettingsTable::of(&format!("models.{name}"), KEYS, node, source, problems);
        if let Some(model) = table.and_then(|table| model(table, key_span, owner)) {
            models.insert(name.clone(), model);
        }
    }
    models
}

fn model(mut table: SettingsTable<'_>, name: &Span, owner: SettingsOwner) -> Option<NamedModel> {
    for key in OF_USER {
        if let Some(place) = table.place(key).filter(|_| owner == SettingsOwner::Project) {
            table.wrong(
                format!(
                    "`{key}` is only for a user's own settings: a project cannot choose who receives your \
                     conversation or key"
                ),
                place,
            );
        }
    }
    let model = table.text("model", str::parse);
    if table.place("model").is_none() {
        table.lacks(
            "model",
            "write its vendor and its name, such as `model = \"openai:qwen3\"`",
            name.clone(),
        );
    }
    let base_url = table.text("base_url", address).map(|url| url.value);
    let server = table.text("server", |name| Ok::<_, String>(name.to_owned())).map(|name| name.value);
    let key_env = table.text("key_env", key_variable).map(|variable| variable.value);
    let tool_mode = tool_mode(&mut table);
    let tools = table.flag("tools").map(|flag| flag.value);
    let context_tokens = table.count("context_tokens").map(|tokens| tokens.value);
    let tags = table.list("tags", tag).into_iter().map(|tag| tag.value).collect();
    let history = table.share("history").map(|share| share.value);
    Some(NamedModel {
        model: model?.value,
        base_url,
        server,
        key_env,
        tool_mode,
        tools,
        context_tokens,
        tags,
        history,
    })
}

/// `tools_in_text = true` is an older name of the mode `prose`.
fn tool_mode(table: &mut SettingsTable<'_>) -> ToolMode {
    let mode = table.text("tool_mode", str::parse).map(|mode| mode.value);
    let in_text = table.flag("tools_in_text").is_some_and(|flag| flag.value);
    match (mode, in_text) {
        (Some(mode), true) if mode != ToolMode::Prose => {
            if let Some(place) = table.place("tools_in_text") {
                table.wrong(
                    format!("`tools_in_text = true` contradicts `tool_mode = \"{mode}\"`: remove one"),
                    place,
                );
            }
            mode
        }
        (None, true) => ToolMode::Prose,
        (mode, _) => mode.unwrap_or_default(),
    }
}

fn tag(tag: &str) -> Result<String, String> {
    if tag.is_empty() || tag.contains([':', '@', ' ']) {
        return Err(format!("`{tag}` cannot be a tag: write it without spaces, `:` and `@`"));
    }
    Ok(tag.to_owned())
}

fn address(url: &str) -> Result<String, String> {
    let is_one =
        ["http://", "https://"].into_iter().any(|scheme| url.len() > scheme.len() && url.starts_with(scheme));
    if is_one {
        Ok(url.to_owned())
    } else {
        Err(format!("`{url}` is not an address: write it as `https://host/path`"))
    }
}

/// Parses the name of a key variable. It must look like a secret, because agents and commands see all other variables.
fn key_variable(name: &str) -> Result<String, String> {
    if looks_secret(OsStr::new(name), OsStr::new("")) {
        return Ok(name.to_owned());
    }
    Err(format!(
        "`{name}` is not named like a key, so every command would see it: name the variable so that it ends in \
         `_API_KEY` or `_TOKEN`"
    ))
}

/// The JSON Schema of the table in a project's file.
pub(super) fn schema() -> Value {
    json!({
        "type": "object",
        "description": "Your own names for models. Only the user's own settings can contain their addresses (`base_url`), \
            their servers (`server`) and the variables with their keys (`key_env`).",
        "additionalProperties": {
            "type": "object",
            "required": ["model"],
            "additionalProperties": false,
            "properties": {
                "model": {
                    "type": "string",
                    "minLength": 1,
                    "description": "Its vendor (openai, anthropic, gemini, ollama) and the vendor's name for it: `ollama:qwen3`.",
                },
                "tool_mode": {
                    "type": "string",
                    "enum": ToolMode::ALL.map(ToolMode::as_str),
                    "default": "auto",
                    "description": "How the model calls tools: through the interface of its server (`structured`), \
                        or as JSON in its text (`prose`). With `inject`, it has no tools but receives the files that \
                        a prompt names; with `none`, it has no tools. `auto` finds out which of the first two \
                        works.",
                },
                "tools_in_text": {
                    "type": "boolean",
                    "default": false,
                    "description": "`true` is an older name of `tool_mode = \"prose\"`.",
                },
                "tools": {
                    "type": "boolean",
                    "description": "Whether the model accepts tools. By default, loop uses what its server reports.",
                },
                "context_tokens": {
                    "type": "integer",
                    "minimum": 1,
                    "description": "The size of its context window, in tokens. By default, loop uses what its server \
                        reports, and for Ollama `OLLAMA_CONTEXT_LENGTH`, the `num_ctx` of the model file, or 32,768. \
                        Requests to Ollama ask for a window of this size. A session summarises older messages at \
                        80 % of it.",
                },
                "tags": {
                    "type": "array",
                    "items": { "type": "string" },
                    "description": "Tags: `@TAG TEXT` asks the first model that has the tag.",
                },
                "history": {
                    "description": "How much of the conversation the model gets when `@NAME TEXT` asks it once: `all`, `none`, or a number \
                        of messages. Default: all of it on this machine, and 10 messages elsewhere.",
                    "type": ["string", "integer"],
                    "minimum": 1,
                },
            },
        },
    })
}
