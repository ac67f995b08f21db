//! `loop policy show`: all rules, and where each of them stands.

use std::{
    env,
    path::{Path, PathBuf},
    process::ExitCode,
};

use loop_guardrails::policy::{ActionPolicy, LocalPath, Origin, Permissions, Verb, audit::AuditFile};
use loop_telemetry::StateDir;
use serde::Serialize;

use super::{Failure, PlaceJson, open, tell_json};
use crate::{
    args::PolicyPlace,
    exit,
    view::{
        self,
        columns::{self, Column},
        text::printable,
    },
};
use loop_manifest::settings::{Layer, Settings};

const COLUMNS: &[Column] = &[Column::words("rule"), Column::words("says"), Column::words("from")];

/// How wide a list of names becomes before it goes on in the next line.
const LIST_WIDTH: usize = 56;

pub(crate) fn exec(place: &PolicyPlace) -> Result<ExitCode, Failure> {
    let (settings, workspace) = open(place)?;
    let audit = StateDir::from_env_with(|name| env::var_os(name))
        .ok()
        .map(|state| AuditFile::at(state.audit()).path());
    if place.json {
        let rules = rules(workspace.policy());
        tell_json(&ShowJson::of(&settings, &rules, audit.as_deref()));
    } else {
        view::tell(&page(&settings, workspace.policy(), audit));
    }
    Ok(ExitCode::from(exit::OK))
}

/// One rule, under the key by which it is set.
struct Rule<'a> {
    key: &'static str,
    says: String,
    origin: &'a Origin,
}

/// All rules that hold, key by key; those of one place stand together.
fn rules(policy: &ActionPolicy) -> Vec<Rule<'_>> {
    let (commands, secrets) = (policy.commands(), policy.secrets());
    let own = |(name, origin): (&str, _)| (name.to_owned(), origin);
    let (mode, seconds) = (commands.mode(), policy.command_time().as_secs_f64());
    let permissions = policy.permissions().iter().flat_map(Permissions::rules);
    let shown = secrets.exceptions().iter().map(|shown| (shown.value.to_string(), &shown.origin));
    let variables = policy.variables().iter().map(|name| (name.value.to_string(), &name.origin));
    let keys: [(_, Vec<_>); 8] = [
        ("safe_mode", vec![(mode.value.to_string(), &mode.origin)]),
        ("allow", commands.programs().map(own).collect()),
        ("forbid", commands.forbidden().map(own).collect()),
        (
            "permissions",
            permissions.map(|(path, verbs)| (permission(path, &verbs.value), &verbs.origin)).collect(),
        ),
        ("secret", secrets.rules().map(own).collect()),
        ("not_secret", shown.collect()),
        ("command_seconds", vec![(seconds.to_string(), policy.command_time_origin())]),
        ("variables", variables.collect()),
    ];
    let mut rules = Vec::new();
    for (key, mut found) in keys {
        found.sort_by_key(|(_, origin)| *origin);
        rules.extend(found.into_iter().map(|(says, origin)| Rule { key, says, origin }));
    }
    rules
}

fn permission(path: &LocalPath, verbs: &[Verb]) -> String {
    let verbs: Vec<_> = verbs.iter().map(|verb| verb.as_str()).collect();
    format!("{path}: {}", if verbs.is_empty() { "nothing".to_owned() } else { verbs.join(", ") })
}

/// All rules, and the files in which they stand.
pub(crate) fn page(settings: &Settings, policy: &ActionPolicy, audit: Option<PathBuf>) -> String {
    let mut page = table(&rules(policy));
    page.push_str(&format!("\n\n  your settings       {}\n", file(&settings.user)));
    page.push_str(&format!("  project's settings  {}\n", file(&settings.project)));
    if let Some(audit) = audit {
        page.push_str(&format!("  decisions           {}\n", printable(&audit.display().to_string())));
    }
    page
}

/// The rules under one key.
pub(crate) fn rules_on(policy: &ActionPolicy, key: &str) -> String {
    let rules: Vec<_> = rules(policy).into_iter().filter(|rule| rule.key == key).collect();
    table(&rules)
}

fn table(rules: &[Rule<'_>]) -> String {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for alike in rules.chunk_by(|one, other| one.key == other.key && one.origin == other.origin) {
        let (key, from) = (alike[0].key, alike[0].origin.to_string());
        for (index, says) in lines(alike.iter().map(|rule| rule.says.as_str())).into_iter().enumerate() {
            let first = |text: &str| if index == 0 { printable(text) } else { String::new() };
            rows.push(vec![first(key), printable(&says), first(&from)]);
        }
    }
    columns::lines(COLUMNS, &rows).join("\n")
}

/// Names as a paragraph; what has words in it, on lines of its own.
fn lines<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for name in names {
        match lines.last_mut() {
            Some(line) if !name.contains(' ') && line.len() + name.len() < LIST_WIDTH => {
                line.push(' ');
                line.push_str(name);
            }
            _ => lines.push(name.to_owned()),
        }
    }
    lines
}

fn file(layer: &Layer) -> String {
    let path =
        layer.path.as_ref().map_or_else(|| "-".to_owned(), |path| printable(&path.display().to_string()));
    if layer.is_there { path } else { format!("{path} (not there)") }
}

/// What `loop policy show --json` prints.
#[derive(Debug, Serialize)]
struct ShowJson<'a> {
    rules: Vec<RuleJson<'a>>,
    /// The files of settings; `null` if they are not there.
    user: Option<&'a Path>,
    project: Option<&'a Path>,
    /// The file in which decisions are kept.
    audit: Option<&'a Path>,
}

#[derive(Debug, Serialize)]
struct RuleJson<'a> {
    key: &'a str,
    says: &'a str,
    #[serde(flatten)]
    place: PlaceJson<'a>,
}

impl<'a> ShowJson<'a> {
    fn of(settings: &'a Settings, rules: &'a [Rule<'a>], audit: Option<&'a Path>) -> Self {
        let there = |layer: &'a Layer| layer.path.as_deref().filter(|_| layer.is_there);
        let json = |rule: &'a Rule<'a>| RuleJson {
            key: rule.key,
            says: &rule.says,
            place: PlaceJson::from(rule.origin),
        };
        Self {
            rules: rules.iter().map(json).collect(),
            user: there(&settings.user),
            project: there(&settings.project),
            audit,
        }
    }
}
