//! Why a command went wrong, in its own words.

use crate::{output::Capture, process::Exit};

/// How much of what a command printed is looked at.
const REASON_BYTES: usize = 500;

/// Reads after "it": how the command ended, and the last line of what it printed, if any. A code
/// alone tells nobody what went wrong; the last line of an error mostly does.
pub(super) fn exit_with_reason(exit: Exit, printed: &Capture) -> String {
    match printed.last_text(REASON_BYTES).lines().next_back() {
        Some(line) => format!("{exit}: {}", line.trim()),
        None => exit.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_is_the_reason_and_silence_is_none() {
        let mut printed = Capture::default();
        assert_eq!(exit_with_reason(Exit::Code(127), &printed), "exited with 127");
        printed.push(b" \n\n");
        assert_eq!(exit_with_reason(Exit::Code(127), &printed), "exited with 127");
        printed.push(b"it began well\n  sh: x: not found \n");
        assert_eq!(exit_with_reason(Exit::Code(127), &printed), "exited with 127: sh: x: not found");
    }
}
