//! The sandbox of an agent or a check, on this machine.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use loop_agents::{
    process::sandbox::{PreparedSandbox, Sandbox, SandboxError, UserFolders},
    shell::Shell,
};
use loop_guardrails::policy::{SecretFiles, environment::known_agents, workspace::StoredSecrets};
use loop_telemetry::StateDir;

use super::{error::ComposeError, parts::settings};
use crate::{context::ExecutionContext, sandbox_plan::SandboxPlan};

/// The reason why a sandbox cannot be prepared.
#[derive(Debug, thiserror::Error)]
enum PrepareError {
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    #[error("cannot create {} for the state of the agent", path.display())]
    State { path: PathBuf, source: io::Error },
    #[error(
        "`{path}` leads to {}, which is outside of the folder of the run. An earlier run may have put a link there. To allow \
         that folder, write its own path",
        target.display()
    )]
    LeadsOut { path: String, target: PathBuf },
    #[error("`{0}` needs a home folder, and HOME is not set")]
    NoHome(String),
}

/// Puts the commands of this shell into the plan's sandbox, if there is one. `key` names it for messages, and `command`
/// is the command that runs inside: a known agent can write its own state.
pub(crate) fn confined(
    shell: Shell,
    plan: Option<&SandboxPlan>,
    command: &str,
    key: &str,
    cx: &ExecutionContext,
) -> Result<Shell, ComposeError> {
    let Some(plan) = plan else { return Ok(shell) };
    let settings = settings(cx)?;
    let prepared =
        prepare(plan, command, settings.policy().secrets(), cx).map_err(ComposeError::part(key))?;
    for shortfall in prepared.shortfalls() {
        cx.warn(&format!("the sandbox does not hold completely: {shortfall}"));
    }
    Ok(shell.sandbox(prepared))
}

fn prepare(
    plan: &SandboxPlan,
    command: &str,
    secrets: &SecretFiles,
    cx: &ExecutionContext,
) -> Result<PreparedSandbox, PrepareError> {
    let folders = UserFolders::of(|name| cx.variable(name));
    let root = cx.folder().canonicalize();
    let root = root.map_err(|source| SandboxError::Unopened { path: cx.folder().to_owned(), source })?;
    let named = |paths: &[String]| {
        paths.iter().map(|path| place(path, &root, &folders)).collect::<Result<Vec<_>, _>>()
    };
    let write = named(&plan.write)?;
    let mut sandbox = Sandbox::new().network(plan.network.clone()).enforcement(plan.enforcement);
    let mut read = match &plan.read {
        // Programs find out about themselves there. It shows no more about others than is seen outside.
        Some(paths) => {
            sandbox = sandbox.read_only_from([PathBuf::from("/proc")]);
            named(paths)?
        }
        None => vec![root.clone()],
    };
    read.extend(write.iter().cloned());
    read.sort();
    read.dedup();
    for folder in &read {
        let found = secrets_in(folder, &root, secrets);
        sandbox = found.files.into_iter().fold(sandbox, Sandbox::hide);
        sandbox = found.unsearched.into_iter().fold(sandbox, Sandbox::shortfall);
    }
    sandbox = folders.secrets().into_iter().fold(sandbox, Sandbox::hide);
    // A manifest can name a login itself, or a file of it.
    let is_named = |login: &PathBuf| read.iter().any(|path| path.starts_with(login));
    sandbox = folders.logins().filter(|login| !is_named(login)).fold(sandbox, Sandbox::hide);
    sandbox = state_folder(cx).into_iter().fold(sandbox, Sandbox::hide);
    if plan.read.is_none() {
        read.extend(folders.toolchains());
    }
    sandbox = read.into_iter().fold(sandbox, Sandbox::read);
    sandbox = write.into_iter().fold(sandbox, Sandbox::write);
    for agent in known_agents(command) {
        for path in state_of(agent, &folders)? {
            sandbox = sandbox.write(path);
        }
    }
    Ok(sandbox.prepare(folders.temporary())?)
}

/// Returns the state directory that the variables name, as an absolute path without links, so that it can be hidden. It
/// need not exist.
pub(crate) fn state_folder(cx: &ExecutionContext) -> Option<PathBuf> {
    let state = StateDir::from_env_with(|name| cx.variable(name)).ok()?;
    let path = std::path::absolute(state.path()).ok()?;
    let below = |above: &Path| Some(above.canonicalize().ok()?.join(path.strip_prefix(above).ok()?));
    Some(path.ancestors().find_map(below)?.components().collect())
}

/// Returns the absolute path for one in a manifest.
fn place(path: &str, root: &Path, folders: &UserFolders) -> Result<PathBuf, PrepareError> {
    let expanded = folders.expand(path).ok_or_else(|| PrepareError::NoHome(path.to_owned()))?;
    let place: PathBuf = root.join(&expanded).components().collect();
    match place.canonicalize() {
        Ok(target) if expanded.is_relative() && !target.starts_with(root) => {
            Err(PrepareError::LeadsOut { path: path.to_owned(), target })
        }
        _ => Ok(place),
    }
}

/// Returns the secrets in a folder: all those in the folder of the run, and those directly in another one.
fn secrets_in(folder: &Path, root: &Path, secrets: &SecretFiles) -> StoredSecrets {
    // Through a link, the folder of the run is still the folder of the run.
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let is_own = real.starts_with(root) || root.starts_with(&real);
    let search = if is_own { StoredSecrets::below } else { StoredSecrets::directly_in };
    search(&real, secrets)
}

/// Returns the existing paths that an agent writes for itself. The folders without which it cannot start are created.
fn state_of(agent: &str, folders: &UserFolders) -> Result<Vec<PathBuf>, PrepareError> {
    for path in folders.agent_folders(agent).filter(|path| !path.exists()) {
        fs::create_dir_all(path).map_err(|source| PrepareError::State { path: path.to_owned(), source })?;
    }
    let mut paths = folders.agent_state(agent);
    paths.retain(|path| path.exists());
    Ok(paths)
}
