//! The agent: what can be run, and what reports its usage.

use loop_agents::{
    shell::{BackgroundPolicy, CommandError, CommandLine, QuotingError, Template, Variables},
    usage::{Format, Prices},
};

use super::{
    super::{
        bounds::DEFAULT_PROMPT,
        diagnostics::Diagnostic,
        field::{FieldValue, SpannedText},
        plan::{AgentPlan, ModelPlan, UsagePlan, WorkPlan},
        raw::RawAgent,
        source, usage_reporter,
    },
    empty,
    environment::environment,
    filled, guardrails, usage,
    words::word,
    work::{self, WorkKind},
};
use crate::names::ToolName;

const BACKGROUND: [(&str, BackgroundPolicy); 3] = [
    (BackgroundPolicy::Note.name(), BackgroundPolicy::Note),
    (BackgroundPolicy::Wait.name(), BackgroundPolicy::Wait),
    (BackgroundPolicy::Fail.name(), BackgroundPolicy::Fail),
];

/// The agent that `raw` describes. `prices` are those of its price file.
pub(super) fn agent(
    raw: RawAgent,
    (text, variables): (&str, &Variables),
    prices: Option<Prices>,
    problems: &mut Vec<Diagnostic>,
) -> Option<AgentPlan> {
    let kind = work::kind(&raw, problems);
    let command = raw.command.judge(problems, |at| agent_command(&at, text, variables));
    let system = raw.system.judge(problems, filled);
    let tools = raw.tools.judge(problems, work::tools);
    let skills = raw.skills.judge(problems, skill_names);
    let prompt = raw.prompt.judge(problems, filled);
    let format = raw.format.judge(problems, usage::format);
    let model = raw.model.judge(problems, filled);
    let log = raw.usage_log.judge(problems, filled);
    let env = environment(raw.env, problems);
    let max_time = raw.max_seconds.judge(problems, |at| guardrails::time_limit(&at));
    let max_silence = raw.max_silence_seconds.judge(problems, |at| guardrails::time_limit(&at));
    let background = raw.background.judge(problems, |at| {
        word(&at, &BACKGROUND, "it says what happens to background work that is not done when the agent ends")
    });
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
        prompt: Template::with_variables(&prompt.or(DEFAULT_PROMPT.to_owned())?, variables),
        skills: skills.optional()?,
        usage: UsagePlan { format, model, prices, log: log.optional()?.map(Into::into) },
        env: env?,
        always_shell: false,
        sandbox: None,
        max_time: max_time.optional()?,
        max_silence: max_silence.optional()?,
        background: background.or(BackgroundPolicy::Note)?,
    })
}

/// Names of skills, which no white space can be in.
fn skill_names(at: FieldValue<Vec<SpannedText>>) -> Result<Vec<String>, Diagnostic> {
    let is_name = |name: &str| !name.is_empty() && !name.contains(char::is_whitespace);
    match at.value.iter().find(|name| !is_name(&name.value)) {
        Some(name) => Err(Diagnostic::error(format!("`{}` lists the names of skills", at.key))
            .at(name.span.clone(), "no name")
            .help("`loop skill list` lists the skills of this folder")),
        None => Ok(at.value.into_iter().map(|name| name.value).collect()),
    }
}

/// A command that gets a prompt.
pub(super) fn agent_command(
    at: &FieldValue<String>,
    text: &str,
    variables: &Variables,
) -> Result<CommandLine, Diagnostic> {
    CommandLine::parse_with(&at.value, variables).map_err(|error| unrunnable(at, error, text))
}

pub(super) fn unrunnable(at: &FieldValue<String>, error: CommandError, text: &str) -> Diagnostic {
    match error {
        CommandError::Empty => empty(at),
        CommandError::PromptPlace { offset, problem } => {
            let finding = misplaced(at, "{prompt}", offset, problem, text);
            match problem {
                QuotingError::HereDocument | QuotingError::Unclear => {
                    finding.help("or leave `{prompt}` out: the prompt then arrives on standard input")
                }
                _ => finding,
            }
        }
        CommandError::VariablePlace { name, offset, problem } => {
            misplaced(at, &format!("{{var.{name}}}"), offset, problem, text)
        }
        error => {
            Diagnostic::error(format!("`{}` cannot be run", at.key)).at(at.span.clone(), error.to_string())
        }
    }
}

/// A text is quoted where it is put into the command. Inside the user's own quotes, ours would end them, and the shell
/// would run the text.
fn misplaced(
    at: &FieldValue<String>,
    written: &str,
    offset: usize,
    problem: QuotingError,
    text: &str,
) -> Diagnostic {
    let before = at.value[..offset].matches(written).count();
    let place = source::find(text, &at.span, written, before);
    let finding = Diagnostic::error(format!("`{written}` cannot be used here in `{}`", at.key));
    let problem = problem.to_string();
    match problem.split_once("; ") {
        Some((what, remedy)) => finding.at(place, what).help(remedy),
        None => finding.at(place, problem),
    }
}
