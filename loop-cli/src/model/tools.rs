//! What a model can call, under the policy.

use std::{fmt, str::FromStr};

use anyhow::Context;
use loop_agents::tools::Toolbox;
use loop_guardrails::policy::{
    ActionPolicy,
    audit::{Audit, AuditFile},
    environment::{EnvironmentPolicy, NamePattern},
    workspace::Workspace,
};
use loop_telemetry::StateDir;
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};

use super::Surroundings;
use crate::{compose::Place, manifest::nearest, settings::Settings, view};

/// A tool by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub(crate) struct ToolName(&'static str);

impl ToolName {
    /// All of them, in the order of their names.
    pub(crate) const ALL: [Self; 11] = [
        Self("create_dir"),
        Self("current_datetime"),
        Self("edit_file"),
        Self("file_tree"),
        Self("git"),
        Self("list_files"),
        Self("read_file"),
        Self("run_command"),
        Self("search_files"),
        Self("whoami"),
        Self("write_file"),
    ];

    /// Those that only look.
    pub(crate) const LOOKING: [Self; 6] = [
        Self("file_tree"),
        Self("git"),
        Self("list_files"),
        Self("read_file"),
        Self("run_command"),
        Self("search_files"),
    ];

    pub(crate) const fn as_str(&self) -> &'static str {
        self.0
    }
}

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// A word that is no tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no tool `{written}`{}; there are {}", meant.map(|meant| format!(" (did you mean `{meant}`?)")).unwrap_or_default(), ToolName::ALL.map(|tool| tool.0).join(", "))]
pub(crate) struct UnknownTool {
    written: String,
    meant: Option<&'static str>,
}

impl FromStr for ToolName {
    type Err = UnknownTool;

    fn from_str(text: &str) -> Result<Self, UnknownTool> {
        Self::ALL.into_iter().find(|tool| tool.0 == text).ok_or_else(|| UnknownTool {
            written: text.to_owned(),
            meant: nearest::closest(text, Self::ALL, |tool| tool.0).map(|tool| tool.0),
        })
    }
}

impl<'de> Deserialize<'de> for ToolName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// The tools of the settings: what the user and the project both have, and all where neither says.
pub(crate) fn of_settings(settings: &Settings) -> Vec<ToolName> {
    let lists = [&settings.user, &settings.project].map(|layer| layer.tables.chat.tools.as_deref());
    let is_in = |tool: &ToolName| lists.into_iter().flatten().all(|list| list.contains(tool));
    ToolName::ALL.into_iter().filter(is_in).collect()
}

/// The folder that tools see. What a project's policy asks for and does not get is said.
///
/// # Errors
/// A folder that cannot be worked in.
pub(crate) fn workspace(place: &Place, policy: ActionPolicy) -> anyhow::Result<Workspace> {
    let workspace = Workspace::open(&place.dir, policy)?;
    for ignored in workspace.policy().ignored() {
        view::warning(&ignored.to_string());
    }
    Ok(workspace)
}

/// Where decisions about tools are written down, without secrets.
///
/// # Errors
/// There is no state directory.
pub(crate) fn audit(place: &Place) -> anyhow::Result<Audit> {
    let state = StateDir::from_env_with(|name| place.var(name))
        .context("decisions about tools cannot be written down")?;
    let file = AuditFile::at(state.audit());
    Ok(Audit::new().file(file).redacted(|text| view::secrets().redact(text).into_owned()))
}

/// These tools, in this folder.
pub(crate) fn toolbox(
    names: &[ToolName],
    around: &Surroundings<'_>,
    workspace: &Workspace,
    audit: &Audit,
) -> Toolbox {
    let Surroundings { place, sees, set, .. } = around;
    // What is set is meant to be seen, and what is named.
    let named = workspace.policy().variables().iter().map(|name| name.value.clone());
    let seen = sees.clone().of_commands().pass(named).split(place.env.iter().cloned()).seen.into_iter();
    let seen = seen.chain(set.iter().map(|(name, value)| (name.into(), value.into())));
    let everything = EnvironmentPolicy::new().pass("*".parse::<NamePattern>());
    let tools = Toolbox::standard(workspace.clone())
        .environment(seen, &everything)
        .custody(place.custody.clone())
        .run(place.custody.run())
        .audit(audit.clone());
    let others = ToolName::ALL.into_iter().filter(|tool| !names.contains(tool));
    others.fold(tools, |tools, other| tools.without(other.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_those_of_the_tools() {
        let folder = tempfile::tempdir().expect("a folder");
        let workspace = Workspace::open(folder.path(), ActionPolicy::default()).expect("a workspace");
        let names: Vec<_> =
            Toolbox::standard(workspace).definitions().into_iter().map(|tool| tool.name).collect();
        assert_eq!(ToolName::ALL.map(|tool| tool.0.to_owned()).to_vec(), names);
    }

    #[test]
    fn a_slip_is_traced() {
        assert_eq!("git".parse(), Ok(ToolName("git")));
        let said = "readfile".parse::<ToolName>().expect_err("a slip").to_string();
        assert!(said.contains("did you mean `read_file`?"), "{said}");
    }
}
