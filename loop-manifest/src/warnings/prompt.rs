//! Warns about information that is missing from the prompt.

use loop_agents::shell::{Placeholder, Template};

use super::{
    super::{diagnostics::Diagnostic, field::FieldValue, raw::RawManifest},
    placeholder::{self, PlaceholderMistake},
};

pub(super) fn of(raw: &RawManifest, text: &str) -> Vec<Diagnostic> {
    let Some(prompt) = raw.agent.prompt.written() else { return Vec::new() };
    let template = Template::new(&prompt.value);
    let mistakes = placeholder::mistakes(&prompt.value, &template);
    let mut warnings: Vec<_> = mistakes.iter().map(|mistake| mistake.report(prompt, text)).collect();
    warnings.extend(aimless_prompt(raw, prompt, &template, &mistakes));
    warnings.extend(deaf_prompt(raw, prompt, &template));
    warnings
}

/// Warns about a prompt without the goal: the agent would work on something else.
fn aimless_prompt(
    raw: &RawManifest,
    prompt: &FieldValue<String>,
    template: &Template,
    mistakes: &[PlaceholderMistake],
) -> Option<Diagnostic> {
    // A goal that was generated for flags has no location.
    let goal = raw.goal.written().filter(|goal| !goal.span.is_empty())?;
    let has_goal = template.mentions(Placeholder::Goal) || prompt.value.contains(goal.value.trim());
    // Another warning already reports the misspelt placeholder.
    if has_goal || mistakes.iter().any(|mistake| mistake.meant() == Some(Placeholder::Goal)) {
        return None;
    }
    let finding = Diagnostic::warning("the agent is not told the goal");
    let finding = finding.at(prompt.span.clone(), "this prompt does not contain `{goal}`");
    Some(finding.help("add `{goal}` where the prompt states the work"))
}

/// Warns about a prompt without the check's result: the agent would repeat its mistake.
fn deaf_prompt(raw: &RawManifest, prompt: &FieldValue<String>, template: &Template) -> Option<Diagnostic> {
    let once = raw.guardrails.max_iterations.written().is_some_and(|at| at.value == 1);
    let with_findings = [Placeholder::EvaluatorOutput, Placeholder::PriorOutput];
    if once || with_findings.into_iter().any(|placeholder| template.mentions(placeholder)) {
        return None;
    }
    let label = "this prompt contains neither `{evaluator_output}` nor `{prior_output}`";
    let finding =
        Diagnostic::warning("the agent is not told why the check failed").at(prompt.span.clone(), label);
    Some(finding.help("add `{evaluator_output}` where the check's output helps the agent to do better"))
}
