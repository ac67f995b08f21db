//! `loop policy`: what tools may do, and which line of settings says so.

mod explain;
mod show;

use std::{path::Path, process::ExitCode};

use loop_guardrails::policy::{Origin, workspace::Workspace};
use serde::Serialize;

use super::{Failure, runs::json, setting};
use crate::{
    args::{PolicyCommand, PolicyPlace},
    view,
};
use loop_manifest::settings::Settings;

pub(crate) fn exec(command: &PolicyCommand) -> Result<ExitCode, Failure> {
    match command {
        PolicyCommand::Show(place) => show::exec(place),
        PolicyCommand::Explain(args) => explain::exec(args),
    }
}

/// The settings that hold in a folder, and the folder as tools would see it. What the project asks for and does
/// not get is said.
fn open(place: &PolicyPlace) -> Result<(Settings, Workspace), Failure> {
    let dir = setting::dir(place.cwd.as_deref())?;
    let settings = setting::settings(place.cwd.as_deref().unwrap_or(Path::new("")))?;
    let workspace = Workspace::open(dir, settings.policy())?;
    for ignored in workspace.policy().ignored() {
        view::warning(&ignored.to_string());
    }
    Ok((settings, workspace))
}

/// Where a rule stands, for programs; both are `null` for one that is built in.
#[derive(Debug, Serialize)]
struct PlaceJson<'a> {
    file: Option<&'a str>,
    line: Option<usize>,
}

impl<'a> From<&'a Origin> for PlaceJson<'a> {
    fn from(origin: &'a Origin) -> Self {
        match origin {
            Origin::File { file, line } => Self { file: Some(file), line: Some(*line) },
            _ => Self { file: None, line: None },
        }
    }
}

/// Prints an object on one line.
fn tell_json(object: &impl Serialize) {
    view::tell_json(&json(object));
}
