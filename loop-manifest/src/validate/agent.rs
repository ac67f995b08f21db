//! The agent: what can be run, and what reports its usage.

use loop_agents::{
    shell::{CommandError, CommandLine, QuotingError},
    usage::{Format, Prices},
};

use super::{
    super::{
        diagnostics::Diagnostic,
        field::FieldValue,
        plan::{AgentPlan, ModelPlan, UsagePlan, WorkPlan},
        raw::RawAgent,
        source, usage_reporter,
    },
    empty,
    environment::environment,
    filled, guardrails, usage,
    work::{self, WorkKind},
};
use crate::names::ToolName;

/// The agent that `raw` describes. `prices` are those of its price file.
pub(super) fn agent(
    raw: RawAgent,
    text: &str,
    prices: Option<Prices>,
    problems: &mut Vec<Diagnostic>,
) -> Option<AgentPlan> {
    let kind = work::kind(&raw, problems);
    let command = raw.command.judge(problems, |at| agent_command(&at, text));
    let system = raw.system.judge(problems, filled);
    let tools = raw.tools.judge(problems, work::tools);
    let prompt = raw.prompt.judge(problems, filled);
    let format = raw.format.judge(problems, usage::format);
    let model = raw.model.judge(problems, filled);
    let env = environment(raw.env, problems);
    let max_time = raw.max_seconds.judge(problems, |at| guardrails::time_limit(&at));
    let max_silence = raw.max_silence_seconds.judge(problems, |at| guardrails::time_limit(&at));
    let format = format.or(Format::Text)?;
    let mut model = model.optional()?;
    let work = match kind? {
        WorkKind::Command => {
            let command = command.required()?;
            model = model.or_else(|| usage_reporter::model(command.as_str()));
            WorkPlan::Command(command)
        }
        WorkKind::Model => WorkPlan::Model(ModelPlan {
            name: model.as_deref()?.parse().ok()?,
            system: system.optional()?,
            tools: tools.or(ToolName::ALL.to_vec())?,
        }),
    };
    Some(AgentPlan {
        work,
        prompt: prompt.required()?,
        usage: UsagePlan { format, model, prices },
        env: env?,
        max_time: max_time.optional()?,
        max_silence: max_silence.optional()?,
    })
}

/// A command that gets a prompt.
pub(super) fn agent_command(at: &FieldValue<String>, text: &str) -> Result<CommandLine, Diagnostic> {
    CommandLine::parse(&at.value).map_err(|error| match error {
        CommandError::PromptPlace { offset, problem } => misplaced_prompt(at, offset, problem, text),
        error => unrunnable(at, &error),
    })
}

pub(super) fn unrunnable(at: &FieldValue<String>, error: &CommandError) -> Diagnostic {
    match error {
        CommandError::Empty => empty(at),
        error => {
            Diagnostic::error(format!("`{}` cannot be run", at.key)).at(at.span.clone(), error.to_string())
        }
    }
}

/// The prompt is quoted where it is put into the command. Inside the user's own quotes, ours would
/// end them, and the prompt's text would be run by the shell.
fn misplaced_prompt(at: &FieldValue<String>, offset: usize, problem: QuotingError, text: &str) -> Diagnostic {
    let before = at.value[..offset].matches("{prompt}").count();
    let place = source::find(text, &at.span, "{prompt}", before);
    let finding = Diagnostic::error(format!("`{{prompt}}` cannot be used here in `{}`", at.key));
    let problem = problem.to_string();
    match problem.split_once("; ") {
        Some((what, remedy)) => finding.at(place, what).help(remedy),
        None => finding.at(place, problem),
    }
}
