//! An Ollama that is installed and does not run.

use std::{
    env,
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    time::Duration,
};

use loop_agents::{
    chat::{GenaiError, ModelErrorKind, ServerLocation, Vendor},
    process::Process,
    servers::{LocalServer, ServerError},
};

use super::{
    blocking,
    error::ModelChoiceError,
    vendor::{self, VendorAccess, value},
};
use crate::{ExecutionContext, init::is_executable};

/// How long the server may take to answer: two minutes, because slow disks hold large programs.
const PATIENCE: Duration = Duration::from_secs(120);

/// An Ollama on this machine that is installed and does not run.
#[derive(Debug)]
pub struct StoppedOllama {
    program: String,
}

impl StoppedOllama {
    /// Finds `ollama` in the absolute folders of the user's `PATH`, outside of the folder of `execution`. Returns
    /// `None` if it is not there, if the user's Ollama is on another machine, or if it answers.
    ///
    /// Blocks for up to two seconds.
    ///
    /// # Errors
    /// The asynchronous runtime cannot be started.
    pub fn find(execution: &ExecutionContext) -> Result<Option<Self>, ModelChoiceError> {
        let variables = execution.variables();
        let server = VendorAccess::of(Vendor::Ollama, |name| value(variables, name)).endpoint(Vendor::Ollama);
        let path = execution.variable("PATH").unwrap_or_default();
        if server.location() != ServerLocation::ThisMachine {
            return Ok(None);
        }
        let Some(program) = program(&path, execution.folder()) else { return Ok(None) };
        let is_stopped = match blocking::ask(server.models()).map_err(ModelChoiceError::Runtime)? {
            Some(Err(GenaiError::Server(error))) => error.kind() == ModelErrorKind::Unreachable,
            Some(_) => false,
            None => true,
        };
        Ok(is_stopped.then_some(Self { program }))
    }

    /// Starts the server at a free port of 127.0.0.1, and waits for up to two minutes until it answers. Returns the
    /// server and a context in which `OLLAMA_HOST` names it.
    ///
    /// # Errors
    /// [`ServerError`]; then nothing of the server runs any more.
    ///
    /// # Panics
    /// Panics outside of a tokio runtime with I/O and time enabled.
    ///
    /// # Cancel safety
    /// Dropping the future ends the server.
    pub async fn start(
        &self,
        execution: &ExecutionContext,
    ) -> Result<(LocalServer, ExecutionContext), ServerError> {
        let host = vendor::variables(Vendor::Ollama).url;
        let with_host = |port: u16| {
            let others = execution.variables().iter().filter(|(name, _)| name != host).cloned();
            others
                .chain([(host.into(), format!("127.0.0.1:{port}").into())])
                .collect::<Vec<(OsString, OsString)>>()
        };
        let command = |port| {
            let serve = Process::program(self.program.clone(), ["serve"]).also_env(with_host(port));
            serve.supervisor(execution.supervisor().clone())
        };
        let is_ready = async |port| {
            let access = VendorAccess { base_url: Some(format!("http://127.0.0.1:{port}")), key: None };
            access.endpoint(Vendor::Ollama).models().await.is_ok()
        };
        let server = LocalServer::start(command, is_ready, PATIENCE).await?;
        let execution = execution.clone().with_variables(with_host(server.port()));
        Ok((server, execution))
    }
}

/// Returns the program. A program in the project's own folder could be anybody's.
fn program(path: &OsStr, folder: &Path) -> Option<String> {
    let folder = folder.canonicalize().ok()?;
    let is_foreign = |file: &PathBuf| {
        file.is_absolute()
            && is_executable(file)
            && file.canonicalize().is_ok_and(|file| !file.starts_with(&folder))
    };
    let mut files = env::split_paths(path).map(|folder| folder.join("ollama"));
    files.find(is_foreign)?.to_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use super::*;

    #[test]
    fn a_program_in_the_project_or_a_relative_folder_is_not_started() {
        let (project, other) =
            (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        for folder in [project.path(), other.path()] {
            fs::write(folder.join("ollama"), "#!/bin/sh\n").expect("a file");
        }
        let path = |folders: &[&Path]| env::join_paths(folders).expect("a path");
        let (inside, outside) = (project.path(), other.path());
        // It cannot be executed yet.
        assert_eq!(program(&path(&[outside]), inside), None);
        for folder in [inside, outside] {
            fs::set_permissions(folder.join("ollama"), fs::Permissions::from_mode(0o755)).expect("a mode");
        }
        let found = outside.join("ollama").to_str().map(str::to_owned);
        assert_eq!(program(&path(&[Path::new("."), inside, outside]), inside), found);
        assert_eq!(program(&path(&[inside]), inside), None);
    }
}
