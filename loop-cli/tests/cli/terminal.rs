//! A command at a terminal of its own.

use std::{fs::File, io::Write, process::Command};

use rustix::{
    pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt},
    termios::{Winsize, tcsetwinsize},
};

use crate::support::{Heard, Ran, Started, World, until};

/// A pseudo-terminal with a command on it, as its foreground process.
pub(crate) struct Terminal {
    started: Started,
    keys: File,
    screen: Heard,
}

impl Terminal {
    /// `loop` with these arguments on a terminal of this many columns and rows that can move its cursor.
    pub(crate) fn live(world: &World, args: &[&str], size: (u16, u16), colours: bool) -> Self {
        Self::start(world, args, size, |command| {
            command.env("TERM", "xterm-256color");
            if !colours {
                command.env("NO_COLOR", "1");
            }
        })
    }

    /// `loop` with these arguments on a terminal that can do nothing but print.
    pub(crate) fn new(world: &World, args: &[&str]) -> Self {
        Self::with(world, args, |_| {})
    }

    /// Starts a command after `change` has modified it.
    pub(crate) fn with(world: &World, args: &[&str], change: impl FnOnce(&mut Command)) -> Self {
        Self::start(world, args, (80, 24), change)
    }

    fn start(world: &World, args: &[&str], size: (u16, u16), change: impl FnOnce(&mut Command)) -> Self {
        let (started, keys) = start(world, args, size, change);
        let screen = Heard::new(Some(keys.try_clone().expect("a copy")));
        // The screen ends when the command and we have let the other end go.
        Self { started, keys, screen }
    }

    /// Waits until this is shown for the `nth` time. Keys are shown too, as terminals do.
    pub(crate) fn shows(&self, text: &str, nth: usize) {
        until(text, || self.screen.so_far().matches(text).count() >= nth);
    }

    /// The command.
    pub(crate) fn started(&self) -> &Started {
        &self.started
    }

    /// Returns the bytes sent to the terminal so far.
    pub(crate) fn sent(&self) -> String {
        self.screen.so_far()
    }

    /// Presses keys.
    pub(crate) fn types(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("the terminal is there");
    }

    /// Waits for the command's end. The screen's content becomes its standard error.
    pub(crate) fn finish(mut self) -> Ran {
        let code = self.started.finish().code;
        Ran { code, stdout: String::new(), stderr: self.screen.whole().replace("\r\n", "\n") }
    }
}

/// `loop` on a terminal that is gone when it is time, as when a window is closed or a network drops.
pub(crate) fn hung_up(world: &World, args: &[&str], is_time: impl FnMut() -> bool) -> Ran {
    let live = |command: &mut Command| {
        command.env("TERM", "xterm-256color");
    };
    let (started, ours) = start(world, args, (80, 24), live);
    until("it is time to hang up", is_time);
    drop(ours);
    started.finish()
}

/// Starts `loop` on a new terminal, which controls it; gives our end, which nobody reads yet.
pub(crate) fn start(
    world: &World,
    args: &[&str],
    size: (u16, u16),
    change: impl FnOnce(&mut Command),
) -> (Started, File) {
    start_by(&[], world, args, size, change)
}

/// Starts a command through another one, which becomes the command in its arguments.
pub(crate) fn start_by(
    before: &[&str],
    world: &World,
    args: &[&str],
    (ws_col, ws_row): (u16, u16),
    change: impl FnOnce(&mut Command),
) -> (Started, File) {
    let ours =
        openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("a pseudo-terminal");
    grantpt(&ours).and_then(|()| unlockpt(&ours)).expect("the other end is ours");
    let theirs = ioctl_tiocgptpeer(&ours, OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC);
    let theirs = theirs.expect("the other end");
    tcsetwinsize(&theirs, Winsize { ws_col, ws_row, ws_xpixel: 0, ws_ypixel: 0 }).expect("a size");
    let stream = || theirs.try_clone().expect("a copy");

    // Ctrl+C is a signal only at a terminal that is the session's own.
    let mut command = world.command("setsid", &["--ctty"]);
    command.args(before).arg(env!("CARGO_BIN_EXE_loop")).args(args).env("TERM", "dumb");
    command.stdin(stream()).stdout(stream()).stderr(stream());
    change(&mut command);
    let started = Started::as_it_is(&mut command);
    (started, File::from(ours))
}
