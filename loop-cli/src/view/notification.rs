//! The notification at the end of a long run.
//!
//! A person who waits for a run looks at something else. The terminal can call them back: it shows a text for OSC 9, as
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
    if io::stderr().is_terminal() {
        let is_capable = std::env::var_os("TERM").is_some_and(|term| term != "dumb");
        if let Some(sequence) = sequence(took, &redact(&format!("loop: {name} ended: {ending}")), is_capable)
        {
            PRINTER.control(sequence);
            super::flush();
        }
    }
}

/// Returns the bytes of the notification of a run that took this long: the bell, and the text if the terminal
/// understands sequences.
fn sequence(took: Duration, text: &str, is_capable: bool) -> Option<String> {
    // Every control character could end the sequence.
    let text: String = text.chars().filter(|sign| !sign.is_control()).collect();
    let shown = if is_capable { format!("\x1b]9;{text}\x07") } else { String::new() };
    (took > LONG).then(|| format!("{shown}\x07"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_long_run_calls_somebody_back() {
        assert_eq!(sequence(LONG, "loop", true), None);
        let after = LONG + Duration::from_millis(1);
        assert_eq!(sequence(after, "loop", true).as_deref(), Some("\x1b]9;loop\x07\x07"));
        assert_eq!(sequence(after, "loop", false).as_deref(), Some("\x07"));
    }

    #[test]
    fn a_name_cannot_send_a_sequence_of_its_own() {
        let sent = sequence(Duration::MAX, "a\x1b]52;c;x\x07b\u{9c}\nc", true);
        assert_eq!(sent.as_deref(), Some("\x1b]9;a]52;c;xbc\x07\x07"));
    }
}
