//! `[policy]`: what tools may do.

use loop_guardrails::policy::{FileName, LocalPath, Settings, Verb, environment::NamePattern};
use serde_json::{Value, json};

use super::table::Table;

/// The keys of the table.
pub(super) const KEYS: &[&str] =
    &["safe_mode", "allow", "forbid", "permissions", "secret", "not_secret", "command_seconds", "variables"];

/// The values of the table.
pub(super) fn read(mut table: Table<'_>) -> Settings {
    let mut settings = Settings::default();
    settings.safe_mode = table.flag("safe_mode");
    settings.allow = table.list("allow", program);
    settings.forbid = table.list("forbid", program);
    settings.secret = table.list("secret", str::parse::<FileName>);
    settings.not_secret = table.list("not_secret", str::parse::<LocalPath>);
    settings.command_time = table.seconds("command_seconds");
    settings.variables = table.list("variables", str::parse::<NamePattern>);
    for (prefix, place, verbs) in table.lists("permissions", str::parse::<Verb>) {
        match prefix.value.parse::<LocalPath>() {
            Ok(path) if settings.permissions.rules().any(|(known, _)| *known == path) => {
                table.wrong(format!("the permissions of `{path}` stand here twice: keep one of them"), place);
            }
            Ok(path) => settings.permissions = settings.permissions.with(path, verbs, prefix.origin),
            Err(error) => table.wrong(error, place),
        }
    }
    settings
}

/// The JSON Schema of the table.
pub(super) fn schema() -> Value {
    let list = |description: &str, items: Value| json!({ "type": "array", "items": items, "description": description });
    let texts = |description: &str| list(description, json!({ "type": "string", "minLength": 1 }));
    let verbs = list("What may be done there.", json!({ "enum": Verb::ALL.map(Verb::as_str) }));
    json!({
        "type": "object",
        "description": "What tools may do in this project. It can forbid what the user allows, and allow nothing \
            more; keys that only the user's own settings can have are marked so.",
        "additionalProperties": false,
        "properties": {
            "safe_mode": { "type": "boolean", "description": "Whether only known programs run. `false` is the user's alone." },
            "allow": texts("Programs that run beside the usual ones, by their exact names. The user's alone."),
            "forbid": texts("Programs that do not run, whatever allows them."),
            "permissions": {
                "type": "object",
                "description": "What may be done where: the longest path that fits decides, and where none fits \
                    everything is denied.",
                "additionalProperties": verbs,
            },
            "secret": texts("Names of files that are secrets beside the usual ones; one `*` at the beginning or the end."),
            "not_secret": texts("Paths that are no secrets, although they are named like one. The user's alone."),
            "command_seconds": {
                "type": "number",
                "exclusiveMinimum": 0,
                "default": 300,
                "description": "How many seconds a command may run.",
            },
            "variables": texts("Environment variables that commands of tools see beside the usual ones, whatever they \
                hold: `CARGO_HOME`, or `NPM_*` for all that begin so. The user's alone."),
        },
    })
}

/// A program is compared by its whole name, so one with its arguments would never be meant.
fn program(name: &str) -> Result<String, String> {
    if name.is_empty() || name.contains(char::is_whitespace) {
        return Err(format!("`{name}` is no program: write its name alone, without arguments"));
    }
    Ok(name.to_owned())
}
