//! The agent: what can be run, and what reports its usage.

use std::collections::BTreeMap;

use loop_agents::shell::{CommandError, CommandLine, Unquotable};

use super::{
    super::{
        diagnostics::Diagnostic,
        field::{At, Text},
        nearest,
        plan::{AgentFormat, AgentPlan},
        raw::RawAgent,
        source,
    },
    empty, filled,
};

const FORMATS: [(&str, AgentFormat); 2] =
    [("text", AgentFormat::Text), ("usage-file", AgentFormat::UsageFile)];

const PLANNED_FORMATS: [&str; 5] =
    ["claude-stream-json", "codex-json", "gemini-json", "opencode-json", "pi-json"];

/// The agent that `raw` describes.
pub(super) fn agent(raw: RawAgent, text: &str, problems: &mut Vec<Diagnostic>) -> Option<AgentPlan> {
    let command = raw.command.judge(problems, |at| agent_command(&at, text));
    let prompt = raw.prompt.judge(problems, filled);
    let format = raw.format.judge(problems, format);
    let env = raw.env_set.judge(problems, environment);
    Some(AgentPlan {
        command: command.required()?,
        prompt: prompt.required()?,
        format: format.or(AgentFormat::Text)?,
        env: env.or(BTreeMap::new())?,
    })
}

fn agent_command(at: &At<String>, text: &str) -> Result<CommandLine, Diagnostic> {
    CommandLine::parse(&at.value).map_err(|error| match error {
        CommandError::PromptPlace { offset, problem } => misplaced_prompt(at, offset, problem, text),
        error => unrunnable(at, &error),
    })
}

/// The command of a check. No prompt is given to it, so `{prompt}` is a text like any other there.
pub(super) fn check_command(at: At<String>) -> Result<String, Diagnostic> {
    match CommandLine::parse(&at.value) {
        Ok(_) | Err(CommandError::PromptPlace { .. }) => Ok(at.value),
        Err(error) => Err(unrunnable(&at, &error)),
    }
}

fn unrunnable(at: &At<String>, error: &CommandError) -> Diagnostic {
    match error {
        CommandError::Empty => empty(at),
        error => {
            Diagnostic::error(format!("`{}` cannot be run", at.key)).at(at.span.clone(), error.to_string())
        }
    }
}

/// The prompt is quoted where it is put into the command. Inside the user's own quotes, ours would
/// end them, and the prompt's text would be run by the shell.
fn misplaced_prompt(at: &At<String>, offset: usize, problem: Unquotable, text: &str) -> Diagnostic {
    let before = at.value[..offset].matches("{prompt}").count();
    let place = source::find(text, &at.span, "{prompt}", before);
    let finding = Diagnostic::error(format!("`{{prompt}}` cannot stand here in `{}`", at.key));
    let problem = problem.to_string();
    match problem.split_once("; ") {
        Some((what, remedy)) => finding.at(place, what).help(remedy),
        None => finding.at(place, problem),
    }
}

fn format(at: At<String>) -> Result<AgentFormat, Diagnostic> {
    let known = FORMATS.iter().find(|(name, _)| *name == at.value);
    if let Some((_, format)) = known {
        return Ok(*format);
    }
    let list = "the formats are `text` (the default) and `usage-file`";
    if PLANNED_FORMATS.contains(&at.value.as_str()) {
        let finding = Diagnostic::error(format!("this version of loop does not read `{}` yet", at.value));
        return Err(finding.at(at.span, "planned for a later version").note(list).help(
            "remove it for now; limits on cost and tokens then need `guardrails.allow_unmetered: true`",
        ));
    }
    let finding = Diagnostic::error(format!("unknown format `{}`", at.value)).note(list);
    let meant = nearest::closest(&at.value, FORMATS, |(name, _)| name);
    Err(finding.at(at.span, nearest::suggestion(meant.map(|(name, _)| name))))
}

fn environment(at: At<Vec<Text>>) -> Result<BTreeMap<String, String>, Diagnostic> {
    for variable in &at.value {
        let name = &variable.name;
        if name.is_empty() || name.contains(['=', '\0']) {
            let finding = Diagnostic::error(format!("`{name}` cannot be the name of a variable"));
            let finding = finding.at(variable.name_span.clone(), "in here, every key is a variable's name");
            return Err(finding.help("a name has no `=` in it, and is not empty"));
        }
        if variable.value.contains('\0') {
            let finding = Diagnostic::error(format!("`{}.{name}` has a NUL character in it", at.key));
            return Err(finding.at(variable.span.clone(), "no program can be given it"));
        }
    }
    Ok(at.value.into_iter().map(|variable| (variable.name, variable.value)).collect())
}
