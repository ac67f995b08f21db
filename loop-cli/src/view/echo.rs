//! The terminal's echo of what is typed.
//!
//! A key that is pressed while a panel stands at the bottom of the screen is echoed into it and moves
//! the cursor, and the panel would be drawn beside itself from then on.

use std::io;

use rustix::{
    process::getpgrp,
    termios::{LocalModes, OptionalActions, tcgetattr, tcgetpgrp, tcsetattr},
};

/// Turns the echo on or off, if standard error is our terminal and we are in its foreground: from the
/// background the system would stop us for trying. Ctrl+C and Ctrl+Z work all the same.
pub(super) fn set(on: bool) {
    let terminal = io::stderr();
    if tcgetpgrp(&terminal).ok() != Some(getpgrp()) {
        return;
    }
    let Ok(mut modes) = tcgetattr(&terminal) else { return };
    modes.local_modes.set(LocalModes::ECHO, on);
    // Without it the panel is a little less tidy.
    let _ = tcsetattr(&terminal, OptionalActions::Now, &modes);
}
