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
    names::VendorModel,
};

/// The keys of one model.
const KEYS: &[&str] = &["model", "base_url", "key_env", "tools_in_text", "context_tokens"];

/// Those of them that only the user's own file can have.
const OF_USER: [&str; 2] = ["base_url", "key_env"];

/// A model with a name of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedModel {
    /// The vendor, and its name for the model.
    pub model: VendorModel,
    /// The address of its server; `None` is the vendor's own.
    pub base_url: Option<String>,
    /// The variable with its key. A server with a `base_url` never gets the vendor's key.
    pub key_env: Option<String>,
    /// True if it writes its tool calls into its text, because it knows no other way.
    pub tools_in_text: bool,
    /// The size of its context, in tokens. Nothing else provides this number: without it, the size is unknown.
    pub context_tokens: Option<u64>,
}

impl NamedModel {
    /// Returns a model without a table: it uses its vendor's address and key.
    pub const fn plain(model: VendorModel) -> Self {
        Self { model, base_url: None, key_env: None, tools_in_text: false, context_tokens: None }
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
    let key_env = table.text("key_env", key_variable).map(|variable| variable.value);
    let tools_in_text = table.flag("tools_in_text").is_some_and(|flag| flag.value);
    let context_tokens = table.count("context_tokens").map(|tokens| tokens.value);
    Some(NamedModel { model: model?.value, base_url, key_env, tools_in_text, context_tokens })
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
        "description": "Your own names for models. Only the user's own settings can contain their addresses (`base_url`) \
            and the variables with their keys (`key_env`).",
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
                "tools_in_text": {
                    "type": "boolean",
                    "default": false,
                    "description": "Whether the model has no tool calls of its own, and writes them into its text.",
                },
                "context_tokens": {
                    "type": "integer",
                    "minimum": 1,
                    "description": "The size of its context window, in tokens. A session summarises older messages at 80 % of it.",
                },
            },
        },
    })
}
