//! The notification at the end of a long run or turn, and when a tool has a question.
//!
//! A person who waits looks at something else. The terminal can call them back: it shows a text for OSC 9, as
//! kitty, foot and other terminals do, and almost all know the bell. Both arrive through ssh,
//! which a program for the desktop of this machine would not.

use std::{
    io::{self, IsTerminal},
    time::Duration,
};

use super::{live::PRINTER, redaction::redact};

/// The duration from which somebody has probably looked away.
const LONG: Duration = Duration::from_mins(1);

/// Notifies the person at the terminal of the end of a run that took this long, if it was long. Does nothing if
/// standard error is no terminal.
pub(crate) fn notify(took: Duration, name: &str, ending: &str) {
    if took > LONG {
        call_back(&format!("{name} ended: {ending}"));
    }
}

/// Calls the person at the terminal back. Does nothing if standard error is no terminal.
pub(crate) fn call_back(text: &str) {
    if io::stderr().is_terminal() {
        let is_capable = std::env::var_os("TERM").is_some_and(|term| term != "dumb");
        PRINTER.control(sequence(&redact(&format!("loop: {text}")), is_capable));
        super::flush();
    }
}

/// Returns the bytes of a notification: the bell, and the text if the terminal understands sequences.
fn sequence(text: &str, is_capable: bool) -> String {
    // Every control character could end the sequence.
    let text: String = text.chars().filter(|sign| !sign.is_control()).collect();
    let shown = if is_capable { format!("\x1b]9;{text}\x07") } else { String::new() };
    format!("{shown}\x07")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dumb_terminal_only_rings() {
        assert_eq!(sequence("loop", true), "\x1b]9;loop\x07\x07");
        assert_eq!(sequence("loop", false), "\x07");
    }

    #[test]
    fn a_name_cannot_send_a_sequence_of_its_own() {
        let sent = sequence("a\x1b]52;c;x\x07b\u{9c}\nc", true);
        assert_eq!(sent, "\x1b]9;a]52;c;xbc\x07\x07");
    }
}
