//! The known models and their facts, for people and programs.

use std::{collections::BTreeMap, ffi::OsString, fmt::Write as _};

use loop_agents::facts::ModelFacts;
use loop_telemetry::words;
use serde::Serialize;

use super::{Model, ModelChoiceError, blocking, lookup::ServedModels, servers};
use crate::{context::ExecutionContext, settings::Settings};

/// A known model.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct ModelEntry {
    /// The name that chooses it.
    pub name: String,
    /// The protocol and the address of its server.
    pub backend: String,
    /// The window that `loop` budgets for it, in tokens.
    pub window: Option<u64>,
    /// How it gets tools.
    pub tool_mode: &'static str,
    /// Whether it is in the memory of its server, if the server reports that.
    pub loaded: Option<bool>,
    /// The facts about it.
    pub facts: ModelFacts,
}

impl Model {
    /// Describes the model, after it [learned](Self::learn) the facts.
    pub fn entry(&self) -> ModelEntry {
        self.entry_with(self.loaded().as_deref())
    }

    /// Asks the server for the names of the models in its memory.
    fn loaded(&self) -> Option<Vec<String>> {
        blocking::ask(self.server.endpoint().loaded()).ok().flatten().flatten()
    }

    fn entry_with(&self, loaded: Option<&[String]>) -> ModelEntry {
        let is_this = |name: &String| name == self.id() || name.strip_suffix(":latest") == Some(self.id());
        ModelEntry {
            name: self.asked().to_owned(),
            backend: format!("{} at {}", self.vendor_name(), self.address()),
            window: self.window(),
            tool_mode: self.tools_in_use().as_str(),
            loaded: loaded.map(|loaded| loaded.iter().any(is_this)),
            facts: self.facts().clone(),
        }
    }
}

impl ModelEntry {
    /// Returns all facts with their sources, one per line.
    pub fn lines(&self) -> String {
        let window = self.window.map_or_else(|| "unknown".to_owned(), |window| format!("{window} tokens"));
        let mut lines = format!(
            "{}\n  backend                {}\n  budgeted window        {window}\n  tool mode              {}\n",
            self.name, self.backend, self.tool_mode
        );
        if let Some(loaded) = self.loaded {
            // Writing to a string cannot fail.
            let _ = writeln!(lines, "  loaded                 {}", if loaded { "yes" } else { "no" });
        }
        for (name, value, source, at) in self.facts.lines() {
            let at = if at.is_empty() { String::new() } else { format!(", {at}") };
            let _ = writeln!(lines, "  {name:<22} {value}  ({source}{at})");
        }
        lines.trim_end().to_owned()
    }
}

/// Returns all known models: those of the settings, and those of the servers that answer.
///
/// # Errors
/// The asynchronous runtime cannot be started.
pub fn available(
    settings: &Settings,
    cx: &ExecutionContext,
    refresh: bool,
) -> Result<Vec<ModelEntry>, ModelChoiceError> {
    let layers = [&settings.user, &settings.project];
    let mut names: Vec<_> = layers.iter().flat_map(|layer| layer.tables.models.keys()).collect();
    names.sort();
    names.dedup();
    let named = names.into_iter().filter_map(|name| Model::choose(Some(name), settings, cx.variables()).ok());
    let served = ServedModels::ask(settings, cx.variables())?;
    let served = served.models.iter().filter_map(|model| Model::served(model, cx.variables()).ok());
    let models: Vec<_> = named.chain(served).map(|model| model.learn(cx, refresh)).collect();
    let mut loaded = BTreeMap::new();
    let entry = |model: &Model| {
        let names: &Option<_> = loaded.entry(model.address()).or_insert_with(|| model.loaded());
        model.entry_with(names.as_deref())
    };
    Ok(models.iter().map(entry).collect())
}

/// Returns the names of the models that the servers have, without blocking the executor.
pub async fn served_names(settings: &Settings, variables: &[(OsString, OsString)]) -> Vec<String> {
    let servers = servers::known(settings, variables);
    let asked = tokio::task::spawn_blocking(move || servers::served(&servers, "")).await;
    let served = asked.ok().and_then(Result::ok).unwrap_or_default();
    served.iter().map(servers::ServedModel::name).collect()
}

/// Returns a table of models for people.
pub fn models_table(entries: &[ModelEntry]) -> String {
    let known = |fact: Option<String>| fact.unwrap_or_else(|| "-".to_owned());
    let yes = |is: bool| if is { "yes" } else { "no" }.to_owned();
    let head = ["NAME", "BACKEND", "WINDOW", "TOOLS", "SIZE", "LOADED"].map(str::to_owned);
    let row = |entry: &ModelEntry| {
        let ModelFacts { tools, bytes, .. } = &entry.facts;
        [
            entry.name.clone(),
            entry.backend.clone(),
            known(entry.window.map(words::grouped)),
            known(tools.as_ref().map(|tools| yes(tools.value))),
            known(bytes.as_ref().map(|bytes| words::bytes(bytes.value))),
            known(entry.loaded.map(yes)),
        ]
    };
    let rows: Vec<_> = std::iter::once(head).chain(entries.iter().map(row)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<_> = (0..6).map(width).collect();
    let line = |row: &[String; 6]| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}
