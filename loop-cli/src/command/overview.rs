//! `loop hint` and `loop workspace`: what to do next, and what is stored for a folder.

use std::{env, process::ExitCode};

use loop_session::overview::{WorkspaceStatus, hint_page, hints};
use loop_telemetry::StateDir;

use super::{Failure, rag::known, runs::json};
use crate::{
    args::{KnowledgeArgs, WorkspaceArgs},
    exit,
    view::{self, text},
};

pub(crate) fn hint(place: &KnowledgeArgs) -> Result<ExitCode, Failure> {
    let hints = hints(&known(place)?, &StateDir::from_env_with(|name| env::var_os(name))?, None);
    if place.json {
        let _ = hints.iter().all(|hint| view::print_json_or_warn(&json(hint)));
    } else {
        view::print_or_warn(&text::printable(&hint_page(&hints)));
    }
    Ok(ExitCode::from(exit::OK))
}

pub(crate) fn workspace(WorkspaceArgs { place, .. }: &WorkspaceArgs) -> Result<ExitCode, Failure> {
    let state = StateDir::from_env_with(|name| env::var_os(name))?;
    let status = WorkspaceStatus::read(&known(place)?, &state);
    if place.json {
        view::print_json_or_warn(&json(&status));
    } else {
        view::print_or_warn(&text::printable(&status.to_string()));
    }
    Ok(ExitCode::from(exit::OK))
}
