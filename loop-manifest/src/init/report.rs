//! Describes a draft to a person: the output of `loop init`.

use std::path::Path;

use loop_telemetry::words::style::{BOLD, WARN, paint};

use super::{AgentChoice, CheckChoice, KnownAgent, ProjectCheck, SCHEMA_FILE, known_programs};
use crate::UNFILLED;

/// Lists what the manifest contains, and what else was found.
pub fn found(agent: AgentChoice<'_>, check: Option<CheckChoice<'_>>, found: &[ProjectCheck]) -> String {
    let mut rows = match agent {
        AgentChoice::Known(known) => {
            vec![("agent", known.command.to_owned()), ("", known.permits.to_owned())]
        }
        AgentChoice::Given(command) => vec![("agent", command.to_owned())],
        AgentChoice::Missing => no_agent().to_vec(),
    };
    rows.push(match check {
        Some(CheckChoice::Found(check)) => ("check", with_origin(check)),
        Some(CheckChoice::Given(command)) => ("check", command.to_owned()),
        None => no_check(),
    });
    let is_taken =
        |other: &&ProjectCheck| matches!(check, Some(CheckChoice::Found(check)) if check == *other);
    let others = found.iter().filter(|other| !is_taken(other));
    rows.extend(others.map(|other| ("", format!("not used: {}", with_origin(other)))));
    table(&rows)
}

/// Lists everything from which `init` can choose. The first agent and the first check are its choice.
pub fn list<'a>(agents: impl Iterator<Item = &'a KnownAgent>, checks: &[ProjectCheck]) -> String {
    let mut rows: Vec<_> = agents.map(|known| ("agent", known.command.to_owned())).collect();
    if rows.is_empty() {
        rows.extend(no_agent());
    }
    match checks {
        [] => rows.push(no_check()),
        found => rows.extend(found.iter().map(|check| ("check", with_origin(check)))),
    }
    table(&rows)
}

fn no_agent() -> [(&'static str, String); 2] {
    [("agent", paint(WARN, "none found on PATH")), ("", format!("known by name: {}", known_programs()))]
}

fn no_check() -> (&'static str, String) {
    ("check", paint(WARN, "none found in this folder"))
}

fn with_origin(check: &ProjectCheck) -> String {
    format!("{} (from {})", check.command, check.file)
}

fn table(rows: &[(&str, String)]) -> String {
    rows.iter().map(|(label, text)| format!("  {label:<7}{text}\n")).collect()
}

/// Describes the next steps for the manifest `out`. `is_meant` is true if commands find it by default, and
/// `is_complete` if it has no open places.
pub fn next(out: &Path, is_meant: bool, is_complete: bool) -> String {
    let mut text = String::new();
    let file = out.to_string_lossy();
    if !is_complete {
        text += &format!("  edit {file}: replace each {UNFILLED} with a command\n");
    }
    let argument =
        if is_meant { String::new() } else { format!(" {}", shlex::try_quote(&file).unwrap_or_default()) };
    let commands = ["loop check", "loop run"].map(|command| format!("{command}{argument}"));
    let width = commands[0].len();
    let meanings = ["describe what the loop would do", "run the loop"];
    for (command, meaning) in commands.iter().zip(meanings) {
        text += &format!("  {command:<width$}   {meaning}\n");
    }
    format!("{}\n{text}", paint(BOLD, "next"))
}

/// Explains how to tell an editor about the schema, for formats without comments.
pub fn schema_hint(out: &Path) -> String {
    let file = out.display();
    format!(
        "  for help while editing: `loop schema > {SCHEMA_FILE}`, and \"$schema\": \"./{SCHEMA_FILE}\" in {file}"
    )
}
