//! The terminal's echo of what is typed.
//!
//! A key that is pressed while a panel stands at the bottom of the screen is echoed into it and moves
//! the cursor, and the panel would be drawn beside itself from then on.

use std::{
    io,
    sync::atomic::{AtomicBool, Ordering},
};

use rustix::{
    process::Pid,
    termios::{LocalModes, OptionalActions, tcgetattr, tcgetpgrp, tcsetattr},
};

/// Somebody wants it to stay off.
static KEPT_OFF: AtomicBool = AtomicBool::new(false);

/// Nothing is echoed until this is dropped, whatever panels come and go meanwhile.
#[derive(Debug)]
pub(crate) struct Unechoed(());

impl Unechoed {
    /// Turns the echo off.
    pub(crate) fn begin() -> Self {
        KEPT_OFF.store(true, Ordering::Relaxed);
        set(false);
        Self(())
    }
}

impl Drop for Unechoed {
    fn drop(&mut self) {
        KEPT_OFF.store(false, Ordering::Relaxed);
        set(true);
    }
}

/// Turns the echo on or off, if standard error is our terminal and we are in its foreground: from the
/// background the system would stop us for trying. Ctrl+C and Ctrl+Z work all the same.
pub(super) fn set(on: bool) {
    let kept_off = KEPT_OFF.load(Ordering::Relaxed);
    let on = on && !kept_off;
    let terminal = io::stderr();
    if tcgetpgrp(&terminal).ok().is_none_or(|foreground| own_group() != Some(foreground)) {
        return;
    }
    let Ok(mut modes) = tcgetattr(&terminal) else { return };
    modes.local_modes.set(LocalModes::ECHO, on);
    // Where somebody reads on, Ctrl+C leaves what was typed ahead.
    modes.local_modes.set(LocalModes::NOFLSH, kept_off);
    // Without it the panel is a little less tidy.
    let _ = tcsetattr(&terminal, OptionalActions::Now, &modes);
}

/// The group of this process; none if that is led from outside of the container that we are in. The call
/// that asks for it takes it that there is always one.
#[cfg(target_os = "linux")]
fn own_group() -> Option<Pid> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name in parentheses can hold anything; behind it come the state, the parent and the group.
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_ascii_whitespace().nth(2)?.parse().ok().and_then(Pid::from_raw)
}

/// The group of this process.
#[cfg(not(target_os = "linux"))]
fn own_group() -> Option<Pid> {
    Some(rustix::process::getpgrp())
}
