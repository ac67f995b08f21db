//! Warns about reports that nobody reads, and about formats that the agent does not print.

use loop_agents::usage::Format;

use super::super::{diagnostics::Diagnostic, field::FieldValue, raw::RawManifest, usage_reporter};

pub(super) fn of(raw: &RawManifest) -> Vec<Diagnostic> {
    let Some(command) = raw.agent.command.written() else { return Vec::new() };
    let written = raw.agent.format.written();
    // Another check reports an unknown format.
    let Some(format) = written.map_or(Some(Format::Text), |at| at.value.parse().ok()) else {
        return Vec::new();
    };
    let found = match written {
        Some(at) if format.flags().is_some() => unlike(command, at, format),
        _ => unread(command),
    };
    found.into_iter().collect()
}

/// Warns about a command that is known to print another format.
fn unlike(command: &FieldValue<String>, at: &FieldValue<String>, format: Format) -> Option<Diagnostic> {
    let called = usage_reporter::called(&command.value);
    let (first, _) = called.first()?;
    if called.iter().any(|(reporter, reports)| *reports && reporter.format == format) {
        return None;
    }
    let finding = Diagnostic::warning(format!("the agent does not print `{format}`"));
    let finding = finding.at(at.span.clone(), "its usage would be unknown");
    if let Some((own, _)) = called.iter().find(|(reporter, _)| reporter.format == format) {
        let label = format!("the flags of `{}` do not make it report", own.program);
        return Some(
            finding.at(command.span.clone(), label).help(format!("write `{}`", own.reporting_command())),
        );
    }
    let label = format!("`{}` has a format of its own", first.program);
    let finding = finding.at(command.span.clone(), label);
    Some(finding.help(format!("write `agent.format: {}`, and `{}`", first.format, first.reporting_command())))
}

/// Warns about an agent that reports its usage in a format that is not read.
fn unread(command: &FieldValue<String>) -> Option<Diagnostic> {
    let called = usage_reporter::called(&command.value);
    let (reporter, _) = called.iter().find(|(_, reports)| *reports)?;
    let finding = Diagnostic::warning("the agent reports its usage, but nothing reads it");
    let label = format!("this prints `{}`", reporter.format);
    let finding = finding.at(command.span.clone(), label);
    Some(finding.help(format!("write `agent.format: {}`", reporter.format)))
}
