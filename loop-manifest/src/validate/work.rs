//! The choice between a command and a model, and the keys of each.

use super::super::{
    diagnostics::{Diagnostic, Span},
    field::{Field, FieldValue, SpannedText},
    keys::flag::MODEL,
    raw::RawAgent,
};
use crate::names::ToolName;

/// The kind of worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WorkKind {
    Command,
    Model,
}

/// Determines the kind. Reports a manifest that names neither, and keys that belong to the other kind.
pub(super) fn kind(raw: &RawAgent, problems: &mut Vec<Diagnostic>) -> Option<WorkKind> {
    if !matches!(raw.command, Field::Absent) {
        let strangers = [place(&raw.system), place(&raw.tools)].into_iter().flatten();
        problems.extend(strangers.map(|at| stranger(&at, "a model", "this agent is a command")));
        problems.extend(raw.model.written().filter(|model| model.key == MODEL).map(commanded));
        return Some(WorkKind::Command);
    }
    if matches!(raw.model, Field::Absent) {
        return None;
    }
    let strangers = [
        place(&raw.format).map(|at| (at, "this agent is a model, which reports its usage")),
        place(&raw.usage_log).map(|at| (at, "this agent is a model, which reports its usage")),
        place(&raw.background).map(|at| (at, "this agent is a model, which waits for its tools")),
    ];
    problems.extend(strangers.into_iter().flatten().map(|(at, label)| stranger(&at, "a command", label)));
    Some(WorkKind::Model)
}

/// Returns the location of the key that names the agent.
pub(super) fn span(raw: &RawAgent) -> Span {
    let named = raw.command.written().or(raw.model.written());
    named.map(|at| at.span.clone()).unwrap_or_default()
}

/// Refuses `--model` for a command: the command would go on using its own model.
fn commanded(model: &FieldValue<String>) -> Diagnostic {
    Diagnostic::error(format!("`{MODEL}` cannot choose the model of a command"))
        .at(model.span.clone(), "the agent is a command, `agent.command`")
        .help("write the command's own flag into `agent.command`, or pass a whole command with `--agent`")
        .help("to name the model whose prices apply, write `--set agent.model=NAME`")
}

/// Returns the location of a field, whatever its value.
pub(super) fn place<T>(field: &Field<T>) -> Option<FieldValue<()>> {
    field.written().map(|at| FieldValue { key: at.key, value: (), span: at.span.clone() })
}

/// Creates the finding for a key of the other kind.
pub(super) fn stranger(at: &FieldValue<()>, whose: &str, label: &str) -> Diagnostic {
    Diagnostic::error(format!("`{}` is for {whose}", at.key)).at(at.span.clone(), label).help("remove it")
}

/// Validates the named tools.
pub(super) fn tools(at: FieldValue<Vec<SpannedText>>) -> Result<Vec<ToolName>, Diagnostic> {
    let read = |SpannedText { value, span }: SpannedText| {
        value.parse().map_err(|error: crate::names::UnknownTool| {
            Diagnostic::error(format!("`{}`: {error}", at.key)).at(span, "no tool")
        })
    };
    at.value.into_iter().map(read).collect()
}
