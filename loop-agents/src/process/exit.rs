//! How a process ended.

use std::fmt;

use rustix::process::WaitIdStatus;
use serde::{Deserialize, Serialize};

use crate::output::{Capture, last_line};

/// The number of bytes of a program's output in which to look for a reason.
const REASON_BYTES: usize = 500;

/// How a process ended: by its own exit, or by a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exit {
    /// The process ended by itself, with this code in 0..=255.
    Code(i32),
    /// A signal with this number ended the process.
    Signal(i32),
}

impl Exit {
    /// Returns true if the process ended by itself with code 0.
    pub fn success(self) -> bool {
        self == Self::Code(0)
    }

    /// Returns the number that a shell would show: the code, or 128 plus the signal's number.
    ///
    /// ```
    /// use loop_agents::process::Exit;
    ///
    /// assert_eq!((Exit::Code(3).shell_code(), Exit::Signal(9).shell_code()), (3, 137));
    /// ```
    pub fn shell_code(self) -> i32 {
        match self {
            Self::Code(code) => code,
            Self::Signal(signal) => 128 + signal,
        }
    }

    /// Returns true if the shell reports that it did not find the program (127) or could not run it (126).
    pub fn is_unavailable(self) -> bool {
        matches!(self, Self::Code(126 | 127))
    }

    /// Describes the exit with the last line of the output, if any. An exit code alone does not explain an error, while
    /// that line usually does. The text follows "it", as [`Display`](fmt::Display) does.
    ///
    /// ```
    /// use loop_agents::{output::Capture, process::Exit};
    ///
    /// let mut printed = Capture::default();
    /// assert_eq!(Exit::Code(127).with_reason(&printed), "exited with 127");
    /// printed.push(b"it began well\n  sh: x: not found \n");
    /// assert_eq!(Exit::Code(127).with_reason(&printed), "exited with 127: sh: x: not found");
    /// ```
    pub fn with_reason(self, printed: &Capture) -> String {
        match last_line(&printed.last_text(REASON_BYTES)) {
            Some(line) => format!("{self}: {line}"),
            None => self.to_string(),
        }
    }

    pub(super) fn of(status: &WaitIdStatus) -> Option<Self> {
        let code = status.exit_status().map(Self::Code);
        code.or_else(|| status.terminating_signal().map(Self::Signal))
    }
}

impl fmt::Display for Exit {
    /// The text follows "it": "exited with 1", "was ended by signal 9 (137)".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exited with {code}"),
            Self::Signal(signal) => write!(f, "was ended by signal {signal} ({})", self.shell_code()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_are_no_reason() {
        let mut printed = Capture::default();
        printed.push(b" \n\n");
        assert_eq!(Exit::Code(127).with_reason(&printed), "exited with 127");
    }
}
