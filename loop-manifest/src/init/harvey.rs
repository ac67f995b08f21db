//! The settings of Harvey, an earlier program, as settings of loop.

use std::{fmt::Write as _, path::Path, time::Duration};

use loop_agents::tools::{MAX_OUTPUT_BYTES, MIN_OUTPUT_BYTES};
use loop_guardrails::policy::{Verb, command::CommandPrefix};

use crate::{
    diagnostics::{Diagnostic, Diagnostics},
    document::{self, Node, ObjectEntry, Value},
    duration,
    mismatch::{self, ExpectedValue},
    names::VendorModel,
    source::Source,
};

/// The settings of a `harvey.yaml`, sorted by where they belong now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HarveySettings {
    /// The text of the project's `loop.toml`; `None` if no setting belongs there.
    pub project: Option<String>,
    /// Lines for the `[policy]` of the user's own settings, because a project cannot allow more.
    pub user: Vec<String>,
    /// The settings without an equivalent, each with its path.
    pub without_equivalent: Vec<String>,
}

/// The vendor of a model without a backend.
const DEFAULT_BACKEND: &str = "ollama";

/// How long a command may run by default. A project can only shorten that.
const DEFAULT_TIMEOUT: Duration = Duration::from_mins(5);

/// The most rounds of tool calls that settings allow.
const MOST_ROUNDS: i128 = 10_000;

impl HarveySettings {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// Returns as many errors as one pass can find: the file cannot be read, is not YAML, or a known setting has a value of
    /// the wrong kind.
    pub fn read(path: &Path) -> Result<Self, Diagnostics> {
        let source = Source::open(path)?;
        let node = match document::parse(source.format(), source.text()) {
            Ok(node) => node,
            Err(problem) => return Err(source.report(vec![problem])),
        };
        let mut reader = Reader { text: source.text().to_owned(), ..Reader::default() };
        match &node.value {
            Value::Object(entries) => entries.iter().for_each(|entry| reader.entry("", entry)),
            value => {
                let finding = Diagnostic::error("the settings of Harvey are an object: keys with values");
                reader.problems.push(finding.at(node.span.clone(), mismatch::found(value)));
            }
        }
        if reader.problems.is_empty() { Ok(reader.settings()) } else { Err(source.report(reader.problems)) }
    }
}

/// Collects the settings.
#[derive(Debug, Default)]
struct Reader {
    text: String,
    policy: Vec<String>,
    permissions: Vec<String>,
    chat: Vec<String>,
    tools: Vec<String>,
    memory: Vec<String>,
    summary: Vec<String>,
    models: String,
    user: Vec<String>,
    others: Vec<String>,
    problems: Vec<Diagnostic>,
}

impl Reader {
    fn entry(&mut self, parent: &str, entry: &ObjectEntry) {
        let path = if parent.is_empty() { entry.key.clone() } else { format!("{parent}.{}", entry.key) };
        let node = &entry.node;
        match path.as_str() {
            "safe_mode" | "security.safe_mode" => self.safe_mode(&path, node),
            "allowed_commands" | "security.allowed_commands" => self.allowed(&path, node),
            "run_timeout" | "security.run_timeout" => self.run_timeout(&path, node),
            "permissions" | "security.permissions" => self.each(&path, node, Self::permission),
            "tools.max_tool_calls_per_turn" => self.rounds(&path, node),
            "auto_format" | "tools.auto_format" => {
                let line = self.copied("auto_format", &path, node);
                self.tools.extend(line);
            }
            "tools.max_output_bytes" => self.output_bytes(&path, node),
            "memory.enabled" | "memory.inject_on_start" | "memory.top_k" | "memory.budget_pct" => {
                let line = self.copied(&entry.key, &path, node);
                self.memory.extend(line);
            }
            "rolling_summary" | "memory.rolling_summary" => self.each(&path, node, Self::summary),
            "model_aliases" => self.each(&path, node, Self::model),
            _ => match &node.value {
                Value::Object(entries) if !entries.is_empty() => {
                    entries.iter().for_each(|inner| self.entry(&path, inner));
                }
                _ => self.others.push(path),
            },
        }
    }

    fn mismatch(&mut self, path: &str, expected: ExpectedValue, node: &Node) {
        self.problems.push(mismatch::report(path, expected, node, &self.text));
    }

    fn wrong(&mut self, title: String, node: &Node) {
        self.problems.push(Diagnostic::error(title).at(node.span.clone(), "this cannot be converted"));
    }

    fn each(&mut self, path: &str, node: &Node, read: fn(&mut Self, &str, &ObjectEntry)) {
        match &node.value {
            Value::Object(entries) => entries.iter().for_each(|entry| read(self, path, entry)),
            Value::Null => {}
            _ => self.mismatch(path, ExpectedValue::Object, node),
        }
    }

    fn texts(&mut self, path: &str, node: &Node) -> Vec<String> {
        let Value::List(nodes) = &node.value else {
            self.mismatch(path, ExpectedValue::Texts, node);
            return Vec::new();
        };
        let mut texts = Vec::new();
        for node in nodes {
            match &node.value {
                Value::Text(text) => texts.push(text.clone()),
                _ => self.mismatch(path, ExpectedValue::Text, node),
            }
        }
        texts
    }

    fn safe_mode(&mut self, path: &str, node: &Node) {
        match node.value {
            Value::Bool(true) => self.policy.push("safe_mode = true".to_owned()),
            Value::Bool(false) => self.user.push("safe_mode = false".to_owned()),
            _ => self.mismatch(path, ExpectedValue::Flag, node),
        }
    }

    fn allowed(&mut self, path: &str, node: &Node) {
        let commands = self.texts(path, node);
        for command in &commands {
            if let Err(error) = command.parse::<CommandPrefix>() {
                self.wrong(format!("`{path}`: {error}"), node);
            }
        }
        if !commands.is_empty() {
            self.user.push(format!("allow = {}", list(&commands)));
        }
    }

    fn run_timeout(&mut self, path: &str, node: &Node) {
        match &node.value {
            Value::Text(text) => match duration::parse(text) {
                Ok(time) if !time.is_zero() => {
                    let line = format!("command_seconds = {}", quoted(text.trim()));
                    if time > DEFAULT_TIMEOUT { self.user.push(line) } else { self.policy.push(line) }
                }
                _ => self.mismatch(path, ExpectedValue::Time, node),
            },
            _ => self.mismatch(path, ExpectedValue::Time, node),
        }
    }

    fn permission(&mut self, path: &str, entry: &ObjectEntry) {
        let verbs = self.texts(&format!("{path}.{}", entry.key), &entry.node);
        for verb in &verbs {
            if let Err(error) = verb.parse::<Verb>() {
                self.wrong(format!("`{path}.{}`: {error}", entry.key), &entry.node);
            }
        }
        let folder = Some(entry.key.trim_end_matches('/')).filter(|folder| !folder.is_empty()).unwrap_or(".");
        let key = format!("{} = ", quoted(folder));
        if self.permissions.iter().any(|line| line.starts_with(&key)) {
            self.wrong(format!("`{path}` names the folder `{folder}` twice"), &entry.node);
        }
        self.permissions.push(key + &list(&verbs));
    }

    fn rounds(&mut self, path: &str, node: &Node) {
        match node.value {
            // There, 0 means that the setting is not set.
            Value::Whole(0) => {}
            Value::Whole(rounds) if (1..=MOST_ROUNDS).contains(&rounds) => {
                self.chat.push(format!("rounds = {rounds}"));
            }
            Value::Whole(_) => self.wrong(format!("`{path}` has to be from 1 to {MOST_ROUNDS}"), node),
            _ => self.mismatch(path, ExpectedValue::Whole, node),
        }
    }

    /// Returns the line of a flag or a number above 0. There, 0 means that the setting is not set.
    fn copied(&mut self, key: &str, path: &str, node: &Node) -> Option<String> {
        match node.value {
            Value::Bool(flag) => Some(format!("{key} = {flag}")),
            Value::Whole(number) => (number != 0).then(|| format!("{key} = {number}")),
            Value::Decimal(number) => (number != 0.0).then(|| format!("{key} = {number:?}")),
            _ => {
                self.mismatch(path, ExpectedValue::Number, node);
                None
            }
        }
    }

    fn output_bytes(&mut self, path: &str, node: &Node) {
        match node.value {
            Value::Whole(bytes)
                if !(MIN_OUTPUT_BYTES as i128..=MAX_OUTPUT_BYTES as i128).contains(&bytes) =>
            {
                let bounds = format!("{MIN_OUTPUT_BYTES} to {MAX_OUTPUT_BYTES}");
                self.others.push(format!("{path} (`output_bytes` is from {bounds})"));
            }
            _ => {
                let line = self.copied("output_bytes", path, node);
                self.tools.extend(line);
            }
        }
    }

    /// A share or a percentage is when older messages are summarised, and another number is how many stay.
    fn summary(&mut self, path: &str, entry: &ObjectEntry) {
        let path = format!("{path}.{}", entry.key);
        let line = match entry.node.value {
            Value::Bool(true) => None,
            Value::Bool(false) => Some("at = 0".to_owned()),
            Value::Whole(percent) if entry.key.ends_with("pct") && (2..=100).contains(&percent) => {
                Some(format!("at = {:?}", percent as f64 / 100.0))
            }
            Value::Whole(_) if entry.key.ends_with("pct") => {
                self.mismatch(&path, ExpectedValue::Number, &entry.node);
                None
            }
            Value::Decimal(_) => self.copied("at", &path, &entry.node),
            _ => self.copied("keep", &path, &entry.node),
        };
        self.summary.extend(line);
    }

    /// A model is a name, or an object with a backend and tags.
    fn model(&mut self, path: &str, entry: &ObjectEntry) {
        let path = format!("{path}.{}", entry.key);
        let (mut name, mut backend, mut tags) = (None, DEFAULT_BACKEND.to_owned(), Vec::new());
        match &entry.node.value {
            Value::Text(text) => name = Some(text.clone()),
            Value::Object(entries) => {
                for inner in entries {
                    let inner_path = format!("{path}.{}", inner.key);
                    match (inner.key.as_str(), &inner.node.value) {
                        ("model" | "name", Value::Text(text)) => name = Some(text.clone()),
                        ("backend" | "provider", Value::Text(text)) => backend = text.to_lowercase(),
                        ("tags", _) => tags = self.texts(&inner_path, &inner.node),
                        ("model" | "name" | "backend" | "provider", _) => {
                            self.mismatch(&inner_path, ExpectedValue::Text, &inner.node);
                        }
                        _ => self.others.push(inner_path),
                    }
                }
            }
            _ => self.mismatch(&path, ExpectedValue::Text, &entry.node),
        }
        let Some(name) = name else { return self.others.push(path) };
        // `ollama:qwen3` names its backend, and `qwen3:8b` does not.
        let full = [name.clone(), format!("{backend}:{name}")];
        match full.iter().find(|name| name.contains(':') && name.parse::<VendorModel>().is_ok()) {
            Some(model) => {
                let tags = if tags.is_empty() { String::new() } else { format!("tags = {}\n", list(&tags)) };
                let table = format!("\n[models.{}]\nmodel = {}\n{tags}", quoted(&entry.key), quoted(model));
                self.models.push_str(&table);
            }
            None => self.others.push(format!("{path} (no vendor that loop knows has `{name}`)")),
        }
    }

    fn settings(self) -> HarveySettings {
        let mut text = String::new();
        for (table, lines) in [
            ("policy", &self.policy),
            ("policy.permissions", &self.permissions),
            ("chat", &self.chat),
            ("tools", &self.tools),
            ("memory", &self.memory),
            ("summary", &self.summary),
        ] {
            if !lines.is_empty() {
                // Writing to a string does not fail.
                let _ = writeln!(text, "\n[{table}]\n{}", lines.join("\n"));
            }
        }
        text.push_str(&self.models);
        let project = (!text.is_empty())
            .then(|| format!("# The settings of Harvey, converted by `loop init --from`.\n{text}"));
        HarveySettings { project, user: self.user, without_equivalent: self.others }
    }
}

/// Quotes a text for TOML, whose basic strings take the escapes of JSON.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

fn list(texts: &[String]) -> String {
    format!("[{}]", texts.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(", "))
}
