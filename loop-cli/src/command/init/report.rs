//! The output of `loop init`.

use std::path::Path;

use loop_manifest::{
    UNFILLED,
    init::{AgentChoice, ProjectCheck, SCHEMA_FILE, known_programs},
};

use crate::view::{BOLD, WARN, paint};

/// Lists what was found, and what was not.
pub(crate) fn found(agent: AgentChoice<'_>, checks: &[ProjectCheck]) -> String {
    let mut rows = match agent {
        AgentChoice::Known(known) => {
            vec![("agent", known.command.to_owned()), ("", known.permits.to_owned())]
        }
        AgentChoice::Given(command) => vec![("agent", command.to_owned())],
        AgentChoice::Missing => vec![
            ("agent", paint(WARN, "none found on PATH")),
            ("", format!("known by name: {}", known_programs())),
        ],
    };
    match checks {
        [] => rows.push(("check", paint(WARN, "none found in this folder"))),
        [first, others @ ..] => {
            rows.push(("check", format!("{} (from {})", first.command, first.file)));
            let other =
                |other: &ProjectCheck| ("", format!("not used: {} (from {})", other.command, other.file));
            rows.extend(others.iter().map(other));
        }
    }
    rows.iter().map(|(label, text)| format!("  {label:<7}{text}\n")).collect()
}

/// Describes the next steps for the manifest `out`. `is_meant` is true if commands find it by default, and
/// `is_complete` if it has no open places.
pub(crate) fn next(out: &Path, is_meant: bool, is_complete: bool) -> String {
    let mut text = String::new();
    let file = out.to_string_lossy();
    if !is_complete {
        text += &format!("  edit {file}: replace {UNFILLED} with a command\n");
    }
    let argument =
        if is_meant { String::new() } else { format!(" {}", shlex::try_quote(&file).unwrap_or_default()) };
    let commands = ["loop check", "loop run"].map(|command| format!("{command}{argument}"));
    let width = commands[0].len();
    let meanings = ["describe what the loop would do", "do it"];
    for (command, meaning) in commands.iter().zip(meanings) {
        text += &format!("  {command:<width$}   {meaning}\n");
    }
    format!("{}\n{text}", paint(BOLD, "next"))
}

/// Explains how to tell an editor about the schema, for formats without comments.
pub(crate) fn schema_hint(out: &Path) -> String {
    let file = out.display();
    format!(
        "  for help while editing: `loop schema > {SCHEMA_FILE}`, and \"$schema\": \"./{SCHEMA_FILE}\" in {file}"
    )
}
