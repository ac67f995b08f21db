//! What a person sets, and what a project asks for.
//!
//! A project's settings come with the project: who clones a repository runs what its author wrote into
//! it. So a project can make the policy narrower for everybody who works in it, and never wider: see
//! [`ActionPolicy::new`](super::ActionPolicy::new).

use std::{fmt, time::Duration};

use super::{
    DEFAULT_COMMAND_TIME, FileName, LocalPath, Origin, Permissions, Placed, command::CommandPolicy,
    environment::NamePattern,
};

/// The settings of one file. Each keeps the line at which it stands.
///
/// # Default
/// Nothing is set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Settings {
    /// Whether only known programs run, and their arguments are looked at. On, unless the user's own
    /// settings say otherwise.
    pub safe_mode: Option<Placed<bool>>,
    /// Programs that run in safe mode beside those of the [default](super::command::DEFAULT_PROGRAMS), by
    /// their exact names.
    pub allow: Vec<Placed<String>>,
    /// Programs that do not run, whatever allows them.
    pub forbid: Vec<Placed<String>>,
    /// What may be done where.
    pub permissions: Permissions,
    /// Names of files that are secrets beside those of the default.
    pub secret: Vec<Placed<FileName>>,
    /// Paths that are no secrets, although they are named like one.
    pub not_secret: Vec<Placed<LocalPath>>,
    /// How long a command may run. Five minutes, unless something is set.
    pub command_time: Option<Placed<Duration>>,
    /// Variables that commands of tools see beside the [necessary](super::environment::Inherit::Necessary) ones,
    /// whatever they look like.
    pub variables: Vec<Placed<NamePattern>>,
}

/// A setting of a project that has no effect, since only the user can set it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ignored {
    /// Where it stands.
    pub origin: Origin,
    /// The setting, as it would be written.
    pub setting: String,
}

impl fmt::Display for Ignored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { origin, setting } = self;
        write!(
            f,
            "`{setting}` ({origin}) has no effect: a project cannot allow more; write it into your own settings"
        )
    }
}

/// How long a command may run as far as the user says.
pub(super) fn longest(user: &Settings) -> Duration {
    user.command_time.as_ref().map_or(DEFAULT_COMMAND_TIME, |time| time.value)
}

/// What the project sets that only the user can.
pub(super) fn beyond(user: &Settings, project: &Settings) -> Vec<Ignored> {
    let ignored = |origin: &Origin, setting: String| Ignored { origin: origin.clone(), setting };
    let known = CommandPolicy::new().allow(user.allow.clone());
    let programs = project.allow.iter().filter(|program| !known.is_allowed(&program.value));
    let programs = programs.map(|program| ignored(&program.origin, format!("allow = [{:?}]", program.value)));
    let off = project
        .safe_mode
        .iter()
        .filter(|mode| !mode.value && user.safe_mode.as_ref().is_none_or(|mode| mode.value));
    let off = off.map(|mode| ignored(&mode.origin, "safe_mode = false".to_owned()));
    let shown = project
        .not_secret
        .iter()
        .filter(|path| !user.not_secret.iter().any(|own| path.value.is_within(&own.value)));
    let shown = shown.map(|path| ignored(&path.origin, format!("not_secret = [\"{}\"]", path.value)));
    let long = project.command_time.iter().filter(|time| time.value > longest(user));
    let seconds = |time: &Duration| format!("command_seconds = {}", time.as_secs_f64());
    let long = long.map(|time| ignored(&time.origin, seconds(&time.value)));
    let seen =
        project.variables.iter().filter(|name| !user.variables.iter().any(|own| own.value == name.value));
    let seen = seen.map(|name| ignored(&name.origin, format!("variables = [\"{}\"]", name.value)));
    programs.chain(off).chain(shown).chain(long).chain(seen).collect()
}
