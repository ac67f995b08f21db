//! Runs a command at its own terminal.

use std::{fs::File, io::Write, process::Command};

use rustix::{
    pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt},
    termios::{Winsize, tcsetwinsize},
};

use crate::support::{CommandResult, RunningCommand, Scenario, StreamReader, wait_until};

/// A pseudo-terminal with a command as its foreground process.
pub(crate) struct Terminal {
    started: RunningCommand,
    keys: File,
    screen: StreamReader,
}

impl Terminal {
    /// Starts `loop` with these arguments on a terminal with this many columns and rows, and a movable cursor.
    pub(crate) fn live(scenario: &Scenario, args: &[&str], size: (u16, u16), colours: bool) -> Self {
        Self::start(scenario, args, size, |command| {
            command.env("TERM", "xterm-256color");
            if !colours {
                command.env("NO_COLOR", "1");
            }
        })
    }

    /// Starts `loop` with these arguments on a terminal that can only print.
    pub(crate) fn new(scenario: &Scenario, args: &[&str]) -> Self {
        Self::with(scenario, args, |_| {})
    }

    /// Starts a command after `change` has modified it.
    pub(crate) fn with(scenario: &Scenario, args: &[&str], change: impl FnOnce(&mut Command)) -> Self {
        Self::start(scenario, args, (80, 24), change)
    }

    fn start(
        scenario: &Scenario,
        args: &[&str],
        size: (u16, u16),
        change: impl FnOnce(&mut Command),
    ) -> Self {
        let (started, keys) = start(scenario, args, size, change);
        let screen = StreamReader::new(Some(keys.try_clone().expect("a copy")));
        // The screen ends when the command and this process have closed the other end.
        Self { started, keys, screen }
    }

    /// Waits until this text appears for the `nth` time. Typed keys appear too, as on any terminal.
    pub(crate) fn shows(&self, text: &str, nth: usize) {
        wait_until(text, || self.screen.so_far().matches(text).count() >= nth);
    }

    /// Returns the command.
    pub(crate) fn started(&self) -> &RunningCommand {
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
    pub(crate) fn finish(mut self) -> CommandResult {
        let code = self.started.finish().code;
        CommandResult { code, stdout: String::new(), stderr: self.screen.whole().replace("\r\n", "\n") }
    }
}

/// Runs `loop` on a terminal that disappears at the given time, as when a window is closed or a network drops.
pub(crate) fn hung_up(scenario: &Scenario, args: &[&str], is_time: impl FnMut() -> bool) -> CommandResult {
    let live = |command: &mut Command| {
        command.env("TERM", "xterm-256color");
    };
    let (started, ours) = start(scenario, args, (80, 24), live);
    wait_until("it is time to hang up", is_time);
    drop(ours);
    started.finish()
}

/// Starts `loop` on a new terminal that controls it. Returns our end, which nothing reads yet.
pub(crate) fn start(
    scenario: &Scenario,
    args: &[&str],
    size: (u16, u16),
    change: impl FnOnce(&mut Command),
) -> (RunningCommand, File) {
    start_by(&[], scenario, args, size, change)
}

/// Starts a command through another command, which becomes the one in its arguments.
pub(crate) fn start_by(
    before: &[&str],
    scenario: &Scenario,
    args: &[&str],
    (ws_col, ws_row): (u16, u16),
    change: impl FnOnce(&mut Command),
) -> (RunningCommand, File) {
    let ours =
        openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("a pseudo-terminal");
    grantpt(&ours).and_then(|()| unlockpt(&ours)).expect("the other end is ours");
    let theirs = ioctl_tiocgptpeer(&ours, OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC);
    let theirs = theirs.expect("the other end");
    tcsetwinsize(&theirs, Winsize { ws_col, ws_row, ws_xpixel: 0, ws_ypixel: 0 }).expect("a size");
    let stream = || theirs.try_clone().expect("a copy");

    // Ctrl+C sends a signal only at the controlling terminal of the session.
    let mut command = scenario.command("setsid", &["--ctty"]);
    command.args(before).arg(env!("CARGO_BIN_EXE_loop")).args(args).env("TERM", "dumb");
    command.stdin(stream()).stdout(stream()).stderr(stream());
    change(&mut command);
    let started = RunningCommand::as_it_is(&mut command);
    (started, File::from(ours))
}
