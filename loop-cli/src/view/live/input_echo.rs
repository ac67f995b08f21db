//! The terminal's echo of typed keys, and its own line editing.
//!
//! A key typed while a panel is on the screen would echo into it and move the cursor. The panel would then be drawn in
//! the wrong place.

use std::{
    io,
    sync::atomic::{AtomicBool, Ordering},
};

use rustix::{
    process::Pid,
    termios::{LocalModes, OptionalActions, SpecialCodeIndex, tcgetattr, tcgetpgrp, tcsetattr},
};

use super::printer::PRINTER;

/// True while somebody needs the echo to stay off.
static KEPT_OFF: AtomicBool = AtomicBool::new(false);

/// Tells the terminal to mark the beginning and the end of a paste.
const PASTE_MARKS_ON: &str = "\u{1b}[?2004h";
const PASTE_MARKS_OFF: &str = "\u{1b}[?2004l";

/// Keeps the echo off until dropped, whatever panels appear meanwhile. Each key is readable at once, so that the session
/// can show and edit what is typed.
#[derive(Debug)]
pub(crate) struct NoEchoGuard(());

impl NoEchoGuard {
    /// Turns the echo off.
    pub(crate) fn begin() -> Self {
        KEPT_OFF.store(true, Ordering::Relaxed);
        set(false);
        PRINTER.control(PASTE_MARKS_ON.to_owned());
        Self(())
    }
}

impl Drop for NoEchoGuard {
    fn drop(&mut self) {
        PRINTER.control(PASTE_MARKS_OFF.to_owned());
        KEPT_OFF.store(false, Ordering::Relaxed);
        set(true);
    }
}

/// Gives the terminal its usual modes while `stop` stops this process.
pub(super) fn suspended(stop: impl FnOnce()) {
    let kept_off = KEPT_OFF.swap(false, Ordering::Relaxed);
    if kept_off {
        PRINTER.control(PASTE_MARKS_OFF.to_owned());
        PRINTER.flush();
    }
    set(true);
    stop();
    if kept_off {
        PRINTER.control(PASTE_MARKS_ON.to_owned());
    }
    KEPT_OFF.store(kept_off, Ordering::Relaxed);
    set(!kept_off);
}

/// Turns the echo on or off, if standard error is our terminal and we are in the foreground: the system would stop a
/// background process that tries. Ctrl+C and Ctrl+Z keep working.
pub(super) fn set(on: bool) {
    let kept_off = KEPT_OFF.load(Ordering::Relaxed);
    let on = on && !kept_off;
    let terminal = io::stderr();
    if tcgetpgrp(&terminal).ok().is_none_or(|foreground| own_group() != Some(foreground)) {
        return;
    }
    let Ok(mut modes) = tcgetattr(&terminal) else { return };
    modes.local_modes.set(LocalModes::ECHO, on);
    // If another reader follows, Ctrl+C must not discard input typed ahead.
    modes.local_modes.set(LocalModes::NOFLSH, kept_off);
    modes.local_modes.set(LocalModes::ICANON, !kept_off);
    if kept_off {
        modes.special_codes[SpecialCodeIndex::VMIN] = 1;
        modes.special_codes[SpecialCodeIndex::VTIME] = 0;
    }
    // On failure, the panel only looks a little less tidy.
    let _ = tcsetattr(&terminal, OptionalActions::Now, &modes);
}

/// Returns the process group; `None` if its leader is outside our container. The usual call assumes that there is
/// always one.
#[cfg(target_os = "linux")]
fn own_group() -> Option<Pid> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name in parentheses can contain anything; the state, the parent and the group follow it.
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_ascii_whitespace().nth(2)?.parse().ok().and_then(Pid::from_raw)
}

/// Returns the process group.
#[cfg(not(target_os = "linux"))]
fn own_group() -> Option<Pid> {
    Some(rustix::process::getpgrp())
}
