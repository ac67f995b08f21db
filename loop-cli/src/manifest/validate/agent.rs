//! The agent and its check: what can be run, and what reports its usage.

use loop_agents::shell::{CommandError, CommandLine, Unquotable};

use super::{
    super::{
        diagnostics::Diagnostic,
        field::At,
        nearest,
        plan::{AgentFormat, AgentPlan, EvaluatorPlan},
        raw::{RawAgent, RawEvaluator},
        source,
    },
    empty,
    environment::environment,
    filled, guardrails,
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
    let env = environment(raw.env, problems);
    let max_time = raw.max_seconds.judge(problems, |at| guardrails::time_limit(&at));
    let max_silence = raw.max_silence_seconds.judge(problems, |at| guardrails::time_limit(&at));
    Some(AgentPlan {
        command: command.required()?,
        prompt: prompt.required()?,
        format: format.or(AgentFormat::Text)?,
        env: env?,
        max_time: max_time.optional()?,
        max_silence: max_silence.optional()?,
    })
}

fn agent_command(at: &At<String>, text: &str) -> Result<CommandLine, Diagnostic> {
    CommandLine::parse(&at.value).map_err(|error| match error {
        CommandError::PromptPlace { offset, problem } => misplaced_prompt(at, offset, problem, text),
        error => unrunnable(at, &error),
    })
}

/// The check that `raw` describes.
pub(super) fn evaluator(raw: RawEvaluator, problems: &mut Vec<Diagnostic>) -> Option<EvaluatorPlan> {
    let command = raw.command.judge(problems, check_command);
    let max_time = raw.max_seconds.judge(problems, |at| guardrails::time_limit(&at));
    Some(EvaluatorPlan { command: command.required()?, max_time: max_time.optional()? })
}

/// The command of a check. No prompt is given to it, so `{prompt}` is a text like any other there.
fn check_command(at: At<String>) -> Result<String, Diagnostic> {
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
