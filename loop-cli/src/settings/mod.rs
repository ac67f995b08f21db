//! Settings: what holds for every run and chat in a folder, beside what one manifest says.
//!
//! There are two files, since two people write them. The user's own says what may be done on this machine. The
//! project's `loop.toml` comes with the project, so whoever clones a repository has one that somebody else wrote;
//! it can make the rules narrower, and never wider.
//!
//! `loop.toml` may be a manifest as well. That makes no two meanings out of one key: settings are in tables
//! ([`TABLES`]) whose names no manifest has, and they are taken out before the manifest is read. In other files
//! nobody would look for them, so there they are unknown keys.
//!
//! One file a table: [`chat`], [`models`], [`policy`], [`schedule`]. A further one is a field of [`Tables`], its name in [`TABLES`], and its reader.

mod chat;
mod file;
mod models;
mod place;
mod policy;
mod schedule;
mod table;

#[cfg(test)]
mod tests;

use std::{
    collections::BTreeMap,
    ffi::OsString,
    path::{Path, PathBuf},
};

use loop_guardrails::policy::{ActionPolicy, Placed, Settings as PolicySettings};
use loop_telemetry::StateDir;
use serde_json::Value;

pub(crate) use self::{
    chat::ChatSettings,
    file::{Layer, only_settings, page, take},
    models::NamedModel,
};
use crate::manifest::Diagnostics;

/// The project's file, which may be a manifest as well.
pub(crate) const PROJECT_FILE: &str = "loop.toml";

/// The names of the tables.
const TABLES: &[&str] = &["chat", "models", "policy", "schedule"];

/// What an editor is told of the tables that a project can have, by their names.
pub(crate) fn schemas() -> impl Iterator<Item = (String, Value)> {
    let schemas = [("chat", chat::schema()), ("models", models::schema()), ("policy", policy::schema())];
    schemas.map(|(name, schema)| (name.to_owned(), schema)).into_iter()
}

/// Whose file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owner {
    /// The user's own.
    User,
    /// It came with the project.
    Project,
}

/// What the tables of one file say.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tables {
    /// `[chat]`: what chats are made of.
    pub(crate) chat: ChatSettings,
    /// `[models.NAME]`: models by names of their own.
    pub(crate) models: BTreeMap<String, NamedModel>,
    /// `[policy]`: what tools may do.
    pub(crate) policy: PolicySettings,
    /// `[schedule]`: the numbers that hold for all jobs.
    pub(crate) schedule: loop_schedule::Settings,
}

/// The user's settings and a project's.
#[derive(Debug)]
pub(crate) struct Settings {
    /// The user's own.
    pub(crate) user: Layer,
    /// The project's.
    pub(crate) project: Layer,
    /// What nobody changes but the user: their settings, and what is kept of runs.
    guarded: Vec<PathBuf>,
}

impl Settings {
    /// Reads the settings that hold in the folder `dir`. `lookup` finds environment variables.
    ///
    /// # Errors
    /// All that is wrong with the first file that is wrong.
    pub(crate) fn load(
        dir: &Path,
        mut lookup: impl FnMut(&str) -> Option<OsString>,
    ) -> Result<Self, Diagnostics> {
        let place = place::of_user(&mut lookup);
        let user =
            place.map(|place| Layer::of_user(place.path, place.is_named)).transpose()?.unwrap_or_default();
        let project = Layer::of_project(dir.join(PROJECT_FILE))?;
        let state = StateDir::from_env_with(lookup).ok().map(|state| state.path().to_owned());
        let guarded = user.path.iter().chain(&state).map(|path| place::settled(path)).collect();
        Ok(Self { user, project, guarded })
    }

    /// What tools may do, as the user and the project together allow it.
    pub(crate) fn policy(&self) -> ActionPolicy {
        self.policy_allowing([])
    }

    /// The same, with programs that the user lets run besides by naming the file in which they stand.
    pub(crate) fn policy_allowing(&self, programs: impl IntoIterator<Item = Placed<String>>) -> ActionPolicy {
        let (mut user, project) = (self.user.tables.policy.clone(), self.project.tables.policy.clone());
        user.allow.extend(programs);
        ActionPolicy::new(user, project).guard(self.guarded.clone())
    }
}
