//! Tool calls of a model, on one line each.

use loop_agents::{
    chat::ToolCall,
    output::first_line,
    tools::{ToolOutcome, ToolReport},
};

use super::text;
use crate::view::{DIM, WARN, paint};

/// The maximum length of a call's line.
const LINE: usize = 100;

/// Formats a call on one line.
pub(crate) fn tool_call_line(call: &ToolCall) -> String {
    let arguments = text::one_line(&call.arguments.to_string());
    let shown: String = arguments.chars().take(LINE).collect();
    let more = if shown.len() < arguments.len() { "…" } else { "" };
    format!("[{}] {shown}{more}", text::one_line(&call.name))
}

/// Tells a person who started an unattended turn how to allow the command that was refused, if a flag can.
pub(crate) fn allow_hint(report: &ToolReport) -> Option<String> {
    let entry = report.refused.as_ref()?.to_string();
    let quoted = shlex::try_quote(&entry).ok()?;
    Some(paint(DIM, format_args!("`--allow {}` allows it", text::one_line(&quoted))))
}

/// Formats the parts of the sandbox that did not hold for a call, one per line: at most three, and the number of the rest.
pub(crate) fn unenforced_lines(report: &ToolReport) -> Vec<String> {
    const SHOWN: usize = 3;
    let more = report.unenforced.len().saturating_sub(SHOWN);
    let more = (more > 0).then(|| format!("not enforced by the sandbox: {more} more parts"));
    let lines = report.unenforced_lines().take(SHOWN).map(|line| text::one_line(&line));
    lines.chain(more).map(|line| paint(WARN, line)).collect()
}

/// Formats the error of a call on one line, if there is one.
pub(crate) fn tool_error_line(report: &ToolReport) -> Option<String> {
    let how = match report.outcome {
        ToolOutcome::Done => return None,
        ToolOutcome::Rejected => "denied",
        ToolOutcome::Failed => "failed",
    };
    let why = text::last_line(&first_line(&report.text), LINE).unwrap_or_default();
    Some(format!("{} {why}", paint(WARN, format_args!("{} {how}:", text::one_line(&report.tool)))))
}
