//! `loop policy`: shows what tools may do, and which line of the settings decides.

mod explain;
mod show;

use std::{path::Path, process::ExitCode};

use loop_guardrails::policy::{Origin, workspace::Workspace};
use serde::Serialize;

use super::{Failure, environment, runs::json};
use crate::{
    args::{PolicyCommand, PolicyFolderArgs},
    view,
};
use loop_manifest::settings::Settings;

pub(crate) fn exec(command: &PolicyCommand) -> Result<ExitCode, Failure> {
    match command {
        PolicyCommand::Show(place) => show::exec(place),
        PolicyCommand::Explain(args) => explain::exec(args),
    }
}

/// Opens the settings that apply in a folder, and the folder as tools see it. Reports project requests that the user's
/// settings deny.
fn open(place: &PolicyFolderArgs) -> Result<(Settings, Workspace), Failure> {
    let dir = environment::dir(place.cwd.as_deref())?;
    let settings = environment::settings(place.cwd.as_deref().unwrap_or(Path::new("")))?;
    let workspace = Workspace::open(dir, settings.policy())?;
    for ignored in workspace.policy().ignored() {
        view::warning(&ignored.to_string());
    }
    Ok((settings, workspace))
}

/// The location of a rule, for programs; both fields are `null` for a built-in rule.
#[derive(Debug, Serialize)]
struct OriginJson<'a> {
    file: Option<&'a str>,
    line: Option<usize>,
}

impl<'a> From<&'a Origin> for OriginJson<'a> {
    fn from(origin: &'a Origin) -> Self {
        match origin {
            Origin::File { file, line } => Self { file: Some(file), line: Some(*line) },
            _ => Self { file: None, line: None },
        }
    }
}

/// Prints an object on one line.
fn print_json_or_warn(object: &impl Serialize) {
    view::print_json_or_warn(&json(object));
}
