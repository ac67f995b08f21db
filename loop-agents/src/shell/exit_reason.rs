//! Explains why a command failed, in its own words.

use crate::{
    output::{Capture, last_line},
    process::Exit,
};

/// The number of bytes of a command's output to look at.
const REASON_BYTES: usize = 500;

/// Describes how the command ended, with the last line of its output, if any. The text completes a sentence that begins
/// with "it". An exit code alone does not explain an error, while the last line usually does.
pub(super) fn exit_with_reason(exit: Exit, printed: &Capture) -> String {
    match last_line(&printed.last_text(REASON_BYTES)) {
        Some(line) => format!("{exit}: {line}"),
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
