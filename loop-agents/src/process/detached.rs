//! Processes that outlive this program.

use std::{
    ffi::OsString,
    fs::File,
    io::{self, Write},
    os::unix::process::CommandExt,
    process::{Child, Command, Stdio},
};

use rustix::process::{Pid, Signal, kill_process_group};

use super::supervision::release_from_run;

/// A command line in a group of its own, which no supervisor ends. Until [`release`](Self::release), dropping the value
/// ends it.
#[derive(Debug)]
pub(crate) struct DetachedProcess {
    child: Child,
    is_released: bool,
}

impl DetachedProcess {
    /// Starts the line. Its output goes to the file.
    pub(crate) fn spawn(
        line: &str,
        variables: impl IntoIterator<Item = (OsString, OsString)>,
        output: File,
    ) -> io::Result<Self> {
        // The shell waits for a line: the process must lose the marks of the run first, because its children inherit them.
        let gate = "read -r _ || exit 1; exec /bin/sh -c \"$1\" </dev/null";
        let child = Command::new("/bin/sh")
            .args(["-c", gate, "sh", line])
            .env_clear()
            .envs(variables)
            .stdin(Stdio::piped())
            .stdout(output.try_clone()?)
            .stderr(output)
            .process_group(0)
            .spawn()?;
        let mut detached = Self { child, is_released: false };
        release_from_run(detached.group())?;
        if let Some(mut gate) = detached.child.stdin.take() {
            gate.write_all(b"\n")?;
        }
        Ok(detached)
    }

    /// Returns the number of the process, which leads its group.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns whether the process has ended.
    pub(crate) fn has_ended(&mut self) -> io::Result<bool> {
        Ok(self.child.try_wait()?.is_some())
    }

    /// Lets the process outlive this value.
    pub(crate) fn release(mut self) {
        self.is_released = true;
    }

    fn group(&self) -> Pid {
        Pid::from_child(&self.child)
    }
}

impl Drop for DetachedProcess {
    fn drop(&mut self) {
        if !self.is_released {
            // It may have ended in this moment.
            let _ = kill_process_group(self.group(), Signal::KILL);
            let _ = self.child.wait();
        }
    }
}
