//! The file of a case, as a person writes it.

use std::{fs::File, io::Read, path::Path};

use loop_agents::output::unique_json;
use loop_manifest::{Format, closest};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// The maximum size of a case. A larger file was named by mistake.
const MAX_BYTES: u64 = 1 << 20;

/// A case of `loop assay`: a prompt or a manifest, and the checks of what comes of it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CaseFile {
    /// The prompt that a model or an agent answers. A case has either this or `manifest`.
    pub(crate) prompt: Option<String>,
    /// The manifest of a loop, a path beside this file. The case passes only if the loop meets its goal.
    pub(crate) manifest: Option<String>,
    /// The folder to start from, a path beside this file. Each run gets a fresh copy. Default: an empty folder.
    pub(crate) folder: Option<String>,
    /// The system prompt of a model that answers `prompt`.
    pub(crate) system: Option<String>,
    /// The tools of a model that answers `prompt`. Default: none.
    pub(crate) tools: Option<Vec<String>>,
    /// The checks, all of which have to pass. A case with a manifest needs none.
    #[serde(default)]
    #[schemars(with = "Vec<CheckFile>")]
    pub(crate) checks: Vec<Value>,
}

/// One check: an object with one key, which is its kind.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CheckFile {
    /// The reply contains this text.
    Contains(String),
    /// The reply does not contain this text.
    NotContains(String),
    /// This regular expression matches somewhere in the reply.
    Regex(String),
    /// The reply, or its first fenced block, is JSON of this schema.
    Json(Value),
    /// This shell command exits 0 in the folder of the run. The file that `LOOP_REPLY` names has the reply.
    Command(String),
    /// A model finds that the reply meets all criteria.
    Judge(JudgeFile),
    /// The run uses at most this many tokens. With more, it is cut.
    MaxTokens(u64),
    /// The run takes at most this many seconds. After that, it is cut.
    MaxSeconds(f64),
    /// The model calls each of these tools.
    Calls(Vec<String>),
    /// The model calls none of these tools.
    NotCalls(Vec<String>),
}

/// A judge.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct JudgeFile {
    /// The criteria, all of which the reply has to meet.
    pub(crate) criteria: Vec<String>,
    /// The model that judges. Default: the model of the run.
    pub(crate) model: Option<String>,
}

const KEYS: &[&str] = &["prompt", "manifest", "folder", "system", "tools", "checks"];
const CHECKS: &[&str] = &[
    "contains",
    "not_contains",
    "regex",
    "json",
    "command",
    "judge",
    "max_tokens",
    "max_seconds",
    "calls",
    "not_calls",
];

impl CaseFile {
    /// Reads a file, and returns its text too. The error is in words.
    pub(crate) fn open(path: &Path) -> Result<(Self, String), String> {
        let format = Format::of(path).ok_or("a case ends in .yaml, .yml, .toml or .json")?;
        let mut text = String::new();
        let file = File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_string(&mut text));
        file.map_err(|error| format!("the file cannot be read: {error}"))?;
        if text.len() as u64 > MAX_BYTES {
            return Err("the file is longer than 1 MiB: a case has a prompt and checks".to_owned());
        }
        let value: Value = match format {
            Format::Json => unique_json(&text).map_err(|error| error.to_string())?,
            Format::Toml => toml::from_str(&text).map_err(|error| error.to_string())?,
            Format::Yaml => serde_saphyr::from_str(&text).map_err(|error| error.to_string())?,
        };
        let Some(map) = value.as_object() else {
            return Err("a case is a table with `prompt` or `manifest`, and `checks`".to_owned());
        };
        map.keys().try_for_each(|key| known("key", key, KEYS))?;
        Ok((Self::deserialize(&value).map_err(|error| error.to_string())?, text))
    }
}

impl CheckFile {
    /// Reads one check. The error is in words.
    pub(crate) fn read(value: &Value) -> Result<Self, String> {
        let map = value.as_object().filter(|map| map.len() == 1);
        let Some(kind) = map.and_then(|map| map.keys().next()) else {
            return Err("a check has one key, which is its kind, such as `contains: hello`".to_owned());
        };
        known("check", kind, CHECKS)?;
        Self::deserialize(value).map_err(|error| format!("`{kind}`: {error}"))
    }
}

fn known(what: &str, word: &str, known: &[&str]) -> Result<(), String> {
    if known.contains(&word) {
        return Ok(());
    }
    let help = match closest(word, known.iter().copied(), |known| known) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("use one of `{}`", known.join("`, `")),
    };
    Err(format!("unknown {what} `{word}`: {help}"))
}
