//! Warns about variables that a command will not find.

use loop_guardrails::policy::environment::{EnvironmentPolicy, NamePattern, looks_secret};

use super::super::{
    diagnostics::{Diagnostic, Span},
    field::FieldValue,
    keys::flag,
    raw::RawManifest,
    raw_environment::RawEnvironment,
    source,
};

pub(super) fn of(raw: &RawManifest, text: &str) -> Vec<Diagnostic> {
    let env = &raw.agent.env;
    let check_sees = EnvironmentPolicy::new().pass(passed(env));
    let mut warnings: Vec<_> = bare(env).into_iter().collect();
    if let Some(command) = raw.agent.command.written() {
        let agent_sees = check_sees.clone().of_agent(&command.value);
        warnings.extend(unseen(command, env, &agent_sees, "the agent", text));
    }
    if let Some(command) = raw.evaluator.command.written() {
        warnings.extend(unseen(command, env, &check_sees, "the check", text));
    }
    if let Some(command) = raw.on_finish.written() {
        warnings.extend(unseen(command, env, &check_sees, "`on_finish`", text));
    }
    warnings
}

/// Returns the valid patterns under `pass`.
fn passed(env: &RawEnvironment) -> Vec<NamePattern> {
    let items = env.pass.written().map_or(&[][..], |at| &at.value);
    items.iter().filter_map(|item| item.value.parse().ok()).collect()
}

fn sets(env: &RawEnvironment, name: &str) -> bool {
    env.set.written().is_some_and(|at| at.value.iter().any(|text| text.name == name))
}

/// Warns about an environment without the two variables that almost every program needs.
fn bare(env: &RawEnvironment) -> Option<Diagnostic> {
    let inherit = env.inherit.written().filter(|at| at.value == "none")?;
    let passed = passed(env);
    let is_there = |name: &str| sets(env, name) || passed.iter().any(|it| it.matches(name.as_ref()));
    let missing: Vec<_> = ["PATH", "HOME"].into_iter().filter(|name| !is_there(name)).collect();
    if missing.is_empty() {
        return None;
    }
    let finding =
        Diagnostic::warning(format!("the agent and the check start without {}", missing.join(" and ")));
    let finding = finding.at(inherit.span.clone(), "this passes no variables");
    let finding =
        finding.note("programs are found by PATH, and most agents find their log-in and settings by HOME");
    Some(finding.help(format!("pass what they need: `agent.env.pass: [{}]`", missing.join(", "))))
}

/// Warns about secrets that a command names but will not see: to the shell, each is an empty text.
fn unseen(
    command: &FieldValue<String>,
    env: &RawEnvironment,
    sees: &EnvironmentPolicy,
    who: &str,
    text: &str,
) -> Vec<Diagnostic> {
    let mut names = named(&command.value);
    names.sort_unstable();
    names.dedup();
    let own = |name: &str| sets(env, name) || command.value.contains(&format!("{name}="));
    let is_unseen = |name: &&str| {
        looks_secret(name.as_ref(), "".as_ref()) && !sees.lets_see(name.as_ref(), "".as_ref()) && !own(name)
    };
    names.into_iter().filter(is_unseen).map(|name| report(command, name, who, text)).collect()
}

/// Returns the variables that a command names: `$NAME` and `${NAME…}`.
fn named(command: &str) -> Vec<&str> {
    let rests = command.split('$').skip(1);
    let names = rests.map(|rest| {
        let rest = rest.strip_prefix('{').unwrap_or(rest);
        let end = rest.find(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_');
        &rest[..end.unwrap_or(rest.len())]
    });
    names.filter(|name| !name.is_empty()).collect()
}

fn report(command: &FieldValue<String>, name: &str, who: &str, text: &str) -> Diagnostic {
    let place: Span = source::find(text, &command.span, name, 0);
    let finding = Diagnostic::warning(format!("{who} does not see `{name}`"));
    let finding = finding.at(place, "this looks like a secret, so it is withheld");
    finding.help(if flag::key(command.key).is_some() {
        format!("to pass it on, add `--set 'agent.env.pass=[{name}]'`")
    } else {
        format!("to pass it on, write `agent.env.pass: [{name}]`")
    })
}
