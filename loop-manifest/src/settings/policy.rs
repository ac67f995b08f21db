//! `[policy]`: what tools may do.

use loop_guardrails::policy::{
    CommandNetwork, FileName, LocalPath, Permissions, PolicySettings, SandboxMode, Verb, WriteApproval,
    command::CommandPrefix, environment::NamePattern,
};
use serde_json::{Value, json};

use super::table::SettingsTable;
use crate::keys::time_or;

/// The keys of the table.
pub(super) const KEYS: &[&str] = &[
    "safe_mode",
    "allow",
    "forbid",
    "approve_writes",
    "permissions",
    "secret",
    "not_secret",
    "command_seconds",
    "variables",
    "sandbox",
    "network",
];

/// The values of the table.
pub(super) fn read(mut table: SettingsTable<'_>) -> PolicySettings {
    let mut settings = PolicySettings::default();
    settings.safe_mode = table.flag("safe_mode");
    settings.allow = table.list("allow", str::parse::<CommandPrefix>);
    settings.forbid = table.list("forbid", str::parse::<CommandPrefix>);
    settings.approve_writes = table.text("approve_writes", str::parse::<WriteApproval>);
    settings.secret = table.list("secret", str::parse::<FileName>);
    settings.not_secret = table.list("not_secret", str::parse::<LocalPath>);
    settings.command_time = table.time("command_seconds");
    settings.variables = table.list("variables", str::parse::<NamePattern>);
    settings.sandbox = table.text("sandbox", str::parse::<SandboxMode>);
    settings.network = table.text("network", str::parse::<CommandNetwork>);
    settings.permissions = permissions(&mut table);
    settings
}

/// Reads the permitted actions by path.
pub(super) fn permissions(table: &mut SettingsTable<'_>) -> Permissions {
    let mut permissions = Permissions::new();
    for (prefix, place, verbs) in table.lists("permissions", str::parse::<Verb>) {
        if prefix.value.contains(['*', '?', '[']) {
            let pattern = &prefix.value;
            let problem =
                format!("`{pattern}` is a pattern: write a path; its permissions also hold below it");
            table.wrong(problem, place);
            continue;
        }
        match prefix.value.parse::<LocalPath>() {
            Ok(path) if permissions.rules().any(|(known, _)| *known == path) => {
                table
                    .wrong(format!("the permissions of `{path}` appear here twice: keep one of them"), place);
            }
            Ok(path) => permissions = permissions.with(path, verbs, prefix.origin),
            Err(error) => table.wrong(error, place),
        }
    }
    permissions
}

/// The JSON Schema of the table.
pub(super) fn schema() -> Value {
    let mut command_seconds = time_or(&json!({ "type": "number", "exclusiveMinimum": 0 }));
    command_seconds["default"] = "5m".into();
    command_seconds["description"] =
        "How long a command may run: `90s`, `30m`, `1h30m`, or a number of seconds.".into();
    let list = |description: &str, items: Value| json!({ "type": "array", "items": items, "description": description });
    let texts = |description: &str| list(description, json!({ "type": "string", "minLength": 1 }));
    let verbs = list("The permitted actions at this path.", json!({ "enum": Verb::ALL.map(Verb::as_str) }));
    json!({
        "type": "object",
        "description": "The rules for tools in this project. They can forbid what the user allows, but not allow more. \
            Some keys are valid only in the user's own settings.",
        "additionalProperties": false,
        "properties": {
            "safe_mode": { "type": "boolean", "description": "Whether only known programs run. `false` is valid only in the user's own settings." },
            "allow": texts("More commands that may run, by their leading words: `cargo test` allows `cargo test -q`, and `cargo` all of its commands. Valid only in the user's own settings."),
            "forbid": texts("The leading words of commands that must not run, even if another rule allows them."),
            "approve_writes": {
                "type": "string",
                "enum": WriteApproval::ALL.map(WriteApproval::as_str),
                "default": WriteApproval::Ask.as_str(),
                "description": "Which changes of files loop shows you and asks about, in your own turns at a \
                    terminal: each one until you allow them for the session (`ask`), only the first one of a session \
                    (`session`), or none (`never`). A project can only ask more often.",
            },
            "permissions": {
                "type": "object",
                "description": "The permitted actions by path. The longest matching path decides. If the table has \
                    an entry, every action on a path without a match is denied; without entries, the table restricts \
                    nothing.",
                "additionalProperties": verbs,
            },
            "secret": texts("More names of files that are secrets, with one `*` at the beginning or the end."),
            "not_secret": texts("Paths that are not secrets, although their names look like it. Valid only in the user's own settings."),
            "command_seconds": command_seconds,
            "variables": texts("More environment variables for the commands of tools, even if they contain secrets: `CARGO_HOME`, or \
                `NPM_*` for all names with that beginning. Valid only in the user's own settings."),
            "sandbox": {
                "type": "string",
                "enum": SandboxMode::ALL.iter().map(|mode| mode.as_str()).collect::<Vec<_>>(),
                "default": SandboxMode::default().as_str(),
                "description": "Whether the commands of tools run in a sandbox that the kernel enforces: as far as \
                    this machine can (`auto`), completely or not at all (`require`), or never (`off`). A project can \
                    only ask for more.",
            },
            "network": {
                "type": "string",
                "enum": CommandNetwork::ALL.iter().map(|network| network.as_str()).collect::<Vec<_>>(),
                "default": CommandNetwork::default().as_str(),
                "description": "Which commands of tools may use the network: none, those that you allow \
                    (`approved`), or all. The sandbox enforces it. A project can only ask for less.",
            },
        },
    })
}
