//! The variables that a plan withholds from its agent, and the line that passes them on.

use std::ffi::OsString;

use loop_guardrails::policy::environment::{EnvironmentPolicy, Inheritance, NamePattern};

use super::{
    describe::{list, row},
    format::Format,
    plan::Plan,
};

/// Lists the variables in `vars` that the agent and the evaluator do not see, as rows of plain text. It lists names
/// only, because the values must stay hidden. `format` is the format of the manifest, if there is one.
pub fn withheld(plan: &Plan, vars: &[(OsString, OsString)], format: Option<Format>) -> String {
    let mut page = String::new();
    if plan.agent.env.inherit == Inheritance::All {
        secrets(&mut page, plan, vars, format);
    }
    let is_there = |pattern: &&NamePattern| vars.iter().any(|(name, _)| pattern.matches(name));
    let (_, lost): (Vec<_>, Vec<_>) = plan.agent.env.pass.iter().partition(is_there);
    if !lost.is_empty() {
        let names: Vec<_> = lost.into_iter().map(NamePattern::as_str).collect();
        row(&mut page, "not set", &format!("{}, which `agent.env.pass` names", list(&names, "and")));
    }
    page
}

fn secrets(page: &mut String, plan: &Plan, vars: &[(OsString, OsString)], format: Option<Format>) {
    let of_both = names(plan, &plan.agent.sees(), vars);
    let mut of_check = names(plan, &plan.evaluator_sees(), vars);
    of_check.retain(|name| !of_both.contains(name));
    let advice = match (of_both.first(), of_check.first()) {
        (Some(first), _) => format!("to pass {first} on, write {}", line(plan, first, format)),
        (None, Some(first)) => format!("to pass {first} on to it, write {}", line(plan, first, format)),
        (None, None) => return,
    };
    let listed = |names: &[String]| list(&names.iter().map(String::as_str).collect::<Vec<_>>(), "and");
    let of_check_alone = format!("{}: from the check only", listed(&of_check));
    match (of_both.is_empty(), of_check.is_empty()) {
        (false, true) => row(page, "withheld", &listed(&of_both)),
        (true, _) => row(page, "withheld", &of_check_alone),
        (false, false) => row(page, "withheld", &format!("{}\n{of_check_alone}", listed(&of_both))),
    }
    let one = of_both.len() + of_check.len() == 1;
    let those = if one { "it looks like a secret" } else { "they look like secrets" };
    row(page, "", &format!("{those}; {advice}"));
}

/// Returns the names of variables that are withheld and not set to another value, in alphabetical order.
fn names(plan: &Plan, sees: &EnvironmentPolicy, vars: &[(OsString, OsString)]) -> Vec<String> {
    let withheld = sees.split(vars.iter().cloned()).withheld;
    let mut names: Vec<_> = withheld.iter().map(|name| name.to_string_lossy().into_owned()).collect();
    names.retain(|name| !plan.agent.env.set.contains_key(name));
    names.sort_unstable();
    names
}

/// Returns the text that passes on `name` as well, and the place to write it.
fn line(plan: &Plan, name: &str, format: Option<Format>) -> String {
    let names = plan.agent.env.pass.iter().map(NamePattern::as_str).chain([name]);
    let list = |names: Vec<String>| names.join(", ");
    match format {
        Some(Format::Yaml) => format!("`pass: [{}]` in `agent.env`", list(names.map(yaml).collect())),
        Some(Format::Json) => format!("`\"pass\": [{}]` in `agent.env`", list(names.map(quoted).collect())),
        Some(Format::Toml) => format!("`pass = [{}]` in `[agent.env]`", list(names.map(quoted).collect())),
        None => format!("`--set 'agent.env.pass=[{}]'`", list(names.map(yaml).collect())),
    }
}

fn yaml(name: &str) -> String {
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
    let plain = name.strip_suffix('*').unwrap_or(name);
    if !plain.is_empty() && plain.chars().all(is_plain) { name.to_owned() } else { quoted(name) }
}

fn quoted(name: &str) -> String {
    format!("{name:?}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Source;

    const VARS: [(&str, &str); 6] = [
        ("HOME", "/home/kim"),
        ("NPM_TOKEN", "hunter2"),
        ("ANTHROPIC_API_KEY", "hunter2"),
        ("DATABASE_URL", "postgres://kim:hunter2@db/app"),
        ("GITHUB_TOKEN", "hunter2"),
        ("SET_TOKEN", "hunter2"),
    ];

    fn said(command: &str, env: &str, format: Option<Format>, vars: &[(&str, &str)]) -> String {
        let manifest = format!(
            r#"{{"goal": "g", "agent": {{"command": "{command}", "prompt": "p", "env": {env}}},
                "evaluator": {{"command": "c"}}, "guardrails": {{"max_iterations": 1}}}}"#
        );
        let source = Source::from_bytes("it.json".as_ref(), manifest.into()).unwrap();
        let plan = Plan::of(source).unwrap().plan;
        let vars: Vec<_> = vars.iter().map(|(name, value)| (name.into(), value.into())).collect();
        withheld(&plan, &vars, format)
    }

    #[test]
    fn what_is_withheld_is_named_with_what_passes_it() {
        let cases = [
            said("claude -p", r#"{"set": {"SET_TOKEN": "x"}}"#, Some(Format::Yaml), &VARS),
            said("claude -p", r#"{"pass": ["NPM_*", "SET_TOKEN"]}"#, Some(Format::Yaml), &VARS),
            said("claude -p", "{}", Some(Format::Json), &VARS[2..3]),
            said("my-agent", r#"{"pass": ["NPM_TOKEN"]}"#, Some(Format::Toml), &VARS[..3]),
            said("claude -p", r#"{"pass": ["GITHB_TOKEN", "X_*", "HOME"]}"#, Some(Format::Toml), &VARS[..1]),
            said("my-agent", "{}", None, &VARS[..2]),
        ];
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false, snapshot_path => "../tests/snapshots" }, {
            insta::assert_snapshot!("withheld", cases.join("---\n"));
        });
        assert!(!cases.concat().contains("hunter2"));
    }

    #[test]
    fn there_is_nothing_to_say_where_nothing_is_withheld_or_all_is() {
        for env in [r#"{"pass": ["*"]}"#, r#"{"inherit": "none"}"#] {
            assert_eq!(said("claude -p", env, None, &VARS), "", "{env}");
        }
        assert_eq!(said("claude -p", "{}", None, &VARS[..1]), "");
    }
}
