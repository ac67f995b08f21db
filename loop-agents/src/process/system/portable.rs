//! Systems other than Linux: the standard library starts the command in a process group instead of a session, and a
//! blocking thread waits for its end. It has not been verified there.

use std::{
    ffi::{CStr, OsStr},
    io,
    os::{
        fd::OwnedFd,
        unix::{ffi::OsStrExt, process::CommandExt},
    },
    process::{Command, Stdio},
    sync::Arc,
};

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use tokio::task::spawn_blocking;

use super::Spawn;

/// Starts the command in a new process group; returns when the program has been executed.
pub(in crate::process) fn spawn(spawn: &Spawn<'_>) -> io::Result<Pid> {
    if !spawn.inherited.is_empty() {
        return Err(io::ErrorKind::Unsupported.into());
    }
    let text = |bytes: &'_ CStr| OsStr::from_bytes(bytes.to_bytes()).to_owned();
    let stdio = |fd: &OwnedFd| fd.try_clone().map(Stdio::from);
    let [stdin, stdout, stderr] = spawn.stdio;
    let mut command = Command::new(text(&spawn.image.file));
    let (name, arguments) = spawn.image.argv.split_first().unzip();
    command.args(arguments.unwrap_or_default().iter().map(|word| text(word))).process_group(0);
    if let Some(name) = name {
        command.arg0(text(name));
    }
    command.stdin(stdio(stdin)?).stdout(stdio(stdout)?).stderr(stdio(stderr)?).env_clear();
    for entry in spawn.env {
        let mut halves = entry.as_bytes().splitn(2, |byte| *byte == b'=').map(OsStr::from_bytes);
        if let (Some(name), Some(value)) = (halves.next(), halves.next()) {
            command.env(name, value);
        }
    }
    if let Some(dir) = spawn.dir {
        command.current_dir(text(dir));
    }
    Ok(Pid::from_child(&command.spawn()?))
}

/// Reports when a process has ended.
#[derive(Debug)]
pub(in crate::process) struct Watch(Pid);

impl Watch {
    pub(in crate::process) fn new(pid: Pid) -> io::Result<Self> {
        Ok(Self(pid))
    }

    /// Returns another owner of the descriptor. There is none.
    pub(in crate::process) fn descriptor(&self) -> Arc<dyn Send + Sync> {
        Arc::new(())
    }

    /// Resolves when the process has ended. It does not reap the process.
    pub(in crate::process) async fn ended(&self) -> io::Result<()> {
        let pid = self.0;
        let wait = move || waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT).map(drop);
        Ok(spawn_blocking(wait).await.map_err(io::Error::other)??)
    }
}
