//! What a model calls, in a line.

use loop_agents::{
    chat::ToolCall,
    tools::{ToolOutcome, ToolReport},
};

use super::{WARN, paint, text};

/// How much of a call is shown on its line.
const LINE: usize = 100;

/// A call on a line.
pub(crate) fn called(call: &ToolCall) -> String {
    let arguments = text::one_line(&call.arguments.to_string());
    let shown: String = arguments.chars().take(LINE).collect();
    let more = if shown.len() < arguments.len() { "…" } else { "" };
    format!("[{}] {shown}{more}", text::one_line(&call.name))
}

/// What went wrong with a call on a line, if anything did.
pub(crate) fn refused(report: &ToolReport) -> Option<String> {
    let how = match report.outcome {
        ToolOutcome::Done => return None,
        ToolOutcome::Rejected => "denied",
        ToolOutcome::Failed => "failed",
    };
    let why = text::last_line(report.text.lines().next().unwrap_or_default(), LINE).unwrap_or_default();
    Some(format!("{} {why}", paint(WARN, format_args!("{} {how}:", text::one_line(&report.tool)))))
}
