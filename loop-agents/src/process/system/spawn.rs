//! Starts a program with `posix_spawn`.
//!
//! The standard library's `Command` can start a session only through `pre_exec`, and then it forks. In our
//! measurements, that costs 1.4 times the minimum, and more in a host that uses much memory. `posix_spawn` does
//! everything in one call, at the minimum.
#![expect(unsafe_code, reason = "posix_spawn with POSIX_SPAWN_SETSID has no safe wrapper")]

use std::{
    ffi::{CString, c_char, c_int, c_short},
    io, iter,
    mem::MaybeUninit,
    os::fd::AsRawFd,
    ptr,
};

use rustix::process::Pid;

use super::Spawn;

/// Starts the command in a new session; returns when the program has been executed.
pub(in crate::process) fn spawn(spawn: &Spawn<'_>) -> io::Result<Pid> {
    let actions = FileActions::new(spawn)?;
    let attributes = Attributes::new()?;
    let (argv, envp) = (pointers(&spawn.image.argv), pointers(spawn.env));
    let mut pid = 0;
    // SAFETY: the file is a NUL-terminated string, and `argv` and `envp` are arrays of pointers to such, each
    // ended by a null pointer; all outlive the call, and posix_spawn reads them and writes through none of them.
    // `actions` and `attributes` were initialised by their constructors and live until after the call.
    check(unsafe {
        libc::posix_spawn(
            &raw mut pid,
            spawn.image.file.as_ptr(),
            actions.0.as_ptr(),
            attributes.0.as_ptr(),
            argv.as_ptr(),
            envp.as_ptr(),
        )
    })?;
    Pid::from_raw(pid).ok_or_else(|| io::Error::other("the system gave no process id"))
}

/// Returns pointers to these strings, with a null pointer at the end.
fn pointers(strings: &[CString]) -> Vec<*mut c_char> {
    strings.iter().map(|string| string.as_ptr().cast_mut()).chain(iter::once(ptr::null_mut())).collect()
}

/// The C library's file actions, boxed because it may keep pointers into them.
struct FileActions(Box<MaybeUninit<libc::posix_spawn_file_actions_t>>);

impl FileActions {
    fn new(spawn: &Spawn<'_>) -> io::Result<Self> {
        let mut raw = Box::new(MaybeUninit::uninit());
        // SAFETY: the pointer is valid for writes, and init asks for nothing else.
        check(unsafe { libc::posix_spawn_file_actions_init(raw.as_mut_ptr()) })?;
        let mut actions = Self(raw);
        let stdio = spawn.stdio.iter().map(|fd| fd.as_raw_fd()).zip(0..);
        // A descriptor that is duplicated onto its own number stays open in the child.
        let inherited = spawn.inherited.iter().map(|fd| (fd.as_raw_fd(), fd.as_raw_fd()));
        for (fd, target) in stdio.chain(inherited) {
            // SAFETY: `actions` is initialised; the numbers are only recorded.
            check(unsafe { libc::posix_spawn_file_actions_adddup2(actions.0.as_mut_ptr(), fd, target) })?;
        }
        if let Some(dir) = spawn.dir {
            // SAFETY: `actions` is initialised; `dir` is NUL-terminated, and is copied by the call.
            check(unsafe {
                libc::posix_spawn_file_actions_addchdir_np(actions.0.as_mut_ptr(), dir.as_ptr())
            })?;
        }
        Ok(actions)
    }
}

impl Drop for FileActions {
    fn drop(&mut self) {
        // SAFETY: initialised by `new`, destroyed only here.
        unsafe { libc::posix_spawn_file_actions_destroy(self.0.as_mut_ptr()) };
    }
}

struct Attributes(Box<MaybeUninit<libc::posix_spawnattr_t>>);

impl Attributes {
    /// Sets a new session, and the default action for all signals with none blocked. A host that ignores SIGPIPE, as
    /// every Rust program does, would otherwise pass that on, and `yes | head` would never end.
    fn new() -> io::Result<Self> {
        const FLAGS: c_int =
            libc::POSIX_SPAWN_SETSIGDEF | libc::POSIX_SPAWN_SETSIGMASK | libc::POSIX_SPAWN_SETSID as c_int;
        let mut raw = Box::new(MaybeUninit::uninit());
        // SAFETY: the pointer is valid for writes, and init asks for nothing else.
        check(unsafe { libc::posix_spawnattr_init(raw.as_mut_ptr()) })?;
        let mut attributes = Self(raw);
        let attr = attributes.0.as_mut_ptr();
        let mut set = MaybeUninit::uninit();
        // SAFETY: `attr` is initialised; `set` is written by sigfillset and sigemptyset before it
        // is read, and is copied by the calls that take it.
        unsafe {
            libc::sigfillset(set.as_mut_ptr());
            check(libc::posix_spawnattr_setsigdefault(attr, set.as_ptr()))?;
            libc::sigemptyset(set.as_mut_ptr());
            check(libc::posix_spawnattr_setsigmask(attr, set.as_ptr()))?;
            check(libc::posix_spawnattr_setflags(attr, FLAGS as c_short))?;
        }
        Ok(attributes)
    }
}

impl Drop for Attributes {
    fn drop(&mut self) {
        // SAFETY: initialised by `new`, destroyed only here.
        unsafe { libc::posix_spawnattr_destroy(self.0.as_mut_ptr()) };
    }
}

/// Converts a return code to a result. These functions return the error's number, and leave `errno` alone.
fn check(code: c_int) -> io::Result<()> {
    if code == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(code)) }
}
