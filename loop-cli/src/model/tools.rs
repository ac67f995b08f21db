//! What a model can call, under the policy.

use anyhow::Context;
use loop_agents::tools::Toolbox;
use loop_guardrails::policy::{
    ActionPolicy,
    audit::{Audit, AuditFile},
    environment::{EnvironmentPolicy, NamePattern},
    workspace::Workspace,
};
use loop_telemetry::StateDir;

use super::Surroundings;
use loop_manifest::{ToolName, settings::Settings};

use crate::{compose::Place, view};

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
    others.fold(tools, |tools, other| tools.without(other.as_str()))
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
        assert_eq!(ToolName::ALL.map(|tool| tool.as_str().to_owned()).to_vec(), names);
    }
}
