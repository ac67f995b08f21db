//! The prompt: what the agent will not be told.

use std::collections::HashSet;

use loop_agents::shell::{Placeholder, Template, UnknownPlaceholder};

use super::super::{diagnostics::Diagnostic, field::At, nearest, raw::RawManifest, source};

pub(super) fn of(raw: &RawManifest, text: &str) -> Vec<Diagnostic> {
    let Some(prompt) = raw.agent.prompt.written() else { return Vec::new() };
    let template = Template::new(&prompt.value);
    let mut warnings = unknown_placeholders(prompt, &template, text);
    warnings.extend(deaf_prompt(raw, prompt, &template));
    warnings
}

fn unknown_placeholders(prompt: &At<String>, template: &Template, text: &str) -> Vec<Diagnostic> {
    let mut names = HashSet::new();
    let first = template.unknown().iter().filter(|unknown| names.insert(unknown.name.as_str()));
    first.map(|unknown| unknown_placeholder(unknown, prompt, text)).collect()
}

fn unknown_placeholder(unknown: &UnknownPlaceholder, prompt: &At<String>, text: &str) -> Diagnostic {
    let written = format!("{{{}}}", unknown.name);
    let before = prompt.value[..unknown.offset].matches(&written).count();
    let place = source::find(text, &prompt.span, &written, before);
    let finding =
        Diagnostic::warning(format!("`{written}` is not a placeholder: it stays in the prompt as it is"));
    if unknown.name == "prompt" {
        return finding
            .at(place, "a prompt cannot hold itself")
            .help("`{prompt}` belongs in `agent.command`, if anywhere");
    }
    if let Some(meant) = nearest::closest(&unknown.name, Placeholder::ALL, Placeholder::name) {
        return finding.at(place, nearest::suggestion(Some(&format!("{{{}}}", meant.name()))));
    }
    let known = Placeholder::ALL.map(|known| format!("`{{{}}}`", known.name()));
    finding.at(place, "unknown").note(format!("the placeholders are {}", known.join(", ")))
}

/// An agent that is not told why the check failed does the same again.
fn deaf_prompt(raw: &RawManifest, prompt: &At<String>, template: &Template) -> Option<Diagnostic> {
    let once = raw.guardrails.max_iterations.written().is_some_and(|at| at.value == 1);
    let told = [Placeholder::EvaluatorOutput, Placeholder::PriorOutput];
    if once || told.into_iter().any(|placeholder| template.mentions(placeholder)) {
        return None;
    }
    let label = "neither `{evaluator_output}` nor `{prior_output}` stands in this prompt";
    let finding =
        Diagnostic::warning("the agent is not told why the check failed").at(prompt.span.clone(), label);
    Some(finding.help("add `{evaluator_output}` where the check's output helps the agent to do better"))
}
