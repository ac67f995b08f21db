//! The review: a model or a command, and the keys of each.

use loop_agents::{shell::Variables, usage::Format};

use super::{
    super::{
        bounds::REVIEW_ROUNDS,
        diagnostics::Diagnostic,
        field::{Field, FieldValue},
        plan::{ReviewCommand, ReviewPlan, ReviewerPlan},
        raw::RawReview,
        usage_reporter,
    },
    agent::agent_command,
    filled,
    work::{place, stranger},
};

/// Validates the review in `raw`, which was read from `text`.
pub(super) fn review(
    raw: RawReview,
    (text, variables): (&str, &Variables),
    problems: &mut Vec<Diagnostic>,
) -> Option<ReviewPlan> {
    let is_command = !matches!(raw.agent, Field::Absent);
    if is_command {
        problems.extend(two_reviewers(&raw));
        let rounds = place(&raw.rounds);
        problems.extend(rounds.map(|at| stranger(&at, "a model", "this reviewer is a command")));
    }
    let model = raw.model.judge(problems, filled);
    let agent = raw.agent.judge(problems, |at| agent_command(&at, text, variables));
    let rounds = raw.rounds.judge(problems, rounds).or(REVIEW_ROUNDS);
    let prompt = raw.prompt.judge(problems, filled);
    let reviewer = if is_command {
        let line = agent.required()?;
        ReviewerPlan::Command(ReviewCommand {
            format: format(line.as_str()),
            model: usage_reporter::model(line.as_str()),
            line,
        })
    } else {
        ReviewerPlan::Model { name: model.required()?.parse().ok()?, rounds: rounds? }
    };
    Some(ReviewPlan { reviewer, prompt: prompt.optional()? })
}

fn two_reviewers(raw: &RawReview) -> Option<Diagnostic> {
    let (model, agent) = (raw.model.written()?, place(&raw.agent)?);
    let finding = Diagnostic::error(format!("`{}` and `{}` are two reviewers", model.key, agent.key));
    let finding = finding.at(model.span.clone(), "a model").at(agent.span, "and a command");
    Some(finding.help("remove one of them"))
}

/// Returns the output format that the command's flags request. There is no key for it.
fn format(line: &str) -> Format {
    let called = usage_reporter::called(line);
    called.iter().find(|(_, reports)| *reports).map_or(Format::Text, |(reporter, _)| reporter.format)
}

fn rounds(at: FieldValue<i128>) -> Result<u64, Diagnostic> {
    u64::try_from(at.value).ok().filter(|rounds| *rounds > 0).ok_or_else(|| {
        let label =
            if at.value < 1 { "the reviewer could not look at anything" } else { "this is too large" };
        Diagnostic::error(format!("`{}` has to be a number of 1 or more", at.key)).at(at.span, label)
    })
}
