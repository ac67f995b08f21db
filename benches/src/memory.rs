//! Memory usage, as Linux counts it.
#![expect(unsafe_code, reason = "wait4, which reports the peak memory of a child, has no safe wrapper")]

use std::{
    fs,
    mem::MaybeUninit,
    os::unix::process::ExitStatusExt,
    process::{Command, ExitStatus, Stdio},
};

use anyhow::{Context, Result, ensure};

use crate::subprocess;

/// Returns the peak memory of this process (`VmHWM`), in KiB.
///
/// # Errors
/// If `/proc/self/status` does not have this number.
pub fn peak_kib() -> Result<u64> {
    let status = fs::read_to_string("/proc/self/status").context("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = peak.and_then(|peak| peak.trim().strip_suffix(" kB"));
    kib.and_then(|kib| kib.parse().ok()).context("no VmHWM in /proc/self/status")
}

/// Runs a command to its end, and returns the peak memory, in KiB, of the command and of the commands that it waited
/// for. The command's program, arguments and folder are used; its input and output are empty. It must exit with this
/// code, because a failed command needs little memory.
///
/// Linux counts the memory that a process held before it became this program. If a large process started a small
/// program directly, it would measure its own size. So a fresh process starts the command.
///
/// # Errors
/// If the command cannot be started or awaited, or exits in another way.
pub fn peak_kib_of(command: &Command, code: i32) -> Result<u64> {
    let mut between = subprocess::command("weigh")?;
    between.arg(code.to_string()).arg(command.get_program()).args(command.get_args()).stdin(Stdio::null());
    if let Some(folder) = command.get_current_dir() {
        between.current_dir(folder);
    }
    let ran = between.output().with_context(|| format!("{between:?}"))?;
    let said = String::from_utf8_lossy(&ran.stdout);
    ensure!(ran.status.success(), "{between:?}: {}", String::from_utf8_lossy(&ran.stderr));
    said.trim().parse().with_context(|| format!("`{said}` is no number"))
}

/// Returns the peak memory of a child of this process.
pub(crate) fn peak_kib_of_child(command: &mut Command, code: i32) -> Result<u64> {
    let child = command.spawn().with_context(|| format!("{command:?}"))?;
    let pid = libc::pid_t::try_from(child.id()).context("the process id is out of range")?;
    let (mut status, mut usage) = (0, MaybeUninit::<libc::rusage>::zeroed());
    // SAFETY: the child was just started and nobody else waits for it. `usage` is large enough, and all zeros are a
    // valid value of its type, so it is valid whether or not wait4 writes to it.
    let (waited, usage) = unsafe {
        let waited = libc::wait4(pid, &raw mut status, 0, usage.as_mut_ptr());
        (waited, usage.assume_init())
    };
    ensure!(waited == pid, "wait4: {}", std::io::Error::last_os_error());
    let ended = ExitStatus::from_raw(status);
    ensure!(ended.code() == Some(code), "{command:?} was to exit with {code}: {ended}");
    // Linux counts it in KiB.
    Ok(u64::try_from(usage.ru_maxrss)?)
}
