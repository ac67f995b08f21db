//! The settings of a user and of a project.
//!
//! A project's settings come with the project, so cloning a repository imports its author's settings. So a project can
//! make the policy stricter for all its users, and never weaker: see
//! [`ActionPolicy::new`](super::ActionPolicy::new).

use std::{fmt, time::Duration};

use super::{
    CommandNetwork, DEFAULT_COMMAND_TIME, FileName, LocalPath, Origin, Permissions, SandboxMode, WithOrigin,
    WriteApproval,
    command::{CommandPolicy, CommandPrefix},
    environment::NamePattern,
};

/// The settings of one file. Each stores its line.
///
/// # Default
/// Nothing is set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PolicySettings {
    /// Whether only known programs run, with their arguments checked. On by default; only the user's own settings can
    /// switch it off.
    pub safe_mode: Option<WithOrigin<bool>>,
    /// Commands that also run in safe mode, in addition to the [default](super::command::DEFAULT_PROGRAMS), by their
    /// leading words.
    pub allow: Vec<WithOrigin<CommandPrefix>>,
    /// Commands that never run, whatever allows them.
    pub forbid: Vec<WithOrigin<CommandPrefix>>,
    /// Which changes of files a person is shown before tools make them. Default: [`WriteApproval::Ask`].
    pub approve_writes: Option<WithOrigin<WriteApproval>>,
    /// Permissions by path.
    pub permissions: Permissions,
    /// Names of secret files, in addition to the default.
    pub secret: Vec<WithOrigin<FileName>>,
    /// Paths that are not secrets, although they are named like one.
    pub not_secret: Vec<WithOrigin<LocalPath>>,
    /// The time limit for a command. Default: five minutes.
    pub command_time: Option<WithOrigin<Duration>>,
    /// Variables that the commands of tools see in addition to the
    /// [necessary](super::environment::Inheritance::Necessary) ones, even if they look like secrets.
    pub variables: Vec<WithOrigin<NamePattern>>,
    /// Whether commands run in a sandbox. Default: [`SandboxMode::Auto`].
    pub sandbox: Option<WithOrigin<SandboxMode>>,
    /// Which commands may use the network. Only a sandbox enforces it. Default: [`CommandNetwork::Approved`].
    pub network: Option<WithOrigin<CommandNetwork>>,
}

/// A project's setting that has no effect, because only the user can set it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct IgnoredSetting {
    /// The origin of the setting.
    pub origin: Origin,
    /// The setting, as a person would write it.
    pub setting: String,
}

impl fmt::Display for IgnoredSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { origin, setting } = self;
        write!(
            f,
            "`{setting}` ({origin}) has no effect: a project cannot allow more; write it into your own settings"
        )
    }
}

/// Returns the user's time limit for a command.
pub(super) fn longest(user: &PolicySettings) -> Duration {
    user.command_time.as_ref().map_or(DEFAULT_COMMAND_TIME, |time| time.value)
}

/// Returns the stricter setting of the user and the project.
pub(super) fn strictest<T: Ord + Default>(
    user: Option<WithOrigin<T>>,
    project: Option<WithOrigin<T>>,
) -> WithOrigin<T> {
    let own = user.unwrap_or_default();
    project.filter(|asked| asked.value > own.value).unwrap_or(own)
}

/// Returns the project's settings that only the user can set.
pub(super) fn beyond(user: &PolicySettings, project: &PolicySettings) -> Vec<IgnoredSetting> {
    let ignored = |origin: &Origin, setting: String| IgnoredSetting { origin: origin.clone(), setting };
    let known = CommandPolicy::new().allow(user.allow.clone());
    let entries = project.allow.iter().filter(|entry| !known.is_allowed(entry.value.words()));
    let entries =
        entries.map(|entry| ignored(&entry.origin, format!("allow = [{:?}]", entry.value.to_string())));
    let fewer = weaker("approve_writes", user.approve_writes.as_ref(), project.approve_writes.as_ref());
    let looser = weaker("sandbox", user.sandbox.as_ref(), project.sandbox.as_ref());
    let wider = weaker("network", user.network.as_ref(), project.network.as_ref());
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
    entries.chain(off).chain(shown).chain(long).chain(seen).chain(fewer).chain(looser).chain(wider).collect()
}

/// Returns the project's value of a setting if it is weaker than the user's.
fn weaker<T: Ord + Copy + Default + fmt::Display>(
    name: &str,
    user: Option<&WithOrigin<T>>,
    project: Option<&WithOrigin<T>>,
) -> Option<IgnoredSetting> {
    let own = user.map(|own| own.value).unwrap_or_default();
    let asked = project.filter(|asked| asked.value < own)?;
    Some(IgnoredSetting { origin: asked.origin.clone(), setting: format!("{name} = \"{}\"", asked.value) })
}
