//! Starting a program by `posix_spawn`.
//!
//! The standard library's `Command` can start a session only through `pre_exec`, and then it
//! forks: measured, that costs 1.4 times the floor, and more in a host that uses much memory.
//! `posix_spawn` does all that is needed in one call, at the floor.
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

/// Pointers to these strings, and the null pointer that ends them.
fn pointers(strings: &[CString]) -> Vec<*mut c_char> {
    strings.iter().map(|string| string.as_ptr().cast_mut()).chain(iter::once(ptr::null_mut())).collect()
}

/// Boxed, since the C library may keep pointers into it.
struct FileActions(Box<MaybeUninit<libc::posix_spawn_file_actions_t>>);

impl FileActions {
    fn new(spawn: &Spawn<'_>) -> io::Result<Self> {
        let mut raw = Box::new(MaybeUninit::uninit());
        // SAFETY: the pointer is valid for writes, and init asks for nothing else.
        check(unsafe { libc::posix_spawn_file_actions_init(raw.as_mut_ptr()) })?;
        let mut actions = Self(raw);
        let stdio = spawn.stdio.iter().map(|fd| fd.as_raw_fd()).zip(0..);
        // Put on its own number, a descriptor stays open in the child.
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
    /// A session of its own; all signals with their default action, and none blocked: a host
    /// that ignores SIGPIPE, as every Rust program does, would otherwise hand that on, and
    /// `yes | head` would never end.
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

/// These functions return the error's number, and leave `errno` alone.
fn check(code: c_int) -> io::Result<()> {
    if code == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(code)) }
}
