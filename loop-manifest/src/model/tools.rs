//! The tools that a model can call, under the policy.

use loop_agents::{process::sandbox::UserFolders, tools::CommandSandbox};
use loop_guardrails::policy::{
    ActionPolicy,
    audit::{Audit, AuditFile},
    workspace::Workspace,
};
use loop_telemetry::StateDir;

use crate::{
    compose::{ToolsError, state_folder},
    context::ExecutionContext,
    names::ToolName,
    settings::Settings,
};

/// Returns the tools that the user's settings and the project's both name. A file that names none allows all.
pub fn tools_of(settings: &Settings) -> Vec<ToolName> {
    let lists = [&settings.user, &settings.project].map(|layer| layer.tables.chat.tools.as_deref());
    let is_in = |tool: &ToolName| lists.into_iter().flatten().all(|list| list.contains(tool));
    ToolName::ALL.into_iter().filter(is_in).collect()
}

/// Opens the folder in which tools work. Warns about requests in a project's policy that the user's settings deny.
///
/// # Errors
/// The folder cannot be worked in.
pub fn workspace(cx: &ExecutionContext, policy: ActionPolicy) -> Result<Workspace, ToolsError> {
    let workspace = Workspace::open(cx.folder(), policy)?;
    for ignored in workspace.policy().ignored() {
        cx.warn(&ignored.to_string());
    }
    Ok(workspace)
}

/// Returns the audit, which records decisions about tools without secrets, in the state directory that the variables
/// name.
///
/// # Errors
/// The variables name no state directory, or the audit folder in it is a link.
pub fn audit(cx: &ExecutionContext) -> Result<Audit, ToolsError> {
    let state = StateDir::from_env_with(|name| cx.variable(name))?;
    let redact = cx.redaction();
    Ok(Audit::new().file(AuditFile::at(state.audit()?)).redacted(move |text| redact(text)))
}

/// Returns the sandbox for the commands of tools, which see the toolchains and caches of the user, and not the state
/// directory.
pub fn command_sandbox(cx: &ExecutionContext) -> CommandSandbox {
    let variable = |name: &str| cx.variable(name);
    CommandSandbox::new(UserFolders::of(variable)).hide(state_folder(cx))
}

#[cfg(test)]
mod tests {
    use loop_agents::{
        remote::RemoteReader,
        tools::{FetchUrl, Toolbox},
    };

    use super::*;

    #[test]
    fn the_names_are_those_of_the_tools() {
        let folder = tempfile::tempdir().expect("a folder");
        let workspace = Workspace::open(folder.path(), ActionPolicy::default()).expect("a workspace");
        let tools = Toolbox::standard(workspace).with(FetchUrl::new(RemoteReader::new()));
        let names: Vec<_> = tools.definitions().into_iter().map(|tool| tool.name).collect();
        assert_eq!(ToolName::ALL.map(|tool| tool.as_str().to_owned()).to_vec(), names);
    }
}
