//! The tool rules, in words.

use std::path::PathBuf;

use loop_agents::tools::CommandSandbox;
use loop_guardrails::policy::{
    ActionPolicy, LocalPath, Origin, Permissions, Verb,
    command::CommandPrefix,
    workspace::{Explanation, ExplanationSubject},
};
use loop_manifest::settings::{Settings, SettingsLayer};
use loop_telemetry::words::{
    plain as printable,
    style::{BAD, GOOD, paint},
    table::{self, Column},
};

const COLUMNS: &[Column] = &[Column::words("rule"), Column::words("value"), Column::words("from")];

/// The width at which a list of names wraps, in columns.
const LIST_WIDTH: usize = 56;

/// One rule, with the key that sets it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PolicyRule<'a> {
    /// The key of `[policy]`.
    pub key: &'static str,
    /// The rule, in words.
    pub says: String,
    /// The location of the line that sets it.
    pub origin: &'a Origin,
}

/// Returns all rules that apply, ordered by key; rules from one place are adjacent.
pub fn rules(policy: &ActionPolicy) -> Vec<PolicyRule<'_>> {
    let (commands, secrets) = (policy.commands(), policy.secrets());
    let own = |(name, origin): (&str, _)| (name.to_owned(), origin);
    let entry = |(entry, origin): (&CommandPrefix, _)| (entry.to_string(), origin);
    let writes = policy.approve_writes();
    let (mode, seconds) = (commands.mode(), policy.command_time().as_secs_f64());
    let permissions = policy.permissions().iter().flat_map(Permissions::rules);
    let shown = secrets.exceptions().iter().map(|shown| (shown.value.to_string(), &shown.origin));
    let variables = policy.variables().iter().map(|name| (name.value.to_string(), &name.origin));
    let (sandbox, network) = (policy.sandbox(), policy.network());
    let keys: [(_, Vec<_>); 11] = [
        ("safe_mode", vec![(mode.value.to_string(), &mode.origin)]),
        ("allow", commands.allowed().map(entry).collect()),
        ("forbid", commands.forbidden().map(entry).collect()),
        ("approve_writes", vec![(writes.value.to_string(), &writes.origin)]),
        (
            "permissions",
            permissions.map(|(path, verbs)| (permission(path, &verbs.value), &verbs.origin)).collect(),
        ),
        ("secret", secrets.rules().map(own).collect()),
        ("not_secret", shown.collect()),
        ("command_seconds", vec![(seconds.to_string(), policy.command_time_origin())]),
        ("variables", variables.collect()),
        ("sandbox", vec![(sandbox.value.to_string(), &sandbox.origin)]),
        ("network", vec![(network.value.to_string(), &network.origin)]),
    ];
    let mut rules = Vec::new();
    for (key, mut found) in keys {
        found.sort_by_key(|(_, origin)| *origin);
        rules.extend(found.into_iter().map(|(says, origin)| PolicyRule { key, says, origin }));
    }
    rules
}

fn permission(path: &LocalPath, verbs: &[Verb]) -> String {
    let verbs: Vec<_> = verbs.iter().map(|verb| verb.as_str()).collect();
    format!("{path}: {}", if verbs.is_empty() { "nothing".to_owned() } else { verbs.join(", ") })
}

/// Formats all rules, what confines commands, and the files that contain the rules.
pub fn page(
    settings: &Settings,
    policy: &ActionPolicy,
    sandbox: &CommandSandbox,
    audit: Option<PathBuf>,
) -> String {
    let mut page = table(&rules(policy));
    page.push_str(&format!("\n\n  commands run        {}", sandbox.describe(policy)));
    page.push_str(&format!("\n  your settings       {}\n", file(&settings.user)));
    page.push_str(&format!("  project's settings  {}\n", file(&settings.project)));
    if let Some(audit) = audit {
        page.push_str(&format!("  decisions           {}\n", printable(&audit.display().to_string())));
    }
    page
}

/// Formats the rules under one key. Returns nothing if there are none.
pub fn rules_on(policy: &ActionPolicy, key: &str) -> String {
    let rules: Vec<_> = rules(policy).into_iter().filter(|rule| rule.key == key).collect();
    if rules.is_empty() { String::new() } else { table(&rules) }
}

fn table(rules: &[PolicyRule<'_>]) -> String {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for alike in rules.chunk_by(|one, other| one.key == other.key && one.origin == other.origin) {
        let (key, from) = (alike[0].key, alike[0].origin.to_string());
        for (index, says) in lines(alike.iter().map(|rule| rule.says.as_str())).into_iter().enumerate() {
            let first = |text: &str| if index == 0 { printable(text).into_owned() } else { String::new() };
            rows.push(vec![first(key), printable(&says).into_owned(), first(&from)]);
        }
    }
    table::lines(COLUMNS, &rows).join("\n")
}

/// Formats names as a paragraph; entries with several words get their own lines.
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

fn file(layer: &SettingsLayer) -> String {
    let path = layer
        .path
        .as_ref()
        .map_or_else(|| "-".to_owned(), |path| printable(&path.display().to_string()).into_owned());
    if layer.is_there { path } else { format!("{path} (no such file)") }
}

/// Formats the decision about one action, and the rule that decided.
pub fn explained(text: &str, explained: &Explanation) -> String {
    let ruling = &explained.ruling;
    let answer = if ruling.allowed { paint(GOOD, "allowed") } else { paint(BAD, "denied") };
    let mut page = format!("{answer}  to {} `{}`\n", verb(&explained.subject), printable(text));
    let mut add = |name: &str, value: &str| page.push_str(&format!("  {name:<5}  {}\n", printable(value)));
    add("rule", &ruling.rule);
    add("from", &ruling.origin.to_string());
    if let Some(place) = leads_to(&explained.subject).filter(|place| place != text) {
        add("where", &place);
    }
    if let Some(line) = runs(&explained.subject).filter(|line| line != text) {
        add("runs", &line);
    }
    page
}

/// Returns one word for the action.
pub fn verb(asked: &ExplanationSubject) -> &'static str {
    match asked {
        ExplanationSubject::Path { verb, .. } => verb.as_str(),
        _ => "run",
    }
}

/// Returns the command line, as a person would type it.
fn runs(asked: &ExplanationSubject) -> Option<String> {
    let ExplanationSubject::Command { words } = asked else { return None };
    // A word with a NUL byte is not a valid command, so it was already refused.
    shlex::try_join(words.iter().map(String::as_str)).ok().filter(|line| !line.is_empty())
}

/// Returns the target of a path, if the action may use it.
pub fn leads_to(asked: &ExplanationSubject) -> Option<String> {
    let ExplanationSubject::Path { leads_to, .. } = asked else { return None };
    leads_to.as_ref().map(ToString::to_string)
}
